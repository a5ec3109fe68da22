"""What must not happen without a named flag. A refusal says what would have been done."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recon_action.analyze.digest import changes, is_approved, moved
from recon_action.analyze.severity import is_destructive, is_inside
from recon_action.errors import DesiredError, RefusedError
from recon_action.model import (
    Action,
    ActionKind,
    Approved,
    Desired,
    Digest,
    Inventory,
    Limit,
    ObjectRef,
    Problem,
    Settings,
    Stage,
    Trouble,
)

_SHOWN = 5
_WHICH_CLUSTER = "choose that cluster by --kubeconfig and --context, or correct --cluster-uid (recon.yaml: clusterUID)"
_DONE = {
    ActionKind.CREATE: "created",
    ActionKind.CONFIGURE: "configured",
    ActionKind.ADOPT: "adopted",
    ActionKind.RECREATE: "created anew",
    ActionKind.LEAVE: "left as they are",
    ActionKind.DELETE: "deleted",
}


@dataclass(frozen=True, slots=True)
class Ground:
    """What a plan stands on.

    Args:
        desired: what Git says.
        inventory: what was remembered.
        digest: the plan's.
        cluster_uid: UID of kube-system, "" if it may not be read.
        is_older: whether the commit is an ancestor of the last applied one; None if git can't tell.
        strays: objects with our label and entry that neither Git nor the inventory has.
        approved: the only plan that may be carried out; None means any.
    """

    desired: Desired
    inventory: Inventory
    digest: Digest
    cluster_uid: str = ""
    is_older: bool | None = False
    strays: int = 0
    approved: Approved | None = None


def require_manifests(desired: Desired) -> None:
    """Zero manifests is an error: an empty folder must never empty a cluster.

    Raises:
        DesiredError: there are none.
    """
    if not desired.manifests:
        skipped = f"; {len(desired.skipped)} of them hold no Kubernetes object" if desired.skipped else ""
        raise DesiredError(
            f"no manifests: {desired.files} files were read{skipped}",
            hint="check the PATHs; to remove everything, delete the objects by name",
        )


def require_cluster(settings: Settings, cluster_uid: str, desired: Desired) -> None:
    """No manifest may be sent to another cluster than the one that was named, not even for a dry run.

    Raises:
        RefusedError: this is another one, or may be.
    """
    if other := _other_cluster(settings, cluster_uid):
        number = _plural(len(desired.manifests), "manifest")
        raise RefusedError(f"{other}; {number} would have been applied", hint=_WHICH_CLUSTER)


def refusals(ground: Ground, stages: Sequence[Stage], settings: Settings) -> tuple[Problem, ...]:
    """Why `stages` must not run as they are; empty if they may."""
    deletions = [action for stage in stages for action in stage.actions if action.kind is ActionKind.DELETE]
    found = (
        *_of_identity(ground, _would(stages), settings),
        *_of_deletions(ground, deletions, settings),
        *_of_plan(ground, stages),
    )
    return tuple(Problem(Trouble.REFUSED, message, hint) for message, hint in found)


def allowed_deletions(members: int, limit: Limit | None) -> int:
    """How many of `members` a run may delete under `limit`."""
    if limit is None:
        return min(max(3, members // 5), members // 2)
    if limit.unlimited:
        return members
    if limit.share is not None:
        return members * round(limit.share * 100) // 100  # in whole percent: 0.29 * 100 is less than 29
    return limit.count or 0


def _of_identity(ground: Ground, would: str, settings: Settings) -> Iterator[tuple[str, str]]:
    """Another cluster, another origin, another time than was meant."""
    inventory, revision = ground.inventory, ground.desired.revision
    if other := _other_cluster(settings, ground.cluster_uid):
        yield f"{other}; {would}", _WHICH_CLUSTER
    if not settings.take_over_target and (other := _other_origin(ground)):
        yield (
            f"target {inventory.target} manages {len(inventory.members)} objects {other}; {would}",
            "choose another --target, or pass --take-over-target if the manifests, or the cluster, have moved",
        )
    if ground.is_older and not settings.allow_rollback and revision is not None:
        yield (
            f"commit {revision.commit[:7]} is older than {inventory.revision[:7]}, which was applied last; {would}",
            "bring the clone up to date, or pass --allow-rollback if going back is meant",
        )
    if not inventory.exists and ground.strays and not settings.rebuild_inventory:
        lost = f"{ground.strays} objects carry its label and are not in Git: the inventory was lost"
        yield (
            f"target {inventory.target} has no inventory, but {lost}; {would}",
            "pass --rebuild-inventory; with --no-prune as well, nothing that Git no longer has is deleted",
        )


def _other_cluster(settings: Settings, cluster_uid: str) -> str:
    """Which cluster this is, if it is not, or may not be, the only one that may be written; else ""."""
    if settings.cluster_uid in {"", cluster_uid}:
        return ""
    here = cluster_uid or "unknown, as its namespace kube-system may not be read"
    return f"only cluster {settings.cluster_uid} may be written, and this one is {here}"


def _other_origin(ground: Ground) -> str:
    """Where the inventory's manifests, or the inventory itself, came from, if from elsewhere; else ""."""
    desired, inventory = ground.desired, ground.inventory
    repository = desired.revision.repository if desired.revision else ""
    if not inventory.exists:
        return ""
    if inventory.cluster_uid and ground.cluster_uid and inventory.cluster_uid != ground.cluster_uid:
        return f"in cluster {inventory.cluster_uid}; this one is {ground.cluster_uid}"
    if inventory.repository and repository and inventory.repository != repository:
        return f"from repository {inventory.repository}; this run has {repository}"
    if inventory.paths and inventory.paths != desired.identity:
        return f"from {', '.join(inventory.paths)}; this run has {', '.join(desired.identity)}"
    return ""


