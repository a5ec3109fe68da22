"""Whether the event is a comment that gives us an order, and that we have heard it."""

from collections.abc import Mapping

from recon_action.action.inputs import choice, target_of
from recon_action.errors import RefusedError
from recon_action.github import hearing, reply
from recon_action.github.denied import Denied
from recon_action.github.hearing import Asked
from recon_action.github.permission import Level
from recon_action.github.publish import Publisher
from recon_action.github.runner import Runner


def heard(environ: Mapping[str, str], publisher: Publisher) -> Asked | None:
    """The order that a comment gives to this run; None if it gives none, or one to another target's run.

    Raises:
        RefusedError: the workflow would have any comment do something, or nobody can be asked who may give orders.
    """
    event = publisher.event
    if event.name != "issue_comment":
        return None
    if choice(environ, "mode") != "auto":
        raise RefusedError(
            "input mode: on issue_comment only `auto` is taken, or anybody's comment would be an order",
            hint="leave mode out: what is done is what a comment such as `/recon diff` says",
        )
    least = Level[choice(environ, "command-permission").upper()]
    order = hearing.order_in(event)
    if order is None:
        return None
    if not publisher.wishes.token:
        raise RefusedError(
            "input github-token is empty, so that GitHub can't be asked who may give orders",
            hint="leave the input out: the job's own token will do",
        )
    return hearing.hear(publisher.client, event, order, target_of(environ, event), least)


def begin(runner: Runner, publisher: Publisher, asked: Asked) -> None:
    """Show that an order is being carried out. What can't be shown is told with the answer, which is shown alike."""
    try:
        reply.react(publisher.client, asked, reply.BEGUN)
    except Denied as denied:
        with runner.foreign():
            runner.say(denied.message)
