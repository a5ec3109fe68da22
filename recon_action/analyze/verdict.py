"""One verdict for each object of manifests and inventory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from recon_action.analyze.admission import overridden
from recon_action.analyze.blame import blame, overall
from recon_action.analyze.claims import Claims
from recon_action.analyze.compare import Difference, compare
from recon_action.analyze.equality import same
from recon_action.analyze.ignore import is_ignored
from recon_action.analyze.leave import Left
from recon_action.analyze.others import with_left
from recon_action.analyze.owner import living_owner
from recon_action.analyze.payload import payload_hash
from recon_action.analyze.reserved import reserved
from recon_action.analyze.severity import severity_of
from recon_action.analyze.untouched import UNMARKED, Standing, without_ended_hold
from recon_action.model import (
    Body,
    Bucket,
    Cause,
    DriftKind,
    FieldChange,
    FieldPath,
    Inventory,
    LiveObject,
    Manifest,
    Member,
    ObjectDrift,
    ObjectRef,
    Problem,
    Resource,
    Severity,
    Trouble,
    Verdict,
)
from recon_action.model.inventory import PARENT, PART_OF

_ADMISSION = "mutating admission"
_BY_ADMISSION = "overridden by admission, which no apply mends: take its value into Git, or ignore the field"
_TERMINATING = "it is being deleted"
_NOBODY: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Observation:
    """What was observed of one object that Git declares.

    Args:
        live: the object; None if there is none.
        predicted: the server's answer to a dry run; None if it was not asked.
        settled: it is proven, or remembered, that an apply would change nothing.
        claims: what others hold of it.
        left: what is left to others; None if nothing is.
        memo: of an object that is not proven: what to remember if the server finds it the same.
        admitted: the payload, where mutating admission may have changed what the server predicts.
        problem: why it could not be read or predicted.
        reason: what people have to know of the prediction.
        standing: what annotations ask for, and the hold on it.
    """

    live: LiveObject | None = None
    predicted: Body | None = None
    settled: bool = False
    claims: Claims = field(default_factory=Claims)
    left: Left | None = None
    memo: str = ""
    admitted: Body | None = None
    problem: Problem | None = None
    reason: str = ""
    standing: Standing = UNMARKED


def judge(
    manifest: Manifest,
    resource: Resource,
    seen: Observation,
    inventory: Inventory,
    givers: Mapping[str, str] = _NOBODY,
) -> Verdict:
    """The verdict on an object that Git declares.

    Args:
        manifest: what Git says.
        resource: its kind.
        seen: what was observed.
        inventory: what was remembered.
        givers: targets whose objects may move here, by the id of their ApplySet.
    """
    verdict = _judged(manifest, resource, seen, inventory, givers)
    return verdict if seen.standing is UNMARKED else replace(verdict, directives=seen.standing.final)


def _judged(
    manifest: Manifest, resource: Resource, seen: Observation, inventory: Inventory, givers: Mapping[str, str]
) -> Verdict:
    ref, live, standing = manifest.ref, seen.live, seen.standing
    if standing.directives.skip:
        return Verdict(ref, Bucket.SKIPPED, manifest, live, reason=standing.why_untouched(live))
    giver = givers.get(live.applyset, "") if live else ""
    foreign = None if giver else _foreign(live, inventory)
    if problem := reserved(ref, live, inventory) or foreign or seen.problem:
        return Verdict(ref, Bucket.FAILED, manifest, live, problem=problem)
    member = inventory.members.get(ref)
    applied = member is not None and bool(member.uid)  # without a UID it was only about to be
    managed = applied or (live is not None and live.own_entry is not None)
    asked = seen.predicted is not None
    if untouched := standing.why_untouched(live):
        return Verdict(ref, Bucket.SKIPPED, manifest, live, reason=untouched, managed=managed)
    if live is None:
        cause = Cause.UNKNOWN if applied else Cause.GIT  # a member that is gone was deleted: no trace of by whom
        drift = ObjectDrift(ref, DriftKind.MISSING, cause, severity_of(ref, DriftKind.MISSING, ()))
        return Verdict(ref, _bucket(cause), manifest, drift=drift, reason=seen.reason, managed=managed, predicted=asked)
    if seen.predicted is None and not seen.settled:
        problem = Problem(Trouble.UNREACHABLE, "the server's prediction is missing", verb="dry-run")
        return Verdict(ref, Bucket.FAILED, manifest, live, problem=problem)
    moves = f"it moves here from target {giver}" if giver else ""
    reason = "; ".join(filter(None, (moves, standing.remark, seen.reason)))
    verdict = Verdict(ref, Bucket.IN_SYNC, manifest, live, managed=managed, memo=seen.memo, reason=reason)
    return _compared(verdict, manifest, live, resource, seen, inventory)


def _compared(
    verdict: Verdict,
    manifest: Manifest,
    live: LiveObject,
    resource: Resource,
    seen: Observation,
    inventory: Inventory,
) -> Verdict:
    """`verdict` with what an apply would change of an object that exists."""
    ref = manifest.ref
    claims = without_ended_hold(seen.claims, seen.standing.hold, manifest)
    if seen.predicted is None:
        return _with_others(verdict, claims, seen.left)
    differences = compare(seen.predicted, live.body, status="status" not in resource.subresources)
    if seen.left:
        differences = [one for one in differences if not is_ignored(one[0], seen.left.fields)]
    replaced = _replaced(LiveObject(ref, seen.predicted), resource, seen)
    changes = tuple(change for change in replaced if not _is_among(change.path, differences))
    stands, is_idle = _bookkeeping_stands(live, seen.predicted), not differences
    if differences := claims.without_tracking(differences):
        changes = blame(differences, live, git_moved=_git_moved(manifest, resource, inventory)) + changes
    verdict = replace(verdict, is_overridden=bool(replaced), mend=not changes and not stands)
    verdict = _with_others(replace(verdict, drift=_modified(ref, changes)) if changes else verdict, claims, seen.left)
    if replaced and is_idle and stands and not verdict.owner and not verdict.handover:
        return replace(verdict, owner=_ADMISSION)  # an apply would do nothing at all
    return verdict


def _replaced(predicted: LiveObject, resource: Resource, seen: Observation) -> tuple[FieldChange, ...]:
    """What admission puts in the place of Git's values, whatever else differs."""
    if seen.admitted is None:
        return ()
    replaced = overridden(seen.admitted, predicted, built_in=resource.built_in)
    return tuple(FieldChange(*change, Cause.CONTROLLER, _ADMISSION) for change in replaced)


