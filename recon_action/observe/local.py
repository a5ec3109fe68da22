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
from recon_action.observe.schema import read_schemas


def predict_what_may_be(
    cluster: Cluster,
    payloads: Mapping[ObjectRef, Body],
    resources: Mapping[ObjectRef, Resource],
    objects: Mapping[ObjectRef, LiveObject],
    progress: Progress,
    *,
    cache: Path,
) -> dict[ObjectRef, Prediction]:
    """The server's predictions; local ones of the kinds and namespaces in which it may not be asked."""
    found = predict(cluster, payloads, resources, objects, progress, insist=False)
    barred = {ref: payloads[ref] for ref, prediction in found.items() if is_forbidden(prediction.problem)}
    return found | predict_locally(cluster, barred, resources, objects, cache=cache)


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
