"""What the server serves: aggregated discovery, two requests."""

from collections.abc import Iterator
from typing import Any

from recon_action.cluster.client import Cluster
from recon_action.errors import ClusterError
from recon_action.model import Body, Capabilities, Resource

_ACCEPT = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
_KIND = "APIGroupDiscoveryList"


def discover(cluster: Cluster) -> Capabilities:
    """All kinds that `cluster` serves, and its version.

    Raises:
        ClusterError: the server can't be reached, refuses us, or is too old for aggregated discovery.
    """
    version, core, named = cluster.each(
        lambda request: cluster.read(request[0], accept=request[1]),
        [("/version", "application/json"), ("/api", _ACCEPT), ("/apis", _ACCEPT)],
    )
    if core.get("kind") != _KIND or named.get("kind") != _KIND:
        raise ClusterError(
            f"the API server ({_version(version) or 'unknown version'}) does not offer aggregated discovery",
            hint="recon-action needs Kubernetes 1.30 or newer",
        )
    resources: dict[tuple[str, str], list[Resource]] = {}
    stale: set[str] = set()
    for group in (*_groups(core), *_groups(named)):
        name = group.get("metadata", {}).get("name", "")
        for served in group.get("versions", ()):
            if served.get("freshness") == "Stale":
                stale.add(name)
            for resource in _resources(name, served):
                resources.setdefault((name, resource.kind), []).append(resource)
    found = {kind: tuple(versions) for kind, versions in resources.items()}
    return Capabilities(_version(version), found, frozenset(stale))


def _version(answer: Body) -> str:
    """`v1.37.2`, or `v1.34 (emulated by v1.37.2)`."""
    git_version = str(answer.get("gitVersion", ""))
    emulated = f"v{answer.get('emulationMajor')}.{answer.get('emulationMinor')}"
    if not answer.get("emulationMinor") or git_version.startswith(f"{emulated}."):
        return git_version
    return f"{emulated} (emulated by {git_version})"


def _groups(answer: Body) -> list[dict[str, Any]]:
    return answer.get("items") or []


def _resources(group: str, served: dict[str, Any]) -> Iterator[Resource]:
    for entry in served.get("resources") or ():
        kind = (entry.get("responseKind") or {}).get("kind")
        if kind and "get" in entry.get("verbs", ()):
            yield Resource(
                group=group,
                version=served["version"],
                kind=kind,
                plural=entry["resource"],
                namespaced=entry.get("scope") == "Namespaced",
                verbs=frozenset(entry.get("verbs", ())),
                subresources=frozenset(sub["subresource"] for sub in entry.get("subresources") or ()),
                names=tuple(filter(None, (entry.get("singularResource"), *(entry.get("shortNames") or ())))),
            )
