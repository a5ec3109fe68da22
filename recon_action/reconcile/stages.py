"""The stages of a plan, run one after the other: what must be ready is waited for, what has no chance is left out."""

import time
from collections.abc import Collection
from dataclasses import dataclass, field

from recon_action.act import Waited, prune_stage, wait, wait_gone
from recon_action.analyze.order import is_ours
from recon_action.analyze.plan import Obstacle, failed, lingering, undone, unmet, unready
from recon_action.analyze.prerequisites import DEFINITION, NAMESPACE
from recon_action.cluster import Cluster
from recon_action.model import Body, ObjectRef, Problem, Progress, Result, Settings
from recon_action.model.health import Health, Status
from recon_action.reconcile.deciding import Decided
from recon_action.reconcile.late_schemas import apply_with_schemas
from recon_action.reconcile.observing import Seen


@dataclass(frozen=True, slots=True)
class Applied:
    """What came of the stages that apply.

    Args:
        results: of each action.
        bodies: every object of Git that is ours, as it is now.
        unready: the health of what was waited for in vain between two stages.
        troubles: what that was waiting for.
    """

    results: dict[ObjectRef, Result] = field(default_factory=dict)
    bodies: dict[ObjectRef, Body] = field(default_factory=dict)
    unready: dict[ObjectRef, Health] = field(default_factory=dict)
    troubles: dict[ObjectRef, Problem] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pruned:
    """What came of the stages that delete.

    Args:
        results: of each action.
        leaving: what is not gone yet, and was not waited for.
        health: of what was waited for between two stages.
        troubles: what that was waiting for.
    """

    results: dict[ObjectRef, Result] = field(default_factory=dict)
    leaving: dict[ObjectRef, Body] = field(default_factory=dict)
    health: dict[ObjectRef, Health] = field(default_factory=dict)
    troubles: dict[ObjectRef, Problem] = field(default_factory=dict)


def apply_stages(cluster: Cluster, settings: Settings, seen: Seen, decided: Decided, progress: Progress) -> Applied:
    """Run the stages that apply, each after what it needs is ready."""
    verdicts = {verdict.ref: verdict for verdict in decided.verdicts if verdict.manifest}
    applied = Applied(
        bodies={ref: verdict.live.body for ref, verdict in verdicts.items() if verdict.live and is_ours(verdict)}
    )
    obstacles = failed(decided.verdicts)
    ready: set[ObjectRef] = set()
    for stage in decided.stages:
        if stage.is_prune:
            continue
        awaited = {
            ref
            for ref in (stage.ready & applied.bodies.keys()) - obstacles.keys() - ready
            if _is_waited_for(ref, settings)
        }
        late = _waited(cluster, settings, seen, applied, awaited, progress)
        if cluster.stop.problem is not None:
            break
        ready |= awaited - late.health.keys()
        applied.unready.update(late.health)
        applied.troubles.update(late.troubles)
        obstacles |= {ref: unready(verdicts[ref], health.message) for ref, health in late.health.items()}
        runnable, skipped = unmet(stage, obstacles)
        results, stored = apply_with_schemas(cluster, runnable, seen, applied.results, progress, settings.timeout)
        applied.results.update({result.ref: result for result in (*skipped, *results)})
        applied.bodies.update(stored)
        obstacles |= undone(stage, applied.results)
    return applied


def prune_stages(cluster: Cluster, settings: Settings, seen: Seen, decided: Decided, progress: Progress) -> Pruned:
    """Run the stages that delete, each after what stands on its objects is gone."""
    pruned = Pruned()
    orphans = {verdict.ref: verdict for verdict in decided.verdicts if verdict.manifest is None}
    ending = {ref: one.live.body for ref, one in orphans.items() if one.live and one.live.is_terminating}
    obstacles: dict[ObjectRef, Obstacle] = {}
    for stage in decided.stages:
        if not stage.is_prune:
            continue
        needed = frozenset[ObjectRef]().union(*(action.needs for action in stage.actions))
        awaited = {ref: body for ref, body in (ending | pruned.leaving).items() if ref in needed - obstacles.keys()}
        if awaited and settings.wait:
            waited = wait_gone(cluster, awaited, seen.resources, seen.inventory.id, settings.timeout, progress)
            if cluster.stop.problem is not None:
                break
            left = {ref: state for ref, state in waited.health.items() if state.status is not Status.NOT_FOUND}
            obstacles |= {ref: lingering(orphans[ref], health.message) for ref, health in left.items()}
            ending = {ref: body for ref, body in ending.items() if ref not in awaited}
            for ref in awaited.keys() & pruned.leaving.keys():
                del pruned.leaving[ref]
                pruned.health[ref] = waited.health[ref]
            pruned.troubles.update({ref: trouble for ref, trouble in waited.troubles.items() if ref in pruned.health})
        runnable, skipped = unmet(stage, obstacles)
        deleted, leaving = prune_stage(cluster, runnable, progress)
        pruned.results.update({result.ref: result for result in (*skipped, *deleted)})
        pruned.leaving.update(leaving)
        obstacles |= undone(stage, pruned.results)
    return pruned


def _is_waited_for(ref: ObjectRef, settings: Settings) -> bool:
    """Whether `ref` has to be ready: without --wait only what the server itself makes others wait for."""
    return settings.wait or (ref.group, ref.kind) in {NAMESPACE, DEFINITION}


def _waited(
    cluster: Cluster,
    settings: Settings,
    seen: Seen,
    applied: Applied,
    awaited: Collection[ObjectRef],
    progress: Progress,
) -> Waited:
    """What waiting for `awaited` came to. One that can't become ready any more ends nobody else's time."""
    deadline = time.monotonic() + settings.timeout
    pending = {ref: applied.bodies[ref] for ref in sorted(awaited)}
    health: dict[ObjectRef, Health] = {}
    troubles: dict[ObjectRef, Problem] = {}
    while pending:
        left = max(0.0, deadline - time.monotonic())
        fresh = applied.results.keys() & pending.keys()
        waited = wait(cluster, pending, seen.resources, seen.inventory.id, left, progress, fresh=fresh)
        health |= waited.health
        troubles |= waited.troubles
        hopeless = {ref for ref in pending if ref in waited.troubles}
        if not hopeless or cluster.stop.problem is not None:
            break
        pending = {
            ref: body for ref, body in pending.items() if ref not in hopeless and not _is_ready(waited.health.get(ref))
        }
    late = {ref: state for ref, state in health.items() if not _is_ready(state)}
    return Waited(late, troubles={ref: trouble for ref, trouble in troubles.items() if ref in late})


def _is_ready(health: Health | None) -> bool:
    """Whether that is what was waited for; no time may be spent on some objects, and nothing is known of them."""
    return health is None or health.status is Status.CURRENT
