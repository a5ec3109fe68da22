"""Observe: everything that is learnt before anything is decided."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import PurePath

from recon_action.analyze.autoscale import scaled
from recon_action.analyze.claims import Claims, Policy
from recon_action.analyze.contest import Contests, contests
from recon_action.analyze.directives import Asked
from recon_action.analyze.leave import Left
from recon_action.analyze.members import rebuilt
from recon_action.analyze.others import Others, compared, sent
from recon_action.analyze.payload import labelled, normalised
from recon_action.analyze.resolve import Resolved, readable, resolve
from recon_action.analyze.select import select
from recon_action.analyze.suspects import Sifted, sift
from recon_action.analyze.untouched import Standing, standings, unobserved
from recon_action.cluster import Cluster, RequestError, discover
from recon_action.config import default_target
from recon_action.desired import is_ancestor
from recon_action.model import (
    Body,
    Capabilities,
    Desired,
    Epoch,
    Inventory,
    Manifest,
    Mode,
    ObjectRef,
    Problem,
    Progress,
    Resource,
    Revision,
    Settings,
    Trouble,
)
from recon_action.observe import (
    Labelled,
    Prediction,
    Snapshot,
    read_autoscalers,
    read_claims,
    read_epoch,
    read_inventory,
    read_labelled,
    snapshot,
)
from recon_action.reconcile.annotations import read_annotations
from recon_action.reconcile.predicting import Question, predicted


@dataclass(frozen=True, slots=True)
class Seen:
    """All that was learnt before anything is decided."""

    desired: Desired
    declared: Mapping[ObjectRef, Manifest]  # all that Git has
    resolved: Resolved  # of it, what was selected
    resources: Mapping[ObjectRef, Resource]  # of manifests and members that the run is about
    remembered: Inventory  # as it was read
    inventory: Inventory  # the same, or rebuilt
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
    at: datetime  # when the run began
    asked: Mapping[ObjectRef, Asked]  # what annotations in Git ask for
    standings: Mapping[ObjectRef, Standing]  # of what annotations are about
    contests: Contests
    is_older: bool | None = False  # than the commit that was applied last; None if git can't tell
    unlisted: tuple[str, ...] = ()  # kinds that an inventory could not be rebuilt from
    problems: tuple[Problem, ...] = ()


def observe(
    cluster: Cluster,
    settings: Settings,
    mode: Mode,
    desired: Desired,
    cluster_uid: str,
    progress: Progress,
    at: datetime,
) -> Seen:
    """Read what the server serves, the inventory and the objects; ask the server what an apply would do."""
    progress.step("asking the server what it serves")
    capabilities = discover(cluster)
    whole = resolve(desired.manifests, capabilities, settings.namespace or cluster.namespace)
    resolved = select(whole, settings.selection)
    annotated = read_annotations(desired, resolved)
    remembered, problems = _inventory(cluster, settings, mode, desired)
    inventory, marked = remembered, Labelled()
    if settings.rebuild_inventory:
        marked = read_labelled(cluster, capabilities, remembered.id, progress)
        inventory = rebuilt(remembered, marked.objects, whole.manifests)
    members = member_resources(inventory, capabilities)
    resources = (members if settings.selection.is_all else {}) | dict(resolved.resources)
    passed = unobserved(annotated, inventory)
    wanted = {ref: resource for ref, resource in readable(resources, capabilities).items() if ref not in passed}
    found = snapshot(cluster, wanted, inventory.id, progress)
    standing = standings(annotated, found.objects, at)
    payloads = {
        ref: labelled(normalised(resolved.manifests[ref], resource), inventory.id)
        for ref, resource in resolved.resources.items()
        if ref not in standing or not standing[ref].why_untouched(found.objects.get(ref))
    }
    scalers, unread = read_autoscalers(cluster, resolved.resources, capabilities)
    fights = contests(inventory.corrections, at)
    others = Others(settings.ignore, scaled(whole.manifests, scalers), unread, fights.fields)
    lefts = others.lefts(payloads, found.objects, resources)
    # Of a part, too, what is remembered holds for the whole target's epoch.
    epoch = read_epoch(cluster, capabilities, (members | dict(whole.resources)).values())
    sifted = sift(compared(payloads, lefts), found.objects, resources, inventory, epoch if settings.proof else None)
    asked = {ref: lefts[ref].asked if ref in lefts else payload for ref, payload in payloads.items()}
    question = Question(resolved, asked, sifted.settled, found, mode)
    predictions = predicted(cluster, question, progress, read_only=settings.read_only)
    moved = {ref: one.live for ref, one in predictions.items() if one.live is not found.objects.get(ref)}
    lefts = others.caught_up(lefts, payloads, moved, resources)
    objects = {**found.objects, **{ref: one.live for ref, one in predictions.items() if one.live is not None}}
    kept = {ref: lefts[ref].kept if ref in lefts else payload for ref, payload in payloads.items()}
    merged = frozenset(ref for ref, one in annotated.items() if one.directives.merge)
    policy = Policy(settings.take_over, settings.additive, not settings.read_only, merged)
    return Seen(
        desired=replace(desired, manifests=tuple(whole.manifests.values())),
        declared=whole.manifests,
        resolved=resolved,
        resources=resources,
        remembered=remembered,
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
        cluster_uid=cluster_uid,
        at=at,
        asked=annotated,
        standings=standings(annotated, objects, at),
        contests=fights,
        is_older=is_older(desired.revision, inventory),
        unlisted=marked.unlisted,
        problems=problems,
    )


def target_of(settings: Settings, desired: Desired) -> str:
    """The target's name, where none was given the repository's or the first path's."""
    if settings.target:
        return settings.target
    repository = desired.revision.repository or desired.revision.root if desired.revision else ""
    path = desired.identity[0] if desired.identity else settings.paths[0]
    return default_target(repository, PurePath(path).as_posix())


def member_resources(inventory: Inventory, capabilities: Capabilities) -> dict[ObjectRef, Resource]:
    """The kinds of the inventory's members; of those that the server does not serve, none."""
    found = {ref: capabilities.find(ref.group, ref.kind) for ref in inventory.members}
    return {ref: resource for ref, resource in found.items() if resource is not None}


def _inventory(
    cluster: Cluster, settings: Settings, mode: Mode, desired: Desired
) -> tuple[Inventory, tuple[Problem, ...]]:
    """The target's inventory. A diff goes on without one that may not be read; an apply doesn't."""
    target = target_of(settings, desired)
    try:
        return read_inventory(cluster, target, settings.inventory_namespace), ()
    except RequestError as error:
        if mode.writes or error.problem.trouble is not Trouble.FORBIDDEN:
            raise
        return Inventory(target, settings.inventory_namespace), (error.problem,)


def is_older(revision: Revision | None, inventory: Inventory) -> bool | None:
    """Whether a commit comes before the one that was applied last; None if git can't tell."""
    if revision is None or not inventory.revision:
        return False
    return is_ancestor(revision.root, revision.commit, inventory.revision)
