"""`action`: what the container's entry point runs."""

import os
import sys

import click

from recon_action.action import run


@click.command()
def action() -> int:
    """Run as a GitHub Action: inputs from INPUT_*, the event from GITHUB_*, results to the runner's files."""
    return run(os.environ, sys.stdout)
