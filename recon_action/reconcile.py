"""The loop, once: observe, analyze, act, report."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import PurePath
from typing import BinaryIO

from recon_action import __version__
from recon_action.act import Waited, apply_stage, prune_stage, store, wait
from recon_action.analyze import members
from recon_action.analyze.autoscale import scaled
from recon_action.analyze.claims import Claims, Policy
from recon_action.analyze.guard import refusals, require_manifests
from recon_action.analyze.health import Health
from recon_action.analyze.leave import Left
from recon_action.analyze.notes import notes
from recon_action.analyze.others import Others, compared, sent
from recon_action.analyze.payload import labelled, normalised
from recon_action.analyze.plan import is_complete, plan, unmet
from recon_action.analyze.resolve import Resolved, resolve, unserved
from recon_action.analyze.suspects import Sifted, sift
from recon_action.analyze.verdict import Observation, judge, judge_member, strays
from recon_action.cluster import Cluster, RequestError, connect, discover
from recon_action.config import default_target
from recon_action.desired import load, locate
from recon_action.errors import UsageError
from recon_action.model import (
    Body,
    Bucket,
    Capabilities,
    Desired,
    Epoch,
    Inventory,
    Mode,
    ObjectRef,
    Outcome,
    Problem,
    Progress,
    Quiet,
    Resource,
    Result,
    Settings,
    Stage,
    Trouble,
    Verdict,
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
from recon_action.redact import Secrets
from recon_action.report.build import Facts, build
from recon_action.report.document import Report


@dataclass(frozen=True, slots=True)
class _Seen:
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


@dataclass(frozen=True, slots=True)
class _Decided:
    """What is to be said, and what is to be done."""

    verdicts: Sequence[Verdict]
    stages: Sequence[Stage]
    refused: Sequence[Problem]  # why the stages must not run


@dataclass(frozen=True, slots=True)
class _Done:
    """What acting came to."""

    results: Mapping[ObjectRef, Result] = field(default_factory=dict)
    health: Mapping[ObjectRef, Health] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


def reconcile(
    settings: Settings,
    mode: Mode,
    *,
    progress: Progress | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    stdin: BinaryIO | None = None,
    run_url: str = "",
    secrets_of: Callable[[Iterable[Body]], Secrets] = Secrets.of,
) -> Report:
    """Compare one target with its cluster, correct it if `mode` says so, and report.

    Args:
        settings: the target and how to treat it.
        mode: only look, or act as well.
        progress: where to show that the run is alive.
        now: the clock.
        stdin: what the PATH `-` reads.
        run_url: the workflow run that the report names.
        secrets_of: what must not be shown, given every object seen; tests disclose it to see a leak.

    Raises:
        ReconError: what stops the run before there is anything to report.
    """
    progress = progress or Quiet()
    if settings.read_only and mode is Mode.APPLY:
        raise UsageError("an apply writes, and read-only forbids it", hint="run a diff, or leave read-only out")
    started = now()
    progress.step("reading manifests")
    desired = load(settings.paths, stdin=stdin, progress=progress)
    require_manifests(desired)
    cluster = connect(settings.access, concurrency=settings.concurrency)
    seen = _observe(cluster, settings, mode, desired, progress)
    decided = _decide(seen, settings)
    done = _Done()
    if mode is Mode.APPLY and not decided.refused:
        done = _act(cluster, settings, seen, decided, progress)
    facts = Facts(
        server=cluster.server,
        server_version=seen.capabilities.version,
        cluster_uid=seen.cluster_uid,
        asked=len(seen.predictions),
        started=started.strftime("%Y-%m-%dT%H:%M:%SZ"),
        seconds=round((now() - started).total_seconds(), 1),
        run_url=run_url,
        version=__version__,
    )
    bodies = [manifest.body for manifest in seen.desired.manifests]
    bodies += [live.body for live in seen.snapshot.objects.values()]
    secrets = secrets_of(bodies) | Secrets.at(settings.redact, bodies)
    return _report(mode, seen, decided, done, facts, secrets)


def _observe(cluster: Cluster, settings: Settings, mode: Mode, desired: Desired, progress: Progress) -> _Seen:
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
    return _Seen(
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


def _decide(seen: _Seen, settings: Settings) -> _Decided:
    verdicts = _judge(seen, settings)
    stages = plan(verdicts, seen.resources, prune=settings.prune)
    return _Decided(verdicts, stages, refusals(seen.desired, seen.inventory, stages, settings))


def _may_be_admitted(seen: _Seen) -> bool:
    """Whether mutating admission may stand between Git's values and the server's prediction."""
    return seen.epoch is None or seen.epoch.has_admission


def _judge(seen: _Seen, settings: Settings) -> list[Verdict]:
    verdicts: list[Verdict] = []
    for ref, manifest in seen.resolved.manifests.items():
        unknown = seen.resolved.problems.get(ref)
        if unknown is not None:
            verdicts.append(Verdict(ref, Bucket.FAILED, manifest, problem=unknown))
            continue
        prediction = seen.predictions.get(ref, Prediction(live=seen.snapshot.objects.get(ref)))
        observation = Observation(
            live=prediction.live,
            predicted=prediction.body,
            settled=ref in seen.sifted.settled,
            claims=seen.claims.get(ref, Claims()),
            left=seen.lefts.get(ref),
            memo=seen.sifted.memos.get(ref, ""),
            admitted=None if prediction.local or not _may_be_admitted(seen) else seen.payloads[ref],
            problem=seen.snapshot.problems.get(ref) or prediction.problem,
        )
        judged = judge(manifest, seen.resources[ref], observation, seen.inventory)
        verdicts.append(replace(judged, local=prediction.local))
    declared = frozenset(verdict.live.uid for verdict in verdicts if verdict.live)
    for ref, member in seen.inventory.members.items():
        if ref not in seen.resolved.manifests:
            problem = seen.snapshot.problems.get(ref) or unserved(ref, seen.resources, seen.capabilities)
            live = seen.snapshot.objects.get(ref)
            verdict = judge_member(
                member,
                live,
                problem,
                applyset=seen.inventory.id,
                declared=declared,
                take_over=settings.take_over,
            )
            verdicts += [verdict] if verdict else []
    return verdicts


def _act(
    cluster: Cluster,
    settings: Settings,
    seen: _Seen,
    decided: _Decided,
    progress: Progress,
) -> _Done:
    """Apply, wait, prune; the inventory before and after. What can't be written is a problem, not the end."""
    try:
        inventory = _store(
            cluster, seen.inventory, members.before(seen.inventory, seen.desired, decided.stages, seen.cluster_uid)
        )
    except RequestError as error:
        return _Done(problems=(error.problem,))  # without it, nothing may be created
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
    return _Done(results, waited.health, tuple(problems))