def once_created(verdict: Verdict, payload: Body, stored: Body, *, built_in: bool) -> Verdict:
    """The verdict on a new object after the server has stored it: nothing had told what admission would make of it."""
    replaced = overridden(payload, LiveObject(verdict.ref, stored), built_in=built_in)
    if not replaced:
        return verdict
    fields = ", ".join(str(path) for path, _, _ in replaced)
    reasons = (verdict.reason, f"{fields}: {_BY_ADMISSION}")
    return replace(verdict, is_overridden=True, reason="; ".join(filter(None, reasons)))


def _is_among(path: FieldPath, differences: Sequence[Difference]) -> bool:
    return any(path.is_within(other) or other.is_within(path) for other, _, _ in differences)


def _git_moved(manifest: Manifest, resource: Resource, inventory: Inventory) -> bool | None:
    """Whether Git differs from what we last applied; None if nothing is remembered."""
    member = inventory.members.get(manifest.ref)
    if member is None or not member.payload_hash:
        return None
    return member.payload_hash != payload_hash(manifest, resource)


def judge_unknown(manifest: Manifest, problem: Problem, standing: Standing) -> Verdict:
    """The verdict on an object of which the server does not know the kind."""
    if passed := standing.why_untouched(None):
        return Verdict(manifest.ref, Bucket.SKIPPED, manifest, reason=passed, directives=standing.final)
    return Verdict(manifest.ref, Bucket.FAILED, manifest, problem=problem, directives=standing.final)


def judge_member(
    member: Member,
    live: LiveObject | None,
    problem: Problem | None,
    *,
    applyset: str,
    declared: frozenset[str] = frozenset(),
    take_over: frozenset[str] = frozenset(),
    standing: Standing = UNMARKED,
) -> Verdict | None:
    """The verdict on an object that the inventory holds and Git doesn't; None if it is gone already.

    Args:
        member: what the inventory says of it.
        live: the object; None if there is none.
        problem: why it could not be read.
        applyset: our set's id.
        declared: UIDs of the objects that Git declares: one object may be served under two groups.
        take_over: living owners that are to be replaced.
        standing: what its own annotations ask for, and the hold on it.
    """
    if problem:
        return Verdict(member.ref, Bucket.FAILED, problem=problem)
    if live is None:
        return None
    if live.uid in declared:
        reason = "Git declares the same object under another group; left alone"
    else:
        reason = _not_ours_to_delete(member, live, applyset, take_over)
    if reason:
        return Verdict(member.ref, Bucket.SKIPPED, live=live, reason=reason)
    if kept := standing.why_kept():
        return Verdict(member.ref, Bucket.SKIPPED, live=live, reason=kept, directives=standing.final)
    confirm = standing.directives.confirm
    severity = Severity.DESTRUCTIVE if confirm else severity_of(member.ref, DriftKind.ORPHANED, ())
    drift = ObjectDrift(member.ref, DriftKind.ORPHANED, Cause.GIT, severity)
    reason = f"deleted only with --allow-destructive: {confirm}" if confirm else ""
    return Verdict(member.ref, Bucket.PENDING, live=live, drift=drift, reason=reason, directives=standing.directives)


