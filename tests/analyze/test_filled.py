"""Defaults, known by field and value: what the server would fill in again."""

from typing import Any

import pytest
from objects import body_of

from recon_action.analyze.filled import is_filled
from recon_action.model import Body, FieldPath, ItemKey

_WEB = ItemKey((("name", "web"),))
_CONTAINER = ("spec", "template", "spec", "containers", _WEB)
_PORT = ItemKey((("port", 80), ("protocol", "TCP")))


def _deployment(kind: str = "Deployment", pod: Body | None = None, **container: Any) -> Body:
    containers = [{"name": "web", **container}]
    spec = {"template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": containers, **(pod or {})}}}
    return body_of(kind, api="apps/v1", spec=spec)


@pytest.mark.parametrize(
    ("live", "path", "filled"),
    [
        pytest.param(_deployment(pod={"dnsPolicy": "ClusterFirst"}), ("dnsPolicy",), True, id="default"),
        pytest.param(_deployment(pod={"dnsPolicy": "Default"}), ("dnsPolicy",), False, id="another-value"),
        pytest.param(_deployment(pod={"restartPolicy": "Always"}), ("restartPolicy",), True, id="of-a-pod"),
    ],
)
def test_a_default_of_a_pod(live: Body, path: tuple[str, ...], filled: bool) -> None:
    """A default is one by its field and its value."""
    assert is_filled(FieldPath(("spec", "template", "spec", *path)), live, {}) is filled


@pytest.mark.parametrize(
    ("container", "path", "filled"),
    [
        pytest.param({"image": "web", "imagePullPolicy": "Always"}, ("imagePullPolicy",), True, id="no-tag"),
        pytest.param({"image": "web:latest", "imagePullPolicy": "Always"}, ("imagePullPolicy",), True, id="latest"),
        pytest.param(
            {"image": "r:5000/web", "imagePullPolicy": "Always"}, ("imagePullPolicy",), True, id="port-no-tag"
        ),
        pytest.param({"image": "web:1", "imagePullPolicy": "Always"}, ("imagePullPolicy",), False, id="tag-and-always"),
        pytest.param({"image": "web:1", "imagePullPolicy": "IfNotPresent"}, ("imagePullPolicy",), True, id="tag"),
        pytest.param(
            {"image": "a@sha256:1", "imagePullPolicy": "IfNotPresent"}, ("imagePullPolicy",), True, id="digest"
        ),
        pytest.param({"image": "ko://a", "imagePullPolicy": "IfNotPresent"}, ("imagePullPolicy",), True, id="no-image"),
        pytest.param({"restartPolicy": "Always"}, ("restartPolicy",), False, id="restart-policy-of-a-container"),
        pytest.param({"livenessProbe": {"timeoutSeconds": 1}}, ("livenessProbe", "timeoutSeconds"), True, id="probe"),
        pytest.param({"livenessProbe": {"timeoutSeconds": 10}}, ("livenessProbe", "timeoutSeconds"), False, id="slow"),
        pytest.param(
            {"resources": {"limits": {"cpu": "1"}, "requests": {"cpu": "1"}}},
            ("resources", "requests", "cpu"),
            True,
            id="request-from-the-limit",
        ),
        pytest.param(
            {"resources": {"limits": {"cpu": "1"}, "requests": {"cpu": "2"}}},
            ("resources", "requests", "cpu"),
            False,
            id="request-beside-the-limit",
        ),
        pytest.param({"resources": {"requests": {"cpu": "2"}}}, ("resources", "requests", "cpu"), False, id="no-limit"),
    ],
)
def test_a_default_of_a_container(container: Body, path: tuple[str, ...], filled: bool) -> None:
    """Some depend on what stands beside them, and some on what holds them."""
    assert is_filled(FieldPath((*_CONTAINER, *path)), _deployment(**container), {}) is filled


