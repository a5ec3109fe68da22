"""Roles as they are printed."""

from typing import Any

import pytest
import yaml

from recon_action.model.permissions import Account, Grants, Permit, Purpose, Reach, Rule
from recon_action.report.permissions import roles

_READ = Rule(Purpose.OBJECTS, "apps", ("deployments",), ("get", "list"))
_OWN = Rule(Purpose.INVENTORY, "", ("configmaps",), ("get",), names=("recon-action-shop",))
_IDENTITY = Rule(Purpose.IDENTITY, "", ("namespaces",), ("get",), names=("kube-system",))
_URLS = Rule(Purpose.HELD, verbs=("get",), urls=("/metrics", "/healthz/*"))
_ROLE = Rule(Purpose.OBJECTS, "rbac.authorization.k8s.io", ("roles",), ("get",))


def _permit(*grants: Grants, **more: Any) -> Permit:
    given = {"account": Account(), "paths": ("k8s",)} | more
    return Permit(target="shop", inventory_namespace="recon-system", grants=grants, **given)


def _grants(reach: Reach = Reach.READ_ONLY, **rules: tuple[Rule, ...]) -> Grants:
    return Grants(reach, {name.replace("_", "-").removeprefix("cluster"): found for name, found in rules.items()})


def _documents(permit: Permit) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(roles(permit)))


def _named(permit: Permit, kind: str) -> list[dict[str, Any]]:
    return [document for document in _documents(permit) if document["kind"] == kind]


def test_roles_and_bindings() -> None:
    """A ClusterRole and Roles, each bound to the account, which comes first."""
    permit = _permit(_grants(cluster=(_IDENTITY,), recon_system=(_OWN,), shop=(_READ,)))
    kinds = [document["kind"] for document in _documents(permit)]
    bound = ["Role", "RoleBinding"]
    assert kinds == ["Namespace", "ServiceAccount", "ClusterRole", "ClusterRoleBinding", *bound, *bound]
    name = "recon-action-shop-read-only"
    (everywhere,) = _named(permit, "ClusterRole")
    assert everywhere["metadata"] == {"name": name}
    assert everywhere["rules"] == [
        {"apiGroups": [""], "resources": ["namespaces"], "resourceNames": ["kube-system"], "verbs": ["get"]}
    ]
    assert [role["metadata"]["namespace"] for role in _named(permit, "Role")] == ["recon-system", "shop"]
    for binding in (*_named(permit, "RoleBinding"), *_named(permit, "ClusterRoleBinding")):
        assert binding["roleRef"]["name"] == name
        assert binding["subjects"] == [{"kind": "ServiceAccount", "name": name, "namespace": "recon-system"}]


@pytest.mark.parametrize(
    ("account", "subject"),
    [
        (Account(name="ci"), {"kind": "ServiceAccount", "name": "ci", "namespace": "recon-system"}),
        (
            Account(name="ci", namespace="tools"),
            {"kind": "ServiceAccount", "name": "ci", "namespace": "tools"},
        ),
        (
            Account("User", "github:repo:acme/shop:ref:refs/heads/main"),
            {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "User",
                "name": "github:repo:acme/shop:ref:refs/heads/main",
            },
        ),
    ],
    ids=["named", "elsewhere", "user"],
)
def test_accounts(account: Account, subject: dict[str, str]) -> None:
    """Whoever is named is bound; only a ServiceAccount is made."""
    permit = _permit(_grants(shop=(_READ,)), account=account)
    (binding,) = _named(permit, "RoleBinding")
    assert binding["subjects"] == [subject]
    made = [document["metadata"] for document in _named(permit, "ServiceAccount")]
    metadata = {"name": subject["name"], "namespace": subject.get("namespace", "")}
    assert made == ([metadata] if account.kind == "ServiceAccount" else [])


def test_namespaces_that_git_declares() -> None:
    """A Role needs its namespace; those that nobody has to make are not made."""
    permit = _permit(
        _grants(default=(_READ,), kube_system=(_READ,), shop=(_READ,), team=(_READ,)),
        namespaces=("default", "kube-system", "shop", "unused"),
    )
    assert [document["metadata"]["name"] for document in _named(permit, "Namespace")] == ["recon-system", "shop"]
    assert roles(permit).count("Git declares this one") == 1
    inside = Permit("shop", "kube-system", Account(), (_grants(kube_system=(_OWN,)),))
    assert _named(inside, "Namespace") == []


