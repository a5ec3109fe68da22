"""`action`: what the container's entry point runs."""

import os
import sys

import click

from recon_action.action import run
from recon_action.cli.signals import interruptible


@click.command()
def action() -> int:
    """Run as a GitHub Action: inputs from INPUT_*, the event from GITHUB_*, results to the runner's files."""
    with interruptible() as stop:
        return run(os.environ, sys.stdout, stop=stop)
