"""`release` and `delete`: the way out."""

from typing import Any

import click

from recon_action.cli.options import some_options
from recon_action.cli.progress import StderrProgress
from recon_action.cli.report import show, write_files
from recon_action.cli.signals import interruptible
from recon_action.config import OPTIONS, settings
from recon_action.config.file import with_file
from recon_action.errors import UsageError, combine
from recon_action.model import Mode
from recon_action.release import leave

_OPTIONS = (
    *("config", "kubeconfig", "context", "target", "inventory-namespace", "cluster-uid", "rebuild-inventory"),
    *("lock-timeout", "concurrency", "fail-on", "output", "report"),
)


@click.command(short_help="Give a target's objects back, and leave no trace.")
@some_options(*_OPTIONS)
def release(**values: Any) -> int:
    """Give back what --target manages: the objects stay as they are, and nothing on them is recon-action's any more.

    Label, inventory and lock go; the fields that it applied go to the field manager kubectl, so that
    `kubectl apply --server-side` goes on where recon-action ends.
    """
    if not values["target"]:
        raise UsageError("release needs --target: the target to give back", hint="name it as apply's report does")
    return _left(values, Mode.RELEASE)


@click.command(short_help="Delete what a target manages.")
@click.option("--confirm", required=True, metavar="TARGET", help="The target; its name is the confirmation.")
@some_options(*(name for name in _OPTIONS if name != "target"), "allow-destructive", "wait", "timeout")
def delete(confirm: str, **values: Any) -> int:
    """Delete everything that a target manages, and then its inventory.

    What was applied last goes first. Objects that are annotated to stay are given back, as by release. Namespaces,
    CRDs, volumes and their claims go only with --allow-destructive.
    """
    return _left({**values, "target": confirm}, Mode.DELETE)


def _left(values: dict[str, Any], mode: Mode) -> int:
    named = {option.name: values[option.key] for option in OPTIONS if option.key in values}
    chosen = with_file(settings(named, paths=None), values["config"])
    with StderrProgress() as progress, interruptible() as stop:
        report = leave(chosen, mode, progress=progress, stop=stop)
    show(report, chosen)
    write_files(report, chosen)
    return combine([report.exit_code], chosen.fail_on)
