"""Looking up a path in an object."""

from typing import Any

import pytest

from recon_action.analyze.value import as_map, as_maps, value_at
from recon_action.model import ABSENT, FieldPath, ItemKey, ItemValue

_BODY = {"a": {"b": [1, {"c": 2}], "n": None}, "ports": [{"port": 53, "protocol": "UDP"}, {"port": 53}], "s": ["x", 1]}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ((), _BODY),
        (("a", "b", 1, "c"), 2),
        (("a", "b", 9), ABSENT),
        (("a", "n"), None),
        (("a", "n", "x"), ABSENT),
        (("a", 0), ABSENT),
        (("a", "missing"), ABSENT),
        (("ports", ItemKey((("port", 53), ("protocol", "UDP")))), {"port": 53, "protocol": "UDP"}),
        (("ports", ItemKey((("port", 53), ("protocol", "TCP")))), {"port": 53}),
        (("ports", ItemKey((("port", 54),))), ABSENT),
        (("s", ItemValue(1)), 1),
        (("s", ItemValue(value=True)), ABSENT),
        (("a", ItemValue(1)), ABSENT),
    ],
)
def test_a_value_is_found_by_its_path(path: tuple[Any, ...], value: Any) -> None:
    """By key, index, merge key or value; null is a value."""
    assert value_at(_BODY, FieldPath(path)) is value or value_at(_BODY, FieldPath(path)) == value


@pytest.mark.parametrize("value", [None, "text", 1, [1, "a"], True])
def test_what_is_no_map_is_an_empty_one(value: Any) -> None:
    """Nobody has checked what stands in a manifest."""
    assert (as_map(value), as_maps(value)) == ({}, [])
    assert (as_map({"a": value}), as_maps([value, {"a": 1}])) == ({"a": value}, [{"a": 1}])
