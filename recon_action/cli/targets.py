"""A command about several targets: one after the other, each with its own report, and one exit code."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import click

from recon_action.cli.app import tell
from recon_action.cli.progress import StderrProgress
from recon_action.cli.report import show, write_files
from recon_action.config.targets import the_only
from recon_action.errors import ExitCode, Interrupted, ReconError, combine
from recon_action.model import Output, Progress, ReportFile, Settings
from recon_action.report.document import Report

_ONE_FILE = frozenset({Output.SARIF})  # its readers take one document


def tell_each(targets: Sequence[Settings], run: Callable[[Settings, Progress], Report]) -> int:
    """Run every target and show its report as soon as it is there; what stops one doesn't stop the others.

    Args:
        targets: what each is to be treated like.
        run: one of them.

    Raises:
        UsageError: something that was asked for is for one target alone.
        ReconError: the only target's run was stopped, or the run was interrupted.
    """
    if any(one.plan for one in targets):
        the_only(targets, "--plan")
    if any(one.output in _ONE_FILE for one in targets):
        the_only(targets, "-o sarif")
    if len(targets) == 1:
        return combine([_told(targets[0], run)], targets[0].fail_on)
    codes: list[ExitCode] = []
    for number, target in enumerate(targets):
        if ExitCode.INTERRUPTED in codes:
            break
        if number and target.output is not Output.JSON:
            click.echo()
        try:
            codes.append(_told(_apart(target), run))
        except Interrupted:
            raise
        except ReconError as error:
            codes.append(tell(error, target.target))
    return combine(codes, targets[0].fail_on)


def _told(target: Settings, run: Callable[[Settings, Progress], Report]) -> ExitCode:
    with StderrProgress(verbose=target.verbose) as progress:
        report = run(target, progress)
    show(report, target)
    write_files(report, target)
    return report.exit_code


def _apart(target: Settings) -> Settings:
    """The target with files of its own: `drift.json` becomes `drift-shop.json`."""
    return replace(target, reports=tuple(_named(file, target.target) for file in target.reports))


def _named(file: ReportFile, target: str) -> ReportFile:
    path = Path(file.file)
    return replace(file, file=str(path.with_name(f"{path.stem}-{target}{path.suffix}")))
