"""What must not happen without a named flag. A refusal says what would have been done."""

from collections.abc import Sequence

from recon_action.analyze.severity import is_destructive
from recon_action.errors import DesiredError
from recon_action.model import ActionKind, Desired, Inventory, Limit, ObjectRef, Problem, Settings, Stage, Trouble

_SHOWN = 5


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


def refusals(
    desired: Desired, inventory: Inventory, stages: Sequence[Stage], settings: Settings
) -> tuple[Problem, ...]:
    """Why `stages` must not run as they are; empty if they may."""
    deletions = [action.ref for stage in stages for action in stage.actions if action.kind is ActionKind.DELETE]
    found = [_other_origin(desired, inventory)] if not settings.take_over_target else []
    if not settings.allow_destructive:
        found.append(_destructive(deletions))
    found.append(_too_many(deletions, inventory, settings.max_prune))
    return tuple(problem for problem in found if problem is not None)


def allowed_deletions(members: int, limit: Limit | None) -> int:
    """How many of `members` a run may delete under `limit`."""
    if limit is None:
        return min(max(3, members // 5), members // 2)
    if limit.unlimited:
        return members
    if limit.share is not None:
        return members * round(limit.share * 100) // 100  # in whole percent: 0.29 * 100 is less than 29
    return limit.count or 0


def _other_origin(desired: Desired, inventory: Inventory) -> Problem | None:
    if not inventory.exists:
        return None
    repository = desired.revision.repository if desired.revision else ""
    if inventory.repository and repository and inventory.repository != repository:
        what = f"repository {inventory.repository}; this run has {repository}"
    elif inventory.paths and inventory.paths != desired.identity:
        what = f"{', '.join(inventory.paths)}; this run has {', '.join(desired.identity)}"
    else:
        return None
    return Problem(
        Trouble.REFUSED,
        f"target {inventory.target} manages {len(inventory.members)} objects from {what}",
        "choose another --target, or pass --take-over-target if the manifests have moved",
    )


def _destructive(deletions: Sequence[ObjectRef]) -> Problem | None:
    refs = [ref for ref in deletions if is_destructive(ref)]
    if not refs:
        return None
    return Problem(
        Trouble.REFUSED,
        f"Git no longer has {_named(refs)}; deleting them deletes what is in them",
        "pass --allow-destructive if that is meant, or put the manifest back",
    )


def _too_many(deletions: Sequence[ObjectRef], inventory: Inventory, limit: Limit | None) -> Problem | None:
    allowed = allowed_deletions(len(inventory.members), limit)
    if len(deletions) <= allowed:
        return None
    return Problem(
        Trouble.REFUSED,
        f"{len(deletions)} of {len(inventory.members)} objects would be deleted, more than the limit of {allowed}: "
        f"{_named(deletions)}",
        f"pass --max-prune {len(deletions)} if that is meant",
    )


def _named(refs: Sequence[ObjectRef]) -> str:
    shown = ", ".join(str(ref) for ref in refs[:_SHOWN])
    return shown if len(refs) <= _SHOWN else f"{shown} and {len(refs) - _SHOWN} more"
