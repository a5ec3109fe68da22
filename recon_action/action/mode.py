"""What a run does, by its event: its mode, and what a preview compares with."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from recon_action.desired import parents_of, revision_of
from recon_action.errors import RefusedError
from recon_action.github.event import EventContext
from recon_action.model import Mode


def mode_of(event: EventContext, asked: str, apply_branches: tuple[str, ...], *, self_heal: bool) -> Mode:
    """What a run does: as `asked` ("diff", "apply"), or for "auto" what the event stands for.

    Raises:
        RefusedError: the event gives strangers' code our credentials.
    """
    if event.name == "pull_request_target":
        raise RefusedError(
            "pull_request_target is refused: it hands the repository's secrets to a pull request that anybody may open",
            hint="use `on: pull_request`; pull requests of forks then run without secrets",
        )
    follows = event.source.event if event.name == "workflow_run" and event.source else ""
    if asked == Mode.APPLY and follows.startswith("pull_request"):
        raise RefusedError(
            "a run that follows one of a pull request is not applied: what that left here may be anybody's",
            hint="apply on push; mode publish tells what the run before has found",
        )
    if asked != "auto":
        return Mode(asked)
    if follows == "pull_request":
        return Mode.PUBLISH
    if event.name == "schedule":
        return Mode.APPLY if self_heal else Mode.DIFF
    if event.name == "push" and not event.deleted and event.branch:
        branches = apply_branches or (event.default_branch,)
        if any(fnmatchcase(event.branch, branch) for branch in branches):
            return Mode.APPLY
    return Mode.PREVIEW if event.name in {"pull_request", "merge_group"} else Mode.DIFF


def base_of(event: EventContext, paths: Sequence[str]) -> str:
    """The commit that a preview compares with: what the trial merge went into, where that is checked out.

    The payload's base is older than that if the base branch has moved since the event.
    """
    revision = revision_of(paths)
    parents = parents_of(revision.root, "HEAD") if revision else ()
    if len(parents) == 2 and event.head in {parents[1], event.sha}:
        return parents[0]
    return event.base or f"origin/{event.default_branch or 'HEAD'}"
