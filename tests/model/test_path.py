"""Routes into an object: how they print, and which items they mean."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon_action.model import FieldPath, Item, ItemKey, ItemValue

_PORT = ItemKey((("containerPort", 53), ("protocol", "UDP")))


@pytest.mark.parametrize(
    ("items", "text"),
    [
        pytest.param((), "", id="root"),
        pytest.param(("spec", "replicas"), "spec.replicas", id="keys"),
        pytest.param(
            ("spec", "containers", ItemKey((("name", "web"),)), "image"), "spec.containers[name=web].image", id="keyed"
        ),
        pytest.param(("ports", _PORT), "ports[containerPort=53,protocol=UDP]", id="two-keys"),
        pytest.param(("finalizers", ItemValue("a/b")), "finalizers[=a/b]", id="set"),
        pytest.param(("flags", ItemValue(value=True)), "flags[=true]", id="set-of-bool"),
        pytest.param(("args", 2), "args[2]", id="index"),
        pytest.param(
            ("metadata", "labels", "app.kubernetes.io/name"),
            'metadata.labels["app.kubernetes.io/name"]',
            id="slash-in-key",
        ),
        pytest.param(("data", 'a"b'), 'data["a\\"b"]', id="quote-in-key"),
        pytest.param(("data", ""), 'data[""]', id="empty-key"),
        pytest.param(("data", "1"), 'data["1"]', id="digit-key-is-no-index"),
        pytest.param(("a.b",), '["a.b"]', id="quoted-first"),
        pytest.param(("properties", "$ref"), "properties.$ref", id="dollar"),
        pytest.param(("data", "line\nbreak"), 'data["line\\nbreak"]', id="control-character"),
    ],
)
def test_prints_as_people_write_it(items: tuple[Item, ...], text: str) -> None:
    """A path prints as `a.b[key=value]["odd.key"]`."""
    assert str(FieldPath(items)) == text


_KEYS = st.text(max_size=6) | st.sampled_from(["spec", "a.b", "0", "[0]", "=x"])


@given(st.lists(_KEYS | st.integers(0, 9), max_size=4), st.lists(_KEYS | st.integers(0, 9), max_size=4))
def test_paths_of_keys_and_indexes_never_print_alike(left: list[Item], right: list[Item]) -> None:
    """Two different paths of keys and indexes print differently."""
    assert (str(FieldPath(tuple(left))) == str(FieldPath(tuple(right)))) is (left == right)


def test_grows_by_division_and_knows_what_it_is_within() -> None:
    """`/` appends an item; a path is within itself and its parents only."""
    path = FieldPath() / "spec" / "template"
    assert len(path) == 2
    assert path.is_within(FieldPath(("spec",)))
    assert path.is_within(path)
    assert not path.is_within(path / "metadata")
    assert not path.is_within(FieldPath(("status",)))


@pytest.mark.parametrize(
    ("item", "matches"),
    [
        pytest.param({"containerPort": 53, "protocol": "UDP", "name": "dns"}, True, id="same"),
        pytest.param({"containerPort": 53, "protocol": "TCP"}, False, id="other-protocol"),
        pytest.param({"containerPort": 53}, True, id="key-left-to-its-default"),
        pytest.param({"containerPort": "53", "protocol": "UDP"}, False, id="text-is-no-number"),
        pytest.param({"containerPort": 53.0, "protocol": "UDP"}, False, id="float-is-no-integer"),
        pytest.param(53, False, id="scalar"),
    ],
)
def test_item_key_means_the_item_with_these_values(item: Any, *, matches: bool) -> None:
    """Key fields must be equal, types too."""
    assert _PORT.matches(item) is matches
