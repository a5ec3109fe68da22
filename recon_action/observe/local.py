"""Predictions for those who may not ask the server for them: worked out from its OpenAPI.

Whether permission is missing is learnt from the first dry run that is refused: one request a kind and
namespace, as an access review would cost, and none where nothing is missing.
"""

from collections.abc import Mapping
from pathlib import Path

from recon_action.analyze.local import applied
from recon_action.cluster import Cluster
from recon_action.model import Body, LiveObject, ObjectRef, Problem, Progress, Resource
from recon_action.observe.predict import Prediction, is_forbidden, predict
from recon_action.observe.schema import read_schemas, usual_cache


def predict_as_allowed(
    cluster: Cluster,
    payloads: Mapping[ObjectRef, Body],
    resources: Mapping[ObjectRef, Resource],
    objects: Mapping[ObjectRef, LiveObject],
    progress: Progress,
    *,
    read_only: bool = False,
    cache: Path | None = None,
) -> dict[ObjectRef, Prediction]:
    """The server's predictions; local ones of the kinds and namespaces in which it may not be asked.

    Args:
        cluster: where to ask.
        payloads: what would be sent.
        resources: the kind of each.
        objects: the objects as observed; one that is missing would be new.
        progress: advances with each answer.
        read_only: whether nothing may be asked.
        cache: where schemas are kept; None means the usual place.
    """
    found = {} if read_only else predict(cluster, payloads, resources, objects, progress, insist=False)
    barred = {ref: payload for ref, payload in payloads.items() if ref not in found or is_forbidden(found[ref].problem)}
    return found | predict_locally(cluster, barred, resources, objects, cache=cache or usual_cache())


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
