"""What has to be held to apply roles and bindings."""

from typing import Any

import pytest
from objects import body_of

from recon_action.analyze.escalation import escalations
from recon_action.model import Body, ref_of
from recon_action.model.permissions import Purpose

_API = "rbac.authorization.k8s.io/v1"
_RULE = {"apiGroups": [""], "resources": ["pods", "pods/log"], "verbs": ["get"]}


def _role(kind: str = "Role", *rules: Body, **more: Any) -> Body:
    return body_of(kind, "reader", api=_API, namespace="shop" if kind == "Role" else "", rules=list(rules), **more)


def _binding(kind: str = "RoleBinding", role: str = "ClusterRole", name: str = "reader") -> Body:
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": role, "name": name}
    return body_of(kind, "b", api=_API, namespace="shop" if kind == "RoleBinding" else "", roleRef=reference)


def _told(*bodies: Body) -> list[str]:
    return [
        " ".join(filter(None, (place or "*", one.verb, one.group, one.resource or one.url, one.name, purpose)))
        for place, one, purpose in escalations({ref_of(body): body for body in bodies})
    ]


def test_what_a_role_grants_is_held() -> None:
    """A Role's rules are held in its namespace, a ClusterRole's in the whole cluster, one by one."""
    assert _told(_role("Role", _RULE)) == ["shop get pods held", "shop get pods/log held"]
    named = {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get"], "resourceNames": ["web"]}
    urls = {"nonResourceURLs": ["/metrics"], "verbs": ["get"]}
    assert _told(_role("ClusterRole", named, urls)) == ["* get apps deployments web held", "* get /metrics held"]


def test_a_role_that_gathers_others() -> None:
    """What an aggregation gathers may be anything, so the role itself has to be free."""
    assert _told(_role("ClusterRole", aggregationRule={})) == [
        "* escalate rbac.authorization.k8s.io clusterroles reader escalated"
    ]


@pytest.mark.parametrize(
    ("binding", "told"),
    [
        (_binding(), "shop bind rbac.authorization.k8s.io clusterroles reader bound"),
        (_binding("ClusterRoleBinding"), "* bind rbac.authorization.k8s.io clusterroles reader bound"),
        (_binding(role="Role"), "shop bind rbac.authorization.k8s.io roles reader bound"),
    ],
    ids=["in-a-namespace", "everywhere", "to-a-role"],
)
def test_a_role_that_git_lacks_is_bound(binding: Body, told: str) -> None:
    """Who applies a binding may bind that role, where the binding lies; a role in Git is held anyway."""
    assert _told(binding) == [told]
    role = _role("Role" if "roles reader" in told and "clusterroles" not in told else "ClusterRole")
    assert _told(binding, role) == []


def test_a_binding_to_what_is_gathered() -> None:
    """Nobody holds what a role gathers: it has to be bound, too."""
    gathered = _role("ClusterRole", aggregationRule={})
    assert _told(gathered, _binding()) == [
        "* escalate rbac.authorization.k8s.io clusterroles reader escalated",
        "shop bind rbac.authorization.k8s.io clusterroles reader bound",
    ]


def test_what_is_no_role() -> None:
    """Other objects want nothing; nor do rules that are none, which the server will refuse."""
    assert _told(body_of(), body_of("Role", api="example.com/v1", rules=[_RULE])) == []
    assert _told(_role("Role", {"apiGroups": "x", "resources": ["pods"], "verbs": ["get"]})) == []
    subject = _binding()
    subject["subjects"] = [{"kind": "ServiceAccount", "name": "web", "namespace": "shop"}]
    subject["roleRef"] = {"kind": "Widget", "name": "w"}
    assert _told(subject) == []
    assert Purpose.HELD in set(Purpose)
