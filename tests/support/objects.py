"""Builders for the data that travels: short enough that a test shows only what it is about."""

from typing import Any

from recon_action.model import (
    Body,
    Bucket,
    Cause,
    DriftKind,
    LiveObject,
    Manifest,
    ObjectDrift,
    ObjectRef,
    Origin,
    Resource,
    Severity,
    Verdict,
    ref_of,
)
from recon_action.model.inventory import PART_OF

_CLUSTER_SCOPED = {"ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition", "Namespace", "PersistentVolume"}


def body_of(kind: str = "ConfigMap", name: str = "web", *, api: str = "v1", namespace: str = "", **more: Any) -> Body:
    """An object as a file would state it; `more` are its other fields."""
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {}) | more.pop("metadata", {})
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **more}


def manifest_of(body: Body, *, file: str = "app.yaml", line: int = 1) -> Manifest:
    """A manifest that stands in `file`."""
    return Manifest(ref_of(body), body, Origin(file, line=line))


def entry_of(fields: Body, manager: str = "recon-action", operation: str = "Apply", **more: Any) -> Body:
    """One raw managedFields entry."""
    return {"manager": manager, "operation": operation, "apiVersion": "v1", "fieldsV1": fields, **more}


def live_of(body: Body, *entries: Body, uid: str = "uid-1", version: str = "1", label: str = "") -> LiveObject:
    """The object as the server would give it, with these managedFields; `label` is its ApplySet's id."""
    labels = {**body["metadata"].get("labels", {})} | ({PART_OF: label} if label else {})
    metadata = {**body["metadata"], "uid": uid, "resourceVersion": version}
    if labels:
        metadata["labels"] = labels
    if entries:
        metadata["managedFields"] = list(entries)
    return LiveObject(ref_of(body), body | {"metadata": metadata})


def resource_of(kind: str = "ConfigMap", api: str = "v1", *subresources: str, served: bool = True) -> Resource:
    """A kind in one version; namespaced unless it is known not to be."""
    group, _, version = api.rpartition("/")
    return Resource(
        group,
        version,
        kind,
        f"{kind.lower()}s",
        namespaced=kind not in _CLUSTER_SCOPED,
        verbs=frozenset({"get", "list", "patch"}),
        subresources=frozenset(subresources),
        served=served,
    )


def verdict_of(body: Body, kind: DriftKind | None = None, *, orphan: bool = False, **more: Any) -> Verdict:
    """A verdict: in sync, or different in the way that `kind` says."""
    ref = ref_of(body)
    manifest = None if orphan else manifest_of(body)
    if kind is None:
        return Verdict(ref, more.pop("bucket", Bucket.IN_SYNC), manifest, **more)
    drift = ObjectDrift(ref, kind, Cause.GIT, Severity.SPEC)
    return Verdict(ref, Bucket.PENDING, manifest, drift=drift, **more)


def ref(kind: str = "ConfigMap", name: str = "web", namespace: str = "", group: str = "") -> ObjectRef:
    """An identity."""
    return ObjectRef(group, kind, namespace, name)
