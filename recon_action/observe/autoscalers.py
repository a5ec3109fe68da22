"""The cluster's autoscalers: one LIST per served kind, where there is a workload that they could scale."""

from collections.abc import Mapping, Sequence
from functools import partial

from recon_action.analyze.autoscale import AUTOSCALERS, is_scalable
from recon_action.cluster import Cluster, RequestError
from recon_action.model import Body, Capabilities, ObjectRef, Problem, Resource, Trouble

Listed = tuple[list[Body], Problem | None]


def read_autoscalers(
    cluster: Cluster, resources: Mapping[ObjectRef, Resource], capabilities: Capabilities
) -> tuple[list[Body], dict[str, Problem]]:
    """The autoscalers, and by kind why some could not be read.

    Args:
        cluster: the connection.
        resources: the kind of each manifest; if none of them can be scaled, nothing is asked.
        capabilities: which sorts of autoscalers are served.
    """
    namespaces = sorted({ref.namespace for ref, resource in resources.items() if is_scalable(resource)})
    if not namespaces:
        return [], {}
    served = [resource for group, kind in AUTOSCALERS if (resource := capabilities.find(group, kind)) is not None]
    answers = cluster.each(partial(_list, cluster, namespaces), served)
    bodies = [body for found, _ in answers for body in found]
    return bodies, {
        resource.kind: problem for resource, (_, problem) in zip(served, answers, strict=True) if problem is not None
    }


def _list(cluster: Cluster, namespaces: Sequence[str], resource: Resource) -> Listed:
    try:
        return cluster.list_all(resource)[0], None
    except RequestError as error:
        if error.problem.trouble is not Trouble.FORBIDDEN:
            return [], error.problem
    found: list[Body] = []
    problem: Problem | None = None
    for namespace in namespaces:
        try:
            found += cluster.list_all(resource, namespace=namespace)[0]
        except RequestError as error:
            problem = error.problem
    return found, problem