def _of_deletions(ground: Ground, deletions: Sequence[Action], settings: Settings) -> Iterator[tuple[str, str]]:
    """What takes other objects with it, and too much at once."""
    used = {action.ref: inside for action in deletions if (inside := _declared_inside(action, ground.desired))}
    for ref, inside in used.items():
        yield (
            f"Git no longer has {ref}, but still has what would be deleted with it: {_named(inside)}",
            "put the manifest back, or take these out of Git as well",
        )
    destructive = [one.ref for one in deletions if is_destructive(one.ref) and one.ref not in used]
    if destructive and not settings.allow_destructive:
        them = "it" if len(destructive) == 1 else "them"
        yield (
            f"Git no longer has {_named(destructive)}; with {them} goes all that is inside",
            "pass --allow-destructive if that is meant, or put the manifest back",
        )
    if not settings.allow_destructive and (asking := [one for one in deletions if one.verdict.directives.confirm]):
        texts = sorted({one.verdict.directives.confirm for one in asking})
        yield (
            f"Git no longer has {_named([one.ref for one in asking])}; deleting is to be confirmed: {', '.join(texts)}",
            "pass --allow-destructive if that is meant, or put the manifest back",
        )
    members = len(ground.inventory.members)
    allowed = allowed_deletions(members, settings.max_prune)
    if len(deletions) > allowed:
        named = _named([action.ref for action in deletions])
        yield (
            f"{len(deletions)} of {members} objects would be deleted, more than the limit of {allowed}: {named}",
            f"pass --max-prune {len(deletions)} if that is meant",
        )


def _declared_inside(action: Action, desired: Desired) -> list[ObjectRef]:
    """What Git declares in the namespace, or of the kind, that `action` deletes."""
    live = action.verdict.live
    return [manifest.ref for manifest in desired.manifests if live and is_inside(manifest.ref, live)]


def _of_plan(ground: Ground, stages: Sequence[Stage]) -> Iterator[tuple[str, str]]:
    """Another plan than the approved one."""
    approved, digest = ground.approved, ground.digest
    if approved is None or is_approved(approved, digest):
        return
    parts = " and ".join(moved(approved, digest)) or "something"
    told = changes(approved, digest, stages)
    differ = f" ({'; '.join(told[:_SHOWN])}{_more(len(told))})" if told else ""
    yield (
        f"{parts} changed since plan {approved.digest} was made{differ}; it is {digest.text} now: {_would(stages)}",
        f"look at the plan as it is now, then pass --plan {digest.text}",
    )


def _would(stages: Sequence[Stage]) -> str:
    """`3 objects would have been created, 1 deleted`."""
    counts = Counter(_DONE[action.kind] for stage in stages for action in stage.actions)
    if not counts:
        return "nothing would have been changed"
    (what, number), *others = counts.items()
    first = f"{_plural(number, 'object')} would have been {what}"
    return ", ".join([first, *(f"{number} {what}" for what, number in others)])


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _named(refs: Sequence[ObjectRef]) -> str:
    return ", ".join(str(ref) for ref in refs[:_SHOWN]) + _more(len(refs))


def _more(number: int) -> str:
    return f" and {number - _SHOWN} more" if number > _SHOWN else ""