def _with_others(verdict: Verdict, claims: Claims, left: Left | None) -> Verdict:
    """`verdict` with all that others have to do with the object."""
    return with_left(_contested(_claimed(verdict, claims), left), left)


def _contested(verdict: Verdict, left: Left | None) -> Verdict:
    """`verdict` with the fields that something else keeps setting back."""
    if left is None or not left.contested or verdict.live is None:
        return verdict
    changes = blame(left.contested, verdict.live, git_moved=False)
    drift = _modified(verdict.ref, (*(verdict.drift.changes if verdict.drift else ()), *changes))
    told = "; ".join(f"{path} was {reason}: contested, and left as it is" for path, reason in left.reasons.items())
    return replace(
        verdict,
        bucket=_bucket(drift.cause),
        drift=drift,
        mend=False,
        memo="",
        reason="; ".join(filter(None, (verdict.reason, told))),
        contested=tuple(change.path for change in changes),
    )


def _claimed(verdict: Verdict, claims: Claims) -> Verdict:
    """`verdict` with what others hold, and what is done about it."""
    drift, reason = verdict.drift, _reason(verdict, claims)
    if drift is None and claims.is_empty and reason == verdict.reason:
        return verdict
    if claims.changes:
        drift = _modified(verdict.ref, (*(drift.changes if drift else ()), *claims.changes))
    # What an apply removes anyway is told once.
    going = [change.path for change in drift.changes] if drift else []
    beside = tuple(add for add in claims.additive if not any(add.path.is_within(path) for path in going))
    added = _modified(verdict.ref, beside) if beside else None
    handover = claims.handover
    moves = handover is not None and bool(handover.managers or handover.drop_annotations)
    return replace(
        verdict,
        bucket=_bucket(drift.cause) if drift else verdict.bucket,
        drift=drift,
        mend=not drift and not claims.owner and (verdict.mend or moves),
        memo="" if drift else verdict.memo,
        reason=reason,
        handover=handover,
        additive=added,
        owner=claims.owner,
        is_reverted=claims.reverts and added is not None,
    )


def _reason(verdict: Verdict, claims: Claims) -> str:
    terminating = _TERMINATING if verdict.live and verdict.live.is_terminating else ""
    overridden = _BY_ADMISSION if verdict.is_overridden else ""
    return "; ".join(filter(None, (verdict.reason, overridden, claims.reason or terminating)))


def _modified(ref: ObjectRef, changes: tuple[FieldChange, ...]) -> ObjectDrift:
    cause = overall([change.cause for change in changes])
    return ObjectDrift(ref, DriftKind.MODIFIED, cause, severity_of(ref, DriftKind.MODIFIED, changes), changes)


def _bucket(cause: Cause) -> Bucket:
    return Bucket.PENDING if cause is Cause.GIT else Bucket.DRIFTED


def _foreign(live: LiveObject | None, inventory: Inventory) -> Problem | None:
    label = live.applyset if live else ""
    if label in {"", inventory.id}:
        return None
    return Problem(
        Trouble.FOREIGN,
        f"the object belongs to another ApplySet: {label}",
        f"kubectl get configmap -A -l {PARENT}={label} names that set's inventory. Take the object out of one of the "
        "two, or move it here: by --adopt-from and that target's name; if it is none of ours, by deleting the label "
        f"{PART_OF}",
    )


def _bookkeeping_stands(live: LiveObject, predicted: Body) -> bool:
    """Whether an apply would leave our label and managedFields entry as they are."""
    after = LiveObject(live.ref, predicted)
    ours, then = live.own_entry, after.own_entry
    return (
        live.applyset == after.applyset
        and ours is not None
        and then is not None
        and ours.version == then.version
        and same(ours.fields, then.fields)
    )


def _not_ours_to_delete(member: Member, live: LiveObject, applyset: str, take_over: frozenset[str]) -> str:
    label, owner = live.applyset, living_owner(live)
    reasons = {
        "someone else created it anew after we had applied it; left alone": bool(member.uid) and live.uid != member.uid,
        f"it belongs to another ApplySet now: {label}; left alone": label not in {"", applyset},
        "it no longer carries our managedFields entry; left alone": live.own_entry is None,
        "a controller owns it; left alone": live.is_controlled,
        f"{owner.title} manages it now ({owner.unit}); left alone" if owner else "": (
            owner is not None and owner.name not in take_over
        ),
        _TERMINATING: live.is_terminating,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")
