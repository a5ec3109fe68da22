"""FieldsV1: who owns a field, and how the server merges a list."""

from typing import Any

import pytest
from objects import body_of, entry_of, live_of

from recon_action.analyze.fields import child, index_of, merge_keys, owners
from recon_action.model import FieldPath, Item, ItemKey, ItemValue

_UDP = ItemKey((("containerPort", 53), ("protocol", "UDP")))
_NODE: dict[str, Any] = {
    ".": {},
    "f:image": {"leaf": 1},
    'k:{"containerPort":53,"protocol":"TCP"}': {"tcp": 1},
    'k:{"containerPort":53,"protocol":"UDP"}': {"udp": 1},
    'v:"a"': {"set": 1},
    "v:1": {"one": 1},
}


@pytest.mark.parametrize(
    ("item", "below"),
    [
        pytest.param("image", {"leaf": 1}, id="field"),
        pytest.param("other", None, id="unknown-field"),
        pytest.param(_UDP, {"udp": 1}, id="53-UDP-beside-53-TCP"),
        pytest.param(ItemKey(_UDP.fields[::-1]), {"udp": 1}, id="key-fields-in-another-order"),
        pytest.param(ItemKey((("containerPort", 53),)), None, id="a-key-field-less"),
        pytest.param(ItemKey((("containerPort", "53"), ("protocol", "UDP"))), None, id="text-is-no-number"),
        pytest.param(ItemValue("a"), {"set": 1}, id="set-value"),
        pytest.param(ItemValue(1), {"one": 1}, id="set-number"),
        pytest.param(ItemValue(value=True), None, id="true-is-not-1"),
        pytest.param(0, None, id="index-into-an-atomic-list"),
    ],
)
def test_keys_are_parsed_not_matched_as_text(item: Item, below: dict[str, Any] | None) -> None:
    """A child is found by the JSON value of its key, types included."""
    assert child(_NODE, item) == below


@pytest.mark.parametrize(
    ("nodes", "keys"),
    [
        pytest.param([{'k:{"port":1,"protocol":"TCP"}': {}}], ("port", "protocol"), id="keyed"),
        pytest.param([{".": {}, 'v:"a"': {}}], (), id="set"),
        pytest.param([{}], None, id="atomic"),
        pytest.param([], None, id="nothing-known"),
        pytest.param([{".": {}}, {'k:{"name":"a"}': {}}], ("name",), id="second-entry-tells"),
    ],
)
def test_entries_tell_how_a_list_is_merged(nodes: list[dict[str, Any]], keys: tuple[str, ...] | None) -> None:
    """`k:` names the merge keys, `v:` says set, a leaf says atomic: no schema is needed."""
    assert merge_keys(nodes) == keys


_OWNED = {
    "f:metadata": {"f:labels": {".": {}, "f:app": {}}},
    "f:spec": {"f:template": {"f:args": {}, "f:ports": {'k:{"containerPort":53,"protocol":"TCP"}': {"f:name": {}}}}},
}


@pytest.mark.parametrize(
    ("items", "owned"),
    [
        pytest.param((), True, id="root"),
        pytest.param(("metadata", "labels", "app"), True, id="leaf"),
        pytest.param(("metadata", "labels", "tier"), False, id="sibling"),
        pytest.param(("spec", "template"), True, id="something-below"),
        pytest.param(("spec", "template", "args", 1), True, id="inside-an-atomic-list"),
        pytest.param(("spec", "template", "args", 1, "name"), True, id="deep-inside-an-atomic-list"),
        pytest.param(("spec", "template", "ports", _UDP, "name"), False, id="another-item"),
        pytest.param(("status",), False, id="elsewhere"),
    ],
)
def test_an_entry_owns_its_leaves_and_all_below_them(items: tuple[Item, ...], *, owned: bool) -> None:
    """A path is owned if the entry names it, something below it, or a leaf above it."""
    entries = live_of(body_of(), entry_of(_OWNED)).entries
    assert bool(owners(entries, FieldPath(items))) is owned


@pytest.mark.parametrize(
    ("items", "owned"),
    [
        pytest.param(("spec", "template", "args"), True, id="atomic-list"),
        pytest.param(("spec", "template", "args", 1), True, id="inside-it"),
        pytest.param(("spec", "template", "ports"), False, id="keyed-list"),
        pytest.param(("spec",), False, id="only-something-below"),
    ],
)
def test_owning_something_below_is_not_owning_the_whole(items: tuple[Item, ...], *, owned: bool) -> None:
    """Of a merged list an entry owns items, not their order."""
    entries = live_of(body_of(), entry_of(_OWNED)).entries
    assert bool(owners(entries, FieldPath(items), whole=True)) is owned


def test_an_entry_without_fields_owns_nothing() -> None:
    """An empty FieldsV1 is no leaf that owns the whole object."""
    assert owners(live_of(body_of(), entry_of({})).entries, FieldPath(("spec",))) == []


def test_the_latest_owner_comes_first() -> None:
    """Of several owners the one that wrote last is named first."""
    old = entry_of({"f:spec": {}}, "old", time="2026-01-01T00:00:00Z")
    new = entry_of({"f:spec": {}}, "new", time="2026-01-02T00:00:00Z")
    never = entry_of({"f:spec": {}}, "never")
    found = owners(live_of(body_of(), old, never, new).entries, FieldPath(("spec", "replicas")))
    assert [entry.manager for entry in found] == ["new", "old", "never"]


@pytest.mark.parametrize(
    ("items", "item", "index"),
    [
        pytest.param(["a", "b"], 1, 1, id="index"),
        pytest.param(["a", "b"], 2, None, id="index-beyond"),
        pytest.param(["a", "b"], ItemValue("b"), 1, id="value"),
        pytest.param([True, 1], ItemValue(1), 1, id="value-of-its-type"),
        pytest.param(["a"], ItemValue("b"), None, id="no-value"),
        pytest.param([{"containerPort": 53}, dict(_UDP.fields)], _UDP, 1, id="all-key-fields-before-some"),
        pytest.param([{"containerPort": 53}], _UDP, 0, id="a-key-field-left-to-its-default"),
        pytest.param([{"containerPort": 54}], _UDP, None, id="no-item"),
        pytest.param(["a"], "a", None, id="a-key-is-no-item"),
        pytest.param({"a": 1}, 0, None, id="no-list"),
    ],
)
def test_index_of(items: object, item: Item, index: int | None) -> None:
    """Where an item is, by whatever names it."""
    assert index_of(items, item) == index
