"""`validate`: manifests checked without a cluster."""

import sys
from typing import Any

import click

from recon_action.cli.options import read_settings, some_options
from recon_action.cli.progress import StderrProgress
from recon_action.cli.report import show, write_files
from recon_action.cli.signals import interruptible
from recon_action.config.sources import SOURCES
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

    PATH is a file, a folder, a glob, or - for stdin. Nothing is said of what runs. Exits 0 if nothing is wrong,
    3 if something is, or if an object's kind is unknown to the version to try.
    """
    settings = read_settings(paths, values, with_config=False)
    with interruptible() as stop:
        with StderrProgress(verbose=settings.verbose) as progress:
            report = check(
                settings,
                base,
                head,
                kubernetes=kubernetes,
                config=values["config"],
                progress=progress,
                stdin=sys.stdin.buffer,
                stop=stop,
            )
        show(report, settings)
        write_files(report, settings)
    return report.exit_code
