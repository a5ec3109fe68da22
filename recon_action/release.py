"""The way out: a target's objects are given back, or deleted. After either, nothing of ours is left.

Whatever ends it in between, the inventory is there until the end, and the next run goes on.
"""

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime

from recon_action.act import forget, give_back, locked, own_name, remove_namespace
from recon_action.analyze.digest import digest
from recon_action.analyze.guard import require_cluster
from recon_action.analyze.hold import hold_of
from recon_action.cluster import Cluster, RequestError, connect
from recon_action.errors import UsageError
from recon_action.model import (
    Body,
    Bucket,
    Desired,
    Inventory,
    Limit,
    LiveObject,
    Mode,
    ObjectRef,
    Problem,
    Progress,
    Quiet,
    Resource,
    Settings,
    Verdict,
)
from recon_action.observe import cluster_uid, read_inventory, read_labelled
from recon_action.reconcile.acting import Done, act
from recon_action.reconcile.deciding import Decided, decide
from recon_action.reconcile.observing import Seen, observe
from recon_action.reconcile.reporting import Run, report, secrets_in
from recon_action.redact import Secrets
from recon_action.report.document import Report
from recon_action.report.outcome import SETTLED
from recon_action.stop import Stop


def leave(  # noqa: PLR0913 - all that comes from outside comes in here
    settings: Settings,
    mode: Mode,
    *,
    progress: Progress | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    run_url: str = "",
    stop: Stop | None = None,
    own_name: Callable[[str], str] = own_name,
    secrets_of: Callable[[Iterable[Body]], Secrets] = Secrets.of,
) -> Report:
    """Give back (`Mode.RELEASE`) or delete (`Mode.DELETE`) what a target manages, and all that is ours with it.

    Args:
        settings: names the target, and says how to reach the cluster; it has no PATHs.
        mode: which of the two.
        progress: where to show that the run is alive.
        now: the clock.
        run_url: the workflow run that the report and the lock name.
        stop: ends the run early: what has begun is settled and reported.
        own_name: whom the lock names, given `run_url`.
        secrets_of: what must not be shown, given every object seen.

    Raises:
        ReconError: what stops the run before there is anything to report.
    """
    progress, stop, started = progress or Quiet(), stop or Stop(), now()
    nothing, this_run = Desired(()), Stop()
    with stop.following(this_run.ask):
        cluster = connect(settings.access, concurrency=settings.concurrency, stop=this_run)
        with ExitStack() as stack:
            with this_run.heeded():
                uid = cluster_uid(cluster)
                require_cluster(settings, uid, nothing)
                own = Inventory(settings.target, settings.inventory_namespace)
                if not read_inventory(cluster, own.target, own.namespace).exists and not settings.rebuild_inventory:
                    raise _unknown(own)
                stack.enter_context(locked(cluster, own, own_name(run_url), settings, progress))
                seen = observe(cluster, settings, mode, nothing, uid, progress, started)
            if mode is Mode.DELETE:
                decided, done = _delete(cluster, settings, seen, progress)
            else:
                decided, done = _release(cluster, settings, seen, progress)
            done = _forgotten(cluster, seen, decided, done)
        done = _moved_out(cluster, seen, done)
    run = Run(mode, settings, cluster.server, started, now(), secrets_in(seen, settings, secrets_of), run_url)
    return report(run, seen, decided, done)


def _unknown(inventory: Inventory) -> UsageError:
    return UsageError(
        f"the cluster has no inventory of target {inventory.target} in namespace {inventory.namespace}",
        hint="kubectl get configmap -A -l applyset.kubernetes.io/id lists the inventories there are; "
        "--rebuild-inventory finds what a lost one held",
    )


