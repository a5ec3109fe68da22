"""The least roles for a target: what it has to do with, found in Git and, where one can be asked, in the cluster.

Nothing is written. What is asked of a server, and what follows for roles, is `analyze.permissions`'.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from recon_action.analyze.built_in import assumed
from recon_action.analyze.guard import require_manifests
from recon_action.analyze.permissions import InUse, grants, unknown_autoscalers
from recon_action.analyze.resolve import resolve
from recon_action.cluster import RequestError, connect, discover
from recon_action.desired import load
from recon_action.errors import ClusterError, UsageError
from recon_action.model import Capabilities, Desired, Inventory, ObjectRef, Progress, Quiet, Resource, Settings
from recon_action.model.permissions import Account, Permit, Reach
from recon_action.observe import read_inventory
from recon_action.reconcile.observing import member_resources, target_of
from recon_action.reconcile.rendering import render_target
from recon_action.stop import Stop

_USUAL = "default"  # where objects go that name no namespace, in most kubeconfigs


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of the cluster.

    Args:
        capabilities: what it serves; what every cluster does, if it was not asked.
        inventory: the target's.
        namespace: of objects that name none.
        server: its address; "" if it was not asked.
        problem: why its inventory is not known.
    """

    capabilities: Capabilities
    inventory: Inventory
    namespace: str
    server: str = ""
    problem: str = ""


def permit(
    settings: Settings,
    reaches: Sequence[Reach],
    account: Account,
    *,
    offline: bool = False,
    everywhere: bool = False,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> Permit:
    """What accounts need to look at, preview and apply the target of `settings`.

    Args:
        settings: the target; what it may delete counts, too.
        reaches: what the accounts are for.
        account: whose they are.
        offline: whether no cluster is asked.
        everywhere: whether what lies in namespaces is granted in all of them.
        progress: where to show that the run is alive.
        stop: ends the run early.

    Raises:
        ReconError: the manifests can't be read, or the cluster can't be asked.
    """
    progress, stop = progress or Quiet(), stop or Stop()
    with stop.idle():
        desired = load(
            settings.paths,
            progress=progress,
            max_size=settings.max_file_size,
            settings=replace(settings.sources, decrypt=False),  # which kinds there are is no secret
            target=None if offline else partial(render_target, settings, stop),
        )
        require_manifests(desired)
        known = _assumed(settings, desired) if offline else _asked(settings, desired, stop, progress)
    resolved = resolve(desired.manifests, known.capabilities, known.namespace)
    resources: Mapping[ObjectRef, Resource] = member_resources(known.inventory, known.capabilities) | dict(
        resolved.resources
    )
    use = InUse(
        inventory=known.inventory,
        resources=resources,
        bodies={ref: manifest.body for ref, manifest in resolved.manifests.items()},
        served=known.capabilities if known.server else None,
        may_delete=settings.prune or settings.recreate,
        may_destroy=settings.allow_destructive,
        is_everywhere=everywhere,
    )
    return Permit(
        target=known.inventory.target,
        inventory_namespace=known.inventory.namespace,
        account=account,
        grants=tuple(grants(use, reach) for reach in reaches),
        paths=settings.paths,
        server=known.server,
        namespaces=tuple(sorted(ref.name for ref in resolved.manifests if (ref.group, ref.kind) == ("", "Namespace"))),
        guessed=known.namespace if not settings.namespace and _has_homeless(desired, resolved.resources) else "",
        unknown_kinds=tuple(sorted({(ref.group, ref.kind) for ref in resolved.problems})),
        unknown_autoscalers=tuple(unknown_autoscalers(use)),
        unread_inventory=known.problem,
    )


def _assumed(settings: Settings, desired: Desired) -> _Known:
    inventory = Inventory(target_of(settings, desired), settings.inventory_namespace)
    return _Known(assumed(desired.manifests), inventory, settings.namespace or _USUAL)


def _asked(settings: Settings, desired: Desired, stop: Stop, progress: Progress) -> _Known:
    progress.step("asking the server what it serves")
    try:
        cluster = connect(settings.access, concurrency=settings.concurrency, stop=stop)
        capabilities, problem = discover(cluster), ""
    except (ClusterError, UsageError) as error:
        error.hint = f"{error.hint}; --offline does without a cluster".removeprefix("; ")
        raise
    inventory = Inventory(target_of(settings, desired), settings.inventory_namespace)
    try:
        inventory = read_inventory(cluster, inventory.target, inventory.namespace)
    except RequestError as error:
        problem = error.message
    return _Known(capabilities, inventory, settings.namespace or cluster.namespace, cluster.server, problem)


def _has_homeless(desired: Desired, resources: Mapping[ObjectRef, Resource]) -> bool:
    """Whether an object lies in a namespace that it does not name."""
    kinds = {(ref.group, ref.kind) for ref, resource in resources.items() if resource.namespaced}
    homeless = (one.ref for one in desired.manifests if not one.ref.namespace and not one.default_namespace)
    return any((ref.group, ref.kind) in kinds for ref in homeless)
