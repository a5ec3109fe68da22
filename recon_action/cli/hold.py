"""`hold`: leave one object as it is for some hours."""

from datetime import UTC, datetime, timedelta

import click

from recon_action.analyze.hold import hold_length
from recon_action.cli.access import ACCESS_OPTIONS, read_access
from recon_action.cli.options import some_options
from recon_action.errors import UsageError
from recon_action.hold import end_hold
from recon_action.hold import hold as put
from recon_action.model import Inventory


@click.command(short_help="Leave one object as it is for some hours.")
@click.argument("named", metavar="KIND/NAME")
@click.option("--for", "period", default="1h", show_default=True, metavar="DURATION", help="How long: 24h at most.")
@click.option("--reason", default="", metavar="TEXT", help="Why; every report shows it.")
@click.option("--off", is_flag=True, help="End the hold.")
@click.option("-n", "--namespace", default="", metavar="NAME", help="Where it is. Default: the context's.")
@click.option("--target", default="", metavar="NAME", help="Only if this target manages it.")
@some_options(*ACCESS_OPTIONS, "inventory-namespace")
def hold(named: str, period: str, reason: str, namespace: str, target: str, *, off: bool, **values: str) -> None:
    """Leave one object as it is for some hours, whatever Git says.

    KIND is spelled as for kubectl: deploy/web, deployment.apps/web, Deployment/web. Until the hold ends, apply and
    watch neither compare nor correct nor delete the object, and every report tells of it.
    """
    access = read_access(values)
    if off:
        ref, was_held = end_hold(access, named, namespace=namespace)
        click.echo(f"{ref} is no longer held" if was_held else f"{ref} was not held")
        return
    until = datetime.now(UTC) + _length(period)
    inventory = Inventory(target, values["inventory_namespace"]) if target else None
    ref = put(access, named, until, reason, namespace=namespace, inventory=inventory)
    click.echo(f"{ref} is held until {until:%Y-%m-%d %H:%M:%S} UTC")


def _length(period: str) -> timedelta:
    try:
        return hold_length(period)
    except ValueError as error:
        hint = "--for takes 30m, 2h, 24h: a hold lasts a day at most; hold again, if need be"
        raise UsageError(f"--for: {error}", hint=hint) from None