def _release(cluster: Cluster, settings: Settings, seen: Seen, progress: Progress) -> tuple[Decided, Done]:
    """Give every object back."""
    marked = read_labelled(cluster, seen.capabilities, seen.inventory.id, progress)
    objects = {live.ref: live for live in marked.objects if live.own_entry is not None}
    objects |= {ref: live for ref, live in seen.snapshot.objects.items() if _is_member(ref, live, seen.inventory)}
    verdicts = [Verdict(live.ref, Bucket.IN_SYNC, live=live) for live in objects.values()]
    verdicts += [Verdict(ref, Bucket.FAILED, problem=problem) for ref, problem in seen.snapshot.problems.items()]
    resources = _resources(seen, objects)
    results = give_back(cluster, list(objects.values()), resources, seen.inventory.id, progress)
    of_plan = digest(seen.desired, (), settings, seen.inventory.target, seen.cluster_uid)
    decided = Decided(verdicts, (), (), of_plan, 0)
    return decided, Done({result.ref: result for result in results}, problems=_ended(cluster))


def _delete(cluster: Cluster, settings: Settings, seen: Seen, progress: Progress) -> tuple[Decided, Done]:
    """Delete every object, in the reverse of the order in which they were applied; what is to stay is given back."""
    decided = decide(
        seen, replace(settings, prune=True, max_prune=Limit(unlimited=True), take_over_target=True), to_the_last=True
    )
    if decided.refused:
        return decided, Done()
    done = act(cluster, settings, seen, decided, progress)
    staying = {
        verdict.ref: verdict.live
        for verdict in decided.verdicts
        if verdict.live and verdict.bucket is Bucket.SKIPPED and _may_be_given(verdict.live, seen)
    }
    given = give_back(cluster, list(staying.values()), _resources(seen, staying), seen.inventory.id, progress)
    return decided, replace(done, results={**done.results, **{result.ref: result for result in given}})


def _forgotten(cluster: Cluster, seen: Seen, decided: Decided, done: Done) -> Done:
    """Remove the inventory, if nothing that it is needed for is left; what is in the way is told."""
    left = [verdict.ref for verdict in decided.verdicts if not _is_settled(verdict, done)]
    if left or decided.refused or done.problems:
        return done
    try:
        inventory = read_inventory(cluster, seen.inventory.target, seen.inventory.namespace)
        if inventory.exists:
            forget(cluster, inventory)
    except RequestError as error:
        return replace(done, problems=(error.problem,))
    return replace(done, notes=("Its inventory is gone.",))


def _moved_out(cluster: Cluster, seen: Seen, done: Done) -> Done:
    """Remove the inventory's namespace if we made it and nothing is left in it, not even a lock."""
    if not done.notes:
        return done
    try:
        removed = remove_namespace(cluster, seen.capabilities, seen.inventory.namespace)
    except RequestError as error:
        return replace(done, problems=(*done.problems, error.problem))
    note = f"Namespace {seen.inventory.namespace}, which recon-action had made, is deleted."
    return replace(done, notes=(*done.notes, note)) if removed else done


def _is_settled(verdict: Verdict, done: Done) -> bool:
    result = done.results.get(verdict.ref)
    if verdict.bucket is Bucket.FAILED or verdict.ref in done.troubles:
        return False
    if result is None:  # left alone for a reason that will last, but for a hold
        return verdict.bucket is Bucket.SKIPPED and (verdict.live is None or verdict.live.is_terminating)
    return result.outcome in SETTLED


def _may_be_given(live: LiveObject, seen: Seen) -> bool:
    """Whether an object that `delete` leaves in the cluster may be given back: it is not another set's, nor held."""
    hold = hold_of(live, seen.at)
    return live.applyset in {"", seen.inventory.id} and not live.is_terminating and not (hold and hold.stands)


def _is_member(ref: ObjectRef, live: LiveObject, inventory: Inventory) -> bool:
    return ref in inventory.members and live.applyset in {"", inventory.id}


def _resources(seen: Seen, objects: Iterable[ObjectRef]) -> dict[ObjectRef, Resource]:
    found = {ref: seen.resources.get(ref) or seen.capabilities.find(ref.group, ref.kind) for ref in objects}
    return {ref: resource for ref, resource in found.items() if resource is not None}


def _ended(cluster: Cluster) -> tuple[Problem, ...]:
    return (cluster.stop.problem,) if cluster.stop.problem else ()
