"""The inventory written back: before anything is created, and after all is done."""

from dataclasses import replace
from functools import partial

from recon_action import __version__
from recon_action.cluster import Cluster, RequestError
from recon_action.errors import ClusterError
from recon_action.model import Inventory, ObjectRef, Trouble, ref_of
from recon_action.model.capabilities import CONFIG_MAP, NAMESPACE
from recon_action.model.record import PART_LABEL, encode, part_name

CREATED = "recon-action.github.io/created"  # of a namespace that we made: it may go when it is empty


def store(cluster: Cluster, inventory: Inventory) -> Inventory:
    """Write `inventory`, making its namespace if need be; gives it as it is stored now.

    The parent comes after the parts that it names, and before those go that it named: whatever ends this,
    the inventory is either the old one or the new one, whole.

    Raises:
        ClusterError: something else wrote it since it was read.
        RequestError: the server refused.
    """
    record = encode(inventory, f"recon-action/v{__version__}")
    parent = record.parent
    if inventory.exists:
        guarded = parent["metadata"] | {"resourceVersion": inventory.resource_version}
        parent = parent | {"metadata": guarded}
    else:
        ensure_namespace(cluster, inventory.namespace)
    try:
        cluster.each(partial(cluster.apply, CONFIG_MAP), record.fresh)
        stored = cluster.apply(CONFIG_MAP, parent)
    except RequestError as error:
        if error.problem.trouble is not Trouble.CONFLICT:
            raise
        # A write whose answer was lost is sent again, and meets itself.
        stored = cluster.get(CONFIG_MAP, ref_of(parent))
        if stored.get("binaryData") != parent["binaryData"]:
            raise ClusterError(
                f"another run wrote the inventory of target {inventory.target} at the same time",
                hint="let it finish, then run again",
            ) from error
    unnamed = set(inventory.parts) - set(record.parts)
    if unnamed or not inventory.members:
        _remove_parts(cluster, inventory, unnamed)
    return replace(inventory, parts=record.parts, resource_version=stored["metadata"]["resourceVersion"])


def ensure_namespace(cluster: Cluster, name: str) -> None:
    """Make the namespace `name` if there is none, marked as made by us.

    Raises:
        RequestError: the server refused.
    """
    annotations = {CREATED: "true"}
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "annotations": annotations}}
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


def _remove_parts(cluster: Cluster, inventory: Inventory, digests: set[str]) -> None:
    """Delete parts that no parent names any more; of an inventory that is empty also what killed runs left."""
    names = {part_name(inventory, digest) for digest in digests}
    label = f"{PART_LABEL}={inventory.target}"
    found, _ = cluster.list_all(CONFIG_MAP, namespace=inventory.namespace, selector=label)
    for body in found:
        if body["metadata"]["name"] in names or not inventory.members:
            cluster.delete(CONFIG_MAP, ref_of(body), uid=body["metadata"]["uid"])
