"""The ownership proof as a table: entry, payload and live, and whether they prove anything."""

from typing import Any

import pytest
from objects import body_of, entry_of, live_of

from recon_action.analyze.proof import is_proven

Fields = dict[str, Any]


def _proven(spec: Any, live: Any, fields: Fields, *, built_in: bool = True, **entry: Any) -> bool:
    """Whether an object whose `spec` is this in Git and that in the cluster is proven, given our entry's fields."""
    payload = body_of("Widget", api="example.com/v1", namespace="shop", spec=spec)
    stored = body_of("Widget", api="example.com/v1", namespace="shop", spec=live)
    own = entry_of({"f:spec": fields}, **({"apiVersion": "example.com/v1"} | entry))
    return is_proven(payload, live_of(stored, own).body, built_in=built_in)


_PORTS: Fields = {
    'k:{"port":53,"protocol":"TCP"}': {".": {}, "f:port": {}},
    'k:{"port":53,"protocol":"UDP"}': {".": {}, "f:port": {}, "f:protocol": {}},
}
_TCP, _UDP = {"port": 53, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}


@pytest.mark.parametrize(
    ("spec", "live", "fields", "expected"),
    [
        pytest.param({"a": 1}, {"a": 1}, {"f:a": {}}, True, id="equal"),
        pytest.param({"a": "x" * 9}, {"a": "".join(["x"] * 9)}, {"f:a": {}}, True, id="equal-text"),
        pytest.param({"a": 1}, {"a": 1, "b": 2}, {"f:a": {}}, True, id="others-fields-beside"),
        pytest.param({"a": 1}, {"a": 2}, {"f:a": {}}, False, id="another-value"),
        pytest.param({"a": 1}, {}, {"f:a": {}}, False, id="live-lacks-it"),
        pytest.param({"a": 1}, {"a": True}, {"f:a": {}}, False, id="true-is-not-one"),
        pytest.param({"a": 1}, {"a": 1.0}, {"f:a": {}}, False, id="a-float-is-no-int"),
        pytest.param({"a": 1, "b": 2}, {"a": 1, "b": 2}, {"f:a": {}}, False, id="not-owned"),
        pytest.param({"a": 1}, {"a": 1, "b": 2}, {"f:a": {}, "f:b": {}}, False, id="dropped-in-git"),
        pytest.param({"a": 1}, {"a": 1}, {"f:b": {}}, False, id="owned-under-another-name"),
        pytest.param({"a": {"b": 1}}, {"a": {"b": 1}}, {"f:a": {"f:b": {}}}, True, id="nested"),
        pytest.param({"a": {}}, {"a": {}}, {"f:a": {}}, True, id="empty-map"),
        pytest.param({"a": {"b": 1}}, {"a": None}, {"f:a": {"f:b": {}}}, False, id="live-is-no-map"),
        pytest.param({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, {"f:a": {}}, False, id="atomic-map-differs"),
        pytest.param({"a": "x"}, {"a": {"b": 1}}, {"f:a": {"f:b": {}}}, False, id="a-scalar-for-a-map"),
        pytest.param({"a": [{"port": 53}, _UDP]}, {"a": [_TCP, _UDP]}, {"f:a": _PORTS}, True, id="key-defaulted"),
        pytest.param({"a": [_TCP, _UDP]}, {"a": [_TCP, _UDP]}, {"f:a": _PORTS}, False, id="key-not-ours"),
        pytest.param({"a": [{"port": 53}]}, {"a": [_TCP, _UDP]}, {"f:a": _PORTS}, False, id="item-dropped"),
        pytest.param({"a": [_UDP, {"port": 53}]}, {"a": [_TCP, _UDP]}, {"f:a": _PORTS}, False, id="order"),
        pytest.param(
            {"a": [{"port": 53}, _UDP]}, {"a": [_TCP, _TCP, _UDP]}, {"f:a": _PORTS}, False, id="twice-in-live"
        ),
        pytest.param({"a": [_UDP, _UDP]}, {"a": [_TCP, _UDP]}, {"f:a": _PORTS}, False, id="twice-in-git"),
        pytest.param({"a": ["x", _UDP]}, {"a": [_TCP, _UDP]}, {"f:a": _PORTS}, False, id="no-map-as-item"),
        pytest.param(
            {"a": [{"port": 53}, _UDP]},
            {"a": [{"port": 1, "protocol": "TCP"}, _TCP, "odd", _UDP]},
            {"f:a": _PORTS},
            True,
            id="foreign-items-between",
        ),
        pytest.param(
            {"a": [{"name": "x", "v": 1}]},
            {"a": [{"name": "x", "v": 1}]},
            {"f:a": {'k:{"name":"x"}': {}}},
            True,
            id="item-owned-whole",
        ),
        pytest.param(
            {"a": [{"name": "x", "v": 1}]},
            {"a": [{"name": "x", "v": 2}]},
            {"f:a": {'k:{"name":"x"}': {}}},
            False,
            id="item-owned-whole-differs",
        ),
        pytest.param({"a": ["x", "y"]}, {"a": ["x", "z", "y"]}, {"f:a": {'v:"x"': {}, 'v:"y"': {}}}, True, id="set"),
        pytest.param({"a": ["x", "y"]}, {"a": ["y", "x"]}, {"f:a": {'v:"x"': {}, 'v:"y"': {}}}, False, id="set-order"),
        pytest.param({"a": ["x"]}, {"a": ["x"]}, {"f:a": {"i:0": {}}}, False, id="by-index-is-unknown"),
        pytest.param({"a": ["x"]}, {"a": ["x"]}, {"f:a": {}}, True, id="atomic-list"),
        pytest.param({"a": ["x"]}, {"a": ["x", "y"]}, {"f:a": {}}, False, id="atomic-list-differs"),
    ],
)
def test_walk(spec: Any, live: Any, fields: Fields, expected: bool) -> None:
    """Proven iff payload and entry hold the same fields, all of them equal and in order."""
    assert _proven(spec, live, fields, built_in=False) is expected


@pytest.mark.parametrize(
    ("spec", "live"),
    [
        pytest.param({"a": ""}, {}, id="empty-string"),
        pytest.param({"a": []}, {}, id="empty-list"),
        pytest.param({"a": {}}, {}, id="empty-map"),
        pytest.param({"a": False}, {}, id="false"),
        pytest.param({"a": None}, {}, id="null"),
        pytest.param({"sizeLimit": "1024Mi"}, {"sizeLimit": "1Gi"}, id="quantity-field"),
        pytest.param(
            {"fieldRef": {"fieldPath": "x"}}, {"fieldRef": {"apiVersion": "v1", "fieldPath": "x"}}, id="inner-default"
        ),
    ],
)
def test_forms_of_built_in_kinds(spec: Any, live: Any) -> None:
    """Kubernetes' own kinds drop and respell values; a custom resource keeps what it was given."""
    fields = {f"f:{key}": {} for key in spec}
    assert _proven(spec, live, fields, built_in=True)
    assert not _proven(spec, live, fields, built_in=False)


def test_quantities_by_their_place() -> None:
    """`1000m` is `1` below `requests`, and nowhere else."""
    requests = {"requests": {"cpu": "1000m"}}, {"requests": {"cpu": "1"}}, {"f:requests": {"f:cpu": {}}}
    assert _proven(*requests)
    assert not _proven({"cpu": "1000m"}, {"cpu": "1"}, {"f:cpu": {}})


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        pytest.param({}, True, id="ours"),
        pytest.param({"apiVersion": "example.com/v1beta1"}, False, id="another-version"),
        pytest.param({"manager": "other"}, False, id="another-manager"),
        pytest.param({"operation": "Update"}, False, id="update"),
        pytest.param({"subresource": "status"}, False, id="subresource"),
        pytest.param({"fieldsV1": None}, False, id="no-fields"),
    ],
)
def test_the_entry_must_be_our_apply_of_this_version(entry: Any, expected: bool) -> None:
    """Another's entry, an update, a subresource or another version proves nothing."""
    assert _proven({"a": 1}, {"a": 1}, {"f:a": {}}, **entry) is expected


def test_metadata_counts() -> None:
    """Labels are fields like any other; name and namespace are not tracked."""
    payload = body_of(metadata={"labels": {"app": "web"}})
    own = entry_of({"f:metadata": {"f:labels": {"f:app": {}}}})
    assert is_proven(payload, live_of(payload, own).body, built_in=True)
    stripped = live_of(body_of(), own).body
    assert not is_proven(payload, stripped, built_in=True)


@pytest.mark.parametrize("case", ["terminating", "another-version", "no-managed-fields", "two-entries"])
def test_what_is_never_proven(case: str) -> None:
    """What is going, is of another version, or can't be attributed is for the server to judge."""
    payload = body_of(data={"a": "1"})
    own = entry_of({"f:data": {"f:a": {}}})
    live = live_of(payload, own, own).body if case == "two-entries" else live_of(payload, own).body
    if case == "terminating":
        live["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    if case == "another-version":
        live["apiVersion"] = "v2"
    if case == "no-managed-fields":
        live["metadata"]["managedFields"] = None
    assert not is_proven(payload, live, built_in=True)
