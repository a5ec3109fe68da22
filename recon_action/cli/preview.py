"""`preview`: what a pull request would change."""

from typing import Any

import click

from recon_action.cli.options import read_targets, shared_options
from recon_action.cli.signals import interruptible
from recon_action.cli.targets import tell_each
from recon_action.model import Progress, Settings
from recon_action.preview import preview as compare
from recon_action.reconcile.commits import config_in
from recon_action.report.document import Report


@click.command()
@click.option("--base", default="origin/HEAD", show_default=True, metavar="REF", help="What the head goes into.")
@click.option("--head", default="HEAD", show_default=True, metavar="REF", help="The commit to look at.")
@shared_options
def preview(paths: tuple[str, ...], base: str, head: str, **values: Any) -> int:
    """Tell what a change in Git would change in the cluster, apart from what differs already; change nothing.

    Both commits are read from git's objects, so that neither has to be checked out; recon.yaml is the base's.
    Without a PATH, its targets are compared.
    Exits 0 if nothing would change, 1 if something would.
    """
    config = values["config"]
    targets = read_targets(paths, values, config_in(config, paths, base, head))
    with interruptible() as stop:

        def run(target: Settings, progress: Progress) -> Report:
            return compare(target, base, head, config=config, progress=progress, stop=stop)

        return tell_each(targets, run)
