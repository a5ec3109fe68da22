"""What the inventory must hold: before the first write, and after the last."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from recon_action.analyze.payload import payload_hash
from recon_action.model import (
    ActionKind,
    Bucket,
    Desired,
    Inventory,
    Member,
    ObjectRef,
    Outcome,
    Resource,
    Result,
    Stage,
    Verdict,
)


def before(inventory: Inventory, desired: Desired, stages: Sequence[Stage], cluster_uid: str) -> Inventory:
    """Old and new together, so that whatever a killed run has created is known to the next one."""
    touched = (action.ref for stage in stages for action in stage.actions if action.kind is not ActionKind.DELETE)
    members = {ref: Member(ref) for ref in touched} | dict(inventory.members)
    return replace(
        inventory,
        members=members,
        repository=desired.revision.repository if desired.revision else "",
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
) -> Inventory:
    """What is still managed, with the UID and hash of what was applied.

    Args:
        inventory: as `before` made it.
        verdicts: on every object.
        results: what was done.
        resources: the kinds.
        revision: the commit, "" if not all of it was applied.
        epoch: the epoch that all was judged under, "" if not all was, or if it is unknown.
    """
    kept: dict[ObjectRef, Member] = {}
    for verdict in verdicts:
        member = _member(verdict, results.get(verdict.ref), inventory.members.get(verdict.ref), resources)
        if member is not None:
            kept[verdict.ref] = member
    return replace(inventory, members=kept, revision=revision or inventory.revision, epoch=epoch or inventory.epoch)


def _member(
    verdict: Verdict, result: Result | None, member: Member | None, resources: Mapping[ObjectRef, Resource]
) -> Member | None:
    if verdict.manifest is None:
        return None if _is_over(verdict, result) else member
    settled = verdict.bucket in {Bucket.IN_SYNC, Bucket.IGNORED} and not verdict.mend and not verdict.owner
    if result is not None and result.outcome in {Outcome.CREATED, Outcome.CONFIGURED, Outcome.UNCHANGED}:
        return Member(verdict.ref, result.uid, payload_hash(verdict.manifest, resources[verdict.ref]))
    if result is None and settled and verdict.live is not None:
        digest = payload_hash(verdict.manifest, resources[verdict.ref])
        return Member(verdict.ref, verdict.live.uid, digest, verdict.memo)
    return member


def _is_over(verdict: Verdict, result: Result | None) -> bool:
    """Whether an object that Git no longer has is no longer ours to remember."""
    if verdict.bucket is Bucket.SKIPPED:
        live = verdict.live
        return live is None or not live.is_terminating
    return result is not None and result.outcome is Outcome.DELETED
