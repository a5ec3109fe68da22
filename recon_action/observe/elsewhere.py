"""What the server says of objects in a namespace that comes with the same set: each is tried in another one.

Who asks is `predict`, with all others; here is what goes there, and what the answer says of the object itself.
"""

from collections.abc import Mapping
from dataclasses import replace

from recon_action.analyze.stand_in import HOME, StandIn, stand_in
from recon_action.cluster import Cluster, RequestError
from recon_action.model import Body, ObjectRef, Resource, Trouble
from recon_action.model.check import Check
from recon_action.observe.predict import Prediction


def sent_elsewhere(payloads: Mapping[ObjectRef, Body]) -> dict[ObjectRef, StandIn]:
    """What is sent for each of `payloads`."""
    return {
        ref: stand_in(payload, salt=f"{ref.group}/{ref.kind}/{ref.namespace}/{ref.name}", namespace=HOME)
        for ref, payload in payloads.items()
    }


def answered_elsewhere(
    cluster: Cluster,
    sent: Mapping[ObjectRef, StandIn],
    resources: Mapping[ObjectRef, Resource],
    answers: Mapping[ObjectRef, Prediction],
) -> dict[ObjectRef, Prediction]:
    """What the answers to stand-ins say of the objects themselves; of a refusal `stand_in.unchecked` says how much."""
    refused = [ref for ref in sent if _is_of_the_name(resources[ref], answers[ref])]
    named = cluster.each(lambda ref: _named(cluster, resources[ref], sent[ref]), refused)
    found = dict(answers) | {ref: one for ref, one in zip(refused, named, strict=True) if one}
    return {ref: _restored(one, found[ref]) for ref, one in sent.items()}


def _is_of_the_name(resource: Resource, answer: Prediction) -> bool:
    """Whether a rule of a custom kind may have spoken, which may want one certain name."""
    refused = answer.problem is not None and answer.problem.trouble is Trouble.INVALID
    return refused and not resource.built_in


def _named(cluster: Cluster, resource: Resource, one: StandIn) -> Prediction | None:
    """The answer under the object's own name, if nothing else has it there and the server takes it."""
    payload = one.payload | {"metadata": one.payload["metadata"] | {"name": one.name}}
    try:
        body = cluster.apply(resource, payload, dry_run=True)
    except RequestError:
        return None  # the same again, or something else of that name can't be changed so
    return None if body["metadata"].get("resourceVersion") else Prediction(body)


def _restored(one: StandIn, answer: Prediction) -> Prediction:
    if answer.local:
        return Prediction(check=Check.NONE)  # it may not be asked about
    if answer.problem:
        return Prediction(problem=replace(answer.problem, message=one.retold(answer.problem.message)))
    return Prediction(body=one.restored(answer.body or {}), check=Check.STAND_IN)
