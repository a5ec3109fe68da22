"""The algebra of field sets: laws, round trips, and what a manifest does not mention."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon_action.analyze.fieldset import (
    difference,
    intersection,
    item_of,
    key_of,
    leaves,
    node_at,
    of_paths,
    placed,
    union,
    unmentioned,
)
from recon_action.model import FieldPath, ItemKey, ItemValue

_Member = tuple[str, ...]

_FIELDS = st.sampled_from(["f:a", "f:b.c", "f:d/e"])
_ITEMS = st.sampled_from(['k:{"name":"x"}', 'k:{"containerPort":53,"protocol":"UDP"}', 'v:"x"', "v:1", "v:true"])


def _children(below: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.dictionaries(st.one_of(_FIELDS, _ITEMS, st.just(".")), below, max_size=4).map(
        lambda node: {key: {} if key == "." else value for key, value in node.items()}
    )


def _plain(node: Any) -> Any:
    """As the server writes it: a node with nothing but itself is a leaf."""
    return {} if set(node) == {"."} else node


_BELOW = st.recursive(st.just({}), lambda below: _children(below).map(_plain), max_leaves=12)
_NODES = st.dictionaries(st.one_of(_FIELDS, _ITEMS), _BELOW, max_size=4)


def _members(node: dict[str, Any], at: _Member = ()) -> Iterator[_Member]:
    for key, below in node.items():
        if key == ".":
            yield at
            continue
        if not below:
            yield (*at, key)
        yield from _members(below, (*at, key))


def _covered(member: _Member, cover: dict[str, Any]) -> bool:
    """Whether the field itself, or a leaf above it, is in `cover`."""
    node = cover
    for key in member:
        if node is not cover and not node:
            return True
        if key not in node:
            return False
        node = node[key]
    return not node or "." in node


@given(_NODES, _NODES)
def test_a_union_has_the_fields_of_both(left: dict[str, Any], right: dict[str, Any]) -> None:
    """In either order, and each once."""
    assert set(_members(union(left, right))) == set(_members(left)) | set(_members(right))
    assert union(left, right) == union(right, left)
    assert union(left, left) == union(left) == left


@given(_NODES, _NODES)
def test_difference_and_intersection_part_a_set(node: dict[str, Any], cover: dict[str, Any]) -> None:
    """What a cover takes and what it leaves are disjoint, and together the whole."""
    outside, inside = difference(node, cover), intersection(node, cover)
    assert set(_members(outside)) == {member for member in _members(node) if not _covered(member, cover)}
    assert set(_members(inside)) == {member for member in _members(node) if _covered(member, cover)}
    assert union(outside, inside) == node
    assert difference(outside, cover) == outside
    assert intersection(inside, cover) == inside


@given(_NODES)
def test_a_set_covers_itself_and_nothing_covers_none(node: dict[str, Any]) -> None:
    """The empty set is neutral."""
    assert difference(node, node) == intersection(node, {}) == {}
    assert intersection(node, node) == difference(node, {}) == union(node, {}) == node


def test_keys_are_compared_by_what_they_say() -> None:
    """The order of key fields, and how a tool spells its JSON, make no other item."""
    spelt, other = {'k:{"a":1,"b":"<"}': {"f:x": {}}}, {'k:{"b":"\\u003c","a":1}': {"f:x": {}, "f:y": {}}}
    assert difference(spelt, other) == {}
    assert intersection(spelt, other) == spelt
    assert union(spelt, other) == {'k:{"a":1,"b":"<"}': {"f:x": {}, "f:y": {}}}


def test_a_leaf_of_the_cover_covers_all_below() -> None:
    """A path leaves with everything that it holds; a set that owns the list itself leaves the items."""
    node = {"f:env": {".": {}, 'k:{"name":"A"}': {".": {}, "f:name": {}, "f:value": {}}}}
    env = FieldPath(("env",))
    assert difference(node, of_paths([env])) == {}
    assert difference(node, of_paths([env / ItemKey((("name", "A"),))])) == {"f:env": {}}
    assert difference(node, {"f:env": {".": {}}}) == {
        "f:env": {'k:{"name":"A"}': {".": {}, "f:name": {}, "f:value": {}}}
    }


_STEPS = st.one_of(
    st.text("ab./", min_size=1, max_size=3),
    st.builds(lambda value: ItemKey((("name", value),)), st.text(max_size=3)),
    st.builds(ItemValue, st.one_of(st.integers(-5, 5), st.booleans(), st.text(max_size=2))),
)


@given(_STEPS)
def test_a_step_survives_its_key(step: str | ItemKey | ItemValue) -> None:
    """Types included: the number 1 is neither true nor "1"."""
    assert repr(item_of(key_of(step))) == repr(step)


@given(st.lists(st.lists(st.text("ab", min_size=1, max_size=2), min_size=1, max_size=3), max_size=5))
def test_paths_survive_their_set(routes: list[list[str]]) -> None:
    """The leaves are the paths, less those that lie below another."""
    paths = {FieldPath(tuple(route)) for route in routes}
    highest = {path for path in paths if not any(path != other and path.is_within(other) for other in paths)}
    assert {path for path, _ in leaves(of_paths(paths))} == highest


def test_an_index_stands_for_the_whole_list() -> None:
    """A list that can be indexed is owned whole."""
    assert of_paths([FieldPath(("spec", "args", 0)), FieldPath(("spec", "args", 1, "x"))]) == {"f:spec": {"f:args": {}}}


def test_leaves_are_values_of_maps_and_whole_items() -> None:
    """A label is one, and so is a container; an item that Git has as well is one too."""
    node = {
        "f:labels": {".": {}, "f:a": {}, "f:b": {}},
        "f:containers": {'k:{"name":"x"}': {".": {}, "f:image": {}}, 'k:{"name":"y"}': {"f:env": {}}},
        "f:finalizers": {'v:"z"': {}},
    }
    assert [str(path) for path, _ in leaves(node)] == [
        "labels.a",
        "labels.b",
        "containers[name=x]",
        "containers[name=y]",
        "finalizers[=z]",
    ]


_TCP, _UDP = 'k:{"containerPort":53,"protocol":"TCP"}', 'k:{"containerPort":53,"protocol":"UDP"}'


@pytest.mark.parametrize(
    ("node", "body", "missing"),
    [
        pytest.param({"f:a": {}}, {"a": 1}, {}, id="has-it"),
        pytest.param({"f:a": {}}, {"a": None}, {}, id="null-is-a-mention"),
        pytest.param({"f:a": {}, "f:b": {}}, {"a": 1}, {"b": {}}, id="lacks-it"),
        pytest.param({"f:a": {".": {}, "f:b": {}}}, {}, {"a": {".": {}, "f:b": {}}}, id="lacks-the-map"),
        pytest.param({"f:a": {".": {}, "f:b": {}}}, {"a": {}}, {"a.b": {}}, id="has-the-map"),
        pytest.param({"f:a": {".": {}, "f:b": {}}}, {"a": None}, {"a.b": {}}, id="has-a-null-for-the-map"),
        pytest.param({"f:a": {}}, {"a": {"b": 1}}, {}, id="owned-whole"),
        pytest.param({"f:l": {'v:"x"': {}, 'v:"y"': {}}}, {"l": ["x"]}, {"l[=y]": {}}, id="set"),
        pytest.param({"f:l": {"v:1": {}}}, {"l": [True]}, {"l[=1]": {}}, id="true-is-not-1"),
        pytest.param({"f:l": {"v:1": {}}}, {"l": "x"}, {"l[=1]": {}}, id="no-list"),
        pytest.param({"f:l": {_TCP: {"f:protocol": {}}}}, {"l": [{"containerPort": 53}]}, {}, id="key-by-default"),
        pytest.param(
            {"f:l": {_UDP: {}}},
            {"l": [{"containerPort": 53}]},
            {"l[containerPort=53,protocol=UDP]": {}},
            id="53-UDP-is-not-53",
        ),
        pytest.param(
            {"f:l": {'k:{"kind":"X","name":"a"}': {"f:kind": {}, "f:more": {}}}},
            {"l": [{"name": "a"}]},
            {"l[kind=X,name=a].more": {}},
            id="a-default-that-is-not-known",
        ),
        pytest.param(
            {"f:l": {_TCP: {".": {}, "f:name": {}, "f:containerPort": {}}}},
            {"l": [{"containerPort": 53, "protocol": "TCP"}]},
            {"l[containerPort=53,protocol=TCP].name": {}},
            id="inside-an-item",
        ),
    ],
)
def test_what_a_manifest_does_not_mention(node: dict[str, Any], body: Any, missing: dict[str, Any]) -> None:
    """Field by field, inside lists too; only the topmost is named."""
    found = list(unmentioned(node, body))
    assert {str(path): below for path, below in found} == missing
    if found:
        assert intersection(node, union(*(placed(path, below) for path, below in found)))


def test_a_set_is_asked_about_a_place() -> None:
    """Whole, in part, or not at all."""
    node = {"f:a": {}, "f:b": {".": {}, "f:c": {}}}
    assert node_at(node, FieldPath(("a", "x"))) == {}
    assert node_at(node, FieldPath(("b",))) == {".": {}, "f:c": {}}
    assert node_at(node, FieldPath(("b", "d"))) is None
    assert placed(FieldPath(("b", "c")), {"f:d": {}}) == {"f:b": {"f:c": {"f:d": {}}}}
