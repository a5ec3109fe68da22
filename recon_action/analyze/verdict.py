"""One verdict for each object of manifests and inventory."""

from collections.abc import Mapping
from dataclasses import dataclass

from recon_action.analyze.blame import blame, overall
from recon_action.analyze.compare import compare
from recon_action.analyze.equality import same
from recon_action.analyze.payload import payload_hash
from recon_action.analyze.severity import severity_of
from recon_action.model import (
    Body,
    Bucket,
    Cause,
    DriftKind,
    FieldChange,
    Inventory,
    LiveObject,
    Manifest,
    Member,
    ObjectDrift,
    ObjectRef,
    Problem,
    Resource,
    Trouble,
    Verdict,
)
from recon_action.model.inventory import PART_OF


@dataclass(frozen=True, slots=True)
class Observation:
    """What was observed of one object that Git declares.

    Args:
        live: the object; None if there is none.
        predicted: the server's answer to a dry run; None if it was not asked.
        settled: it is proven, or remembered, that an apply would change nothing.
        memo: of an object that is not proven: what to remember if the server finds it the same.
        problem: why it could not be read or predicted.
    """

    live: LiveObject | None = None
    predicted: Body | None = None
    settled: bool = False
    memo: str = ""
    problem: Problem | None = None


def judge(manifest: Manifest, resource: Resource, seen: Observation, inventory: Inventory) -> Verdict:
    """The verdict on an object that Git declares."""
    ref, live = manifest.ref, seen.live
    foreign = _foreign(live, inventory)
    if foreign or seen.problem:
        return Verdict(ref, Bucket.FAILED, manifest, live, problem=foreign or seen.problem)
    member = inventory.members.get(ref)
    applied = member is not None and bool(member.uid)  # without a UID it was only about to be
    managed = applied or (live is not None and live.own_entry is not None)
    asked = seen.predicted is not None
    if live is None:
        cause = Cause.UNKNOWN if applied else Cause.GIT  # a member that is gone was deleted: no trace of by whom
        drift = ObjectDrift(ref, DriftKind.MISSING, cause, severity_of(ref, DriftKind.MISSING, ()))
        return Verdict(ref, _bucket(cause), manifest, drift=drift, managed=managed, predicted=asked)
    if seen.settled:
        return Verdict(ref, Bucket.IN_SYNC, manifest, live, memo=seen.memo)
    if seen.predicted is None:
        problem = Problem(Trouble.UNREACHABLE, "the server's prediction is missing", verb="dry-run")
        return Verdict(ref, Bucket.FAILED, manifest, live, problem=problem)
    differences = compare(seen.predicted, live.body, status="status" not in resource.subresources)
    if not differences:
        mend = not _bookkeeping_stands(live, seen.predicted)
        return Verdict(ref, Bucket.IN_SYNC, manifest, live, managed=managed, mend=mend, memo=seen.memo)
    moved = (
        None if member is None or not member.payload_hash else member.payload_hash != payload_hash(manifest, resource)
    )
    changes = blame(differences, live, git_moved=moved)
    drift = _modified(ref, changes)
    return Verdict(ref, _bucket(drift.cause), manifest, live, drift=drift, managed=managed)


def judge_member(
    member: Member,
    live: LiveObject | None,
    problem: Problem | None,
    *,
    applyset: str,
    declared: frozenset[str] = frozenset(),
) -> Verdict | None:
    """The verdict on an object that the inventory holds and Git doesn't; None if it is gone already.

    Args:
        member: what the inventory says of it.
        live: the object; None if there is none.
        problem: why it could not be read.
        applyset: our set's id.
        declared: UIDs of the objects that Git declares: one object may be served under two groups.
    """
    if problem:
        return Verdict(member.ref, Bucket.FAILED, problem=problem)
    if live is None:
        return None
    if live.uid in declared:
        reason = "Git declares the same object under another group; left alone"
    else:
        reason = _not_ours_to_delete(member, live, applyset)
    if reason:
        return Verdict(member.ref, Bucket.SKIPPED, live=live, reason=reason)
    severity = severity_of(member.ref, DriftKind.ORPHANED, ())
    drift = ObjectDrift(member.ref, DriftKind.ORPHANED, Cause.GIT, severity)
    return Verdict(member.ref, Bucket.PENDING, live=live, drift=drift)


def strays(objects: Mapping[ObjectRef, LiveObject], inventory: Inventory, known: Mapping[ObjectRef, object]) -> int:
    """How many observed objects carry our label and entry, but are neither in Git nor in the inventory."""
    return sum(
        1
        for ref, live in objects.items()
        if ref not in known
        and ref not in inventory.members
        and live.own_entry is not None
        and _label(live) == inventory.id
    )


def _modified(ref: ObjectRef, changes: tuple[FieldChange, ...]) -> ObjectDrift:
    cause = overall([change.cause for change in changes])
    return ObjectDrift(ref, DriftKind.MODIFIED, cause, severity_of(ref, DriftKind.MODIFIED, changes), changes)


def _bucket(cause: Cause) -> Bucket:
    return Bucket.PENDING if cause is Cause.GIT else Bucket.DRIFTED


def _label(live: LiveObject) -> str:
    return str((live.body["metadata"].get("labels") or {}).get(PART_OF, ""))


def _foreign(live: LiveObject | None, inventory: Inventory) -> Problem | None:
    label = _label(live) if live else ""
    if label in {"", inventory.id}:
        return None
    return Problem(
        Trouble.FOREIGN,
        f"the object belongs to another ApplySet: {label}",
        f"remove it from one of the two sets; to move it here, delete its label {PART_OF} first",
    )


def _bookkeeping_stands(live: LiveObject, predicted: Body) -> bool:
    """Whether an apply would leave our label and managedFields entry as they are."""
    after = LiveObject(live.ref, predicted)
    ours, then = live.own_entry, after.own_entry
    return (
        _label(live) == _label(after)
        and ours is not None
        and then is not None
        and ours.version == then.version
        and same(ours.fields, then.fields)
    )


def _not_ours_to_delete(member: Member, live: LiveObject, applyset: str) -> str:
    metadata, label = live.body["metadata"], _label(live)
    if member.uid and live.uid != member.uid:
        return "someone else created it anew after we had applied it; left alone"
    if label not in {"", applyset}:
        return f"it belongs to another ApplySet now: {label}; left alone"
    if live.own_entry is None:
        return "it no longer carries our managedFields entry; left alone"
    if any(owner.get("controller") for owner in metadata.get("ownerReferences") or ()):
        return "a controller owns it; left alone"
    if metadata.get("deletionTimestamp"):
        return "it is being deleted"
    return ""
