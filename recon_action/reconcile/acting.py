"""Act: the plan carried out, and the inventory before and after."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from recon_action.act import Waited, apply_stage, prune_stage, store, wait
from recon_action.analyze import members
from recon_action.analyze.health import Health
from recon_action.analyze.plan import is_complete, unmet
from recon_action.cluster import Cluster, RequestError
from recon_action.model import Body, Bucket, Inventory, ObjectRef, Outcome, Problem, Progress, Result, Settings
from recon_action.observe import read_epoch
from recon_action.reconcile.deciding import Decided
from recon_action.reconcile.observing import Seen


@dataclass(frozen=True, slots=True)
class Done:
    """What acting came to."""

    results: Mapping[ObjectRef, Result] = field(default_factory=dict)
    health: Mapping[ObjectRef, Health] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


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
            cluster, seen.inventory, members.before(seen.inventory, seen.desired, decided.stages, seen.cluster_uid)
        )
    except RequestError as error:
        return Done(problems=(error.problem,))  # without it, nothing may be created
    results, bodies = _apply(cluster, settings, seen, decided, progress)
    waited = Waited({})
    if settings.wait:
        waited = wait(cluster, bodies, seen.resources, inventory.id, settings.timeout, progress)
    complete = is_complete(decided.verdicts, results)
    for stage in decided.stages:
        if stage.is_prune and complete:
            results |= {result.ref: result for result in prune_stage(cluster, stage, progress)}
    problems = [waited.problem] if waited.problem else []
    revision = seen.desired.revision
    applied = revision.commit if complete and revision and not revision.dirty else ""
    try:
        epoch = _settled_epoch(cluster, seen, results) if complete else ""
        _store(cluster, inventory, members.after(inventory, decided.verdicts, results, seen.resources, applied, epoch))
    except RequestError as error:
        problems.append(error.problem)
    return Done(results, waited.health, tuple(problems))


def _apply(
    cluster: Cluster,
    settings: Settings,
    seen: Seen,
    decided: Decided,
    progress: Progress,
) -> tuple[dict[ObjectRef, Result], dict[ObjectRef, Body]]:
    """Run the stages that apply; gives the results, and every object of Git as it is now."""
    results: dict[ObjectRef, Result] = {}
    bodies = {
        verdict.ref: verdict.live.body
        for verdict in decided.verdicts
        if verdict.live and verdict.manifest and verdict.bucket is not Bucket.FAILED
    }
    for stage in decided.stages:
        if stage.is_prune:
            continue
        runnable, skipped = unmet(stage, results)
        outcome, stored = apply_stage(cluster, runnable, seen.payloads, progress)
        results |= {result.ref: result for result in (*skipped, *outcome)}
        bodies |= stored
        if stage.barrier:
            wait(cluster, stored, seen.resources, seen.inventory.id, settings.timeout, progress)
    return results, bodies


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
    now = read_epoch(cluster, seen.capabilities, seen.resources.values())
    return now.digest if now and now.without_definitions(created) == seen.epoch else ""


def _store(cluster: Cluster, old: Inventory, new: Inventory) -> Inventory:
    """Write the inventory, if it says anything new."""
    return old if new == old or not (old.exists or new.members) else store(cluster, new)
