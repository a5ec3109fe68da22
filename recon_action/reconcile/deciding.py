"""Decide: a verdict on every object, the plan, and whether it may run."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from recon_action.analyze.claims import Claims
from recon_action.analyze.guard import refusals
from recon_action.analyze.plan import plan
from recon_action.analyze.resolve import unserved
from recon_action.analyze.verdict import Observation, judge, judge_member
from recon_action.model import Bucket, Problem, Settings, Stage, Verdict
from recon_action.observe import Prediction
from recon_action.reconcile.observing import Seen


@dataclass(frozen=True, slots=True)
class Decided:
    """What is to be said, and what is to be done."""

    verdicts: Sequence[Verdict]
    stages: Sequence[Stage]
    refused: Sequence[Problem]  # why the stages must not run


def decide(seen: Seen, settings: Settings) -> Decided:
    """The verdicts, the plan, and what the guard says of it."""
    verdicts = _judge(seen, settings)
    stages = plan(verdicts, seen.resources, prune=settings.prune)
    return Decided(verdicts, stages, refusals(seen.desired, seen.inventory, stages, settings))


def _may_be_admitted(seen: Seen) -> bool:
    """Whether mutating admission may stand between Git's values and the server's prediction."""
    return seen.epoch is None or seen.epoch.has_admission


def _judge(seen: Seen, settings: Settings) -> list[Verdict]:
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
