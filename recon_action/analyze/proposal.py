"""What a pull request changes, apart from what differs already: the verdicts on its head, with base and head beside.

A change belongs to the pull request iff base and head differ at its path. One that neither of them mentions was
derived by the server from something else that they say, or is left over from before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from recon_action.analyze.equality import same
from recon_action.analyze.fieldset import node_at
from recon_action.analyze.severity import severity_of
from recon_action.analyze.value import value_at
from recon_action.model import (
    ABSENT,
    Body,
    Bucket,
    Cause,
    DriftKind,
    FieldPath,
    LiveObject,
    ObjectDrift,
    ObjectRef,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a pull request comes to.

    Args:
        verdicts: on every object of its head and of the inventory; pending is what it changes.
        differing: objects that differ from the base already.
        failed: objects that it doesn't touch, and that could not be judged.
    """

    verdicts: tuple[Verdict, ...]
    differing: tuple[ObjectRef, ...] = ()
    failed: tuple[ObjectRef, ...] = ()


def proposal(verdicts: Sequence[Verdict], base: Mapping[ObjectRef, Body], head: Mapping[ObjectRef, Body]) -> Proposal:
    """The part of `verdicts` that the way from `base` to `head` makes; both map objects to their payloads."""
    own: list[Verdict] = []
    differing: list[ObjectRef] = []
    failed: list[ObjectRef] = []
    for verdict in verdicts:
        ref = verdict.ref
        narrowed = _narrowed(verdict, base.get(ref), head.get(ref))
        own.append(narrowed)
        if verdict.bucket is Bucket.FAILED and narrowed.bucket is not Bucket.FAILED:
            failed.append(ref)
        elif _differs(verdict) and _size(narrowed) < _size(verdict):
            differing.append(ref)
    return Proposal(tuple(own), tuple(differing), tuple(failed))


def _narrowed(verdict: Verdict, base: Body | None, head: Body | None) -> Verdict:
    """The part of one verdict."""
    verdict = replace(verdict, additive=None, handover=None, mend=False)
    touched = not same(base, head)
    if verdict.bucket is Bucket.FAILED:
        return verdict if touched else _apart(verdict)
    drift = verdict.drift
    if drift is None:
        return verdict
    if drift.kind is not DriftKind.MODIFIED:
        return (
            replace(verdict, bucket=Bucket.PENDING, drift=replace(drift, cause=Cause.GIT))
            if touched
            else _apart(verdict)
        )
    changes = tuple(
        replace(change, cause=Cause.GIT)
        for change in drift.changes
        if touched and _is_of(change.path, base or {}, head or {}, verdict.live)
    )
    if not changes:
        return _apart(verdict)
    severity = severity_of(verdict.ref, DriftKind.MODIFIED, changes)
    return replace(
        verdict,
        bucket=Bucket.PENDING,
        drift=ObjectDrift(verdict.ref, DriftKind.MODIFIED, Cause.GIT, severity, changes),
    )


def _apart(verdict: Verdict) -> Verdict:
    """An object that the pull request leaves as it is, whatever else may be said of it."""
    return replace(verdict, bucket=Bucket.IN_SYNC, drift=None, problem=None, reason="", managed=True, predicted=True)


def _is_of(path: FieldPath, base: Body, head: Body, live: LiveObject | None) -> bool:
    before, after = value_at(base, path), value_at(head, path)
    own = live.own_entry if live else None
    if before is ABSENT and after is ABSENT and own is not None and node_at(own.fields, path) is not None:
        return False  # Git had the field when we applied last, and base lacks it already
    while before is ABSENT and after is ABSENT:  # the whole object is there in the end
        path = FieldPath(path.items[:-1])
        before, after = value_at(base, path), value_at(head, path)
    return not same(before, after)


def _differs(verdict: Verdict) -> bool:
    return verdict.drift is not None and not verdict.owner


def _size(verdict: Verdict) -> int:
    """How much an object differs."""
    return 0 if verdict.drift is None else max(1, len(verdict.drift.changes))
