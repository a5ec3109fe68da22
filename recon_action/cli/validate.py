"""`validate`: manifests checked without a cluster."""

import sys
from dataclasses import replace
from typing import Any

import click

from recon_action.cli.options import read_targets, some_options
from recon_action.cli.signals import interruptible
from recon_action.cli.targets import tell_each
from recon_action.config.file import ConfigFile, read_config
from recon_action.config.sources import SOURCES
from recon_action.config.targets import without_access
from recon_action.model import Progress, Settings
from recon_action.reconcile.commits import config_in
from recon_action.report.document import Report
from recon_action.validate import validate as check

_SOURCES = tuple(option.name for option in SOURCES)


@click.command()
@click.argument("paths", nargs=-1, metavar="PATH...")
@click.option("--base", default="", metavar="REF", help="Tell as well what has changed since this commit.")
@click.option("--head", default="", metavar="REF", help="The commit to check. Default: the files as they lie there.")
@click.option(
    "--kubernetes",
    default="",
    metavar="VERSION",
    help="Try them as well on a throw-away API server that behaves as this version, 1.34 to 1.37; see `lab install`.",
)
@some_options("config", "target", *_SOURCES, "max-file-size", "output", "report")
def validate(paths: tuple[str, ...], base: str, head: str, kubernetes: str, **values: Any) -> int:
    """Check PATHs without a cluster: whether they can be read as manifests, and what is wrong with them.

    PATH is a file, a folder, a glob, or - for stdin; without any, the targets of recon.yaml are checked. Nothing is
    said of what runs. Exits 0 if nothing is wrong,
    3 if something is, or if an object's kind is unknown to the version to try.
    """
    config = values["config"]
    targets = read_targets(paths, values, _said(config, paths, base, head))
    with interruptible() as stop:

        def run(target: Settings, progress: Progress) -> Report:
            return check(
                target,
                base,
                head,
                kubernetes=kubernetes,
                config=config,
                progress=progress,
                stdin=sys.stdin.buffer,
                stop=stop,
            )

        return tell_each(targets, run)


def _said(config: str, paths: tuple[str, ...], base: str, head: str) -> ConfigFile:
    """What recon.yaml says, of the commit that counts if any are compared; nothing that leads to a cluster."""
    said = config_in(config, paths, base or head, head or "HEAD") if base or head else read_config(config)
    return replace(said, targets=without_access(said.targets))
