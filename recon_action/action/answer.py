"""What came of an order, told to who gave it."""

from datetime import datetime

from recon_action.action.end import End
from recon_action.errors import ExitCode, ReconError
from recon_action.github import deliver, ledger
from recon_action.github.hearing import Asked
from recon_action.github.marker import Marker
from recon_action.github.order import Misread
from recon_action.github.publish import Channel, Publisher
from recon_action.github.reply import Answer, kind_of, publish
from recon_action.report import reply
from recon_action.report.document import Report


def answer(publisher: Publisher, asked: Asked, end: End, target: str, began: datetime) -> ledger.Line:
    """React to the order's comment and write below it."""
    event = publisher.event
    marker = Marker(
        target="" if asked.is_everyones else target,
        kind=kind_of(asked),
        cluster=end.outcome.cluster_uid if isinstance(end.outcome, Report) else "",
        head=event.head,
        run=event.run,
        attempt=event.attempt,
        sequence=int(began.timestamp() * 1000),
    )
    code = end.outcome.exit_code if end.outcome else ExitCode.OK
    url = "" if isinstance(end.outcome, Report) else event.attempt_url  # a report names its run itself
    ours = Answer(asked, code, _text(asked, end), marker, url)
    return ledger.enter(Channel.REPLY, lambda: publish(publisher.client, ours))


def _text(asked: Asked, end: End) -> str:
    if isinstance(end.outcome, Report):
        return reply.found(end.outcome)
    if isinstance(asked.order, Misread):
        return reply.misread(asked.order.what)
    if isinstance(end.outcome, ReconError):
        return deliver.error_summary(end.outcome, reply.ROOM)
    return end.said
