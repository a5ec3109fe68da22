"""`config`: recon.yaml."""

import click

from recon_action.config.file import NAME, read_config


@click.group(short_help="Check recon.yaml.")
def config() -> None:
    """The settings file of a repository."""


@config.command()
@click.argument("file", default=NAME, metavar="[FILE]")
def check(file: str) -> None:
    """Check FILE, by default recon.yaml in the current folder: all that is wrong is told, each with its line."""
    targets = [one.name for one in read_config(file).targets if one.name]
    named = f"; its targets are {', '.join(targets)}" if targets else ""
    click.echo(f"{file}: nothing is wrong with it{named}")
