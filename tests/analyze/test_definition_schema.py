"""A custom resource against the schema of its CRD in Git: the server's rules, its paths, and nearly its words."""

from typing import Any

import pytest
from definitions import FAULTS, UNSEEN, definition_of, widget
from objects import entry_of, live_of

from recon_action.analyze.compare import compare
from recon_action.analyze.definition_schema import faults, foreseen, refusal
from recon_action.model import ABSENT, Body, Trouble, ref_of

_WIDGETS = definition_of()


@pytest.mark.parametrize(("spec", "expected"), FAULTS, ids=[str(spec)[:60] for spec, _ in FAULTS])
def test_what_is_wrong(spec: Body, expected: tuple[str, ...]) -> None:
    """All of it at once, field by field."""
    assert sorted(faults(widget(spec), _WIDGETS)) == sorted(expected)


@pytest.mark.parametrize("spec", UNSEEN, ids=str)
def test_what_is_not_seen(spec: Body) -> None:
    """Rules in CEL, and patterns that aren't read."""
    assert faults(widget(spec), _WIDGETS) == []


def test_what_every_object_has() -> None:
    """Its name has to be one, unknown metadata is a fault, and so is an unknown field beside the spec."""
    body = widget({}, metadata={"name": "A B", "foo": "x", "labels": {"a": "b"}, "annotations": {}}, top=1)
    assert [fault.partition(":")[0] for fault in faults(body, _WIDGETS)] == ["top", "metadata.foo", "metadata.name"]


def test_a_refusal_is_the_server_s_but_for_the_schema() -> None:
    """It names the object, the CRD in Git, and the first faults of many."""
    assert refusal(ref_of(widget({})), widget({}), _WIDGETS) is None
    one = refusal(ref_of(widget({})), widget({"mode": "c"}), _WIDGETS)
    assert one
    assert (one.trouble, one.verb) == (Trouble.INVALID, "")
    assert one.message == (
        'Widget.example.com "w" is invalid by CustomResourceDefinition widgets.example.com in Git: '
        'spec.mode: Unsupported value: "c": supported values: "a", "b"'
    )
    many = refusal(ref_of(widget({})), widget({f"x{n}": 1 for n in range(50)}), _WIDGETS)
    assert many
    assert many.message.endswith("field not declared in schema; and 30 more")


def test_a_long_value_is_cut() -> None:
    """Nobody reads the rest."""
    (fault,) = faults(widget({"mode": "x" * 1000}), _WIDGETS)
    assert "x…: supported" in fault
    assert len(fault) < 200


_WRONG: list[Any] = [1, "x", None, [], {}, True, [1], {"a": 1}, [[]], -1, 0]


@pytest.mark.parametrize("wrong", _WRONG, ids=str)
@pytest.mark.parametrize(
    "keyword",
    [
        "$ref", "additionalProperties", "allOf", "anyOf", "default", "enum", "exclusiveMinimum", "format", "items",
        "maxItems", "maxLength", "maximum", "minimum", "minProperties", "multipleOf", "not", "nullable", "oneOf",
        "pattern", "properties", "required", "type", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string",
        "x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-preserve-unknown-fields",
    ],
)  # fmt: skip
def test_a_schema_that_is_wrong(keyword: str, wrong: Any) -> None:
    """The server says what is wrong with it; here it neither fails nor asks for another document."""
    for schema in ({"type": "object", keyword: wrong}, {"type": "object", "properties": {"spec": {keyword: wrong}}}):
        for body in (widget({}), widget({}) | {"spec": [1, 1]}, widget({}) | {"spec": "x"}):
            faults(body, definition_of(schema))


def test_without_a_schema_nothing_is_wrong() -> None:
    """But for the metadata."""
    assert faults(widget({}), definition_of({})) == ["spec: field not declared in schema"]
    assert faults(widget({}), definition_of({"x-kubernetes-preserve-unknown-fields": True})) == []


_LIVE = live_of(
    widget({"mode": "a", "texts": {"x": "1"}, "filled": {"x": "y"}}),
    entry_of({"f:spec": {"f:size": {}, "f:mode": {}, "f:texts": {"f:x": {}}}}) | {"apiVersion": "example.com/v1"},
)


def _differences(payload: Body, **spec: Any) -> dict[str, tuple[Any, Any]]:
    after = foreseen(payload, _LIVE, definition_of(**spec))
    return {str(path): (git, live) for path, git, live in compare(after, _LIVE.body, status=True)}


def test_what_an_apply_would_make() -> None:
    """A field that the server doesn't know as yet, one that goes, and defaults that stay."""
    assert _differences(widget({"colour": "red", "texts": {"x": "2"}})) == {
        "spec.mode": (ABSENT, "a"),
        "spec.texts.x": ("2", "1"),
        "spec.colour": ("red", ABSENT),
    }


def test_another_version() -> None:
    """With its fields, as long as no webhook converts them."""
    payload = widget({"mode": "b", "texts": {"x": "1"}}, api="example.com/v2")
    version = {"apiVersion": ("example.com/v2", "example.com/v1")}
    assert _differences(payload) == version | {"spec.mode": ("b", "a")}
    assert _differences(payload, conversion={"strategy": "Webhook"}) == version
