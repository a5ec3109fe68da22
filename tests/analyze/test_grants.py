"""Permissions joined to rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon_action.analyze.grants import Permission, rules
from recon_action.model.permissions import Purpose, Rule

_OBJECTS, _LOCK, _HELD = Purpose.OBJECTS, Purpose.LOCK, Purpose.HELD


def _needed(*permissions: Permission, purpose: Purpose = _OBJECTS) -> dict[Permission, Purpose]:
    return dict.fromkeys(permissions, purpose)


def test_same_verbs_are_one_rule() -> None:
    """Resources of a group with the same verbs share a rule, verbs in their usual order; another group has its own."""
    one, two = (
        [Permission("apps", plural, verb) for verb in ("patch", "get")] for plural in ("deployments", "daemonsets")
    )
    assert rules({"shop": _needed(*one, *two, Permission("", "pods", "get"))}) == {
        "shop": (
            Rule(_OBJECTS, "", ("pods",), ("get",)),
            Rule(_OBJECTS, "apps", ("daemonsets", "deployments"), ("get", "patch")),
        )
    }


def test_names_are_joined() -> None:
    """Single objects with the same verbs share a rule."""
    needed = _needed(*(Permission("", "namespaces", "get", name) for name in ("recon-system", "kube-system")))
    (rule,) = rules({"": needed})[""]
    assert rule == Rule(_OBJECTS, "", ("namespaces",), ("get",), names=("kube-system", "recon-system"))


def test_purposes_stay_apart() -> None:
    """Rules for different things are not joined, so that each can be explained."""
    first, second = Permission("", "pods", "get"), Permission("", "secrets", "get")
    found = rules({"shop": {first: _LOCK, second: _OBJECTS}})["shop"]
    assert [(rule.purpose, rule.resources) for rule in found] == [(_OBJECTS, ("secrets",)), (_LOCK, ("pods",))]


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        pytest.param(Permission("", "pods", "get"), Permission("", "pods", "get", "web"), id="name"),
        pytest.param(Permission("*", "pods", "get"), Permission("", "pods", "get"), id="group"),
        pytest.param(Permission("", "*", "get"), Permission("", "pods", "get"), id="resource"),
        pytest.param(Permission("", "pods", "*"), Permission("", "pods", "get"), id="verb"),
        pytest.param(Permission("", "", "get", url="/a/*"), Permission("", "", "get", url="/a/b"), id="url"),
        pytest.param(Permission("", "", "*", url="/a"), Permission("", "", "get", url="/a"), id="url-verb"),
    ],
)
def test_what_is_covered_is_left_out(wide: Permission, narrow: Permission) -> None:
    """What another permission includes has no rule, whichever comes first."""
    assert wide.covers(narrow)
    assert not narrow.covers(wide)
    for needed in ((wide, narrow), (narrow, wide)):
        (rule,) = rules({"": _needed(*needed, purpose=_HELD)})[""]
        assert rule == rules({"": _needed(wide, purpose=_HELD)})[""][0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Permission("", "", "get", url="/a"), Permission("", "", "get", url="/b")),
        (Permission("", "", "get", url="/a"), Permission("", "pods", "get")),
        (Permission("", "*", "get"), Permission("", "", "get", url="/a")),
    ],
    ids=["another-url", "a-resource", "no-resource"],
)
def test_urls_are_no_resources(one: Permission, other: Permission) -> None:
    """A URL is covered by URLs alone."""
    assert not one.covers(other)
    assert not other.covers(one)


def test_the_cluster_covers_its_namespaces() -> None:
    """What is granted everywhere is not granted in a namespace again; an empty role is none."""
    everywhere, inside = _needed(Permission("", "pods", "get")), _needed(Permission("", "pods", "get", "web"))
    assert set(rules({"": everywhere, "shop": inside})) == {""}


_TEXTS = st.sampled_from(["", "a", "b", "*"])
_PERMISSIONS = st.builds(Permission, group=_TEXTS, resource=st.sampled_from(["a", "b", "*"]), verb=_TEXTS, name=_TEXTS)


@given(st.sets(_PERMISSIONS, max_size=12), st.sets(_PERMISSIONS, max_size=6))
def test_nothing_is_lost_or_added(everywhere: set[Permission], inside: set[Permission]) -> None:
    """Whatever is needed is granted by the rules, and every single thing that they grant was needed."""
    found = rules({"": _needed(*everywhere), "shop": _needed(*inside)})
    granted = {
        place: {
            Permission(rule.group, resource, verb, name)
            for rule in found.get(place, ())
            for resource in rule.resources
            for verb in rule.verbs
            for name in rule.names or ("",)
        }
        for place in ("", "shop")
    }
    assert granted[""] <= everywhere
    assert granted["shop"] <= inside
    assert all(any(one.covers(need) for one in granted[""]) for need in everywhere)
    assert all(any(one.covers(need) for one in granted[""] | granted["shop"]) for need in inside)
