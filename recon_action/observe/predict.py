"""What an apply would make of each object: the server's own dry run, one request an object."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from recon_action.cluster import Cluster, RequestError
from recon_action.model import Body, LiveObject, ObjectRef, Problem, Progress, Resource, Trouble

_ROUNDS = 3  # of catching up with an object that something else writes all the time


@dataclass(frozen=True, slots=True)
class Prediction:
    """The server's answer for one payload.

    Args:
        body: the object as it would be stored; None if the server refused.
        live: the object that `body` was predicted from: newer than the snapshot's, if it had moved.
        problem: why the server refused.
    """

    body: Body | None = None
    live: LiveObject | None = None
    problem: Problem | None = None


def predict(
    cluster: Cluster,
    payloads: Mapping[ObjectRef, Body],
    resources: Mapping[ObjectRef, Resource],
    objects: Mapping[ObjectRef, LiveObject],
    progress: Progress,
) -> dict[ObjectRef, Prediction]:
    """A prediction for every payload; an object that is missing from `objects` is predicted as new."""
    progress.step("comparing", len(payloads))
    refs: Sequence[ObjectRef] = list(payloads)
    ask = partial(_predict, cluster, payloads, resources, objects, progress)
    return dict(zip(refs, cluster.each(ask, refs), strict=True))


def _predict(
    cluster: Cluster,
    payloads: Mapping[ObjectRef, Body],
    resources: Mapping[ObjectRef, Resource],
    objects: Mapping[ObjectRef, LiveObject],
    progress: Progress,
    ref: ObjectRef,
) -> Prediction:
    try:
        return _settled(cluster, resources[ref], payloads[ref], objects.get(ref))
    except RequestError as error:
        return Prediction(live=objects.get(ref), problem=error.problem)
    finally:
        progress.advance()


def _settled(cluster: Cluster, resource: Resource, payload: Body, live: LiveObject | None) -> Prediction:
    """A prediction, and the very object it starts from: the dry run's answer tells its resourceVersion."""
    for _ in range(_ROUNDS):
        body = cluster.apply(resource, payload, dry_run=True)
        version = body["metadata"].get("resourceVersion", "")
        if (live.resource_version if live else "") == version:
            return Prediction(body, live)
        if not version:  # it was deleted after the snapshot
            return Prediction(body, None)
        ref = live.ref if live else ObjectRef(resource.group, resource.kind, *_name(body))
        live = LiveObject(ref, cluster.get(resource, ref))
        if live.resource_version == version:
            return Prediction(body, live)
    message = "the object changes faster than it can be compared"
    return Prediction(live=live, problem=Problem(Trouble.CONFLICT, message, "run again", "dry-run"))


def _name(body: Body) -> tuple[str, str]:
    return body["metadata"].get("namespace", ""), body["metadata"]["name"]
