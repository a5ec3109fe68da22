"""Where two forms of one object differ: as the server merges lists, and with types in mind."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from objects import body_of, entry_of

from recon_action.analyze.compare import compare
from recon_action.model import ABSENT, Body
from recon_action.model.inventory import PART_OF

_CONTAINERS = entry_of({"f:spec": {"f:containers": {'k:{"name":"web"}': {".": {}, "f:image": {}}}}})
_PORTS = entry_of({"f:spec": {"f:ports": {'k:{"port":53,"protocol":"TCP"}': {}, 'k:{"port":53,"protocol":"UDP"}': {}}}})
_FINALIZERS = entry_of({"f:spec": {"f:finalizers": {'v:"a"': {}}}})
_ATOMIC = entry_of({"f:spec": {"f:args": {}}})


def _spec(spec: object, *entries: Body) -> Body:
    return body_of("Thing", spec=spec, metadata={"managedFields": list(entries)} if entries else {})


def _differences(desired: Body, live: Body, *, status: bool = False) -> dict[str, tuple[Any, Any]]:
    return {str(path): (left, right) for path, left, right in compare(desired, live, status=status)}


@pytest.mark.parametrize(
    ("desired", "live", "entries", "differences"),
    [
        pytest.param({"replicas": 3}, {"replicas": 5}, (), {"spec.replicas": (3, 5)}, id="value"),
        pytest.param({}, {"type": "NodePort"}, (), {"spec.type": (ABSENT, "NodePort")}, id="only-live"),
        pytest.param({"type": "NodePort"}, {}, (), {"spec.type": ("NodePort", ABSENT)}, id="only-desired"),
        pytest.param({"a": None}, {}, (), {"spec.a": (None, ABSENT)}, id="null-is-not-absent"),
        pytest.param({}, {"resources": {}}, (), {"spec.resources": (ABSENT, {})}, id="empty-is-not-absent"),
        pytest.param({"a": True}, {"a": 1}, (), {"spec.a": (True, 1)}, id="true-is-not-1"),
        pytest.param({"a": 1}, {"a": 1.0}, (), {"spec.a": (1, 1.0)}, id="1-is-not-1.0"),
        pytest.param({"port": 80}, {"port": "80"}, (), {"spec.port": (80, "80")}, id="int-or-string"),
        pytest.param({"a": {"b": 1}}, {"a": [1]}, (), {"spec.a": ({"b": 1}, [1])}, id="shape"),
        pytest.param(
            {"containers": [{"name": "web", "image": "a:2"}]},
            {"containers": [{"name": "web", "image": "a:1"}]},
            (_CONTAINERS,),
            {"spec.containers[name=web].image": ("a:2", "a:1")},
            id="keyed-item",
        ),
        pytest.param(
            {"containers": [{"name": "web"}]},
            {"containers": [{"name": "proxy"}, {"name": "web"}]},
            (_CONTAINERS,),
            {"spec.containers[name=proxy]": (ABSENT, {"name": "proxy"})},
            id="item-only-live-is-no-shift-of-the-rest",
        ),
        pytest.param(
            {"containers": [{"name": "a"}, {"name": "b"}]},
            {"containers": [{"name": "b"}, {"name": "a"}]},
            (_CONTAINERS,),
            {"spec.containers": (["[name=a]", "[name=b]"], ["[name=b]", "[name=a]"])},
            id="order-of-keyed-items",
        ),
        pytest.param(
            {"ports": [{"port": 53, "protocol": "TCP"}, {"port": 53, "protocol": "UDP", "name": "new"}]},
            {"ports": [{"port": 53, "protocol": "TCP"}, {"port": 53, "protocol": "UDP", "name": "old"}]},
            (_PORTS,),
            {"spec.ports[port=53,protocol=UDP].name": ("new", "old")},
            id="53-TCP-beside-53-UDP",
        ),
        pytest.param(
            {"finalizers": ["a", "b"]},
            {"finalizers": ["a", "c"]},
            (_FINALIZERS,),
            {"spec.finalizers[=b]": ("b", ABSENT), "spec.finalizers[=c]": (ABSENT, "c")},
            id="set",
        ),
        pytest.param(
            {"finalizers": [{"a": 1}]},
            {"finalizers": [{"a": 2}]},
            (_FINALIZERS,),
            {"spec.finalizers[0].a": (1, 2)},
            id="set-of-objects",
        ),
        pytest.param(
            {"finalizers": [["a"]]},
            {"finalizers": [["b"]]},
            (_FINALIZERS,),
            {"spec.finalizers": ([["a"]], [["b"]])},
            id="set-of-lists",
        ),
        pytest.param(
            {"args": ["-v", "-q"]}, {"args": ["-v"]}, (_ATOMIC,), {"spec.args": (["-v", "-q"], ["-v"])}, id="atomic"
        ),
        pytest.param(
            {"args": [{"a": 1, "b": 1}, {"a": 2}]},
            {"args": [{"a": 1, "b": 1}, {"a": 3}]},
            (_ATOMIC,),
            {"spec.args[1].a": (2, 3)},
            id="atomic-items-that-correspond",
        ),
        pytest.param(
            {"args": [{"a": 1}]}, {"args": []}, (), {"spec.args": ([{"a": 1}], [])}, id="atomic-of-another-length"
        ),
        pytest.param(
            {"containers": [{"name": "web"}, {"name": "web"}]},
            {"containers": [{"name": "web"}]},
            (_CONTAINERS,),
            {"spec.containers": ([{"name": "web"}, {"name": "web"}], [{"name": "web"}])},
            id="duplicate-key-is-compared-whole",
        ),
        pytest.param(
            {"containers": ["web"]},
            {"containers": [{"name": "web"}]},
            (_CONTAINERS,),
            {"spec.containers": (["web"], [{"name": "web"}])},
            id="keyed-list-with-a-scalar",
        ),
    ],
)
def test_names_exactly_what_differs(
    desired: Body, live: Body, entries: tuple[Body, ...], differences: dict[str, tuple[Any, Any]]
) -> None:
    """Each difference has the path at which an apply would change something, and both values."""
    found = _differences(_spec(desired), _spec(live, *entries))
    assert found == differences
    assert repr(found) == repr(differences)  # types too: 1 is not True


def test_the_predictions_entries_tell_merge_keys_too() -> None:
    """A list that only an apply makes keyed is known from the dry run's managedFields."""
    desired = _spec({"containers": [{"name": "web"}]}, _CONTAINERS)
    live = _spec({"containers": [{"name": "proxy"}]})
    assert set(_differences(desired, live)) == {"spec.containers[name=web]", "spec.containers[name=proxy]"}


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param({"labels": {PART_OF: "applyset-x"}}, {}, id="our-label-alone"),
        pytest.param({"labels": {PART_OF: "x", "a": "b"}}, {"labels": {"a": "b"}}, id="our-label-beside-others"),
        pytest.param({"labels": None}, {"labels": {}}, id="no-labels"),
        pytest.param({"annotations": {"deprecated.daemonset.template.generation": "2"}}, {}, id="derived-annotation"),
        pytest.param({"resourceVersion": "1", "uid": "a"}, {"resourceVersion": "2", "uid": "b"}, id="server-set"),
        pytest.param({"generation": 1, "creationTimestamp": "now"}, {"generation": 2}, id="generation"),
        pytest.param({"managedFields": [entry_of({})]}, {"managedFields": None}, id="managed-fields"),
    ],
)
def test_bookkeeping_is_no_difference(left: Body, right: Body) -> None:
    """The ApplySet's label and what the server keeps for itself are never drift."""
    assert not compare(body_of(metadata=left), body_of(metadata=right), status=False)


