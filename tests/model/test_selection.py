"""Which objects a run is about: kubectl's label selectors, and patterns of names."""

import re
from typing import Any

import pytest

from recon_action.model import ObjectRef
from recon_action.model.selection import Selection, parse_match, parse_selector

_WEB = ObjectRef("apps", "Deployment", "shop", "web-1")


@pytest.mark.parametrize(
    ("selector", "labels", "has"),
    [
        pytest.param("", {}, True, id="empty"),
        pytest.param("app=web", {"app": "web"}, True, id="equal"),
        pytest.param("app==web", {"app": "api"}, False, id="not-equal"),
        pytest.param("app=web", {}, False, id="equal-needs-the-key"),
        pytest.param("app=", {"app": ""}, True, id="empty-value"),
        pytest.param("app!=web", {"app": "web"}, False, id="unequal"),
        pytest.param("app!=web", {}, True, id="unequal-without-the-key"),
        pytest.param("env in (prod, test)", {"env": "test"}, True, id="in"),
        pytest.param("env in (prod,test)", {"env": "dev"}, False, id="not-in-it"),
        pytest.param("env notin (prod,test)", {"env": "test"}, False, id="notin"),
        pytest.param("env notin (prod,test)", {}, True, id="notin-without-the-key"),
        pytest.param("app", {"app": "x"}, True, id="exists"),
        pytest.param("app", {}, False, id="exists-not"),
        pytest.param("!app", {}, True, id="absent"),
        pytest.param("! app", {"app": ""}, False, id="absent-not"),
        pytest.param("n>3", {"n": "4"}, True, id="greater"),
        pytest.param("n > 3", {"n": "3"}, False, id="not-greater"),
        pytest.param("n<3", {"n": "-2"}, True, id="less"),
        pytest.param("n<3", {"n": "x"}, False, id="no-number"),
        pytest.param("n<3", {}, False, id="no-number-at-all"),
        pytest.param("example.com/t=x , app in (a,b),!canary", {"example.com/t": "x", "app": "b"}, True, id="all"),
        pytest.param("example.com/tier=db,app in (a,b)", {"example.com/tier": "db", "app": "c"}, False, id="not-all"),
        pytest.param("app=web", {"app": ["web"]}, False, id="labels-may-be-anything"),
        pytest.param("app=web", None, False, id="no-labels"),
        pytest.param("app!=web", "text", True, id="no-mapping"),
    ],
)
def test_a_selector_means_what_kubectl_means(selector: str, labels: Any, *, has: bool) -> None:
    """By labels alone; `!=` and `notin` also mean objects that lack the key."""
    assert Selection(labels=parse_selector(selector)).has(_WEB, labels) is has


@pytest.mark.parametrize(
    ("selector", "words"),
    [
        pytest.param("app=web,", "'' is no part of a label selector", id="comma"),
        pytest.param("=web", "'=web' is no part", id="no-key"),
        pytest.param("app in web", "'app in web' is no part", id="no-brackets"),
        pytest.param("app in (web", "'app in (web' is no part", id="open-bracket"),
        pytest.param("-app", "'-app' is no part", id="key"),
        pytest.param("a/b/c", "'a/b/c' is no part", id="key-of-three"),
        pytest.param("app=we b", "'we b' can't be a label's value", id="value"),
        pytest.param("app in (web,-)", "'-' can't be a label's value", id="value-of-a-set"),
        pytest.param(f"app={'x' * 64}", "can't be a label's value", id="too-long"),
        pytest.param("n>x", "'n>x' compares with 'x', which is no whole number", id="number"),
    ],
)
def test_what_is_no_selector_is_refused(selector: str, words: str) -> None:
    """A selector that is misread selects something else, so nothing is guessed."""
    with pytest.raises(ValueError, match=re.escape(words)):
        parse_selector(selector)


@pytest.mark.parametrize(
    ("pattern", "has"),
    [
        ("Deployment", True),
        ("Deploy*", True),
        ("deployment", False),
        ("Deployment/web-*", True),
        ("Deployment/api-*", False),
        ("shop/Deployment/web-1", True),
        ("s*/*/*", True),
        ("shop-*/Deployment/web-1", False),
        ("/Deployment/web-1", False),
        ("Deployment.apps/web-1", True),
        ("Deployment.example.com/web-1", False),
        ("*.apps", True),
    ],
)
def test_a_pattern_names_objects(pattern: str, *, has: bool) -> None:
    """By kind, by kind and name, and by namespace before them; an empty namespace is that of objects outside of any."""
    assert parse_match(pattern).has(_WEB) is has


@pytest.mark.parametrize("pattern", ["", "/", "Deployment/", "/web", "a/b/c/d", "shop//web", "shop/Deployment/"])
def test_what_is_no_pattern_is_refused(pattern: str) -> None:
    """Each part has to say something."""
    with pytest.raises(ValueError, match="names no objects; write KIND"):
        parse_match(pattern)


@pytest.mark.parametrize(
    ("selection", "has"),
    [
        pytest.param(Selection(), True, id="all"),
        pytest.param(Selection(include=(parse_match("Service"), parse_match("Deployment"))), True, id="one-of-several"),
        pytest.param(Selection(include=(parse_match("Service"),)), False, id="none-of-them"),
        pytest.param(Selection(exclude=(parse_match("Service"),)), True, id="not-excluded"),
        pytest.param(
            Selection(include=(parse_match("Deployment"),), exclude=(parse_match("*/web-*"),)), False, id="both"
        ),
        pytest.param(
            Selection(labels=parse_selector("app=web"), include=(parse_match("Deployment"),)), False, id="labels-too"
        ),
    ],
)
def test_all_parts_of_a_selection_count(selection: Selection, *, has: bool) -> None:
    """One included pattern is enough, one excluded is too many, and labels count beside them."""
    assert selection.has(_WEB, {"app": "api"}) is has
    assert selection.is_all is (selection == Selection())
