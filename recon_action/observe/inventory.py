"""The inventory as the cluster holds it, what is left of a lost one, and the cluster's own identity."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from recon_action.cluster import Cluster, RequestError
from recon_action.errors import ClusterError
from recon_action.model import Body, Capabilities, Inventory, LiveObject, ObjectRef, Progress, Resource, Trouble, ref_of
from recon_action.model.capabilities import CONFIG_MAP, NAMESPACE
from recon_action.model.inventory import PART_OF
from recon_action.model.record import decode, part_name

_KUBE_SYSTEM = ObjectRef("", "Namespace", "", "kube-system")


@dataclass(frozen=True, slots=True)
class Labelled:
    """What carries a set's label.

    Args:
        objects: all that could be found; one that is served under two groups is there twice.
        unlisted: the kinds that may not, or could not, be listed.
    """

    objects: tuple[LiveObject, ...] = ()
    unlisted: tuple[str, ...] = ()


def read_inventory(cluster: Cluster, target: str, namespace: str) -> Inventory:
    """The target's inventory; an empty one if the cluster has none.

    Raises:
        RequestError: it can't be read.
        ClusterError: it is damaged, or of a newer format.
    """
    empty = Inventory(target, namespace)
    body = _config_map(cluster, namespace, empty.name)
    while body:
        try:
            return decode(body, target, partial(_parts, cluster))
        except RequestError:
            raise
        except ClusterError:
            # A run that wrote it meanwhile has removed the parts that this parent names.
            again = _config_map(cluster, namespace, empty.name)
            if again.get("metadata", {}).get("resourceVersion") == body["metadata"].get("resourceVersion"):
                raise
            body = again
    return empty


def read_labelled(cluster: Cluster, capabilities: Capabilities, applyset: str, progress: Progress) -> Labelled:
    """Everything that carries the label of the set `applyset`, of every kind that the server lists."""
    preferred = [versions[0] for versions in capabilities.resources.values()]
    kinds = [resource for resource in preferred if "list" in resource.verbs]
    progress.step("looking for what the inventory held", len(kinds))
    unlisted: list[str] = []

    def look(resource: Resource) -> list[Body]:
        try:
            return cluster.list_all(resource, selector=f"{PART_OF}={applyset}")[0]
        except RequestError:
            unlisted.append(f"{resource.kind} ({resource.api_version})")
            return []
        finally:
            progress.advance()

    found = cluster.each(look, kinds)
    return Labelled(
        tuple(LiveObject(ref_of(body), body) for bodies in found for body in bodies), tuple(sorted(unlisted))
    )


def cluster_uid(cluster: Cluster) -> str:
    """The UID of kube-system, which identifies a cluster; "" if it may not be read."""
    try:
        return str(cluster.get(NAMESPACE, _KUBE_SYSTEM)["metadata"].get("uid", ""))
    except RequestError as error:
        if error.problem.trouble in {Trouble.FORBIDDEN, Trouble.MISSING}:
            return ""
        raise


def _parts(cluster: Cluster, inventory: Inventory) -> Sequence[Body]:
    names = [part_name(inventory, digest) for digest in inventory.parts]
    return cluster.each(partial(_config_map, cluster, inventory.namespace), names)


def _config_map(cluster: Cluster, namespace: str, name: str) -> Body:
    """A ConfigMap; an empty body if there is none."""
    try:
        return cluster.get(CONFIG_MAP, ObjectRef("", "ConfigMap", namespace, name))
    except RequestError as error:
        if error.problem.trouble is Trouble.MISSING:
            return {}
        raise
