"""`publish`: a report that a run without credentials has left, told on its pull request."""

import os
import sys

import click

from recon_action.action import run
from recon_action.cli.signals import interruptible
from recon_action.model import Mode


@click.command()
@click.argument("artifact", metavar="REPORT")
@click.option("--target", default="", metavar="NAME", help="The target that it is of. Default: the repository's.")
def publish(artifact: str, target: str) -> int:
    """Tell what a run without credentials has found on its pull request, in a workflow that follows that run.

    REPORT is the JSON report, or the folder that it was unpacked in. Works in a job of `on: workflow_run`, with the
    token in GITHUB_TOKEN. What the report says is shown as somebody else's words, and decides nothing.
    """
    inputs = {
        "INPUT_MODE": Mode.PUBLISH.value,
        "INPUT_ARTIFACT": artifact,
        "INPUT_TARGET": target,
        "INPUT_GITHUB-TOKEN": os.environ.get("GITHUB_TOKEN", ""),
    }
    with interruptible() as stop:
        return run({**os.environ, **inputs}, sys.stdout, stop=stop)
