"""Predict: what an apply would make of each object, also where its kind or its namespace comes with the same set."""

from collections.abc import Mapping
from dataclasses import dataclass

from recon_action.analyze.awaited import awaited
from recon_action.analyze.definition import Definition, definitions_of
from recon_action.analyze.definition_schema import faults, foreseen, refusal
from recon_action.analyze.equality import same
from recon_action.analyze.resolve import Resolved
from recon_action.analyze.stand_in import unchecked
from recon_action.cluster import Cluster
from recon_action.model import Body, Mode, ObjectRef, Progress, Trouble
from recon_action.model.check import Check
from recon_action.observe import Prediction, Snapshot, answered_elsewhere, predict_as_allowed, sent_elsewhere

Predictions = dict[ObjectRef, Prediction]


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be predicted.

    Args:
        resolved: the manifests.
        payloads: what is asked about, of each that has a kind.
        settled: which of them need no question.
        found: what the cluster holds.
        mode: what the predictions are for.
    """

    resolved: Resolved
    payloads: Mapping[ObjectRef, Body]
    settled: frozenset[ObjectRef]
    found: Snapshot
    mode: Mode

    def is_asked(self, ref: ObjectRef) -> bool:
        """Whether the server is asked; an apply finds out about a missing object by applying it."""
        if ref in self.settled or ref in self.found.problems or not self.resolved.resources[ref].served:
            return False
        return not self.mode.writes or ref in self.found.objects

    def is_homeless(self, ref: ObjectRef) -> bool:
        """Whether the namespace of an object comes with the set."""
        home = ObjectRef("", "Namespace", "", ref.namespace)
        return home in self.resolved.manifests and home not in self.found.objects

    def is_missing(self, ref: ObjectRef) -> bool:
        """Whether the cluster lacks an object."""
        return ref not in self.found.objects and ref not in self.found.problems


def predicted(cluster: Cluster, question: Question, progress: Progress, *, read_only: bool) -> Predictions:
    """A prediction of everything that needs one; with `read_only` the server is not asked."""
    resources = question.resolved.resources
    asked = {ref: payload for ref, payload in question.payloads.items() if question.is_asked(ref)}
    homeless = () if read_only else filter(question.is_homeless, asked)
    elsewhere = sent_elsewhere({ref: asked[ref] for ref in homeless})
    answers = predict_as_allowed(
        cluster,
        asked | {ref: one.payload for ref, one in elsewhere.items()},
        resources,
        question.found.objects,
        progress,
        insist=question.mode.writes,
        read_only=read_only,
    )
    answers |= answered_elsewhere(cluster, elsewhere, resources, answers)
    answers |= _waiting(question, answers)
    answers |= _unsure({ref: answers[ref] for ref in elsewhere})
    return answers | _by_definition(question, answers)


def _waiting(question: Question, answers: Mapping[ObjectRef, Prediction]) -> Predictions:
    """Missing objects that the server refuses for want of another one of the set: that can't be said yet."""
    refused = {ref: one.problem for ref, one in answers.items() if one.problem and question.is_missing(ref)}
    if not refused:
        return {}
    missing = [ref for ref in question.resolved.manifests if question.is_missing(ref)]
    waiting = {ref: awaited(ref, problem, missing) for ref, problem in refused.items()}
    return {
        ref: Prediction(reason=f"could not be checked: it needs {other}, which is new too", check=Check.NONE)
        for ref, other in waiting.items()
        if other
    }


def _unsure(answers: Mapping[ObjectRef, Prediction]) -> Predictions:
    """Objects that the server refuses elsewhere for what may be otherwise in their own namespace."""
    reasons = {ref: unchecked(one.problem) for ref, one in answers.items() if one.problem}
    return {ref: Prediction(reason=why, check=Check.NONE) for ref, why in reasons.items() if why is not None}


def _by_definition(question: Question, answers: Mapping[ObjectRef, Prediction]) -> Predictions:
    """Custom resources whose CRD comes, or changes, with the set: what its schema there says."""
    resolved, objects = question.resolved, question.found.objects
    moving = {one.ref for one in resolved.definitions.values() if _is_moving(answers.get(one.ref))}
    stored = {key: one for ref in moving for key, one in definitions_of(ref, objects[ref].body).items()}
    predictions: Predictions = {}
    for ref, manifest in resolved.manifests.items() if resolved.definitions else ():
        key = (ref.group, ref.kind, manifest.version)
        definition = resolved.definitions.get(key)
        if definition is None or ref not in question.payloads or ref in question.found.problems:
            continue
        is_served = resolved.resources[ref].served
        if not is_served or definition.ref in moving:
            answer = answers.get(ref, Prediction(live=objects.get(ref)))
            before = stored.get(key) if is_served else None
            if one := _judged(question, ref, answer, definition, before):
                predictions[ref] = one
    return predictions


def _is_moving(answer: Prediction | None) -> bool:
    """Whether an apply would change a CRD that the server has."""
    if answer is None or answer.body is None or answer.live is None:
        return False
    return not same(answer.body.get("spec"), answer.live.body.get("spec"))


def _judged(
    question: Question, ref: ObjectRef, answer: Prediction, definition: Definition, before: Definition | None
) -> Prediction | None:
    """What the schema in Git says of one object; None where the server's word stands.

    Args:
        question: the objects.
        ref: the one.
        answer: the server's, if it was asked.
        definition: in Git.
        before: as the server has it; None if it doesn't serve this version.
    """
    payload, live = question.payloads[ref], answer.live
    # In an apply the server itself will say it, once it has the CRD.
    if not question.mode.writes and (problem := refusal(ref, payload, definition)):
        return Prediction(live=live, problem=problem)
    if before is not None and not _is_outdated(answer, payload, before):
        return None
    if live is None:
        return Prediction(check=Check.SCHEMA) if not question.mode.writes else None
    reason = f"compared by the schema of {definition.ref} in Git, which the server does not have yet"
    return Prediction(foreseen(payload, live, definition), live, check=Check.SCHEMA, reason=reason)


def _is_outdated(answer: Prediction, payload: Body, before: Definition) -> bool:
    """Whether the server refuses `payload` by a schema that an apply would replace."""
    is_refused = answer.problem is not None and answer.problem.trouble is Trouble.INVALID
    return is_refused and bool(faults(payload, before))
