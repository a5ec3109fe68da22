"""The run itself: the loop, or a preview, as the event and the inputs ask for."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Protocol

from recon_action.action.end import End, reported, skipped
from recon_action.action.inputs import choice, look_in, settings_of
from recon_action.action.log import Log
from recon_action.action.mode import base_of, mode_of
from recon_action.action.publication import published
from recon_action.action.validation import is_without_credentials, validated
from recon_action.config.file import read_config, with_config
from recon_action.errors import FailOn, ReconError
from recon_action.github.event import EventContext
from recon_action.github.inputs import read_flag, read_input, read_list
from recon_action.github.runner import Runner
from recon_action.model import Mode, Progress, Settings
from recon_action.reconcile.commits import config_in
from recon_action.report.document import Report
from recon_action.stop import Stop


class Reconcile(Protocol):
    """The loop, once; `reconcile.reconcile`."""

    def __call__(
        self,
        settings: Settings,
        mode: Mode,
        *,
        progress: Progress,
        now: Callable[[], datetime],
        run_url: str,
        stop: Stop | None,
    ) -> Report:
        """Observe, analyze, act, report."""


class Preview(Protocol):
    """What a pull request would change; `preview.preview`."""

    def __call__(  # noqa: PLR0913 - what `preview` takes
        self,
        settings: Settings,
        base: str,
        head: str,
        *,
        config: str,
        progress: Progress,
        now: Callable[[], datetime],
        run_url: str,
        stop: Stop | None,
    ) -> Report:
        """Compare two commits beside the cluster."""


def work(
    environ: Mapping[str, str],
    runner: Runner,
    fail_on: FailOn,
    event: EventContext,
    reconcile: Callable[..., Report],
    preview: Callable[..., Report],
    validate: Callable[..., Report],
) -> End:
    """The run from event to summary."""
    if event.name == "issue_comment":
        return skipped()  # it orders nothing
    mode = _mode(environ, event)
    if mode is Mode.PUBLISH:
        return published(environ, runner, event)
    if mode is Mode.VALIDATE or is_without_credentials(environ, event):
        with runner.group(f"recon-action {Mode.VALIDATE}: progress"):
            report = validated(environ, fail_on, event, Log(runner), validate)
        return reported(environ, runner, report, Mode.VALIDATE)
    config, where, log = read_input(environ, "config"), look_in(environ), Log(runner)
    base = base_of(event, where) if mode is Mode.PREVIEW else ""
    paths = read_list(environ, "paths")
    said = config_in(config, paths, base, "HEAD") if base else read_config(config)
    with settings_of(environ, runner, fail_on, said) as chosen, runner.group(f"recon-action {mode}: progress"):
        if mode is Mode.PREVIEW:
            report = preview(chosen, base, "HEAD", config=config, progress=log, run_url=event.run_url)
        else:
            report = reconcile(with_config(chosen, said), mode, progress=log, run_url=event.run_url)
    return reported(environ, runner, report, mode)


def meant(environ: Mapping[str, str], event: EventContext) -> Mode | None:
    """What a push was to do, where an error has kept it from anything: somebody waits for what was merged."""
    try:
        return _mode(environ, event) if event.name == "push" else None
    except ReconError:
        return None


def _mode(environ: Mapping[str, str], event: EventContext) -> Mode:
    """What the run does, by inputs and event."""
    return mode_of(
        event,
        choice(environ, "mode"),
        read_list(environ, "apply-branches"),
        self_heal=read_flag(environ, "self-heal", default=True),
    )
