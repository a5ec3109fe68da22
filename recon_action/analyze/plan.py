"""What is to be done, in which stages, and what of it has no chance any more."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from recon_action.analyze.order import is_ours, places, require_order
from recon_action.analyze.prerequisites import Objects
from recon_action.model import (
    NO_DIRECTIVES,
    Action,
    ActionKind,
    Bucket,
    DriftKind,
    ObjectRef,
    Outcome,
    Problem,
    Resource,
    Result,
    Stage,
    Trouble,
    Verdict,
)

_KINDS = {
    DriftKind.MISSING: ActionKind.CREATE,
    DriftKind.MODIFIED: ActionKind.CONFIGURE,
    DriftKind.ORPHANED: ActionKind.DELETE,
}
_UNDONE = frozenset({Outcome.FAILED, Outcome.SKIPPED})


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why what comes after an object has no chance.

    Args:
        problem: what is said of those that come after it.
        wave: the object's.
        only_unready: it is there, and hinders only what needs it to be ready.
    """

    problem: Problem
    wave: int = 0
    only_unready: bool = False


def plan(verdicts: Sequence[Verdict], resources: Mapping[ObjectRef, Resource], *, prune: bool) -> tuple[Stage, ...]:
    """The stages that would make the cluster as Git says; empty if nothing is to be done.

    Args:
        verdicts: on every object.
        resources: the kind of every object that has one.
        prune: whether orphans are deleted.

    Raises:
        DesiredError: annotations ask for an order that can't be.
    """
    actions = {verdict.ref: action for verdict in verdicts if (action := _action(verdict, resources)) is not None}
    deletions = {ref: action for ref, action in actions.items() if action.kind is ActionKind.DELETE}
    applies = {ref: action for ref, action in actions.items() if ref not in deletions}
    stages: tuple[Stage, ...] = ()
    asked = any(verdict.directives is not NO_DIRECTIVES and _asks_for_order(verdict) for verdict in verdicts)
    if applies or asked:
        objects = Objects(verdict for verdict in verdicts if verdict.manifest is not None and not _is_passed(verdict))
        if asked:
            require_order(objects)
        stages = _stages(objects, applies)
    if deletions and prune:
        stages += _prune_stages(Objects(verdict for verdict in verdicts if verdict.manifest is None), deletions)
    return stages


def unmet(stage: Stage, obstacles: Mapping[ObjectRef, Obstacle]) -> tuple[Stage, list[Result]]:
    """The part of `stage` that may run in spite of `obstacles`, and a result for each action that may not."""
    runnable: list[Action] = []
    skipped: list[Result] = []
    for action in stage.actions:
        obstacle = _obstacle(action, obstacles)
        if obstacle is None:
            runnable.append(action)
        else:
            skipped.append(Result(action.ref, Outcome.SKIPPED, obstacle.problem))
    return replace(stage, actions=tuple(runnable)), skipped


def failed(verdicts: Sequence[Verdict]) -> dict[ObjectRef, Obstacle]:
    """What stands in the way before anything is done: objects of Git that can't be applied."""
    return {
        verdict.ref: Obstacle(_not_done(verdict.ref, ActionKind.CREATE), verdict.directives.wave)
        for verdict in verdicts
        if verdict.bucket is Bucket.FAILED and verdict.manifest is not None
    }


def undone(stage: Stage, results: Mapping[ObjectRef, Result]) -> dict[ObjectRef, Obstacle]:
    """What stands in the way after `stage`; whatever was skipped names what it was skipped for."""
    obstacles: dict[ObjectRef, Obstacle] = {}
    for action in stage.actions:
        result = results.get(action.ref)
        if result is not None and result.outcome in _UNDONE:
            of_another = result.problem if result.outcome is Outcome.SKIPPED else None
            problem = of_another or _not_done(action.ref, action.kind)
            obstacles[action.ref] = Obstacle(problem, action.verdict.directives.wave)
    return obstacles


def unready(verdict: Verdict, why: str) -> Obstacle:
    """What stands in the way if an object was waited for in vain."""
    problem = Problem(
        Trouble.PREREQUISITE,
        f"{verdict.ref} is not ready" + (f": {why}" if why else ""),
        "find out what keeps it from getting ready, or give it longer with --timeout",
        "wait",
    )
    return Obstacle(problem, verdict.directives.wave, only_unready=True)


