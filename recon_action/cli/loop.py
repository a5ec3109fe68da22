"""`diff`, `apply` and `watch`."""

import gc
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from recon_action.cli.options import read_settings, read_targets, shared_options
from recon_action.cli.progress import StderrProgress
from recon_action.cli.report import show, write_files
from recon_action.cli.signals import interruptible
from recon_action.cli.targets import tell_each
from recon_action.config import duration
from recon_action.desired import pull, revision_of
from recon_action.errors import ReconError, UsageError, combine
from recon_action.model import Bucket, Mode, Progress, Settings
from recon_action.reconcile import reconcile
from recon_action.report.document import Report

_QUIET = frozenset({Bucket.IGNORED, Bucket.SKIPPED})


@click.command()
@shared_options
def diff(paths: tuple[str, ...], **values: Any) -> int:
    """Compare the cluster with PATHs and report; change nothing.

    PATH is a file, a folder, a glob, or - for stdin; without any, the targets of recon.yaml are compared. Exits 0 if
    all is in sync, 1 if anything differs.
    """
    return _once(read_targets(paths, values), Mode.DIFF)


@click.command()
@shared_options
def apply(paths: tuple[str, ...], **values: Any) -> int:
    """Make the cluster as PATHs say, once, and report.

    PATH is a file, a folder, a glob, or - for stdin. What the target's inventory holds and PATHs no longer
    have is deleted (see --prune, --max-prune). Without a PATH, the targets of recon.yaml are applied. Exits 0 if the
    cluster is as they say.
    """
    return _once(read_targets(paths, values), Mode.APPLY)


@click.command()
@click.option("--interval", default="60s", show_default=True, metavar="DURATION", help="Time between two rounds.")
@click.option("--git-pull", is_flag=True, help="Fetch and fast-forward the repository before each round.")
@click.option("--for", "period", default="", metavar="DURATION", help="Stop after this time; for use in a job.")
@shared_options
def watch(paths: tuple[str, ...], interval: str, period: str, *, git_pull: bool, **values: Any) -> int:
    """Make the cluster as PATHs say, again and again.

    PATH is a file, a folder, or a glob. A round that fails is told and tried again. Ends with Ctrl-C, SIGTERM,
    or after --for.
    """
    from recon_action.watch import Rhythm  # noqa: PLC0415 - only this command watches
    from recon_action.watch import watch as keep_watching  # noqa: PLC0415

    settings = read_settings(paths, dict(values))
    if "-" in paths:
        raise UsageError("watch can't read stdin again and again", hint="give files or folders")
    if settings.plan:
        raise UsageError("watch carries out more than one plan", hint="use apply --plan")
    rhythm = Rhythm(_seconds("--interval", interval), _seconds("--for", period) if period else None)
    root = _repository(settings.paths) if git_pull else ""
    gc.enable()

    def once() -> Report:
        if root:
            with stop.idle():
                pull(root)
        current = read_settings(paths, dict(values))  # recon.yaml may have changed: an old rule, or none, may harm
        with StderrProgress(verbose=settings.verbose) as progress:
            return reconcile(current, Mode.APPLY, progress=progress, stop=stop)

    def told(report: Report) -> None:
        write_files(report, settings)
        # What a rule hides, or an annotation takes out of the run, is so in every round.
        news = any(entry.bucket not in _QUIET or entry.outcome for entry in report.entries)
        if news or report.problems or settings.verbose:
            show(report, settings)
        else:
            held = report.counts
            aside = ((held.ignored, "ignored"), (held.skipped, "skipped"))
            beside = "".join(f", {count} of them {word}" for count, word in aside if count)
            part = " (partial)" if report.partial else ""
            click.echo(f"{_now()} {report.target}: in sync{part}, {held.total} objects{beside}", err=True)

    def failed(error: ReconError) -> None:
        hint = f" ({error.hint})" if error.hint else ""
        click.echo(f"{_now()} {error.message}{hint}; trying again", err=True)

    def rest(seconds: float) -> None:
        stop.wait(seconds)
        stop.check()

    with interruptible() as stop:
        end = keep_watching(once, rhythm, told=told, failed=failed, sleep=rest, clock=time.monotonic)
    return combine([end], settings.fail_on)


def _once(targets: Sequence[Settings], mode: Mode) -> int:
    with interruptible() as stop:

        def run(target: Settings, progress: Progress) -> Report:
            return reconcile(target, mode, progress=progress, stdin=sys.stdin.buffer, stop=stop)

        return tell_each(targets, run)


def _repository(paths: tuple[str, ...]) -> str:
    revision = revision_of(paths)
    if revision is None:
        raise UsageError(
            f"--git-pull: {Path(paths[0]).absolute()} lies in no Git repository",
            hint="clone it first, or leave --git-pull out",
        )
    return revision.root


def _seconds(name: str, text: str) -> float:
    try:
        return duration(text)
    except ValueError as error:
        raise UsageError(f"{name}: {error}", hint=f"{name} takes 30s, 5m, 1h30m") from None


def _now() -> str:
    return datetime.now(UTC).strftime("%H:%M:%SZ")
