"""The forms in which the API server's own types store what they are given."""

from typing import Any

import pytest
from openapi import TYPES

from recon_action.analyze.schema import Schema
from recon_action.analyze.stored import duration, is_omitted, is_stored_as, is_text_entry

_QUANTITY = Schema({}, name="io.k8s.apimachinery.pkg.api.resource.Quantity")
_DURATION = Schema({}, name="io.k8s.apimachinery.pkg.apis.meta.v1.Duration")
_BYTES = Schema({"format": "byte"}, is_built_in=True)
_TEXT = Schema({"type": "string"})
_NUMBER = Schema({"type": "integer"})
_CONTAINER = Schema(TYPES["io.k8s.api.core.v1.Container"], TYPES, "io.k8s.api.core.v1.Container", is_built_in=True)


@pytest.mark.parametrize(
    ("schema", "desired", "live", "is_same"),
    [
        pytest.param(_QUANTITY, "1000m", "1", True, id="quantity"),
        pytest.param(_QUANTITY, 1, "1", True, id="quantity-as-number"),
        pytest.param(_QUANTITY, "1Gi", "1G", False, id="other-quantity"),
        pytest.param(_QUANTITY, "much", "much", False, id="no-quantity"),
        pytest.param(_TEXT, "1000m", "1", False, id="text"),
        pytest.param(_DURATION, "60s", "1m0s", True, id="duration"),
        pytest.param(_DURATION, "61s", "1m0s", False, id="other-duration"),
        pytest.param(_BYTES, "YWI=\n", "YWI=", True, id="bytes"),
        pytest.param(_BYTES, "YWI", "YWI=", False, id="no-base64"),
        pytest.param(_BYTES, None, "YWI=", False, id="no-text"),
        pytest.param(_NUMBER, 1.0, 1, True, id="integral-float"),
        pytest.param(Schema({}, is_built_in=True), 80.0, 80, True, id="port-or-name"),
        pytest.param(_NUMBER, 1.5, 1, False, id="float"),
        pytest.param(_NUMBER, True, 1, False, id="true-is-not-1"),
    ],
)
def test_forms(schema: Schema, desired: Any, live: Any, is_same: bool) -> None:
    """One value in two forms is the same where the server has one form for it."""
    assert is_stored_as(schema, desired, live) is is_same


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1h30m", 5400),
        ("1.5h", 5400),
        ("-1m", -60),
        ("+1ms", 0.001),
        ("0", 0),
        ("1d", None),
        ("", None),
        ("h", None),
        (60, None),
    ],
)
def test_durations(text: object, seconds: float | None) -> None:
    """Durations are Go's, which knows no days."""
    found = duration(text)
    assert (None if found is None else float(found)) == seconds


@pytest.mark.parametrize(
    ("key", "value", "owned", "is_left_out"),
    [
        pytest.param("image", "", False, True, id="text"),
        pytest.param("args", [], False, True, id="list"),
        pytest.param("tty", False, False, True, id="false"),
        pytest.param("privileged", False, False, False, id="false-that-counts"),
        pytest.param("privileged", False, True, True, id="ours-already"),
        pytest.param("name", "", False, False, id="required"),
        pytest.param("name", None, False, True, id="null"),
        pytest.param("resources", {}, False, False, id="struct"),
        pytest.param("image", "web", False, False, id="not-empty"),
        pytest.param("undeclared", "", False, False, id="undeclared"),
    ],
)
def test_empty_values(key: str, value: Any, owned: bool, is_left_out: bool) -> None:
    """What is empty is not stored, unless it has to be there or isn't the same as nothing."""
    assert is_omitted(_CONTAINER, key, value, is_owned=owned) is is_left_out


def test_empty_maps() -> None:
    """An empty map is not stored; a custom resource keeps it."""
    meta = Schema(TYPES["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"], TYPES, is_built_in=True)
    assert is_omitted(meta, "labels", {}, is_owned=False)
    assert not is_omitted(Schema(meta.raw, TYPES), "labels", {}, is_owned=False)
    assert is_text_entry(meta.field("labels"), "app")
    assert not is_text_entry(meta, "name")
