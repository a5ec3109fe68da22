"""`rbac`: the least roles for a target."""

from typing import Any

import click

from recon_action.cli.access import ACCESS_OPTIONS
from recon_action.cli.options import read_settings, some_options
from recon_action.cli.progress import StderrProgress
from recon_action.cli.signals import interruptible
from recon_action.config.sources import SOURCES
from recon_action.errors import ExitCode, UsageError
from recon_action.model.permissions import Account, Permit, Reach
from recon_action.rbac import permit
from recon_action.report.permissions import roles

_OPTIONS = (
    *ACCESS_OPTIONS,
    *(option.name for option in SOURCES if option.name != "decrypt"),  # which kinds there are is no secret
    *("config", "namespace", "target", "inventory-namespace"),
    *("prune", "allow-destructive", "recreate", "max-file-size", "concurrency"),
)


@click.command(short_help="Print the least roles for PATHs.")
@click.option(
    "--mode",
    "modes",
    type=click.Choice([reach.value for reach in Reach]),
    multiple=True,
    help="What the account is for; repeatable. Default: each of them, with an account of its own.",
)
@click.option(
    "--service-account",
    metavar="[NAMESPACE/]NAME",
    default="",
    help="The account. Default: recon-action-TARGET-MODE beside the inventory.",
)
@click.option("--user", metavar="NAME", default="", help="A user in its place, such as a job with auth: github-oidc.")
@click.option("--group", metavar="NAME", default="", help="A group in its place.")
@click.option("--cluster-wide", is_flag=True, help="Grant in all namespaces what lies in some: where they come and go.")
@click.option("--offline", is_flag=True, help="Ask no cluster: custom kinds are known by the CRDs among PATHs alone.")
@some_options(*_OPTIONS)
@click.argument("paths", nargs=-1, metavar="PATH...")
def rbac(
    paths: tuple[str, ...],
    modes: tuple[str, ...],
    service_account: str,
    user: str,
    group: str,
    *,
    cluster_wide: bool,
    offline: bool,
    **values: Any,
) -> int:
    """Print the roles and bindings that PATHs need, and no more, as YAML for kubectl.

    The cluster is asked what its kinds are called, and what the target's inventory holds; it is not changed. Exits 3 if
    nothing is known of a kind.
    """
    reaches = tuple(Reach(mode) for mode in dict.fromkeys(modes)) or tuple(Reach)
    account = _account(service_account, user, group)
    if account.name and len(reaches) > 1:
        raise UsageError(
            f"{account.name} can't be all of {', '.join(reaches)}: it would just have the most of them",
            hint="add --mode, and call rbac once for each account",
        )
    settings = read_settings(paths, values)
    with StderrProgress(verbose=settings.verbose) as progress, interruptible() as stop:
        made = permit(
            settings, reaches, account, offline=offline, everywhere=cluster_wide, progress=progress, stop=stop
        )
    click.echo(roles(made), nl=False)
    return _code(made)


def _account(service_account: str, user: str, group: str) -> Account:
    if len(list(filter(None, (service_account, user, group)))) > 1:
        raise UsageError("--service-account, --user and --group name one account", hint="leave all but one of them out")
    if user or group:
        return Account("User" if user else "Group", user or group)
    namespace, _, name = service_account.rpartition("/")
    return Account(name=name, namespace=namespace)


def _code(made: Permit) -> ExitCode:
    for group, kind in made.unknown_kinds:
        click.echo(f"nothing is granted for {kind} ({group or 'core'}): see the comment at the top", err=True)
    return ExitCode.DESIRED if made.unknown_kinds else ExitCode.OK
