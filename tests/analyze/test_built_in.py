"""What is known of a cluster's kinds without asking it; that it is true is tested on a real server."""

import pytest
from objects import body_of, manifest_of

from recon_action.analyze.built_in import assumed, built_in


@pytest.mark.parametrize(
    ("group", "kind", "plural", "namespaced"),
    [
        ("", "ConfigMap", "configmaps", True),
        ("", "Endpoints", "endpoints", True),
        ("", "Namespace", "namespaces", False),
        ("networking.k8s.io", "Ingress", "ingresses", True),
        ("networking.k8s.io", "NetworkPolicy", "networkpolicies", True),
        ("storage.k8s.io", "StorageClass", "storageclasses", False),
    ],
)
def test_names_and_scopes(group: str, kind: str, plural: str, namespaced: bool) -> None:
    """A kind has its plural and its scope."""
    found = built_in(group, kind)
    assert found is not None
    assert (found.plural, found.namespaced, found.version) == (plural, namespaced, "v1")


def test_what_is_not_kubernetes_own() -> None:
    """Of a custom kind nothing is known, nor of one in another group."""
    assert built_in("example.com", "Widget") is None
    assert built_in("apps", "ConfigMap") is None


def test_workloads_can_be_scaled() -> None:
    """Those with a scale subresource have it here, too."""
    deployment, daemons = built_in("apps", "Deployment"), built_in("apps", "DaemonSet")
    assert deployment is not None
    assert daemons is not None
    assert (deployment.subresources, daemons.subresources) == (frozenset({"scale"}), frozenset())


def test_versions_are_the_manifests() -> None:
    """Each version that Git names is served, and no kind that Git does not have."""
    bodies = [
        body_of("HorizontalPodAutoscaler", "a", api="autoscaling/v2"),
        body_of("HorizontalPodAutoscaler", "b", api="autoscaling/v1"),
        body_of("Widget", api="example.com/v1"),
    ]
    capabilities = assumed(map(manifest_of, bodies))
    found = capabilities.resources["autoscaling", "HorizontalPodAutoscaler"]
    assert [resource.api_version for resource in found] == ["autoscaling/v2", "autoscaling/v1"]
    assert set(capabilities.resources) == {("autoscaling", "HorizontalPodAutoscaler")}
