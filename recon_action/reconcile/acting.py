"""Act: the plan carried out, and the inventory before and after."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from recon_action.act import Waited, store, wait, wait_gone
from recon_action.analyze import members
from recon_action.analyze.contest import remembered
from recon_action.analyze.plan import is_complete
from recon_action.analyze.verdict import once_created
from recon_action.cluster import Cluster, RequestError
from recon_action.model import (
    ActionKind,
    Body,
    Inventory,
    ObjectRef,
    Outcome,
    Problem,
    Progress,
    Result,
    Settings,
    Stage,
    Trouble,
    Verdict,
)
from recon_action.model.health import Health, Status
from recon_action.observe import read_epoch
from recon_action.reconcile.deciding import Decided
from recon_action.reconcile.observing import Seen
from recon_action.reconcile.stages import apply_stages, prune_stages


@dataclass(frozen=True, slots=True)
class Done:
    """What acting came to.

    Args:
        results: of each action.
        health: of what was waited for.
        troubles: of what did not become healthy, or is not gone: what it is waiting for.
        problems: trouble that belongs to no single object.
        notes: further sentences for the reader.
        verdicts: those that what was done has changed.
    """

    results: Mapping[ObjectRef, Result] = field(default_factory=dict)
    health: Mapping[ObjectRef, Health] = field(default_factory=dict)
    troubles: Mapping[ObjectRef, Problem] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    verdicts: Mapping[ObjectRef, Verdict] = field(default_factory=dict)


def act(
    cluster: Cluster,
    settings: Settings,
    seen: Seen,
    decided: Decided,
    progress: Progress,
) -> Done:
    """Apply, wait, prune; the inventory before and after. What can't be written is a problem, not the end."""
    try:
        inventory = _store(
            cluster, seen.remembered, members.before(seen.inventory, seen.desired, decided.stages, seen.cluster_uid)
        )
    except RequestError as error:
        return Done(problems=(cluster.stop.problem or error.problem,))  # without it, nothing may be created
    ran = apply_stages(cluster, settings, seen, decided, progress)
    results, waits = ran.results, [Waited(ran.unready, troubles=ran.troubles)]
    if settings.wait:
        # What was waited for in vain before is not waited for again.
        bodies = {ref: body for ref, body in ran.bodies.items() if ref not in ran.unready}
        of_set, fresh = inventory.id, results.keys() & bodies.keys()
        waits.append(wait(cluster, bodies, seen.resources, of_set, settings.timeout, progress, fresh=fresh))
    complete = is_complete(decided.verdicts, results) and not cluster.stop.problem
    leaving: set[ObjectRef] = set()
    if complete:
        pruned = prune_stages(cluster, settings, seen, decided, progress)
        results |= pruned.results
        leaving = {*pruned.leaving, *pruned.health}
        waits.append(Waited(pruned.health, troubles=pruned.troubles))
        if settings.wait:
            of_set, timeout = inventory.id, settings.timeout
            waits.append(wait_gone(cluster, pruned.leaving, seen.resources, of_set, timeout, progress))
    if ended := cluster.stop.problem:
        results, complete = _undone(cluster, decided.stages) | results, False
    # What is deleted is remembered until it is gone.
    leaving -= {ref for waited in waits for ref, health in waited.health.items() if health.status is Status.NOT_FOUND}
    known = {ref: result for ref, result in results.items() if ref not in leaving}
    is_partial = not settings.selection.is_all
    unsettled = _settle(cluster, seen, decided, inventory, known, complete=complete, is_partial=is_partial)
    problems = [*(waited.problem for waited in waits), ended, unsettled]
    return Done(
        results,
        {ref: health for waited in waits for ref, health in waited.health.items()},
        {ref: trouble for waited in waits for ref, trouble in waited.troubles.items()},
        tuple(problem for problem in problems if problem),
        verdicts=_overridden(seen, decided, results, ran.bodies),
    )


def _overridden(
    seen: Seen, decided: Decided, results: Mapping[ObjectRef, Result], bodies: Mapping[ObjectRef, Body]
) -> dict[ObjectRef, Verdict]:
    """The verdicts on objects that are new, where admission may have put something else in Git's place."""
    if seen.epoch is not None and not seen.epoch.has_admission:
        return {}
    new = {ref for ref, result in results.items() if result.outcome in {Outcome.CREATED, Outcome.RECREATED}}
    return {
        verdict.ref: once_created(
            verdict, seen.payloads[verdict.ref], bodies[verdict.ref], built_in=seen.resources[verdict.ref].built_in
        )
        for verdict in decided.verdicts
        if verdict.ref in new and verdict.ref in bodies
    }


def _settle(
    cluster: Cluster,
    seen: Seen,
    decided: Decided,
    inventory: Inventory,
    results: Mapping[ObjectRef, Result],
    *,
    complete: bool,
    is_partial: bool,
) -> Problem | None:
    """Write down what is known; gives what was in the way."""
    ended, revision = cluster.stop.problem, seen.desired.revision
    if ended and ended.trouble is Trouble.LOCKED:
        return None  # the inventory may be another run's by now
    complete = complete and not is_partial
    applied = revision.commit if complete and revision and not revision.dirty else ""
    try:
        epoch = _settled_epoch(cluster, seen, results) if complete else ""
        after = members.after(
            inventory, decided.verdicts, results, seen.resources, applied, epoch, is_partial=is_partial
        )
        after = replace(after, corrections=remembered(inventory.corrections, decided.verdicts, results, seen.at))
        _store(cluster.settling(), inventory, after)
    except RequestError as error:
        return error.problem
    return None


def _undone(cluster: Cluster, stages: Iterable[Stage]) -> dict[ObjectRef, Result]:
    """What would have come of each action, had none been begun before the run had to end."""
    actions = [action for stage in stages for action in stage.actions]
    verbs = {action.ref: "delete" if action.kind is ActionKind.DELETE else "apply" for action in actions}
    return {ref: Result(ref, Outcome.SKIPPED, cluster.stop.undone(verb)) for ref, verb in verbs.items()}


def _settled_epoch(cluster: Cluster, seen: Seen, results: Mapping[ObjectRef, Result]) -> str:
    """The digest of the epoch that everything was judged under; "" if there is none.

    CRDs that this run created are a new epoch, but no object of theirs was judged before.
    """
    created = {
        ref.name
        for ref, result in results.items()
        if ref.kind == "CustomResourceDefinition" and result.outcome is Outcome.CREATED
    }
    if not created or seen.epoch is None:
        return seen.epoch.digest if seen.epoch else ""
    now = read_epoch(cluster.settling(), seen.capabilities, seen.resources.values())
    return now.digest if now and now.without_definitions(created) == seen.epoch else ""


def _store(cluster: Cluster, old: Inventory, new: Inventory) -> Inventory:
    """Write the inventory, if it says anything new."""
    return old if new == old or not (old.exists or new.members) else store(cluster, new)