@pytest.mark.parametrize(
    ("body", "path", "filled"),
    [
        pytest.param(body_of("Service", spec={"type": "ClusterIP"}), ("spec", "type"), True, id="service-type"),
        pytest.param(body_of("Service", spec={"type": "NodePort"}), ("spec", "type"), False, id="node-port"),
        pytest.param(body_of("Service", spec={"selector": {"a": "b"}}), ("spec", "selector"), False, id="selector"),
        pytest.param(
            body_of("Service", spec={"ports": [{"port": 80, "protocol": "TCP", "targetPort": 80}]}),
            ("spec", "ports", _PORT, "targetPort"),
            True,
            id="target-port",
        ),
        pytest.param(
            body_of("Service", spec={"ports": [{"port": 80, "protocol": "TCP"}]}),
            ("spec", "ports", _PORT),
            False,
            id="an-item-is-no-default",
        ),
        pytest.param(body_of("Secret", type="Opaque"), ("type",), True, id="secret-type"),
        pytest.param(body_of("ConfigMap", data={"protocol": "TCP"}), ("data", "protocol"), False, id="data"),
        pytest.param(
            body_of("Pod", metadata={"labels": {"type": "Opaque"}}), ("metadata", "labels", "type"), False, id="label"
        ),
        pytest.param(
            body_of("Pod", spec={"nodeSelector": {"type": "Opaque"}}),
            ("spec", "nodeSelector", "type"),
            False,
            id="node-selector",
        ),
        pytest.param(
            body_of("Namespace", metadata={"labels": {"kubernetes.io/metadata.name": "web"}}),
            ("metadata", "labels", "kubernetes.io/metadata.name"),
            True,
            id="namespace-label",
        ),
        pytest.param(
            body_of("Deployment", spec={"strategy": {"rollingUpdate": {"maxSurge": "25%"}}}),
            ("spec", "strategy", "rollingUpdate", "maxSurge"),
            True,
            id="surge-of-a-deployment",
        ),
        pytest.param(
            body_of("Deployment", spec={"strategy": {"rollingUpdate": {"maxSurge": 0}}}),
            ("spec", "strategy", "rollingUpdate", "maxSurge"),
            False,
            id="no-surge-of-a-deployment",
        ),
        pytest.param(
            body_of("DaemonSet", spec={"updateStrategy": {"rollingUpdate": {"maxSurge": 0}}}),
            ("spec", "updateStrategy", "rollingUpdate", "maxSurge"),
            True,
            id="surge-of-a-daemon-set",
        ),
        pytest.param(
            body_of("DaemonSet", spec={"updateStrategy": {"rollingUpdate": {"maxUnavailable": 1}}}),
            ("spec", "updateStrategy", "rollingUpdate", "maxUnavailable"),
            True,
            id="unavailable-of-a-daemon-set",
        ),
        pytest.param(
            body_of("PodDisruptionBudget", spec={"maxUnavailable": 1}),
            ("spec", "maxUnavailable"),
            False,
            id="unavailable-of-a-budget",
        ),
        pytest.param(body_of("Job", spec={"backoffLimit": 6}), ("spec", "backoffLimit"), True, id="backoff"),
        pytest.param(
            body_of("Job", spec={"backoffLimit": 2**31 - 1, "backoffLimitPerIndex": 1}),
            ("spec", "backoffLimit"),
            True,
            id="backoff-per-index",
        ),
        pytest.param(
            body_of("Job", spec={"podReplacementPolicy": "TerminatingOrFailed"}),
            ("spec", "podReplacementPolicy"),
            True,
            id="replacement",
        ),
        pytest.param(
            body_of("Job", spec={"podReplacementPolicy": "Failed", "podFailurePolicy": {}}),
            ("spec", "podReplacementPolicy"),
            True,
            id="replacement-with-a-policy",
        ),
        pytest.param(
            body_of("NetworkPolicy", spec={"policyTypes": ["Ingress"]}), ("spec", "policyTypes"), True, id="ingress"
        ),
        pytest.param(
            body_of("NetworkPolicy", spec={"policyTypes": ["Ingress"], "egress": []}),
            ("spec", "policyTypes"),
            False,
            id="ingress-alone",
        ),
        pytest.param(
            body_of("CustomResourceDefinition", spec={"names": {"kind": "Shirt", "listKind": "ShirtList"}}),
            ("spec", "names", "listKind"),
            True,
            id="list-kind",
        ),
        pytest.param(
            body_of("CustomResourceDefinition", spec={"names": {"kind": "Shirt", "singular": "shirt"}}),
            ("spec", "names", "singular"),
            True,
            id="singular",
        ),
    ],
)
def test_a_default_of_other_kinds(body: Body, path: tuple[Any, ...], filled: bool) -> None:
    """The same field may have other defaults in another kind, or none."""
    assert is_filled(FieldPath(path), body, {}) is filled


@pytest.mark.parametrize("kind", ["Job", "ReplicationController", "Deployment"])
def test_labels_of_kinds_that_take_those_of_their_pods(kind: str) -> None:
    """A controller that names no labels has its Pods'; of newer kinds that isn't so."""
    live = _deployment(kind) | {"metadata": {"name": "web", "labels": {"app": "web", "more": "1"}}}
    filled = kind != "Deployment"
    assert is_filled(FieldPath(("metadata", "labels", "app")), live, {}) is filled
    assert not is_filled(FieldPath(("metadata", "labels", "more")), live, {})


@pytest.mark.parametrize(("rule", "filled"), [({"clusterRoleSelectors": []}, True), (None, False)])
def test_the_rules_of_an_aggregated_role(rule: Body | None, filled: bool) -> None:
    """They are a controller's; those of any other role are somebody's own."""
    live = body_of("ClusterRole", api="rbac.authorization.k8s.io/v1", rules=[{"verbs": ["get"]}])
    payload = live | {"aggregationRule": rule}
    assert is_filled(FieldPath(("rules",)), live, payload) is filled
    assert not is_filled(FieldPath(("spec", "rules")), live | {"spec": {"rules": []}}, payload)


def test_the_selector_of_a_replication_controller() -> None:
    """It is its Pods' labels."""
    live = _deployment("ReplicationController")
    live["spec"]["selector"] = {"app": "web"}
    assert is_filled(FieldPath(("spec", "selector")), live, {})


def test_the_older_name_of_a_service_account() -> None:
    """It follows the newer one where Git has that; otherwise a person added both."""
    live = _deployment(pod={"serviceAccount": "x", "serviceAccountName": "x"})
    path = FieldPath(("spec", "template", "spec", "serviceAccount"))
    assert is_filled(path, live, _deployment(pod={"serviceAccountName": "x"}))
    assert not is_filled(path, live, _deployment())
    assert not is_filled(FieldPath(("spec", "template", "spec", "serviceAccountName")), live, _deployment())
