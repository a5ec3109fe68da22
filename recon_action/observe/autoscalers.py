"""The cluster's autoscalers: one LIST per served kind, where there is a workload that they could scale."""

from collections.abc import Iterable, Sequence
from functools import partial

from recon_action.cluster import Cluster, RequestError
from recon_action.model import Body, Capabilities, Problem, Resource, Trouble

Listed = tuple[list[Body], Problem | None]


def read_autoscalers(
    cluster: Cluster,
    kinds: Iterable[tuple[str, str]],
    capabilities: Capabilities,
    namespaces: Sequence[str],
) -> tuple[list[Body], dict[str, Problem]]:
    """The autoscalers, and by kind why some could not be read.

    Args:
        cluster: the connection.
        kinds: group and kind of each sort of autoscaler.
        capabilities: which of them are served.
        namespaces: where workloads are, for those who may not list the whole cluster.
    """
    served = [resource for group, kind in kinds if (resource := capabilities.find(group, kind)) is not None]
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
