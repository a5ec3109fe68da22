"""`release` and `delete`: the way out."""

from typing import Any

import click

from recon_action.cli.access import ACCESS_OPTIONS
from recon_action.cli.options import read_settings, some_options
from recon_action.cli.progress import StderrProgress
from recon_action.cli.report import show, write_files
from recon_action.cli.signals import interruptible
from recon_action.errors import combine
from recon_action.model import Mode
from recon_action.release import leave

_OPTIONS = (
    *("config", *ACCESS_OPTIONS, "inventory-namespace", "cluster-uid", "rebuild-inventory"),
    *("lock-timeout", "concurrency", "fail-on", "output", "report"),
)


@click.command(short_help="Give a target's objects back, and leave no trace.")
@click.argument("target")
@some_options(*_OPTIONS)
def release(target: str, **values: Any) -> int:
    """Give back what TARGET manages: the objects stay as they are, and nothing on them is recon-action's any more.

    Label, inventory and lock go; the fields that it applied go to the field manager kubectl, so that
    `kubectl apply --server-side` goes on where recon-action ends.
    """
    return _left({**values, "target": target}, Mode.RELEASE)


@click.command(short_help="Delete what a target manages.")
@click.option("--confirm", required=True, metavar="TARGET", help="The target; its name is the confirmation.")
@some_options(*_OPTIONS, "allow-destructive", "wait", "timeout")
def delete(confirm: str, **values: Any) -> int:
    """Delete everything that a target manages, and then its inventory.

    What was applied last goes first. Objects that are annotated to stay are given back, as by release. Namespaces,
    CRDs, volumes and their claims go only with --allow-destructive.
    """
    return _left({**values, "target": confirm}, Mode.DELETE)


def _left(values: dict[str, Any], mode: Mode) -> int:
    chosen = read_settings(None, values)
    with StderrProgress(verbose=chosen.verbose) as progress, interruptible() as stop:
        report = leave(chosen, mode, progress=progress, stop=stop)
    show(report, chosen)
    write_files(report, chosen)
    return combine([report.exit_code], chosen.fail_on)
