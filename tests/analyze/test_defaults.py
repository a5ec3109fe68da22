"""Defaults that only the API server's code knows."""

from typing import Any

import pytest

from recon_action.analyze.defaults import allocated, defaults_of, dependent


@pytest.mark.parametrize(
    ("name", "value", "filled"),
    [
        pytest.param("core.v1.Container", {"image": "web"}, {"imagePullPolicy": "Always"}, id="no-tag"),
        pytest.param("core.v1.Container", {"image": "r:5000/web:latest"}, {"imagePullPolicy": "Always"}, id="latest"),
        pytest.param("core.v1.Container", {"image": "r:5000/web:1"}, {"imagePullPolicy": "IfNotPresent"}, id="tag"),
        pytest.param("core.v1.Container", {"image": "web@sha256:0"}, {"imagePullPolicy": "IfNotPresent"}, id="digest"),
        pytest.param("core.v1.Container", {"image": "web", "imagePullPolicy": "Never"}, {}, id="pull-policy-given"),
        pytest.param(
            "core.v1.PodSpec",
            {"serviceAccountName": "a"},
            {"serviceAccountName": "a", "serviceAccount": "a"},
            id="service-account",
        ),
        pytest.param("core.v1.PodSpec", {"serviceAccountName": "a", "serviceAccount": "a"}, {}, id="both-names"),
        pytest.param("core.v1.PodSpec", {}, {}, id="no-account"),
        pytest.param("core.v1.Volume", {"name": "a"}, {"emptyDir": {}}, id="volume"),
        pytest.param("core.v1.Volume", {"name": "a", "secret": {}}, {}, id="volume-given"),
        pytest.param("core.v1.ServicePort", {"port": 80}, {"targetPort": 80}, id="target-port"),
        pytest.param("core.v1.ServicePort", {"port": 80, "targetPort": "web"}, {}, id="target-port-given"),
        pytest.param("core.v1.ServiceSpec", {"type": "ExternalName"}, {}, id="external-name"),
        pytest.param(
            "core.v1.ServiceSpec",
            {"type": "LoadBalancer", "internalTrafficPolicy": "Local"},
            {"externalTrafficPolicy": "Cluster", "allocateLoadBalancerNodePorts": True},
            id="load-balancer",
        ),
        pytest.param(
            "core.v1.ServiceSpec",
            {"type": "ClusterIP", "sessionAffinity": "ClientIP"},
            {"internalTrafficPolicy": "Cluster", "sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 10800}}},
            id="session-affinity",
        ),
        pytest.param("apps.v1.DeploymentStrategy", {"type": "RollingUpdate"}, {"rollingUpdate": {}}, id="rolling"),
        pytest.param("apps.v1.DeploymentStrategy", {"type": "Recreate"}, {}, id="recreate"),
        pytest.param(
            "batch.v1.JobSpec",
            {},
            {"backoffLimit": 6, "podReplacementPolicy": "TerminatingOrFailed", "parallelism": 1, "completions": 1},
            id="job",
        ),
        pytest.param(
            "batch.v1.JobSpec",
            {"completions": 2, "backoffLimitPerIndex": 1, "podFailurePolicy": {}},
            {"backoffLimit": 2147483647, "podReplacementPolicy": "Failed", "parallelism": 1},
            id="job-with-policies",
        ),
        pytest.param(
            "batch.v1.JobSpec",
            {"parallelism": 2, "backoffLimit": 1, "podReplacementPolicy": "Failed"},
            {},
            id="job-given",
        ),
        pytest.param("networking.v1.NetworkPolicySpec", {}, {"policyTypes": ["Ingress"]}, id="policy"),
        pytest.param(
            "networking.v1.NetworkPolicySpec", {"egress": [{}]}, {"policyTypes": ["Ingress", "Egress"]}, id="egress"
        ),
        pytest.param("networking.v1.NetworkPolicySpec", {"policyTypes": ["Egress"]}, {}, id="policy-given"),
        pytest.param("rbac.v1.Subject", {"kind": "Group"}, {"apiGroup": "rbac.authorization.k8s.io"}, id="group"),
        pytest.param("rbac.v1.Subject", {"kind": "ServiceAccount"}, {}, id="account"),
        pytest.param(
            "autoscaling.v2.HorizontalPodAutoscalerBehavior",
            {"scaleDown": {"selectPolicy": "Min"}},
            {
                "scaleDown": {
                    "selectPolicy": "Min",
                    "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}],
                }
            },
            id="scaling",
        ),
        pytest.param("resource.v1.ExactDeviceRequest", {"allocationMode": "ExactCount"}, {"count": 1}, id="device"),
        pytest.param("resource.v1.ExactDeviceRequest", {"allocationMode": "All"}, {}, id="all-devices"),
    ],
)
def test_dependent(name: str, value: dict[str, Any], filled: dict[str, Any]) -> None:
    """What follows from the fields beside it."""
    assert dependent(f"io.k8s.api.{name}", value) == filled


def test_names_of_a_definition() -> None:
    """A CRD's other names follow from its kind."""
    name = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames"
    assert dependent(name, {"kind": "Widget"}) == {"singular": "widget", "listKind": "WidgetList"}


def test_always() -> None:
    """What doesn't depend on anything, whatever the version; of other types nothing is known."""
    assert defaults_of("io.k8s.api.core.v1.Probe")["periodSeconds"] == 10
    assert defaults_of("com.example.v1.Probe") == {}
    assert defaults_of("Probe") == {}
    assert dependent("com.example.v1.Widget", {}) == {}


def test_allocated() -> None:
    """A cluster IP is chosen once."""
    assert allocated("io.k8s.api.core.v1.ServiceSpec", {"clusterIP": "10.0.0.1", "type": "ClusterIP"}) == {
        "clusterIP": "10.0.0.1"
    }
    assert allocated("io.k8s.api.core.v1.PodSpec", {"clusterIP": "10.0.0.1"}) == {}
