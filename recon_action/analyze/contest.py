"""Fields that something else sets back again and again: told of, and no longer corrected.

The inventory remembers for a day what applies set back. A field that they have set back three times, and that
differs again, is left to whoever insists on it, until one of the three is a day old: then it is tried once more.
A whole object is no such thing: one that keeps being deleted is created again each time, for without it something
may not run at all.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from recon_action.model import Cause, Correction, DriftKind, IgnoreRule, Match, ObjectRef, Outcome, Result, Verdict
from recon_action.model.pattern import parse_field

WINDOW = timedelta(hours=24)
ENOUGH = 3
_MOST = 1000  # corrections that are kept, the newest
_TIME = "%Y-%m-%dT%H:%M:%SZ"
_SET_BACK = frozenset({Outcome.CREATED, Outcome.CONFIGURED, Outcome.RECREATED})


@dataclass(frozen=True, slots=True)
class Contests:
    """What was set back often enough.

    Args:
        fields: by object, each with the reason to leave it alone, should it differ.
        deletions: by object, what is to be said if it is missing.
    """

    fields: Mapping[ObjectRef, tuple[IgnoreRule, ...]] = field(default_factory=dict)
    deletions: Mapping[ObjectRef, str] = field(default_factory=dict)


def contests(corrections: Sequence[Correction], now: datetime) -> Contests:
    """What the `corrections` of the last day amount to."""
    by_place: defaultdict[tuple[ObjectRef, str], list[Correction]] = defaultdict(list)
    for one in _recent(corrections, now):
        by_place[one.ref, one.path].append(one)
    fields: defaultdict[ObjectRef, tuple[IgnoreRule, ...]] = defaultdict(tuple)
    deletions: dict[ObjectRef, str] = {}
    for (ref, path), ones in by_place.items():
        if len(ones) < ENOUGH:
            continue
        tool = next((one.tool for one in reversed(ones) if one.tool), "")
        if path:
            fields[ref] += _rule(path, f"set back {len(ones)} times in 24 h" + (f" by {tool}" if tool else ""))
        else:
            deletions[ref] = f"deleted {len(ones)} times in 24 h, and created again each time"
    return Contests(dict(fields), deletions)


def remembered(
    corrections: Sequence[Correction],
    verdicts: Sequence[Verdict],
    results: Mapping[ObjectRef, Result],
    now: datetime,
) -> tuple[Correction, ...]:
    """The corrections of the last day, with those of a run that came to `results`."""
    return (*_recent(corrections, now), *_corrections(verdicts, results, now.strftime(_TIME)))[-_MOST:]


def _recent(corrections: Sequence[Correction], now: datetime) -> list[Correction]:
    """Those of the last day; one from the future is some clock's mistake, and must not stay for ever."""
    floor, ceiling = (now - WINDOW).strftime(_TIME), (now + WINDOW).strftime(_TIME)
    return [one for one in corrections if floor < one.at < ceiling]


def _corrections(verdicts: Sequence[Verdict], results: Mapping[ObjectRef, Result], at: str) -> Iterator[Correction]:
    """What was not as Git says through no change of Git, and is now."""
    for verdict in verdicts:
        result = results.get(verdict.ref)
        if result is None or result.outcome not in _SET_BACK:
            continue
        drift = verdict.drift
        if drift and drift.kind is DriftKind.MISSING and drift.cause is not Cause.GIT:
            yield Correction(at, verdict.ref)
        reverted = verdict.additive if verdict.is_reverted else None
        for change in (change for found in (drift, reverted) if found for change in found.changes):
            if change.cause is not Cause.GIT and change.path not in verdict.contested:
                yield Correction(at, verdict.ref, str(change.path), change.tool)


def _rule(path: str, reason: str) -> tuple[IgnoreRule, ...]:
    try:
        return (IgnoreRule(Match(), (parse_field(path),), reason=reason),)
    except ValueError:
        return ()  # a path that can't be read back can't be left to anybody
