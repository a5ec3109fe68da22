"""FieldsV1 as the server would write it."""

from typing import Any

import pytest
from objects import resource_of
from openapi import TYPES

from recon_action.analyze.ownership import item_key, owned_fields
from recon_action.analyze.schema import UNKNOWN, Schema, schema_of
from recon_action.model import ItemKey, ItemValue

_DEPLOYMENT = schema_of(TYPES, resource_of("Deployment", "apps/v1"))
_WIDGET = schema_of(TYPES, resource_of("Widget", "example.com/v1"))


@pytest.mark.parametrize(
    ("schema", "spec", "fields"),
    [
        pytest.param(_DEPLOYMENT, {"replicas": 1}, {"f:replicas": {}}, id="scalar"),
        pytest.param(_DEPLOYMENT, {"strategy": {}}, {"f:strategy": {}}, id="empty-map"),
        pytest.param(_DEPLOYMENT, {"strategy": {"type": "a"}}, {"f:strategy": {"f:type": {}}}, id="map"),
        pytest.param(_DEPLOYMENT, {"selector": {"matchLabels": {"a": "b"}}}, {"f:selector": {}}, id="atomic-map"),
        pytest.param(_DEPLOYMENT, {"containers": []}, {}, id="empty-list"),
        pytest.param(_DEPLOYMENT, {"claims": []}, {"f:claims": {}}, id="empty-atomic-list"),
        pytest.param(_DEPLOYMENT, {"containers": None}, {"f:containers": {}}, id="null"),
        pytest.param(
            _DEPLOYMENT,
            {"containers": [{"name": "a", "ports": [{"containerPort": 80.0}]}]},
            {
                "f:containers": {
                    'k:{"name":"a"}': {
                        ".": {},
                        "f:name": {},
                        "f:ports": {'k:{"containerPort":80,"protocol":"TCP"}': {".": {}, "f:containerPort": {}}},
                    }
                }
            },
            id="keyed-list",
        ),
        pytest.param(_WIDGET, {"tags": ["a<b"]}, {"f:tags": {'v:"a\\u003cb"': {}}}, id="set"),
        pytest.param(_WIDGET, {"free": {"a": {"b": 1}}}, {"f:free": {"f:a": {".": {}, "f:b": {}}}}, id="free-form"),
        pytest.param(UNKNOWN, {"a": [1]}, {".": {}, "f:a": {}}, id="unknown"),
    ],
)
def test_fields(schema: Schema, spec: dict[str, Any], fields: dict[str, Any]) -> None:
    """Leaves, items and a map's own keys are members; declared maps are not."""
    payload = {"apiVersion": "v1", "kind": "x", "metadata": {"name": "a", "namespace": "b"}, "spec": spec}
    found = owned_fields(payload, schema)
    assert found == {"f:metadata": {}, "f:spec": fields} or (not fields and found == {"f:metadata": {}, "f:spec": {}})


def test_keys() -> None:
    """An item is known by its keys; one that it leaves out has its default, or none."""
    ports = _DEPLOYMENT.field("spec").field("containers").item.field("ports")
    assert item_key(ports, {"containerPort": 1}) == ItemKey((("containerPort", 1), ("protocol", "TCP")))
    assert item_key(Schema({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a", "b"]}), {"a": 1}) == (
        ItemKey((("a", 1),))
    )
    assert item_key(_WIDGET.field("spec").field("tags"), 2.0) == ItemValue(2)