def lingering(verdict: Verdict, why: str) -> Obstacle:
    """What stands in the way of deletions if the end of an object was waited for in vain."""
    message = f"{verdict.ref} is not gone" + (f": {why}" if why else "")
    hint = "the controllers that its finalizers name have to remove them"
    return Obstacle(Problem(Trouble.PREREQUISITE, message, hint, "delete"), verdict.directives.wave)


def is_complete(verdicts: Sequence[Verdict], results: Mapping[ObjectRef, Result]) -> bool:
    """Whether nothing failed or was left undone, so that what Git no longer has may go."""
    unjudged = any(verdict.bucket is Bucket.FAILED for verdict in verdicts)
    return not unjudged and all(result.outcome not in _UNDONE for result in results.values())


def _obstacle(action: Action, obstacles: Mapping[ObjectRef, Obstacle]) -> Obstacle | None:
    """What stands in the way of `action`; None if nothing does."""
    for ref in sorted((action.needs | action.awaits) & obstacles.keys()):
        if ref in action.awaits or not obstacles[ref].only_unready:
            return obstacles[ref]
    wave = action.verdict.directives.wave
    for obstacle in obstacles.values():
        if obstacle.wave > wave if action.kind is ActionKind.DELETE else obstacle.wave < wave:
            return obstacle
    return None


def _not_done(ref: ObjectRef, kind: ActionKind) -> Problem:
    deletes = kind is ActionKind.DELETE
    message = f"{ref} was not {'deleted' if deletes else 'applied'}"
    return Problem(Trouble.PREREQUISITE, message, verb="delete" if deletes else "apply")


def _asks_for_order(verdict: Verdict) -> bool:
    return verdict.manifest is not None and bool(verdict.directives.wave or verdict.directives.depends_on)


def _is_passed(verdict: Verdict) -> bool:
    """Whether an object takes no part in the run, as a hook of another tool; nothing goes by its order."""
    return bool(verdict.directives.skip)


def _stages(objects: Objects, applies: Mapping[ObjectRef, Action]) -> tuple[Stage, ...]:
    placed = places(objects, applies)
    levels: dict[int, list[Action]] = {}
    for ref, place in sorted(placed.items()):
        levels.setdefault(place.level, []).append(replace(applies[ref], needs=place.needs, awaits=place.awaits))
    stages: list[Stage] = []
    before: int | None = None
    for number, actions in sorted(levels.items()):
        wave = objects.wave(actions[0].ref)
        ready = frozenset[ObjectRef]().union(*(action.awaits for action in actions))
        if wave != before:
            ready |= _of_waves(objects, applies, before, wave)
        before = wave
        stages.append(Stage(f"stage {number + 1} of {len(levels)}", tuple(actions), ready))
    return tuple(stages)


def _of_waves(
    objects: Objects, applies: Mapping[ObjectRef, Action], first: int | None, wave: int
) -> frozenset[ObjectRef]:
    """What must be ready before `wave` begins: all from wave `first` on."""
    return frozenset(
        ref
        for ref in objects
        if objects.wave(ref) < wave
        and (first is None or objects.wave(ref) >= first)
        and (ref in applies or is_ours(objects[ref]))
    )


def _prune_stages(orphans: Objects, deletions: Mapping[ObjectRef, Action]) -> tuple[Stage, ...]:
    placed = places(orphans, deletions, reverse=True)
    levels: dict[int, list[Action]] = {}
    for ref, place in sorted(placed.items()):
        levels.setdefault(place.level, []).append(replace(deletions[ref], needs=place.needs))
    return tuple(
        Stage(f"prune stage {number + 1} of {len(levels)}", tuple(actions))
        for number, actions in sorted(levels.items())
    )


def _action(verdict: Verdict, resources: Mapping[ObjectRef, Resource]) -> Action | None:
    kind = _kind(verdict)
    resource = resources.get(verdict.ref) if kind else None
    return None if kind is None or resource is None else Action(kind, resource, verdict)


def _kind(verdict: Verdict) -> ActionKind | None:
    if verdict.owner:
        return None  # it stays another tool's
    if verdict.immutable and not verdict.is_contested:
        return ActionKind.RECREATE if verdict.recreate else ActionKind.LEAVE
    if verdict.is_reverted:
        return ActionKind.CONFIGURE
    if verdict.bucket in {Bucket.IN_SYNC, Bucket.IGNORED} and verdict.mend:
        return ActionKind.ADOPT
    if verdict.drift is None or verdict.is_contested:
        return None
    return _KINDS[verdict.drift.kind]
