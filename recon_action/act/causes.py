"""What the server knows of why an object does not become healthy: its pods, and the latest warnings.

An aid: what may not be read, or can't be just now, is left out. At most six requests an object.
"""

from collections.abc import Collection
from urllib.parse import urlencode

from recon_action.analyze.causes import has_sets, is_owned, newest_set, selector_of, unhealthy, warnings
from recon_action.cluster import Cluster, RequestError, path_of
from recon_action.model import Body, Resource
from recon_action.model.capabilities import EVENT, POD, REPLICA_SET, STORAGE_CLASS

_FIRST = 100  # of the pods of a workload: they tell what the others would


def read_causes(cluster: Cluster, body: Body, told: str) -> list[str]:
    """Why `body` is not healthy, beyond what it has `told` itself."""
    try:
        return _causes(cluster, body, told)
    except RequestError:
        return []


def read_deferring(cluster: Cluster) -> Collection[str]:
    """The storage classes that bind a claim only once a pod uses it."""
    try:
        classes, _ = cluster.list_all(STORAGE_CLASS)
    except RequestError:
        return ()
    return {one["metadata"]["name"] for one in classes if one.get("volumeBindingMode") == "WaitForFirstConsumer"}


def _causes(cluster: Cluster, body: Body, told: str) -> list[str]:
    namespace = body["metadata"].get("namespace") or "default"  # events of what has no namespace lie there
    selector = selector_of(body)
    suspects: list[Body] = []
    texts: list[str] = []
    if selector:
        maker = body
        if has_sets(body):
            maker = newest_set(body, _read(cluster, REPLICA_SET, namespace, labelSelector=selector)) or body
        pods = [pod for pod in _read(cluster, POD, namespace, labelSelector=selector) if is_owned(pod, maker)]
        found = unhealthy(pods)
        texts = [text for text, _ in found]
        suspects = [pod for _, pod in found] if pods else [maker]
    suspects += [body] if body not in suspects else []
    events = [event for one in suspects for event in _events(cluster, one, namespace)]
    return [*texts, *warnings(events, "\n".join([told, *texts]))]


def _events(cluster: Cluster, body: Body, namespace: str) -> list[Body]:
    uid = body["metadata"].get("uid", "")
    return _read(cluster, EVENT, namespace, fieldSelector=f"involvedObject.uid={uid},type=Warning")


def _read(cluster: Cluster, resource: Resource, namespace: str, **query: str) -> list[Body]:
    """The first of a kind in a namespace."""
    path = f"{path_of(resource, namespace)}?{urlencode(query | {'limit': str(_FIRST)})}"
    items = cluster.read(path).get("items") or ()
    return [item | {"apiVersion": resource.api_version, "kind": resource.kind} for item in items]
