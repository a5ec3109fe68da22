"""What a target asks of the API server, and what an account needs for it."""

import importlib.util
from dataclasses import replace
from typing import Any

import pytest
from objects import body_of

from recon_action.analyze.built_in import built_in
from recon_action.analyze.permissions import REQUESTS, InUse, grants, unknown_autoscalers
from recon_action.model import Body, Capabilities, Inventory, Resource, ref_of
from recon_action.model.permissions import Purpose, Reach

_WIDGET = Resource("example.com", "v1", "Widget", "widgets", namespaced=True)
_EPOCH = "mutatingadmissionpolicies,mutatingadmissionpolicybindings,mutatingwebhookconfigurations"
_POD = {"selector": {"matchLabels": {"app": "web"}}, "template": {}}


def _resource(body: Body) -> Resource:
    group, _, version = body["apiVersion"].rpartition("/")
    found = built_in(group, body["kind"], version)
    return found or replace(_WIDGET, kind=body["kind"], plural=f"{body['kind'].lower()}s")


def _use(*bodies: Body, **more: Any) -> InUse:
    refs = {ref_of(body): body for body in bodies}
    inventory = more.pop("inventory", Inventory("shop", "recon-system"))
    return InUse(inventory, {ref: _resource(body) for ref, body in refs.items()}, refs, **more)


def _granted(use: InUse, reach: Reach = Reach.APPLY) -> dict[str, list[str]]:
    """By namespace `resource.group[names]: verbs` of each rule."""
    return {
        place: [
            f"{','.join(rule.resources)}.{rule.group}{list(rule.names) if rule.names else ''}: {' '.join(rule.verbs)}"
            for rule in rules
        ]
        for place, rules in grants(use, reach).rules.items()
    }


def _has(use: InUse, purpose: Purpose, reach: Reach = Reach.APPLY) -> dict[str, list[tuple[str, ...]]]:
    found = {
        place: [rule.resources for rule in rules if rule.purpose is purpose]
        for place, rules in grants(use, reach).rules.items()
    }
    return {place: resources for place, resources in found.items() if resources}


_CONFIG = body_of(namespace="shop")
_DEPLOYMENT = body_of("Deployment", api="apps/v1", namespace="shop", spec=_POD)


def test_to_read() -> None:
    """Who only looks may get and list, and write nothing."""
    assert _granted(_use(_CONFIG), Reach.READ_ONLY) == {
        "": [
            "namespaces.['kube-system']: get",
            f"{_EPOCH}.admissionregistration.k8s.io: list",
        ],
        "recon-system": ["configmaps.['recon-action-shop']: get"],
        "shop": ["configmaps.: get list"],
    }


def test_to_preview() -> None:
    """Who previews may ask for dry runs as well: of Git's kinds, and of nothing that is ours."""
    look, ask = (_granted(_use(_CONFIG), reach) for reach in (Reach.READ_ONLY, Reach.PREVIEW))
    assert ask == {**look, "shop": ["configmaps.: get list create patch"]}


def test_to_apply() -> None:
    """Who applies may delete, and write inventory and lock, by their names where that can be said."""
    found = _granted(_use(_CONFIG))
    assert found["shop"] == ["configmaps.: get list create patch delete"]
    assert found["recon-system"] == [
        "configmaps.['recon-action-shop']: get create patch",
        "leases.coordination.k8s.io: create",
        "leases.coordination.k8s.io['recon-action-shop']: get patch delete",
    ]
    assert "namespaces.['recon-system']: get" in found[""]


def test_what_is_waited_for() -> None:
    """What takes time to become healthy is watched, and the server asked for the cause if it doesn't."""
    assert _granted(_use(_DEPLOYMENT))["shop"] == [
        "deployments.apps: get list watch create patch delete",
        "horizontalpodautoscalers.autoscaling: list",
        "events,pods.: list",
        "replicasets.apps: list",
    ]


def test_pods_of_their_own() -> None:
    """A DaemonSet has no ReplicaSets; a CronJob's pods are nobody's whom we wait for."""
    daemons = body_of("DaemonSet", api="apps/v1", namespace="shop", spec=_POD)
    assert _has(_use(daemons), Purpose.CAUSES) == {"shop": [("events", "pods")]}
    assert _has(_use(body_of("CronJob", api="batch/v1", namespace="shop")), Purpose.CAUSES) == {}


def test_a_claim() -> None:
    """Whether a claim waits for a pod is told by its class."""
    claim = body_of("PersistentVolumeClaim", namespace="shop")
    assert _has(_use(claim), Purpose.CLASSES) == {"": [("storageclasses",)]}
    assert _has(_use(_CONFIG), Purpose.CLASSES) == {}


