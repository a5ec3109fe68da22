"""Predictions where the server gives none: worked out from its OpenAPI.

It gives none of a change to a field that can't be changed, nor to those who may not ask. Whether permission is missing
is learnt from the first dry run that is refused: one request a kind and namespace, as an access review would cost, and
none where nothing is missing.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from recon_action.analyze.local import applied
from recon_action.cluster import Cluster
from recon_action.model import Body, LiveObject, ObjectRef, Problem, Progress, Resource
from recon_action.observe.predict import Prediction, is_forbidden, is_immutable, predict
from recon_action.observe.schema import read_schemas, usual_cache


def predict_as_allowed(  # noqa: PLR0913 - two ways of asking, and what both need
    cluster: Cluster,
    payloads: Mapping[ObjectRef, Body],
    resources: Mapping[ObjectRef, Resource],
    objects: Mapping[ObjectRef, LiveObject],
    progress: Progress,
    *,
    insist: bool = False,
    read_only: bool = False,
    cache: Path | None = None,
) -> dict[ObjectRef, Prediction]:
    """The server's predictions; local ones where it may not be asked, or refuses to change a field.

    Args:
        cluster: where to ask.
        payloads: what would be sent.
        resources: the kind of each.
        objects: the objects as observed; one that is missing would be new.
        progress: advances with each answer.
        insist: whether a missing permission is a problem, and no reason to compare here.
        read_only: whether nothing may be asked.
        cache: where schemas are kept; None means the usual place.
    """
    cache = cache or usual_cache()
    found = {} if read_only else predict(cluster, payloads, resources, objects, progress, insist=insist)
    barred = {
        ref: payload
        for ref, payload in payloads.items()
        if ref not in found or (not insist and is_forbidden(found[ref].problem))
    }
    found |= predict_locally(cluster, barred, resources, objects, cache=cache)
    return found | _unchangeable(cluster, found, payloads, resources, cache)


def _unchangeable(
    cluster: Cluster,
    found: Mapping[ObjectRef, Prediction],
    payloads: Mapping[ObjectRef, Body],
    resources: Mapping[ObjectRef, Resource],
    cache: Path,
) -> dict[ObjectRef, Prediction]:
    """Where the server refuses to change a field, what it would have made of the object."""
    refusals = {ref: one.problem for ref, one in found.items() if one.problem and is_immutable(one.problem)}
    live = {ref: one for ref in refusals if (one := found[ref].live)}
    local = predict_locally(cluster, {ref: payloads[ref] for ref in live}, resources, live, cache=cache)
    return {ref: replace(one, local=False, refusal=refusals[ref]) for ref, one in local.items() if one.body}


def predict_locally(
    cluster: Cluster,
    payloads: Mapping[ObjectRef, Body],
    resources: Mapping[ObjectRef, Resource],
    objects: Mapping[ObjectRef, LiveObject],
    *,
    cache: Path,
) -> dict[ObjectRef, Prediction]:
    """A local prediction for every payload; there is no need of any for an object that is missing."""
    found = {ref: Prediction(local=True) for ref in payloads}
    existing = {ref: payload for ref, payload in payloads.items() if ref in objects}
    if not existing:
        return found
    schemas = read_schemas(cluster, {resources[ref] for ref in existing}, cache)
    for ref, payload in existing.items():
        live, schema = objects[ref], schemas[resources[ref]]
        if isinstance(schema, Problem):
            found[ref] = Prediction(live=live, problem=schema, local=True)
        else:
            found[ref] = Prediction(applied(payload, live, schema), live, local=True)
    return found