def _apply(
    cluster: Cluster,
    settings: Settings,
    seen: _Seen,
    decided: _Decided,
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


def _settled_epoch(cluster: Cluster, seen: _Seen, results: Mapping[ObjectRef, Result]) -> str:
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


def _report(
    mode: Mode,
    seen: _Seen,
    decided: _Decided,
    done: _Done,
    facts: Facts,
    secrets: Secrets,
) -> Report:
    changed = {
        verdict.ref: [change.path for found in (verdict.drift, verdict.additive) if found for change in found.changes]
        for verdict in decided.verdicts
        if verdict.manifest is not None and (verdict.drift or verdict.additive)
    }
    stray = strays(seen.snapshot.objects, seen.inventory, seen.resolved.manifests)
    return build(
        mode=mode,
        target=seen.inventory.target,
        verdicts=decided.verdicts,
        desired=seen.desired,
        secrets=secrets,
        facts=facts,
        results=done.results,
        health={ref: (health.status.value, health.message) for ref, health in done.health.items()},
        stages=decided.stages,
        problems=[*seen.problems, *done.problems, *(decided.refused if mode is Mode.APPLY else ())],
        notes=[
            *notes(mode, decided.verdicts, decided.refused, strays=stray),
            *seen.others.notes(seen.lefts, decided.verdicts),
        ],
        positions=locate(seen.desired, changed),
    )
