"""What an apply would make of each object: the server's own dry run, one request an object."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recon_action.cluster import Cluster, RequestError
from recon_action.model import Body, LiveObject, ObjectRef, Problem, Progress, Resource, Trouble
from recon_action.model.check import Check

_ROUNDS = 3  # of catching up with an object that something else writes all the time


@dataclass(frozen=True, slots=True)
class Prediction:
    """What an apply of one payload would make of its object.

    Args:
        body: the object as it would be stored; None if the server refused.
        live: the object that `body` was predicted from: newer than the snapshot's, if it had moved.
        problem: why the server refused.
        local: worked out here, without asking the server.
        refusal: the server's, to change a field of the object; `body` was then worked out here.
        check: who has looked at the payload.
        reason: what people have to know of that.
        warnings: what the server says of the payload beside its answer.
    """

    body: Body | None = None
    live: LiveObject | None = None
    problem: Problem | None = None
    local: bool = False
    refusal: Problem | None = None
    check: Check = Check.SERVER
    reason: str = ""
    warnings: tuple[str, ...] = ()


def predict(
    cluster: Cluster,
    payloads: Mapping[ObjectRef, Body],
    resources: Mapping[ObjectRef, Resource],
    objects: Mapping[ObjectRef, LiveObject],
    progress: Progress,
    *,
    insist: bool = True,
) -> dict[ObjectRef, Prediction]:
    """A prediction for every payload; an object that is missing from `objects` is predicted as new.

    Without `insist`, where one object may not be asked about, the others of its kind and namespace are
    not asked about either; they have the same problem.
    """
    progress.step("comparing", len(payloads))
    refs: Sequence[ObjectRef] = list(payloads)
    forbidden: dict[tuple[Resource, str], Problem] = {}

    def ask(ref: ObjectRef) -> Prediction:
        resource, live = resources[ref], objects.get(ref)
        problem = None if insist else forbidden.get((resource, ref.namespace))
        try:
            return (
                Prediction(live=live, problem=problem) if problem else _settled(cluster, resource, payloads[ref], live)
            )
        except RequestError as error:
            if is_forbidden(error.problem):
                forbidden[resource, ref.namespace] = error.problem
            return Prediction(live=live, problem=error.problem)
        finally:
            progress.advance()

    return dict(zip(refs, cluster.each(ask, refs), strict=True))


def is_forbidden(problem: Problem | None) -> bool:
    """Whether permission is missing; bad credentials (401) are another matter."""
    return problem is not None and problem.trouble is Trouble.FORBIDDEN and problem.status == 403


def is_immutable(problem: Problem) -> bool:
    """Whether all that the server has against the payload is that a field can't be changed."""
    return problem.trouble is Trouble.IMMUTABLE


def _settled(cluster: Cluster, resource: Resource, payload: Body, live: LiveObject | None) -> Prediction:
    """A prediction, and the very object it starts from: the dry run's answer tells its resourceVersion."""
    for _ in range(_ROUNDS):
        warnings: list[str] = []
        body = cluster.apply(resource, payload, dry_run=True, warnings=warnings)
        version = body["metadata"].get("resourceVersion", "")
        if (live.resource_version if live else "") == version:
            return Prediction(body, live, warnings=tuple(warnings))
        if not version:  # it was deleted after the snapshot
            return Prediction(body, None, warnings=tuple(warnings))
        ref = live.ref if live else ObjectRef(resource.group, resource.kind, *_name(body))
        live = LiveObject(ref, cluster.get(resource, ref))
        if live.resource_version == version:
            return Prediction(body, live, warnings=tuple(warnings))
    message = "the object changes faster than it can be compared"
    return Prediction(live=live, problem=Problem(Trouble.CONFLICT, message, "run again", "dry-run"))


def _name(body: Body) -> tuple[str, str]:
    return body["metadata"].get("namespace", ""), body["metadata"]["name"]
