"""Kubernetes' own kinds, as they are called and where they live: what is known of a cluster without asking it.

Versions are as manifests name them. Of custom kinds nothing is known here.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from recon_action.model import Capabilities, Manifest, Resource

_IN_NAMESPACES: Final[Mapping[str, str]] = {
    "": "ConfigMap Endpoints Event LimitRange PersistentVolumeClaim Pod PodTemplate ReplicationController "
    "ResourceQuota Secret Service ServiceAccount",
    "apps": "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet",
    "autoscaling": "HorizontalPodAutoscaler",
    "batch": "CronJob Job",
    "certificates.k8s.io": "PodCertificateRequest",
    "coordination.k8s.io": "Lease LeaseCandidate",
    "discovery.k8s.io": "EndpointSlice",
    "events.k8s.io": "Event",
    "networking.k8s.io": "Ingress NetworkPolicy",
    "policy": "PodDisruptionBudget",
    "rbac.authorization.k8s.io": "Role RoleBinding",
    "resource.k8s.io": "ResourceClaim ResourceClaimTemplate",
    "storage.k8s.io": "CSIStorageCapacity",
}
_IN_CLUSTER: Final[Mapping[str, str]] = {
    "": "ComponentStatus Namespace Node PersistentVolume",
    "admissionregistration.k8s.io": "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding "
    "MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding "
    "ValidatingWebhookConfiguration",
    "apiextensions.k8s.io": "CustomResourceDefinition",
    "apiregistration.k8s.io": "APIService",
    "certificates.k8s.io": "CertificateSigningRequest ClusterTrustBundle",
    "flowcontrol.apiserver.k8s.io": "FlowSchema PriorityLevelConfiguration",
    "internal.apiserver.k8s.io": "StorageVersion",
    "networking.k8s.io": "IPAddress IngressClass ServiceCIDR",
    "node.k8s.io": "RuntimeClass",
    "rbac.authorization.k8s.io": "ClusterRole ClusterRoleBinding",
    "resource.k8s.io": "DeviceClass DeviceTaintRule ResourceSlice",
    "scheduling.k8s.io": "PriorityClass",
    "storage.k8s.io": "CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass",
    "storagemigration.k8s.io": "StorageVersionMigration",
}
_SCALED: Final = frozenset({"Deployment", "ReplicaSet", "ReplicationController", "StatefulSet"})
_SCOPES: Final[Mapping[tuple[str, str], bool]] = {
    (group, kind): namespaced
    for namespaced, table in ((True, _IN_NAMESPACES), (False, _IN_CLUSTER))
    for group, kinds in table.items()
    for kind in kinds.split()
}


def built_in(group: str, kind: str, version: str = "v1") -> Resource | None:
    """One of Kubernetes' own kinds; None if it is none of them."""
    namespaced = _SCOPES.get((group, kind))
    if namespaced is None:
        return None
    subresources = frozenset({"scale"} if kind in _SCALED else ())
    return Resource(group, version, kind, _plural(kind), namespaced=namespaced, subresources=subresources)


def assumed(manifests: Iterable[Manifest]) -> Capabilities:
    """What a cluster serves of the kinds of `manifests`, as far as that is the same in every cluster."""
    found: dict[tuple[str, str], dict[str, Resource]] = {}
    for manifest in manifests:
        key = (manifest.ref.group, manifest.ref.kind)
        if resource := built_in(*key, manifest.version):
            found.setdefault(key, {})[manifest.version] = resource
    return Capabilities("", {key: tuple(versions.values()) for key, versions in found.items()})


def _plural(kind: str) -> str:
    """The kind's name in URLs."""
    name = kind.lower()
    if name == "endpoints":
        return name
    if name.endswith("y"):
        return f"{name[:-1]}ies"
    return f"{name}es" if name.endswith("s") else f"{name}s"
