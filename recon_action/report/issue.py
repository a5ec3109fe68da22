"""The drift issue in words: how long it has been so, the report, what was set back, and what can be done about it.

Pure. What the state of things is has been decided: here it is said. The hidden lines above the text, and whether it
is written at all, are `github`'s.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from recon_action.model import Correction, DriftKind, ObjectRef
from recon_action.model.memory import OBJECTS, Memory
from recon_action.report import markdown, words
from recon_action.report.document import Report
from recon_action.report.drift import Drift, Measure, Moved
from recon_action.report.escape import anchor, breakable, code, prose, visible

ROOM: Final = 60_000  # bytes; GitHub takes 65,536 characters, and the hidden lines need some
_BELOW = "<!-- recon:report -->"  # what stands below it is of the last run that could tell
_DAY = 86_400
_ROWS = 20  # of what was set back
_FACT = 200  # characters


@dataclass(frozen=True, slots=True)
class State:
    """What is so, beside the report.

    Args:
        memory: what is known of earlier runs, and of this one.
        drift: what this run has found.
        at: when it began to look, in seconds since 1970.
        close_after: full scans without drift, after which the issue is closed.
        is_closed: whether it is closed now.
        gap: the last scheduled scan that is known of, and the longest pause before, if one is missing.
        url: of the run's page, "" outside of a workflow.
    """

    memory: Memory
    drift: Drift
    at: int
    close_after: int
    is_closed: bool = False
    gap: tuple[int, int] | None = None
    url: str = ""


def title(target: str) -> str:
    """The issue's title, which people may change."""
    return f"Drift in the cluster: {visible(target)}"


def body(report: Report, state: State) -> str:
    """All of the issue's text, after a run that could tell."""
    head = "\n\n".join(_head(state))
    tail = "\n\n".join(filter(None, (_corrections(report.corrections), _applied(state.memory), _advice(report, state))))
    room = ROOM - len(f"{head}{_BELOW}{tail}".encode()) - 8
    return f"{head}\n\n{_BELOW}\n\n{markdown.render(report, budget=room)}\n{tail}\n"


def unsure(said: str, state: State, former: str) -> str:
    """All of the issue's text, after a run that could not tell.

    Args:
        said: by the run, in a line.
        state: what is so.
        former: the text that stands there.
    """
    run = f" ({anchor('run', state.url)})" if state.url else ""
    told = f"⚠️ **The run of {_moment(state.at)} could not tell**: {prose(said[:_FACT])}{run}."
    since = f"Below is what the last full scan saw, at {_moment(state.memory.last)}."
    head = "\n\n".join((f"{told} {since}", *_always(state)))
    below = former.partition(_BELOW)[2]
    text = f"{head}\n\n{_BELOW}{below}"
    return text if len(text.encode()) <= ROOM else f"{head}\n\n{_BELOW}\n"


def changed(drift: Drift, before: Memory) -> str:
    """A short comment: the drift is another one than before."""
    new = [one for one in drift.moved if one.key not in before.objects]
    gone = len(set(before.objects) - {one.key for one in drift.moved})
    if not before.objects or max(len(before.objects), len(drift.moved)) >= OBJECTS:
        return f"⚠️ The drift has changed: {_named(drift.moved)}."
    said = [f"new: {_named(new)}"] if new else []
    said += [f"{words.plural(gone, 'object')} no longer as before"] if gone else []
    return f"⚠️ The drift has changed: {'; '.join(said)}."


def returned(drift: Drift) -> str:
    """A short comment: there is drift again."""
    return f"⚠️ Drift is back: {_named(drift.moved)}."


def healed(memory: Memory) -> str:
    """A short comment: there is none any more."""
    return f"✅ In sync in {_scans(memory)}: closed."


def duplicate(number: int) -> str:
    """In the place of an issue that is one too many."""
    return f"Opened twice at the same moment. #{number} is the one that is kept current.\n"


def missed(last: int) -> str:
    """That scheduled scans don't come, in a few words."""
    return f"no scheduled scan since {_moment(last)}"


def _head(state: State) -> Iterator[str]:
    """How things stand, most urgent first."""
    memory = state.memory
    match state.drift.measure:
        case Measure.DRIFT if not state.drift.remains:
            yield (
                f"**Set back**: {_named(state.drift.moved)} had been changed outside of Git, and this run has put "
                f"back what Git says. {_closing(state)}"
            )
        case Measure.DRIFT:
            yield _age(memory, state.at)
        case Measure.CORRECTED:
            yield f"**Set back** by this run. {_closing(state)}"
        case _:
            scans = f"**In sync** in {_scans(memory)}"
            yield f"{scans}: closed." if state.is_closed else f"{scans}. {_closing(state)}"
    yield from _always(state)


