"""Leaving: objects given back, and the inventory and its namespace removed once nothing is left in them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from recon_action.act.guarded import patch_guarded
from recon_action.act.inventory import CREATED, store
from recon_action.analyze.farewell import farewell_patch
from recon_action.cluster import Cluster, RequestError
from recon_action.model import (
    Body,
    Capabilities,
    Inventory,
    LiveObject,
    ObjectRef,
    Outcome,
    Progress,
    Resource,
    Result,
    Trouble,
)
from recon_action.model.capabilities import CONFIG_MAP, NAMESPACE

# What a control plane puts into every namespace by itself.
_FURNITURE = frozenset({("ConfigMap", "kube-root-ca.crt"), ("ServiceAccount", "default")})
_HISTORY = "Event"


def give_back(
    cluster: Cluster,
    objects: Sequence[LiveObject],
    resources: Mapping[ObjectRef, Resource],
    applyset: str,
    progress: Progress,
) -> list[Result]:
    """Take our label and entries off every one of `objects`; the objects stay."""
    progress.step("giving objects back", len(objects))

    def give(live: LiveObject) -> Result:
        try:
            _, stored = patch_guarded(cluster, resources[live.ref], live, partial(farewell_patch, applyset=applyset))
        except RequestError as error:
            if error.problem.trouble is Trouble.MISSING:  # deleted meanwhile
                return Result(live.ref, Outcome.UNCHANGED)
            return Result(live.ref, Outcome.FAILED, error.problem, live.uid)
        finally:
            progress.advance()
        return Result(live.ref, Outcome.UNCHANGED if stored is None else Outcome.RELEASED, uid=live.uid)

    return cluster.each(give, objects)


def forget(cluster: Cluster, inventory: Inventory) -> None:
    """Remove the inventory of a target that manages nothing any more.

    Raises:
        RequestError: the server refused.
        ClusterError: something else wrote it meanwhile.
    """
    stored = store(cluster, replace(inventory, members={}, corrections=()))  # its further parts go with that
    ref = ObjectRef("", "ConfigMap", stored.namespace, stored.name)
    try:
        body = cluster.get(CONFIG_MAP, ref)
        cluster.delete(CONFIG_MAP, ref, uid=body["metadata"]["uid"], version=stored.resource_version)
    except RequestError as error:
        if error.problem.trouble is not Trouble.MISSING:
            raise


def remove_namespace(cluster: Cluster, capabilities: Capabilities, name: str) -> bool:
    """Delete the namespace `name` if we made it and nothing is left in it; gives whether it was deleted.

    Raises:
        RequestError: the server refused.
    """
    ref = ObjectRef("", "Namespace", "", name)
    try:
        body = cluster.get(NAMESPACE, ref)
    except RequestError as error:
        if error.problem.trouble is Trouble.MISSING:
            return False
        raise
    metadata = body["metadata"]
    if (metadata.get("annotations") or {}).get(CREATED) != "true" or metadata.get("deletionTimestamp"):
        return False
    if any(cluster.each(partial(_has_any, cluster, name), _listable(capabilities))):
        return False
    # A namespace's version does not tell what is in it: what comes into it now is lost with it, as by kubectl delete.
    cluster.delete(NAMESPACE, ref, uid=metadata["uid"])
    return True


def _listable(capabilities: Capabilities) -> list[Resource]:
    kinds = [versions[0] for versions in capabilities.resources.values()]
    return [kind for kind in kinds if kind.namespaced and "list" in kind.verbs and kind.kind != _HISTORY]


def _has_any(cluster: Cluster, namespace: str, resource: Resource) -> bool:
    items: list[Body]
    items, _ = cluster.list_all(resource, namespace=namespace)
    return any((resource.kind, item["metadata"]["name"]) not in _FURNITURE for item in items)
