"""The inventory as the cluster holds it, and the cluster's own identity."""

from recon_action.cluster import Cluster, RequestError
from recon_action.model import Inventory, ObjectRef, Trouble
from recon_action.model.capabilities import CONFIG_MAP, NAMESPACE
from recon_action.model.inventory import decode

_KUBE_SYSTEM = ObjectRef("", "Namespace", "", "kube-system")


def read_inventory(cluster: Cluster, target: str, namespace: str) -> Inventory:
    """The target's inventory; an empty one if the cluster has none.

    Raises:
        RequestError: it can't be read.
        ClusterError: it is damaged, or of a newer format.
    """
    empty = Inventory(target, namespace)
    try:
        body = cluster.get(CONFIG_MAP, ObjectRef("", "ConfigMap", namespace, empty.name))
    except RequestError as error:
        if error.problem.trouble is Trouble.MISSING:
            return empty
        raise
    return decode(body, target)


def cluster_uid(cluster: Cluster) -> str:
    """The UID of kube-system, which identifies a cluster; "" if it may not be read."""
    try:
        return str(cluster.get(NAMESPACE, _KUBE_SYSTEM)["metadata"].get("uid", ""))
    except RequestError as error:
        if error.problem.trouble in {Trouble.FORBIDDEN, Trouble.MISSING}:
            return ""
        raise
