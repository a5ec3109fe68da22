"""What the API server serves."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

# Groups that the API server itself implements; every other comes from a CRD or an API service.
BUILT_IN: Final = frozenset(
    {
        "",
        "admissionregistration.k8s.io",
        "apiextensions.k8s.io",
        "apiregistration.k8s.io",
        "apps",
        "authentication.k8s.io",
        "authorization.k8s.io",
        "autoscaling",
        "batch",
        "certificates.k8s.io",
        "coordination.k8s.io",
        "discovery.k8s.io",
        "events.k8s.io",
        "flowcontrol.apiserver.k8s.io",
        "internal.apiserver.k8s.io",
        "networking.k8s.io",
        "node.k8s.io",
        "policy",
        "rbac.authorization.k8s.io",
        "resource.k8s.io",
        "scheduling.k8s.io",
        "storage.k8s.io",
        "storagemigration.k8s.io",
    }
)


@dataclass(frozen=True, slots=True)
class Resource:
    """One kind in one version.

    Args:
        group: "" for the core group.
        version: `v1`, `v1beta1`.
        kind: `Deployment`.
        plural: the name in URLs, `deployments`.
        namespaced: whether objects live in namespaces.
        verbs: `get`, `list`, `patch`, …; empty for a kind that isn't served yet.
        subresources: `status`, `scale`, ….
        served: False for a kind that only a CRD of the desired set announces.
        names: what else people call it: `deployment`, `deploy`.
    """

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool
    verbs: frozenset[str] = frozenset()
    subresources: frozenset[str] = frozenset()
    served: bool = True
    names: tuple[str, ...] = field(default=(), compare=False)

    @property
    def api_version(self) -> str:
        """As in a manifest: `apps/v1`, `v1`."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def built_in(self) -> bool:
        """Whether the kind is Kubernetes' own."""
        return self.group in BUILT_IN


# Needed before discovery can say anything: the inventory, its lock, its namespace, the cluster's identity.
CONFIG_MAP = Resource("", "v1", "ConfigMap", "configmaps", namespaced=True)
LEASE = Resource("coordination.k8s.io", "v1", "Lease", "leases", namespaced=True)
NAMESPACE = Resource("", "v1", "Namespace", "namespaces", namespaced=False)
# What is read to say why an object is not healthy.
POD = Resource("", "v1", "Pod", "pods", namespaced=True)
REPLICA_SET = Resource("apps", "v1", "ReplicaSet", "replicasets", namespaced=True)
EVENT = Resource("", "v1", "Event", "events", namespaced=True)
STORAGE_CLASS = Resource("storage.k8s.io", "v1", "StorageClass", "storageclasses", namespaced=False)


@dataclass(frozen=True, slots=True)
class Capabilities:
    """All that discovery told.

    Args:
        version: the server's version, `v1.37.2`.
        resources: by `(group, kind)`, the versions in the server's order of preference.
        stale: groups whose API service did not answer; their kinds may be missing or old.
    """

    version: str
    resources: Mapping[tuple[str, str], tuple[Resource, ...]] = field(repr=False)
    stale: frozenset[str] = frozenset()

    def find(self, group: str, kind: str, version: str = "") -> Resource | None:
        """The kind in that version, or in the preferred one if `version` is ""; None if not served."""
        for resource in self.resources.get((group, kind), ()):
            if not version or resource.version == version:
                return resource
        return None

    def named(self, text: str) -> Resource | None:
        """The kind that a person means, as kubectl takes it; None if there is none.

        `deploy`, `deployments`, `Deployment`, `deployment.apps` and `deployments.v1.apps` all are one.
        """
        name, _, rest = text.lower().partition(".")
        for versions in self.resources.values():
            for resource in versions:
                known = {resource.kind.lower(), resource.plural, *resource.names}
                if name in known and rest in {"", resource.group, f"{resource.version}.{resource.group}"}:
                    return resource
        return None