def test_events_of_what_has_no_namespace() -> None:
    """They lie in the namespace default; of namespaces and CRDs there are none."""
    assert _has(_use(body_of("PersistentVolume")), Purpose.CAUSES) == {"default": [("events",)]}
    crd = body_of("CustomResourceDefinition", api="apiextensions.k8s.io/v1")
    assert _has(_use(crd, body_of("Namespace")), Purpose.CAUSES) == {}


def test_deletions() -> None:
    """What may not be deleted anyway needs no right to; nor does anything if nothing is deleted."""
    namespace = body_of("Namespace", "shop")
    assert "namespaces.: get list watch create patch" in _granted(_use(namespace))[""]
    assert "namespaces.: get list watch create patch delete" in _granted(_use(namespace, may_destroy=True))[""]
    assert _granted(_use(_CONFIG, may_delete=False))["shop"] == ["configmaps.: get list create patch"]


def test_custom_kinds() -> None:
    """Of custom kinds it has to be known whether their schemas have changed; that Git has the CRD is enough."""
    widget = body_of("Widget", api="example.com/v1", namespace="shop")
    assert _has(_use(widget), Purpose.DEFINITIONS, Reach.READ_ONLY) == {"": [("customresourcedefinitions",)]}
    assert _has(_use(_CONFIG), Purpose.DEFINITIONS) == {}
    crd = body_of("CustomResourceDefinition", api="apiextensions.k8s.io/v1")
    own = "customresourcedefinitions.apiextensions.k8s.io: get list watch create patch"
    assert own in _granted(_use(widget, crd))[""]
    assert _has(_use(widget, crd), Purpose.DEFINITIONS) == {}


def test_a_large_inventory() -> None:
    """One that may not fit into a ConfigMap has more of them, under names that are not known yet."""
    parts = Inventory("shop", "recon-system", parts=("0" * 64,))
    assert _granted(_use(_CONFIG, inventory=parts))["recon-system"][0] == "configmaps.: get list create patch delete"
    many = _use(*(body_of(name=f"c{number}", namespace="shop") for number in range(10_001)))
    assert "configmaps.: get" in _granted(many, Reach.READ_ONLY)["recon-system"]


def test_everywhere() -> None:
    """What lies in namespaces can be granted in all of them; inventory and lock stay where they are."""
    found = _granted(_use(_DEPLOYMENT, is_everywhere=True))
    assert set(found) == {"", "recon-system"}
    assert "deployments.apps: get list watch create patch delete" in found[""]
    assert "horizontalpodautoscalers.autoscaling: list" in found[""]


def test_roles_in_git() -> None:
    """Only who applies holds what roles in Git grant."""
    rule = {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}
    role = body_of("Role", api="rbac.authorization.k8s.io/v1", namespace="shop", rules=[rule])
    assert _has(_use(role), Purpose.HELD) == {"shop": [("secrets",)]}
    assert _has(_use(role), Purpose.HELD, Reach.PREVIEW) == {}
    assert "roles.rbac.authorization.k8s.io: get list" in _granted(_use(role), Reach.PREVIEW)["shop"]
    assert "roles.rbac.authorization.k8s.io: get list create patch delete" in _granted(_use(role))["shop"]


def _served(*resources: Resource) -> Capabilities:
    return Capabilities("v1.37.2", {(one.group, one.kind): (one,) for one in resources})


_SCALED_OBJECT = Resource("keda.sh", "v1alpha1", "ScaledObject", "scaledobjects", namespaced=True)


def test_autoscalers_that_are_served() -> None:
    """A cluster that was asked says which there are; one that is not served is not asked for."""
    found = _has(_use(_DEPLOYMENT, served=_served(_SCALED_OBJECT)), Purpose.AUTOSCALERS)
    assert found == {"shop": [("scaledobjects",)]}
    assert unknown_autoscalers(_use(_DEPLOYMENT, served=_served(_SCALED_OBJECT))) == []


def test_autoscalers_of_which_nothing_is_known() -> None:
    """Without a cluster only Kubernetes' own are known, and those that Git has; that is said of the others."""
    assert unknown_autoscalers(_use(_DEPLOYMENT)) == ["keda.sh", "autoscaling.k8s.io"]
    assert unknown_autoscalers(_use(_CONFIG)) == []
    scaler = body_of("ScaledObject", api="keda.sh/v1alpha1", namespace="shop")
    use = _use(_DEPLOYMENT, scaler)
    use = replace(use, resources={**use.resources, ref_of(scaler): _SCALED_OBJECT})
    assert unknown_autoscalers(use) == ["autoscaling.k8s.io"]
    assert ("scaledobjects",) not in _has(use, Purpose.AUTOSCALERS)["shop"]  # its kind is Git's own
    assert "scaledobjects.keda.sh: get list watch create patch delete" in _granted(use)["shop"]


@pytest.mark.parametrize("sender", sorted({request.sender for request in REQUESTS}))
def test_senders_exist(sender: str) -> None:
    """Each row names the module that asks."""
    assert importlib.util.find_spec(f"recon_action.{sender}") is not None
