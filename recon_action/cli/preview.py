"""`preview`: what a pull request would change."""

from typing import Any

import click

from recon_action.cli.options import read_settings, shared_options
from recon_action.cli.progress import StderrProgress
from recon_action.cli.report import show, write_files
from recon_action.cli.signals import interruptible
from recon_action.errors import combine
from recon_action.preview import preview as compare


@click.command()
@click.option("--base", default="origin/HEAD", show_default=True, metavar="REF", help="What the head goes into.")
@click.option("--head", default="HEAD", show_default=True, metavar="REF", help="The commit to look at.")
@shared_options
def preview(paths: tuple[str, ...], base: str, head: str, **values: Any) -> int:
    """Tell what a change in Git would change in the cluster, apart from what differs already; change nothing.

    Both commits are read from git's objects, so that neither has to be checked out; recon.yaml is the base's.
    Exits 0 if nothing would change, 1 if something would.
    """
    settings = read_settings(paths, values, with_config=False)
    with interruptible() as stop:
        with StderrProgress(verbose=settings.verbose) as progress:
            report = compare(settings, base, head, config=values["config"], progress=progress, stop=stop)
        show(report, settings)
        write_files(report, settings)
    return combine([report.exit_code], settings.fail_on)
