"""The health of custom resources, by the conditions that most of them share. Pure.

No kind is known by name. What counts is a summary, `Ready`, or else the other words that their authors have for it;
what says that something went wrong for good; and which generation a condition speaks of. Routes and policies of the
Gateway API keep their conditions below the parents that they hang on.
"""

import re
from collections.abc import Iterator

from recon_action.analyze.conditions import Parts, conditions_of, is_true, why
from recon_action.analyze.health_workloads import is_beyond_deadline
from recon_action.model.health import Health, Status

_Conditions = dict[str, Parts]

_SUMMARY = "Ready"
_APPLIED = "Synced"  # beside a summary too: a Crossplane resource can be ready, and refuse what was changed last
_GOOD = (
    "Succeeded",
    "Accepted",
    "Valid",
    "ResolvedRefs",
    "Reconciled",
    "Programmed",
    "Established",
    "Available",
    "Healthy",
)
_BAD = ("Stalled", "Failed", "InvalidSpec")
_BELOW = ("parents", "ancestors", "listeners")
_NUMBER = re.compile(r"\d{1,18}", re.ASCII)
_SILENCE = Health(Status.CURRENT, certain=False)
_BEHIND = Health(Status.IN_PROGRESS, "its controller has not seen the latest change")


def by_conditions(status: Parts, generation: object = None) -> Health:
    """What `status` says of an object of that generation; None if it has none."""
    if not status:
        return _SILENCE
    told = conditions_of(status)
    words = (_SUMMARY, _APPLIED) if _SUMMARY in told else (_APPLIED, *_GOOD)
    spoken = _fresh(told, generation)
    certain = _is_certain(status, generation)
    if failure := _failure(spoken):
        return Health(Status.FAILED, failure, certain)
    if is_true(spoken, "Reconciling"):
        return Health(Status.IN_PROGRESS, why(spoken["Reconciling"]))
    places = [(told, spoken), *(() if _SUMMARY in told else _below(status, generation))]
    lacking = [one for _, fresh in places for word in words if (one := fresh.get(word)) and one["status"] != "True"]
    if lacking:
        return _unwell(lacking[0], spoken, certain=certain)
    if any(word in old and word not in fresh for old, fresh in places for word in words):
        return _BEHIND
    return Health(Status.CURRENT, certain=certain)


def _unwell(lacking: Parts, spoken: _Conditions, *, certain: bool) -> Health:
    """The health of an object that lacks a condition which it should have."""
    if is_true(spoken, "Paused"):
        return Health(Status.CURRENT, f"it is paused: {why(spoken['Paused'])}")
    # By convention, what runs to its end and has not succeeded won't any more.
    is_over = lacking["type"] == "Succeeded" and lacking["status"] == "False"
    return Health(Status.FAILED if is_over else Status.IN_PROGRESS, why(lacking), certain)


def is_behind(observed: object, generation: object) -> bool:
    """Whether `observed`, an observedGeneration, is an earlier one than `generation`.

    Some controllers keep a text there: a number, or a hash. One of digits alone is larger than any generation.
    """
    if not isinstance(generation, int):
        return False
    if isinstance(observed, str):
        return bool(_NUMBER.fullmatch(observed)) and int(observed) < generation
    return isinstance(observed, int) and observed != generation


def _fresh(conditions: _Conditions, generation: object) -> _Conditions:
    """Those that don't speak of an earlier generation."""
    return {kind: one for kind, one in conditions.items() if not is_behind(one.get("observedGeneration"), generation)}


def _below(status: Parts, generation: object) -> Iterator[tuple[_Conditions, _Conditions]]:
    """The conditions that lie deeper, all and fresh; without places of which only an earlier generation knew."""
    for field in _BELOW:
        parts = status.get(field)
        told = [conditions_of(part) for part in (parts if isinstance(parts, list) else ()) if isinstance(part, dict)]
        places = [(one, _fresh(one, generation)) for one in told]
        yield from [place for place in places if place[1]] or places


def _is_certain(status: Parts, generation: object) -> bool:
    """Whether what the status says can only be said of this generation."""
    told = [status, *conditions_of(status).values()]
    told += [one for conditions, _ in _below(status, generation) for one in conditions.values()]
    return generation in {None, 1} or any("observedGeneration" in one for one in told)


def _failure(conditions: _Conditions) -> str:
    for kind in _BAD:
        if is_true(conditions, kind):
            return why(conditions[kind])
    return why(conditions["Progressing"]) if is_beyond_deadline(conditions) else ""