@pytest.mark.parametrize("field", ["labels", "annotations"])
def test_other_metadata_is_compared(field: str) -> None:
    """Labels and annotations that aren't ours are Git's to decide."""
    found = _differences(body_of(metadata={field: {"a/b": "1"}}), body_of(metadata={field: {"a/b": "2"}}))
    assert found == {f'metadata.{field}["a/b"]': ("1", "2")}


def test_status_counts_only_where_it_is_no_subresource() -> None:
    """With a status subresource, an apply can't change it; without one, it is a field like any other."""
    desired, live = body_of(status={"a": 1}), body_of(status={"a": 2})
    assert not _differences(desired, live)
    assert _differences(desired, live, status=True) == {"status.a": (1, 2)}


_LEAVES = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "1"]) | st.sampled_from([0.0, 1.5])
_JSON = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=12,
)


def _shuffled(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _shuffled(value[key]) for key in reversed(value)}
    return [_shuffled(item) for item in value] if isinstance(value, list) else value


@given(_JSON)
def test_nothing_differs_from_itself(value: Any) -> None:
    """compare(x, x) is clean, and so is x beside a copy of it whose keys stand in another order."""
    assert not compare(_spec(value), _spec(value), status=True)
    assert not compare(_spec(value), _spec(_shuffled(copy.deepcopy(value))), status=True)


@given(_JSON, _JSON)
def test_a_difference_is_never_missed(left: Any, right: Any) -> None:
    """Two bodies have differences iff they are not the same JSON, whichever way round."""
    different = _text(left) != _text(right)
    assert bool(compare(_spec(left), _spec(right), status=True)) is different
    assert bool(compare(_spec(right), _spec(left), status=True)) is different


def _text(value: Any) -> str:
    """JSON's own idea of equality: `true`, `1` and `1.0` are three texts."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{_text(value[key])}" for key in sorted(value)) + "}"
    return "[" + ",".join(map(_text, value)) + "]" if isinstance(value, list) else repr(value)


_NAMED = st.lists(st.sampled_from("abcd"), unique=True, max_size=4)


@given(_NAMED, _NAMED)
def test_a_keyed_list_differs_iff_items_or_order_do(left: list[str], right: list[str]) -> None:
    """Items that only one side has are named; the order is one more difference, and only where it matters."""
    entry = entry_of({"f:spec": {"f:env": {'k:{"name":"a"}': {}}}})
    found = set(
        _differences(_spec({"env": [{"name": n} for n in left]}), _spec({"env": [{"name": n} for n in right]}, entry))
    )
    expected = {f"spec.env[name={name}]" for name in set(left) ^ set(right)}
    if [name for name in left if name in right] != [name for name in right if name in left]:
        expected.add("spec.env")
    assert found == expected
