"""The inventory written back: before anything is created, and after all is done."""

from dataclasses import replace

from recon_action import __version__
from recon_action.cluster import Cluster, RequestError
from recon_action.errors import ClusterError
from recon_action.model import Inventory, ObjectRef, Trouble
from recon_action.model.capabilities import CONFIG_MAP, NAMESPACE
from recon_action.model.inventory import encode


def store(cluster: Cluster, inventory: Inventory) -> Inventory:
    """Write `inventory`, making its namespace if need be; gives it with its new resourceVersion.

    Raises:
        ClusterError: something else wrote it since it was read.
        RequestError: the server refused.
    """
    body = encode(inventory, f"recon-action/v{__version__}")
    if inventory.exists:
        body["metadata"]["resourceVersion"] = inventory.resource_version
    else:
        _ensure_namespace(cluster, inventory.namespace)
    try:
        stored = cluster.apply(CONFIG_MAP, body)
    except RequestError as error:
        if error.problem.trouble is Trouble.CONFLICT:
            raise ClusterError(
                f"another run wrote the inventory of target {inventory.target} at the same time",
                hint="let it finish, then run again",
            ) from error
        raise
    return replace(inventory, resource_version=stored["metadata"]["resourceVersion"])


def _ensure_namespace(cluster: Cluster, name: str) -> None:
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    try:
        cluster.get(NAMESPACE, ObjectRef("", "Namespace", "", name))
    except RequestError as error:
        if error.problem.trouble is not Trouble.MISSING:
            raise
        try:
            cluster.create(NAMESPACE, body)
        except RequestError as refused:
            if refused.problem.trouble is not Trouble.CONFLICT:  # someone else was faster
                raise
