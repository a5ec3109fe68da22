"""What became of each channel on GitHub: delivered, denied with what is missing, failed, or off.

Decides what a channel that was not served costs: what lacks a permission, or the thing itself, is a warning; what
GitHub should have done is a failure to publish. Neither says anything about the cluster.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from recon_action.errors import ExitCode, PublishError
from recon_action.github.commands import Annotation, Level
from recon_action.github.comment import Told
from recon_action.github.denied import Denied
from recon_action.report.escape import anchor, code, prose, running

ROOM = 3_000  # bytes of the job summary that are kept for it
_FACT = 400  # characters of what is said
_SHORT = 60  # the same, where that would be too much


class Outcome(StrEnum):
    """What became of a channel."""

    DELIVERED = "delivered"
    DENIED = "denied"
    FAILED = "failed"
    OFF = "off"


_SYMBOLS = {Outcome.DELIVERED: "✅", Outcome.DENIED: "⚠️", Outcome.FAILED: "❌", Outcome.OFF: "–"}


@dataclass(frozen=True, slots=True)
class Line:
    """One channel.

    Args:
        channel: "comment", "check run".
        outcome: what became of it.
        what: in a few words: what was done, or why not.
        hint: what to do about it.
        url: of what was written.
        count: how many annotations that holds.
    """

    channel: str
    outcome: Outcome
    what: str = ""
    hint: str = ""
    url: str = ""
    count: int = 0


def enter(channel: str, serve: Callable[[], Told]) -> Line:
    """Serve a channel, and write down what became of it: no channel keeps the next one from being served."""
    try:
        told = serve()
    except PublishError as error:
        outcome = Outcome.DENIED if isinstance(error, Denied) and error.is_denial else Outcome.FAILED
        return Line(channel, outcome, error.message, error.hint)
    return Line(channel, Outcome.DELIVERED, told.what, url=told.url, count=told.count)


def codes(ledger: Sequence[Line]) -> list[ExitCode]:
    """What the channels add to the codes of a run."""
    return [ExitCode.PUBLISH for line in ledger if line.outcome is Outcome.FAILED]


def annotations(ledger: Sequence[Line], title: str) -> list[Annotation]:
    """What was not delivered, said aloud."""
    levels = {Outcome.DENIED: Level.WARNING, Outcome.FAILED: Level.ERROR}
    return [
        Annotation(levels[line.outcome], "\n".join(filter(None, (line.what, line.hint))), title=title)
        for line in ledger
        if line.outcome in levels
    ]


def summary(ledger: Sequence[Line]) -> str:
    """The ledger as the end of the job summary; "" if there is no channel at all."""
    if not ledger:
        return ""
    text = _table(ledger, _FACT)
    return text if len(text.encode()) <= ROOM else _table(ledger, _SHORT)


def _table(ledger: Sequence[Line], limit: int) -> str:
    rows = [
        f"| {_SYMBOLS[line.outcome]} {line.outcome} | {_channel(line)} | {_words(line, limit)} |" for line in ledger
    ]
    return "\n".join(["", "**On GitHub**", "", "| | Channel | |", "|---|---|---|", *rows, ""])


def _channel(line: Line) -> str:
    return anchor(line.channel, line.url)


def _words(line: Line, limit: int) -> str:
    """What is to be said; what stands in backticks of our own hint is to be copied."""
    parts = line.hint[:limit].split("`")
    hint = "".join(code(part) if number % 2 else running(part) for number, part in enumerate(parts))
    return "<br>".join(filter(None, (prose(line.what[:limit]), hint)))
