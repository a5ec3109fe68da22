"""What the inventory must hold: before the first write, after the last, and after it was lost."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace

from recon_action.analyze.payload import payload_hash
from recon_action.model import (
    ActionKind,
    Bucket,
    Desired,
    Inventory,
    LiveObject,
    Member,
    ObjectRef,
    Outcome,
    Resource,
    Result,
    Stage,
    Verdict,
)

_UNTOUCHED = frozenset({ActionKind.DELETE, ActionKind.LEAVE})
_APPLIED = frozenset({Outcome.CREATED, Outcome.CONFIGURED, Outcome.RECREATED, Outcome.UNCHANGED})


def before(inventory: Inventory, desired: Desired, stages: Sequence[Stage], cluster_uid: str) -> Inventory:
    """Old and new together, so that whatever a killed run has created is known to the next one."""
    touched = (action.ref for stage in stages for action in stage.actions if action.kind not in _UNTOUCHED)
    members = {ref: Member(ref) for ref in touched} | dict(inventory.members)
    return replace(
        inventory,
        members=members,
        # A clone whose remote is gone is no other repository.
        repository=(desired.revision.repository if desired.revision else "") or inventory.repository,
        paths=desired.identity,
        cluster_uid=cluster_uid or inventory.cluster_uid,
    )


def after(
    inventory: Inventory,
    verdicts: Iterable[Verdict],
    results: Mapping[ObjectRef, Result],
    resources: Mapping[ObjectRef, Resource],
    revision: str,
    epoch: str = "",
    *,
    is_partial: bool = False,
) -> Inventory:
    """What is still managed, with the UID and hash of what was applied.

    Args:
        inventory: as `before` made it.
        verdicts: on every object.
        results: what was done.
        resources: the kinds.
        revision: the commit, "" if not all of it was applied.
        epoch: the epoch that all was judged under, "" if not all was, or if it is unknown.
        is_partial: whether the run was about a part; members that have no verdict stay as they are.
    """
    verdicts = tuple(verdicts)
    judged = {verdict.ref for verdict in verdicts}
    kept = {ref: member for ref, member in inventory.members.items() if ref not in judged} if is_partial else {}
    for verdict in verdicts:
        member = _member(verdict, results.get(verdict.ref), inventory.members.get(verdict.ref), resources)
        if member is not None:
            kept[verdict.ref] = member
    return replace(inventory, members=kept, revision=revision or inventory.revision, epoch=epoch or inventory.epoch)


def rebuilt(inventory: Inventory, found: Iterable[LiveObject], known: Container[ObjectRef]) -> Inventory:
    """The inventory with every object of `found` that is certainly ours.

    Args:
        inventory: what is still remembered.
        found: whatever carries the set's label.
        known: what Git declares: an object that is served under two groups is a member by the name that Git has.
    """
    ours = [live for live in found if is_marked(live, inventory.id)]
    by_uid: dict[str, LiveObject] = {}
    for live in sorted(ours, key=lambda live: (live.ref not in known, live.ref not in inventory.members, live.ref)):
        by_uid.setdefault(live.uid, live)
    again = {live.ref: Member(live.ref, live.uid) for live in by_uid.values()}
    return replace(inventory, members=again | dict(inventory.members))


def strays(objects: Mapping[ObjectRef, LiveObject], inventory: Inventory, known: Container[ObjectRef]) -> int:
    """How many of `objects` are ours by every mark, but in neither Git (`known`) nor the inventory."""
    return sum(
        ref not in known and ref not in inventory.members and is_marked(live, inventory.id)
        for ref, live in objects.items()
    )


def is_lost(objects: Mapping[ObjectRef, LiveObject], inventory: Inventory) -> bool:
    """Whether there must have been an inventory: some of `objects` are its members, and it is not there."""
    return not inventory.exists and any(is_marked(live, inventory.id) for live in objects.values())


def is_marked(live: LiveObject, applyset: str) -> bool:
    """Whether the object says that the set `applyset` made it: controllers copy labels to what they make."""
    return _owner(live) == (applyset, True, False)


def has_same_owner(one: LiveObject, two: LiveObject) -> bool:
    """Whether what says whose an object is, is the same in two of its versions."""
    return _owner(one) == _owner(two)


def _owner(live: LiveObject) -> tuple[str, bool, bool]:
    return live.applyset, live.own_entry is not None, live.is_controlled


def _member(
    verdict: Verdict, result: Result | None, member: Member | None, resources: Mapping[ObjectRef, Resource]
) -> Member | None:
    if verdict.manifest is None:
        return None if _is_over(verdict, result) else member
    settled = verdict.bucket in {Bucket.IN_SYNC, Bucket.IGNORED} and not verdict.mend and not verdict.owner
    if result is not None and result.outcome in _APPLIED:
        return Member(verdict.ref, result.uid, payload_hash(verdict.manifest, resources[verdict.ref]))
    if result is None and settled and verdict.live is not None:
        digest = payload_hash(verdict.manifest, resources[verdict.ref])
        return Member(verdict.ref, verdict.live.uid, digest, verdict.memo)
    return member


def _is_over(verdict: Verdict, result: Result | None) -> bool:
    """Whether an object that Git no longer has is no longer ours to remember; one that is kept still is."""
    if verdict.bucket is Bucket.SKIPPED:
        if verdict.directives.skip or verdict.directives.keep:
            return False
        live = verdict.live
        return live is None or not live.is_terminating
    return result is not None and result.outcome is Outcome.DELETED
