"""`init`: recon.yaml and workflows for a repository."""

import shlex
from pathlib import Path
from typing import Any

import click

from recon_action.cli.access import ACCESS_OPTIONS, read_access
from recon_action.cli.options import some_options
from recon_action.cluster import connect
from recon_action.desired.revisions import relative_to
from recon_action.errors import ReconError
from recon_action.init import UNKNOWN, Draft, Pin, Sight, Written, draft, find_pin, given_pin, look, write
from recon_action.init.draft import Cluster
from recon_action.model import Access
from recon_action.observe import cluster_uid
from recon_action.report.escape import visible

_CONNECTIONS = 1
_SECONDS = 5.0  # for a cluster that may not be there


@click.command(short_help="Write recon.yaml and workflows for this repository.")
@click.option("--dry-run", is_flag=True, help="Show what would be written; write nothing.")
@click.option("--force", is_flag=True, help="Overwrite files that are there.")
@click.option("--offline", is_flag=True, help="Ask neither a cluster nor GitHub.")
@click.option("--pin", "pinned", default="", metavar="OWNER/NAME@COMMIT", help="The action. Default: this version's.")
@some_options(*ACCESS_OPTIONS)
@click.argument("paths", nargs=-1, metavar="[PATH...]")
def init(paths: tuple[str, ...], pinned: str, *, dry_run: bool, force: bool, offline: bool, **values: Any) -> None:
    """Look at the repository around the current folder, and write what it needs to be reconciled from GitHub.

    PATHs hold the manifests; they are found where there is no choice. Written are recon.yaml, with the UID of the
    cluster of your kubeconfig if that answers, and three workflows, each with the permissions that it needs and with
    actions pinned by commit. A file that exists is left alone.
    """
    sight = look(".", paths)
    named = [inside for path in paths if (inside := relative_to(sight.root, path)) is not None]
    pin = _pin(sight, pinned, offline=offline)
    cluster = Cluster() if offline else _cluster(read_access(values))
    made = draft(sight, named, pin, cluster)
    fates = write(sight.root, made.files, force=force, dry_run=dry_run)
    _tell_seen(sight, made, cluster)
    _tell_written(made, fates, dry_run=dry_run)
    _tell_next(sight, made, pin)


def _pin(sight: Sight, pinned: str, *, offline: bool) -> Pin:
    if pinned:
        return given_pin(pinned)
    return UNKNOWN if offline else find_pin(sight.root)


def _cluster(access: Access) -> Cluster:
    """The cluster of the kubeconfig; none if there is none, or it does not answer."""
    try:
        cluster = connect(access, concurrency=_CONNECTIONS).brief(_SECONDS)
        return Cluster(cluster.server, cluster_uid(cluster))
    except ReconError as error:
        if access != Access():
            raise
        click.echo(f"No cluster was asked: {error.message}", err=True)
        return Cluster()


def _tell_seen(sight: Sight, made: Draft, cluster: Cluster) -> None:
    sorts = {found.path: found.sort for found in sight.sources}
    _say(f"Repository: {sight.repository or sight.root}, default branch {sight.branch}")
    for path in made.paths:
        inner = sorted({str(sort) for where, sort in sorts.items() if Path(where).is_relative_to(path)})
        _say(f"Manifests: {path} ({', '.join(inner)}{', some encrypted by SOPS' if sight.is_encrypted else ''})")
    if cluster.uid:
        _say(f"Cluster: {cluster.server}, {cluster.uid}")
    for name in sight.workflows:
        _say(f"There is a workflow already that uses the action: {name}")


def _tell_written(made: Draft, fates: list[Written], *, dry_run: bool) -> None:
    _say("")
    for file, fate in zip(made.files, fates, strict=True):
        would = dry_run and fate in {Written.NEW, Written.REPLACED}
        _say(f"{file.path} {'would be ' if would else ''}{fate}. It {file.purpose}.")
        if would:
            _say("\n".join(["", *(f"  {line}".rstrip() for line in file.text.splitlines()), ""]))


def _tell_next(sight: Sight, made: Draft, pin: Pin) -> None:
    paths = shlex.join(made.paths)
    steps = [
        (f"recon-action diff {paths}", "what an apply would change"),
        (f"recon-action rbac {paths} --mode apply", "the least rights for the cluster, to be granted by who has them"),
        *((f"gh secret set {name}", what) for name, what in made.secrets.items()),
    ]
    width = max(len(command) for command, _ in steps)
    _say("\nWhat comes next:")
    for command, what in steps:
        _say(f"  {command:{width}}  # {what}")
    if not pin.is_commit:
        _say(
            f"\nThe workflows name {pin.action}@{pin.ref}, a tag, as its commit could not be looked up. A tag can be "
            "moved:\nput the commit in its place, or run this again with --force."
        )
    if sight.repository and not sight.repository.startswith("github.com/"):
        _say("\nThe workflows are for GitHub. Elsewhere: recon-action watch --git-pull (docs/guide.md).")


def _say(text: str) -> None:
    """Print lines; names in a repository may hold what no terminal should get."""
    click.echo("\n".join(map(visible, text.split("\n"))))
