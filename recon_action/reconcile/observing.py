"""Observe: everything that is learnt before anything is decided."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePath

from recon_action.analyze.autoscale import scaled
from recon_action.analyze.claims import Claims, Policy
from recon_action.analyze.leave import Left
from recon_action.analyze.others import Others, compared, sent
from recon_action.analyze.payload import labelled, normalised
from recon_action.analyze.resolve import Resolved, resolve
from recon_action.analyze.suspects import Sifted, sift
from recon_action.cluster import Cluster, RequestError, discover
from recon_action.config import default_target
from recon_action.model import (
    Body,
    Capabilities,
    Desired,
    Epoch,
    Inventory,
    Mode,
    ObjectRef,
    Problem,
    Progress,
    Resource,
    Settings,
    Trouble,
)
from recon_action.observe import (
    Prediction,
    Snapshot,
    cluster_uid,
    predict,
    predict_as_allowed,
    read_autoscalers,
    read_claims,
    read_epoch,
    read_inventory,
    snapshot,
)


@dataclass(frozen=True, slots=True)
class Seen:
    """All that was learnt before anything is decided."""

    desired: Desired
    resolved: Resolved
    resources: Mapping[ObjectRef, Resource]  # of manifests and members
    inventory: Inventory
    snapshot: Snapshot
    payloads: Mapping[ObjectRef, Body]
    others: Others
    lefts: Mapping[ObjectRef, Left]
    epoch: Epoch | None
    sifted: Sifted
    predictions: Mapping[ObjectRef, Prediction]
    claims: Mapping[ObjectRef, Claims]
    capabilities: Capabilities
    cluster_uid: str
    problems: tuple[Problem, ...] = ()


def observe(cluster: Cluster, settings: Settings, mode: Mode, desired: Desired, progress: Progress) -> Seen:
    """Read what the server serves, the inventory and the objects; ask the server what an apply would do."""
    progress.step("asking the server what it serves")
    capabilities = discover(cluster)
    resolved = resolve(desired.manifests, capabilities, settings.namespace or cluster.namespace)
    inventory, problems = _inventory(cluster, settings, mode, desired)
    resources = _member_resources(inventory, capabilities) | dict(resolved.resources)
    found = snapshot(cluster, resources, inventory.id, progress)
    payloads = {
        ref: labelled(normalised(resolved.manifests[ref], resource), inventory.id)
        for ref, resource in resolved.resources.items()
    }
    scalers, unread = read_autoscalers(cluster, resolved.resources, capabilities)
    others = Others(settings.ignore, scaled(resolved.manifests, scalers), unread)
    lefts = others.lefts(payloads, found.objects, resources)
    epoch = read_epoch(cluster, capabilities, resources.values())
    sifted = sift(compared(payloads, lefts), found.objects, resources, inventory, epoch if settings.proof else None)
    asked = {
        ref: lefts[ref].asked if ref in lefts else payload
        for ref, payload in payloads.items()
        if ref not in sifted.settled and _is_asked(ref, resolved, found, mode)
    }
    ask = predict if mode is Mode.APPLY else partial(predict_as_allowed, read_only=settings.read_only)
    predictions = ask(cluster, asked, resolved.resources, found.objects, progress)
    moved = {ref: one.live for ref, one in predictions.items() if one.live is not found.objects.get(ref)}
    lefts = others.caught_up(lefts, payloads, moved, resources)
    objects = {**found.objects, **{ref: one.live for ref, one in predictions.items() if one.live is not None}}
    kept = {ref: lefts[ref].kept if ref in lefts else payload for ref, payload in payloads.items()}
    policy = Policy(settings.take_over, settings.additive, may_ask=not settings.read_only)
    return Seen(
        desired=replace(desired, manifests=tuple(resolved.manifests.values())),
        resolved=resolved,
        resources=resources,
        inventory=inventory,
        snapshot=found,
        payloads=sent(payloads, lefts),
        others=others,
        lefts=lefts,
        epoch=epoch,
        sifted=sifted,
        predictions=predictions,
        claims=read_claims(cluster, kept, objects, resources, inventory, policy),
        capabilities=capabilities,
        cluster_uid=cluster_uid(cluster),
        problems=problems,
    )


def _inventory(
    cluster: Cluster, settings: Settings, mode: Mode, desired: Desired
) -> tuple[Inventory, tuple[Problem, ...]]:
    """The target's inventory. A diff goes on without one that may not be read; an apply doesn't."""
    repository = desired.revision.repository or desired.revision.root if desired.revision else ""
    path = desired.identity[0] if desired.identity else settings.paths[0]
    target = settings.target or default_target(repository, PurePath(path).as_posix())
    try:
        return read_inventory(cluster, target, settings.inventory_namespace), ()
    except RequestError as error:
        if mode is Mode.APPLY or error.problem.trouble is not Trouble.FORBIDDEN:
            raise
        return Inventory(target, settings.inventory_namespace), (error.problem,)


def _member_resources(inventory: Inventory, capabilities: Capabilities) -> dict[ObjectRef, Resource]:
    found = {ref: capabilities.find(ref.group, ref.kind) for ref in inventory.members}
    return {ref: resource for ref, resource in found.items() if resource is not None}


def _is_asked(ref: ObjectRef, resolved: Resolved, found: Snapshot, mode: Mode) -> bool:
    """Whether the server is asked what an apply would make of `ref`.

    An apply finds out about a missing object by applying it; and of an object whose kind or namespace
    is new as well, the server can't say anything yet.
    """
    if ref in found.problems or not resolved.resources[ref].served:
        return False
    if ref in found.objects:
        return True
    home = ObjectRef("", "Namespace", "", ref.namespace)
    is_new = home in resolved.manifests and home not in found.objects
    return mode is Mode.DIFF and not is_new
