"""Decide: a verdict on every object, the plan, and whether it may run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from recon_action.analyze.claims import Claims
from recon_action.analyze.digest import digest
from recon_action.analyze.guard import Ground, refusals
from recon_action.analyze.immutable import unchangeable
from recon_action.analyze.members import strays
from recon_action.analyze.notes import notes_of_proposal
from recon_action.analyze.plan import plan
from recon_action.analyze.proposal import proposal
from recon_action.analyze.resolve import unserved
from recon_action.analyze.untouched import UNMARKED, standing_orphan, with_homes
from recon_action.analyze.verdict import Observation, judge, judge_member, judge_unknown
from recon_action.model import (
    Approved,
    Body,
    Digest,
    Inventory,
    ObjectRef,
    Problem,
    Settings,
    Stage,
    Verdict,
)
from recon_action.model.check import Check
from recon_action.observe import Prediction
from recon_action.reconcile.observing import Seen

Bodies = Mapping[ObjectRef, Body]


@dataclass(frozen=True, slots=True)
class Decided:
    """What is to be said, and what is to be done."""

    verdicts: Sequence[Verdict]
    stages: Sequence[Stage]
    refused: Sequence[Problem]  # why the stages must not run
    digest: Digest
    strays: int  # objects that are ours by every mark, and in neither Git nor the inventory
    notes: tuple[str, ...] = ()


def decide(
    seen: Seen,
    settings: Settings,
    approved: Approved | None = None,
    *,
    to_the_last: bool = False,
    between: tuple[Bodies, Bodies] | None = None,
) -> Decided:
    """The verdicts, the plan, and what the guard says of it.

    Args:
        seen: what was observed.
        settings: the target and how to treat it.
        approved: the only plan that may be carried out.
        to_the_last: whether the target itself is to go, and what is kept from a mere prune with it.
        between: what two commits say; only what differs between them is decided on.
    """
    verdicts: Sequence[Verdict] = _judge(seen, settings, to_the_last=to_the_last)
    said: tuple[str, ...] = ()
    if between is not None:
        proposed = proposal(verdicts, *between)
        verdicts, said = proposed.verdicts, tuple(notes_of_proposal(proposed))
    stages = plan(verdicts, seen.resources, prune=settings.prune)
    of_plan = digest(seen.desired, stages, settings, seen.inventory.target, seen.cluster_uid)
    ground = Ground(
        desired=seen.desired,
        inventory=seen.inventory,
        digest=of_plan,
        cluster_uid=seen.cluster_uid,
        is_older=seen.is_older,
        # Beside an inventory that may not be read, everything of ours would look like one.
        strays=0 if seen.problems else strays(seen.snapshot.objects, seen.inventory, seen.declared),
        approved=approved,
    )
    return Decided(verdicts, stages, refusals(ground, stages, settings), of_plan, ground.strays, said)


def _may_be_admitted(seen: Seen, prediction: Prediction) -> bool:
    """Whether mutating admission may stand between Git's values and the server's prediction."""
    is_servers = prediction.check is Check.SERVER and not prediction.local and not prediction.refusal
    return is_servers and (seen.epoch is None or seen.epoch.has_admission)


def _judge(seen: Seen, settings: Settings, *, to_the_last: bool) -> list[Verdict]:
    verdicts: list[Verdict] = []
    givers = {Inventory(name, settings.inventory_namespace).id: name for name in settings.adopt_from}
    for ref, manifest in seen.resolved.manifests.items():
        standing = seen.standings.get(ref, UNMARKED)
        unknown = seen.resolved.problems.get(ref)
        if unknown is not None:
            verdicts.append(judge_unknown(manifest, unknown, standing))
            continue
        prediction = seen.predictions.get(ref, Prediction(live=seen.snapshot.objects.get(ref)))
        observation = Observation(
            live=prediction.live,
            predicted=prediction.body,
            settled=ref in seen.sifted.settled,
            claims=seen.claims.get(ref, Claims()),
            left=seen.lefts.get(ref),
            memo=seen.sifted.memos.get(ref, "") if prediction.check is Check.SERVER else "",
            admitted=seen.payloads.get(ref) if _may_be_admitted(seen, prediction) else None,
            problem=seen.snapshot.problems.get(ref) or prediction.problem,
            reason=prediction.reason or ("" if prediction.live else seen.contests.deletions.get(ref, "")),
            standing=standing,
        )
        judged = judge(manifest, seen.resources[ref], observation, seen.inventory, givers)
        if prediction.local or prediction.check is not judged.check:
            judged = replace(judged, local=prediction.local, check=prediction.check)
        if prediction.refusal:
            judged = unchangeable(
                judged,
                prediction.refusal,
                recreate=settings.recreate,
                allow_destructive=settings.allow_destructive,
            )
        verdicts.append(judged)
    declared = frozenset(verdict.live.uid for verdict in verdicts if verdict.live)
    # A part of the target is a part of what Git has: of what else there is, nothing was read.
    for ref, member in seen.inventory.members.items() if settings.selection.is_all else ():
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
                standing=standing_orphan(live, seen.at, to_the_last=to_the_last),
            )
            verdicts += [verdict] if verdict else []
    return with_homes(verdicts)
