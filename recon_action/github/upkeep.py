"""What is to be done about a target's drift issue, by what it remembers and what a run has found.

Pure: it sends nothing, and knows no clock. How the issue is found, and which of two runs is the newer one, is
`issue`'s; what it says is `report.issue`'s.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from typing import Final

from recon_action.model.memory import SCANS, Memory
from recon_action.report.drift import Drift, Measure

CLOSE_AFTER: Final = 2  # full scans
_DAY = 86_400
_REOPENED = 30 * _DAY  # seconds within which drift that comes back is the same story
_SNOOZE = 31 * _DAY  # nobody is silenced for longer, whatever the issue says
_LATE = 3  # times the longest pause between scheduled scans, before one is missed
_SLACK = 3_600  # seconds on top: GitHub starts them late when it is busy
_EMPTY = Memory()
_BY_HAND = "it was closed by hand, and stays so until the drift changes"


class Act(StrEnum):
    """What is to be done."""

    NOTHING = "nothing"
    OPEN = "open"
    EDIT = "edit"
    CLOSE = "close"
    REOPEN = "reopen"


class News(StrEnum):
    """What people are told in a comment, as nobody hears of an edit."""

    CHANGED = "changed"
    RETURNED = "returned"
    HEALED = "healed"


@dataclass(frozen=True, slots=True)
class Found:
    """The issue as it stands.

    Args:
        is_open: whether it is open.
        memory: what it remembers; None if somebody has damaged that.
        closed_at: when it was closed, in seconds since 1970.
        is_snoozed: whether it has the label that silences.
    """

    is_open: bool = True
    memory: Memory | None = _EMPTY
    closed_at: int = 0
    is_snoozed: bool = False


@dataclass(frozen=True, slots=True)
class Scan:
    """What a run has found.

    Args:
        drift: what it says of drift.
        at: when it began to look, in seconds since 1970.
        is_scheduled: whether the clock made it run.
        applied: the commit that had been applied last, "" if unknown.
        is_applied: whether it was this run that applied it.
        close_after: full scans without drift, after which the issue is closed.
    """

    drift: Drift
    at: int
    is_scheduled: bool = False
    applied: str = ""
    is_applied: bool = False
    close_after: int = CLOSE_AFTER


@dataclass(frozen=True, slots=True)
class Gap:
    """Scheduled scans that did not come.

    Args:
        last: the last one that is known of.
        usual: the longest pause between two of them before.
    """

    last: int
    usual: int


@dataclass(frozen=True, slots=True)
class Step:
    """What is to be done.

    Args:
        act: in a word.
        memory: what the issue is to remember.
        news: what people are to be told in a comment.
        gap: scheduled scans that the issue has not heard of.
        why: nothing is to be done.
    """

    act: Act
    memory: Memory = _EMPTY
    news: News | None = None
    gap: Gap | None = None
    why: str = ""


def decide(found: Found | None, scan: Scan) -> Step:
    """What is to be done about the issue `found`, None if there is none, after `scan`."""
    if found is None:
        return _without(scan)
    memory = found.memory or _guessed(scan)
    is_silent = found.is_snoozed or scan.at < memory.snoozed <= scan.at + _SNOOZE
    if found.is_open:
        return replace(_open(memory, scan, is_silent=is_silent), gap=gap_of(memory, scan.at))
    if memory.healed:
        return _healed(found, memory, scan, is_silent=is_silent)
    return _closed_by_hand(found, memory, scan, is_silent=is_silent)


def gap_of(memory: Memory, at: int) -> Gap | None:
    """Whether a scheduled scan is clearly missing: judged by the pauses between those that the issue has seen."""
    scans = sorted(moment for moment in memory.scans if moment <= at)
    pauses = [later - earlier for earlier, later in pairwise(scans)]
    if len(pauses) < 2 or at - scans[-1] <= _LATE * max(pauses) + _SLACK:
        return None
    return Gap(scans[-1], max(pauses))


def _without(scan: Scan) -> Step:
    if scan.drift.measure is not Measure.DRIFT:
        return Step(Act.NOTHING, why="there is none, and no drift that needs one")
    return Step(Act.OPEN, _told(_drifted(_noted(Memory(), scan), scan)))


def _open(memory: Memory, scan: Scan, *, is_silent: bool) -> Step:
    after = _noted(memory, scan)
    match scan.drift.measure:
        case Measure.UNKNOWN:
            return Step(Act.EDIT, after)
        case Measure.CORRECTED:
            return Step(Act.EDIT, replace(after, clean=0, healed=0))
        case Measure.CLEAN:
            # Somebody may have opened it again after it was closed; then the count begins anew.
            clean = 1 if memory.healed else memory.clean + 1
            if clean < scan.close_after:
                return Step(Act.EDIT, replace(after, clean=clean, healed=0))
            return Step(Act.CLOSE, replace(after, clean=clean, healed=scan.at), None if is_silent else News.HEALED)
        case _:
            after = _drifted(after, scan)
            if is_silent or after.told == after.drift:
                return Step(Act.EDIT, after)
            return Step(Act.EDIT, _told(after), News.CHANGED)


def _healed(found: Found, memory: Memory, scan: Scan, *, is_silent: bool) -> Step:
    """The drift had gone, and the issue was closed."""
    if scan.drift.measure is not Measure.DRIFT:
        return Step(Act.NOTHING, why="it is closed, and there is no drift that needs it")
    return _again(found, memory, scan, News.RETURNED, is_silent=is_silent)


def _closed_by_hand(found: Found, memory: Memory, scan: Scan, *, is_silent: bool) -> Step:
    """Somebody had enough of this drift: only another one, or the same after it has gone, opens the issue again."""
    match scan.drift.measure:
        case Measure.UNKNOWN:
            return Step(Act.NOTHING, why=_BY_HAND)
        case Measure.CLEAN:
            clean = memory.clean + 1
            healed = scan.at if clean >= scan.close_after else 0
            return Step(Act.EDIT, replace(memory, clean=clean, healed=healed, last=scan.at))
        case Measure.DRIFT if scan.drift.fingerprint != memory.drift:
            return _again(found, memory, scan, News.CHANGED, is_silent=is_silent)
        case _:
            kept = replace(memory, clean=0)
            return Step(Act.NOTHING, why=_BY_HAND) if kept == found.memory else Step(Act.EDIT, kept)


def _again(found: Found, memory: Memory, scan: Scan, news: News, *, is_silent: bool) -> Step:
    if is_silent:
        return Step(Act.NOTHING, why="it is snoozed")
    if scan.at - found.closed_at > _REOPENED:
        return _without(scan)
    # While it was closed nobody wrote scans down.
    forgotten = replace(memory, drift="", scans=(), clean=0)
    return Step(Act.REOPEN, _told(_drifted(_noted(forgotten, scan), scan)), news)


def _noted(memory: Memory, scan: Scan) -> Memory:
    """What any run leaves behind."""
    scans = tuple(moment for moment in memory.scans if moment < scan.at)
    applied = memory.applied, memory.applied_at
    if scan.is_applied:
        applied = scan.applied, scan.at
    elif scan.applied and scan.applied != memory.applied:  # by somebody who does not write here
        applied = scan.applied, 0
    return replace(
        memory,
        last=memory.last if scan.drift.measure is Measure.UNKNOWN else scan.at,
        scans=(*scans, scan.at)[-SCANS:] if scan.is_scheduled else scans,
        applied=applied[0],
        applied_at=applied[1],
    )


def _drifted(memory: Memory, scan: Scan) -> Memory:
    drift = scan.drift
    is_same = drift.fingerprint == memory.drift and not memory.healed and 0 < memory.since <= scan.at
    return replace(
        memory,
        drift=drift.fingerprint,
        since=memory.since if is_same else scan.at,
        seen=memory.seen + 1 if is_same else 1,
        objects=drift.keys,
        clean=0,
        healed=0,
    )


def _told(memory: Memory) -> Memory:
    return replace(memory, told=memory.drift)


def _guessed(scan: Scan) -> Memory:
    """In the place of what can't be read: nobody is told what they may have been told."""
    return replace(_told(_drifted(Memory(), scan)), seen=0)
