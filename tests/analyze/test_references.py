"""What objects name: kind by kind, wherever a name can stand, and whatever stands in its place."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from objects import body_of, ref

from recon_action.analyze.references import (
    API_SERVICE,
    HOOKS,
    POLICIES,
    TEMPLATES,
    accounts_of,
    claim_of,
    parameters_of,
    pods_of,
    references,
    selects,
    services_of,
)
from recon_action.model import Body, ObjectRef, ref_of

_ADMISSION = "admissionregistration.k8s.io/v1"
_RBAC = "rbac.authorization.k8s.io"


def _pod(**spec: Any) -> Body:
    return body_of("Pod", namespace="shop", spec={"containers": [{"name": "web"}]} | spec)


def _mounting(**volume: Any) -> Body:
    return _pod(volumes=[{"name": "v", **volume}])


def _running(**container: Any) -> Body:
    return _pod(containers=[{"name": "web", **container}])


_DEFAULT = ref("ServiceAccount", "default", "shop")
_A, _B = ref("ConfigMap", "a", "shop"), ref("ConfigMap", "b", "shop")
_SECRET, _OTHER = ref("Secret", "s", "shop"), ref("Secret", "t", "shop")
_FAST = ref("StorageClass", "fast", group="storage.k8s.io")
_SERVICE = ref("Service", "hooks", "infra")
_WEB = ref("Deployment", "web", "shop", "apps")
_CALLED = {"service": {"name": "hooks", "namespace": "infra"}}

_OF_PODS = [
    pytest.param(_pod(serviceAccountName="runner"), {ref("ServiceAccount", "runner", "shop")}, id="account"),
    pytest.param(_pod(serviceAccount="old"), {ref("ServiceAccount", "old", "shop")}, id="account-old-field"),
    pytest.param(_pod(), set(), id="default-account"),
    pytest.param(
        _pod(priorityClassName="high"), {ref("PriorityClass", "high", group="scheduling.k8s.io")}, id="priority"
    ),
    pytest.param(_pod(runtimeClassName="gvisor"), {ref("RuntimeClass", "gvisor", group="node.k8s.io")}, id="runtime"),
    pytest.param(_pod(imagePullSecrets=[{"name": "s"}, {"name": "t"}]), {_SECRET, _OTHER}, id="pull-secrets"),
    pytest.param(
        _running(envFrom=[{"configMapRef": {"name": "a"}}, {"secretRef": {"name": "s"}}]), {_A, _SECRET}, id="env-from"
    ),
    pytest.param(
        _running(
            env=[
                {"name": "A", "valueFrom": {"configMapKeyRef": {"name": "a", "key": "k"}}},
                {"name": "S", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
                {"name": "F", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
                {"name": "V", "value": "b"},
            ]
        ),
        {_A, _SECRET},
        id="env",
    ),
    pytest.param(_pod(initContainers=[{"envFrom": [{"configMapRef": {"name": "b"}}]}]), {_B}, id="init-container"),
    pytest.param(_mounting(configMap={"name": "a"}), {_A}, id="volume-of-a-config-map"),
    pytest.param(_mounting(secret={"secretName": "s"}), {_SECRET}, id="volume-of-a-secret"),
    pytest.param(
        _mounting(persistentVolumeClaim={"claimName": "c"}), {ref("PersistentVolumeClaim", "c", "shop")}, id="claim"
    ),
    pytest.param(
        _mounting(projected={"sources": [{"configMap": {"name": "a"}}, {"secret": {"name": "s"}}]}),
        {_A, _SECRET},
        id="projected",
    ),
    pytest.param(
        _mounting(csi={"driver": "d", "nodePublishSecretRef": {"name": "s"}}), {_SECRET}, id="secret-of-a-driver"
    ),
    pytest.param(
        _mounting(ephemeral={"volumeClaimTemplate": {"spec": {"storageClassName": "fast"}}}), {_FAST}, id="ephemeral"
    ),
]
_OF_OTHERS = [
    pytest.param(
        body_of("StatefulSet", api="apps/v1", spec={"volumeClaimTemplates": [{"spec": {"storageClassName": "fast"}}]}),
        {ref("ServiceAccount", "default"), _FAST},
        id="claim-templates",
    ),
    pytest.param(
        body_of("PersistentVolumeClaim", spec={"storageClassName": "fast", "volumeName": "disk"}),
        {_FAST, ref("PersistentVolume", "disk")},
        id="claim",
    ),
    pytest.param(body_of("PersistentVolumeClaim", spec={"storageClassName": ""}), set(), id="claim-of-no-class"),
    pytest.param(body_of("PersistentVolume", spec={"storageClassName": "fast"}), {_FAST}, id="volume"),
    pytest.param(
        body_of("Secret", namespace="shop", metadata={"annotations": {"kubernetes.io/service-account.name": "runner"}}),
        {ref("ServiceAccount", "runner", "shop")},
        id="token",
    ),
    pytest.param(body_of("Secret", data={}), set(), id="secret"),
    pytest.param(
        body_of(
            "RoleBinding",
            api=f"{_RBAC}/v1",
            namespace="shop",
            roleRef={"kind": "Role", "name": "r"},
            subjects=[
                {"kind": "ServiceAccount", "name": "runner"},
                {"kind": "ServiceAccount", "name": "other", "namespace": "infra"},
                {"kind": "User", "name": "jane"},
            ],
        ),
        {
            ref("Role", "r", "shop", _RBAC),
            ref("ServiceAccount", "runner", "shop"),
            ref("ServiceAccount", "other", "infra"),
        },
        id="binding",
    ),
    pytest.param(
        body_of("RoleBinding", api=f"{_RBAC}/v1", namespace="shop", roleRef={"kind": "ClusterRole", "name": "r"}),
        {ref("ClusterRole", "r", group=_RBAC)},
        id="binding-of-a-cluster-role",
    ),
    pytest.param(
        body_of(
            "Ingress",
            api="networking.k8s.io/v1",
            namespace="infra",
            spec={
                "ingressClassName": "nginx",
                "defaultBackend": {"service": {"name": "hooks"}},
                "rules": [{"http": {"paths": [{"backend": {"service": {"name": "web"}}}]}}, {"host": "a"}],
                "tls": [{"secretName": "cert"}, {"hosts": ["a"]}],
            },
        ),
        {
            ref("IngressClass", "nginx", group="networking.k8s.io"),
            _SERVICE,
            ref("Service", "web", "infra"),
            ref("Secret", "cert", "infra"),
        },
        id="ingress",
    ),
    pytest.param(
        body_of(
            "HorizontalPodAutoscaler",
            api="autoscaling/v2",
            namespace="shop",
            spec={"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}},
        ),
        {_WEB},
        id="autoscaler",
    ),
    pytest.param(
        body_of("ScaledObject", api="keda.sh/v1", namespace="shop", spec={"scaleTargetRef": {"name": "web"}}),
        {_WEB},
        id="autoscaler-of-keda",
    ),
    pytest.param(body_of("APIService", api="apiregistration.k8s.io/v1", spec=_CALLED), {_SERVICE}, id="aggregated-api"),
    pytest.param(body_of("APIService", api="apiregistration.k8s.io/v1", spec={}), set(), id="local-api"),
    *[
        pytest.param(
            body_of(kind, api=_ADMISSION, webhooks=[{"clientConfig": _CALLED}, {"clientConfig": {"url": "https://a"}}]),
            {_SERVICE},
            id=kind,
        )
        for _, kind in HOOKS
    ],
    *[
        pytest.param(
            body_of(f"{kind}Binding", api=_ADMISSION, spec={"policyName": "p"}),
            {ref(kind, "p", group="admissionregistration.k8s.io")},
            id=f"{kind}Binding",
        )
        for _, kind in POLICIES
    ],
    pytest.param(body_of("ConfigMap", data={"serviceAccountName": "a"}), set(), id="what-names-nothing"),
]


def _named(body: Body) -> set[ObjectRef]:
    return set(references(ref_of(body), body))


@pytest.mark.parametrize(("body", "expected"), _OF_PODS)
def test_what_pods_name(body: Body, expected: set[ObjectRef]) -> None:
    """Every field of a Pod that needs another object to be there; and the account, which is never none."""
    account = {found for found in expected if found.kind == "ServiceAccount"} or {_DEFAULT}
    assert _named(body) == expected | account


@pytest.mark.parametrize(("body", "expected"), _OF_OTHERS)
def test_what_others_name(body: Body, expected: set[ObjectRef]) -> None:
    """The same of every other kind that names something."""
    assert _named(body) == expected


@pytest.mark.parametrize("kind", sorted(TEMPLATES))
def test_all_that_make_pods_are_read(kind: tuple[str, str]) -> None:
    """Each kind has its template where Kubernetes has it."""
    pod = {"metadata": {"labels": {"app": "web"}}, "spec": _running(envFrom=[{"configMapRef": {"name": "a"}}])["spec"]}
    group, name = kind
    body: Body
    match name:
        case "Pod":
            body = pod
        case "CronJob":
            body = {"spec": {"jobTemplate": {"spec": {"template": pod}}}}
        case _:
            body = {"spec": {"template": pod}}
    of = ObjectRef(group, name, "shop", "web")
    assert set(references(of, body)) == {_A, _DEFAULT}
    assert pods_of(of, body) == ({"app": "web"}, pod["spec"])


_REST: list[Callable[[ObjectRef, Body], object]] = [
    lambda of, body: list(references(of, body)),
    accounts_of,
    services_of,
    lambda _, body: claim_of(body),
    lambda _, body: parameters_of(body),
]
_KEYS = (
    "spec", "template", "jobTemplate", "metadata", "labels", "annotations", "containers", "env", "envFrom", "valueFrom",
    "volumes", "projected", "sources", "secret", "configMap", "name", "namespace", "subjects", "kind", "roleRef",
    "webhooks", "clientConfig", "service", "rules", "http", "paths", "backend", "tls", "claimRef", "paramKind",
    "scaleTargetRef", "serviceAccountName", "kubernetes.io/service-account.name",
)  # fmt: skip
_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=5),
    max_leaves=20,
)
_KINDS = [
    *sorted(TEMPLATES),
    *HOOKS,
    API_SERVICE,
    ("", "PersistentVolumeClaim"),
    ("", "Secret"),
    ("autoscaling", "HorizontalPodAutoscaler"),
    ("networking.k8s.io", "Ingress"),
    (_RBAC, "RoleBinding"),
]


@given(st.sampled_from(_KINDS), st.dictionaries(st.sampled_from(_KEYS), _ANYTHING, max_size=4))
def test_nonsense_names_nothing_and_breaks_nothing(kind: tuple[str, str], body: Body) -> None:
    """Nobody has checked the types in a manifest; whatever stands there, only texts become names."""
    of = ObjectRef(*kind, "shop", "web")
    whole = body | {"apiVersion": f"{kind[0]}/v1", "kind": kind[1], "metadata": {"name": "web", "namespace": "shop"}}
    for read in _REST:
        read(of, whole)
    assert all(isinstance(found.name, str) for found in references(of, whole))


@pytest.mark.parametrize(
    ("selector", "taken"),
    [
        ({}, True),
        ({"matchLabels": {"app": "web"}}, True),
        ({"matchLabels": {"app": "api"}}, False),
        ({"matchLabels": {"tier": "front"}}, False),
        ({"matchExpressions": [{"key": "app", "operator": "In", "values": ["web", "api"]}]}, True),
        ({"matchExpressions": [{"key": "app", "operator": "In", "values": ["api"]}]}, False),
        ({"matchExpressions": [{"key": "tier", "operator": "In", "values": ["front"]}]}, False),
        ({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["web"]}]}, False),
        ({"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["front"]}]}, True),
        ({"matchExpressions": [{"key": "app", "operator": "Exists"}]}, True),
        ({"matchExpressions": [{"key": "tier", "operator": "Exists"}]}, False),
        ({"matchExpressions": [{"key": "tier", "operator": "DoesNotExist"}]}, True),
        ({"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]}, False),
        ({"matchExpressions": [{"key": "app", "operator": "Like", "values": ["web"]}]}, False),
        ({"matchExpressions": [{"key": "app", "operator": "In", "values": "web"}]}, False),
    ],
    ids=str,
)
def test_selectors_take_what_kubernetes_takes(selector: Body, taken: bool) -> None:
    """Labels that match, and expressions that hold, all of them."""
    assert selects(selector, {"app": "web"}) is taken