def test_every_reach_is_told_apart() -> None:
    """Each has its heading, and what it is for."""
    text = roles(_permit(*(_grants(reach, shop=(_READ,)) for reach in Reach)))
    places = [text.index(f"# === {reach} ===") for reach in Reach]
    assert places == sorted(places)
    assert "RBAC knows no dry run" in text


def test_roles_are_not_previewed() -> None:
    """It is said that the server judges roles only for somebody who holds what they grant."""
    said = "Roles and bindings in Git are compared here nonetheless"
    assert said in roles(_permit(_grants(Reach.PREVIEW, shop=(_ROLE,))))
    assert said not in roles(_permit(_grants(Reach.PREVIEW, shop=(_READ,))))
    assert said not in roles(_permit(_grants(Reach.APPLY, shop=(_ROLE,))))


def test_purposes_are_explained_once() -> None:
    """Each purpose is explained at its first rule, and named in one sentence after that."""
    other = Rule(Purpose.OBJECTS, "batch", ("jobs",), ("get", "watch"))
    text = roles(_permit(_grants(shop=(_READ, other, _OWN), team=(_READ,))))
    said = "# What Git has. Without get and list it is reported as failed; without watch it is looked at each second.\n"
    assert text.count(said) == 1
    assert text.count("# What Git has.\n") == 1
    assert text.count("# What the target manages.") == 1


@pytest.mark.parametrize("purpose", list(Purpose))
def test_every_purpose_has_words(purpose: Purpose) -> None:
    """No rule stands without its reason."""
    text = roles(_permit(_grants(shop=(Rule(purpose, "", ("things",), ("get",)),))))
    (place,) = [number for number, line in enumerate(text.splitlines()) if line == '- apiGroups: [""]']
    assert text.splitlines()[place - 1].startswith("# ")


def test_urls() -> None:
    """What is no resource is granted by its URL."""
    (role,) = _named(_permit(_grants(cluster=(_URLS,))), "ClusterRole")
    assert role["rules"] == [{"nonResourceURLs": ["/metrics", "/healthz/*"], "verbs": ["get"]}]


@pytest.mark.parametrize("text", ["*", "y", "null", "1e3", "system:admin", "a: b", "0x1", "-", "a\nb"])
def test_names_are_texts(text: str) -> None:
    """Whatever a name looks like, it is read as that text."""
    rule = Rule(Purpose.HELD, text, (text,), (text,), names=(text,))
    (role,) = _named(_permit(_grants(shop=(rule,))), "Role")
    assert role["rules"] == [{"apiGroups": [text], "resources": [text], "resourceNames": [text], "verbs": [text]}]


def test_what_is_not_known() -> None:
    """What could not be found out is said at the top."""
    text = roles(
        _permit(
            _grants(shop=(_READ,)),
            unknown_kinds=(("example.com", "Widget"), ("", "Odd")),
            unknown_autoscalers=("keda.sh",),
            guessed="default",
        )
    )
    head = text.partition("---")[0].replace("\n#  ", "")
    for words in ("Widget (example.com)", "Odd (core)", "keda.sh", "Taken for it: default", "no longer has, of kinds"):
        assert words in head, words
    asked = roles(_permit(_grants(shop=(_READ,)), server="https://c:6443"))
    assert "Not known here" not in asked
    assert "of https://c:6443" in asked
    unread = roles(_permit(_grants(shop=(_READ,)), server="https://c:6443", unread_inventory="it may not be read"))
    assert "it may not be read" in unread


def test_a_foreign_text_stays_a_comment() -> None:
    """What a server says can't end the line that it stands on, nor give the runner a command."""
    said = "no\nkind: Secret\n##[error]x\x1b[1m"
    text = roles(_permit(_grants(shop=(_READ,)), server="https://c:6443", unread_inventory=said))
    assert [document["kind"] for document in yaml.safe_load_all(text)].count("Secret") == 0
    assert "\x1b" not in text
    assert "##[" not in text


def test_what_comes_next() -> None:
    """A token for each account, and how to do without one; for a user, what makes it."""
    text = roles(_permit(*(_grants(reach, shop=(_READ,)) for reach in (Reach.READ_ONLY, Reach.APPLY))))
    for reach in ("read-only", "apply"):
        assert f"kubectl --namespace recon-system create token recon-action-shop-{reach} " in text
    assert "recon-action rbac k8s --mode read-only --group github:look" in text
    assert "recon-action rbac k8s --mode apply --group github:apply" in text
    user = roles(_permit(_grants(shop=(_READ,)), account=Account("Group", "acme")))
    assert "create token" not in user
    assert "The group acme" in user