def _always(state: State) -> Iterator[str]:
    if state.gap is not None:
        last, usual = state.gap
        yield (
            f"⚠️ **The schedule seems to have stopped**: {missed(last)}, {_long(state.at - last)} ago; before that the "
            f"longest pause was {_long(usual)}. Only this issue remembers them. GitHub drops scheduled runs when it is "
            "busy, and ends the schedule of a public repository after 60 days without activity."
        )
    if state.memory.snoozed > state.at:
        yield f"Snoozed until {_moment(state.memory.snoozed)}: no comment is written, and a closed issue stays closed."


def _age(memory: Memory, at: int) -> str:
    day = (at - memory.since) // _DAY + 1
    if memory.seen < 2:
        return f"**New drift**, first seen {_moment(memory.since)}."
    seen = f"first seen {_moment(memory.since)}, in {words.plural(memory.seen, 'scan')} so far"
    return f"**Day {day}, same drift**: {seen}."


def _scans(memory: Memory) -> str:
    return f"{memory.clean} full scans in a row" if memory.clean > 1 else "the last full scan"


def _closing(state: State) -> str:
    more = state.close_after - state.memory.clean
    return f"The issue is closed after {words.plural(more, 'more full scan')} without drift."


def _corrections(corrections: Sequence[Correction]) -> str:
    """What applies set back in a day, the latest first."""
    if not corrections:
        return ""
    times = Counter((one.ref, one.path) for one in corrections)
    latest = {(one.ref, one.path): one for one in corrections}
    shown = sorted(latest.values(), key=lambda one: one.at, reverse=True)
    rows = [_row(one, times[one.ref, one.path]) for one in shown[:_ROWS]]
    more = [f"\n{len(shown) - _ROWS} more."] if len(shown) > _ROWS else []
    head = ["**Set back in the last 24 hours**", "", "| Object | What |", "|---|---|"]
    return "\n".join([*head, *rows, *more])


def _row(one: Correction, times: int) -> str:
    what = breakable(one.path[:_FACT]) if one.path else "it had been deleted"
    often = f"{words.plural(times, 'time')}, last " if times > 1 else ""
    tool = f"; written with {code(one.tool[:_FACT])}" if one.tool else ""
    below = f"<sub>{often}{prose(words.moment(one.at[:_FACT]))}{tool}</sub>"
    return f"| {code(str(one.ref)[:_FACT])} | {what}<br>{below} |"


def _applied(memory: Memory) -> str:
    if not memory.applied:
        return "Last good apply: none that is known."
    when = f", {_moment(memory.applied_at)}" if memory.applied_at else ""
    return f"Last good apply: {code(memory.applied[:7])}{when}."


def _advice(report: Report, state: State) -> str:
    """What can be done about it, as lines to be copied."""
    if state.drift.measure is not Measure.DRIFT:
        return ""
    lines = []
    if state.drift.remains and not report.mode.writes and report.plan:
        destroys = any(words.destructive(report))
        order = f"/recon apply {report.digest}{' --allow-destructive' if destroys else ''}"
        lines.append(f"- **Undo it**: comment {code(order)} here. It carries out the plan that was made now, no other.")
    elif state.drift.remains:
        lines.append("- **Undo it**: an apply leaves these as they are; beside each object stands why.")
    there = [one.ref for one in state.drift.moved if not state.drift.remains or one.how != DriftKind.MISSING]
    if there:  # else nothing is there to be held
        hold = code(f"/recon hold {_hold(there[0])} 2h REASON")
        lines.append(f"- **Hold it**: comment {hold}, and no apply corrects it for that long.")
    live = "what is live" if state.drift.remains else "what was live"
    snooze, label = code("/recon snooze 3d"), code("snooze")
    lines += [
        f"- **Accept it**: put {live} into Git, or leave the fields to others by a rule in `recon.yaml`.",
        f"- **Hear no more of it**: comment {snooze}, add the label {label}, or close it until the drift changes.",
    ]
    return "\n".join(["**What can be done**", "", *lines])


def _hold(ref: ObjectRef) -> str:
    kind = f"{ref.kind}.{ref.group}" if ref.group else ref.kind
    return f"{kind}/{ref.name}" + (f" -n {ref.namespace}" if ref.namespace else "")


def _named(moved: Sequence[Moved]) -> str:
    return markdown.named(list(dict.fromkeys(one.ref for one in moved)))


def _moment(seconds: int) -> str:
    if not seconds:
        return "a time that is not known"
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _long(seconds: int) -> str:
    """`3 days`, `2 hours`, `5 minutes`."""
    for size, noun in ((_DAY, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            return words.plural(seconds // size, noun)
    return words.plural(seconds, "second")
