"""When two values are the same: to the letter, and as Kubernetes spells them."""

from decimal import Decimal

import pytest

from recon_action.analyze.equality import is_dropped, quantity, same, same_atomic, same_quantity


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (1, 1, True),
        (1, True, False),
        (1, 1.0, False),
        (1, "1", False),
        ([1, 2], [1, 2], True),
        ([1, 2], [2, 1], False),
        ([1], [True], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": None}, {}, False),
    ],
)
def test_same(left: object, right: object, expected: bool) -> None:
    """Types count, the order of keys doesn't."""
    assert same(left, right) is expected


@pytest.mark.parametrize("value", ["", [], {}, False, 0, None])
def test_dropped(value: object) -> None:
    """The server stores nothing for an empty value of an optional field."""
    assert is_dropped(value)


@pytest.mark.parametrize("value", ["x", [0], {"a": None}, True, 1, 0.0])
def test_kept(value: object) -> None:
    """Anything else is stored."""
    assert not is_dropped(value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", "1"),
        ("1000m", "1"),
        (".5", "0.5"),
        ("5.", "5"),
        ("-2k", "-2000"),
        ("1e3", "1000"),
        ("12E2", "1200"),
        ("1E", "1e18"),
        ("3Ki", "3072"),
        ("1.5Gi", "1610612736"),
        ("100n", "1e-7"),
        (2, "2"),
        (0.5, "0.5"),
    ],
)
def test_quantity(text: object, expected: str) -> None:
    """Quantities are exact decimals."""
    assert quantity(text) == Decimal(expected)


@pytest.mark.parametrize("value", ["", "x", "1x", "1Kii", True, None, [], "1e", "1e99999999999999999999"])
def test_no_quantity(value: object) -> None:
    """What is no quantity is none, whatever its type."""
    assert quantity(value) is None


@pytest.mark.parametrize(
    ("key", "parent", "expected"),
    [("cpu", "limits", True), ("sizeLimit", "emptyDir", True), ("cpu", "data", False)],
)
def test_quantities_have_their_places(key: str, parent: str, expected: bool) -> None:
    """Data of a ConfigMap is text, whatever it looks like."""
    assert same_quantity("1000m", "1", key, parent) is expected


def test_no_quantity_equals_nothing() -> None:
    """Two values that are no quantities are not the same quantity."""
    assert not same_quantity("x", "y", "cpu", "limits")


@pytest.mark.parametrize(
    ("desired", "live", "expected"),
    [
        pytest.param({"fieldPath": "a"}, {"fieldPath": "a", "apiVersion": "v1"}, True, id="default"),
        pytest.param({"fieldPath": "a", "apiVersion": "v2"}, {"fieldPath": "a", "apiVersion": "v1"}, False, id="given"),
        pytest.param({"fieldPath": "a"}, {"fieldPath": "a"}, False, id="live-without"),
        pytest.param("a", "a", True, id="scalar"),
        pytest.param("a", {"a": 1}, False, id="other-shape"),
    ],
)
def test_inner_defaults(desired: object, live: object, expected: bool) -> None:
    """The server fills a default into a reference that it owns whole."""
    assert same_atomic(desired, live, "fieldRef") is expected


def test_inner_defaults_in_lists() -> None:
    """Also below a list; and two lists of different lengths differ."""
    desired = [{"resourceFieldRef": {"resource": "limits.cpu"}}]
    live = [{"resourceFieldRef": {"resource": "limits.cpu", "divisor": "0"}}]
    assert same_atomic(desired, live, "items")
    assert not same_atomic(desired, live * 2, "items")
