"""What OpenAPI says of merging."""

from typing import Any

import orjson
import pytest
from objects import resource_of
from openapi import TYPES

from recon_action.analyze.schema import UNKNOWN, Schema, reduced, schema_of
from recon_action.model import ABSENT

_DEPLOYMENT = schema_of(TYPES, resource_of("Deployment", "apps/v1"))
_WIDGET = schema_of(TYPES, resource_of("Widget", "example.com/v1"))
_CONTAINER = _DEPLOYMENT.field("spec").field("containers").item
_RETAINED = Schema({"x-kubernetes-patch-strategy": "merge,retainKeys", "x-kubernetes-patch-merge-key": "ip"})


@pytest.mark.parametrize(
    ("schema", "keys"),
    [
        pytest.param(_CONTAINER.field("ports"), ("containerPort", "protocol"), id="map"),
        pytest.param(_WIDGET.field("spec").field("tags"), (), id="set"),
        pytest.param(_CONTAINER.field("args"), None, id="atomic"),
        pytest.param(_WIDGET.field("spec").field("rules"), None, id="undeclared"),
        pytest.param(_WIDGET.field("spec").field("hosts"), (), id="older-patch-strategy"),
        pytest.param(_RETAINED, ("ip",), id="older-merge-key"),
        pytest.param(Schema({"x-kubernetes-patch-strategy": "retainKeys"}), None, id="retain-keys-alone"),
    ],
)  # fmt: skip
def test_lists(schema: Schema, keys: tuple[str, ...] | None) -> None:
    """A list is merged by keys, as a set, or not at all."""
    assert schema.keys == keys


def test_maps() -> None:
    """A map is merged, unless it says that it is replaced."""
    assert not _DEPLOYMENT.field("spec").is_atomic_map
    assert _DEPLOYMENT.field("spec").field("selector").is_atomic_map


def test_references_keep_what_stands_beside_them() -> None:
    """A type that is referred to keeps its name, and takes the default beside the reference."""
    strategy = _DEPLOYMENT.field("spec").field("strategy")
    assert strategy.name == "io.k8s.api.apps.v1.DeploymentStrategy"
    assert strategy.default == {}
    assert _CONTAINER.defaults == {"name": "", "resources": {}}
    assert _CONTAINER.field("image").default is ABSENT


def test_forms() -> None:
    """Quantities, durations and bytes are told from texts; of built-in kinds alone."""
    assert _CONTAINER.field("resources").field("limits").field("cpu").is_quantity
    assert _DEPLOYMENT.field("spec").field("strategy").field("pause").is_duration
    assert _DEPLOYMENT.field("spec").field("data").is_bytes
    assert not Schema({"format": "byte"}).is_bytes
    assert _DEPLOYMENT.is_built_in
    assert not _WIDGET.is_built_in
    assert _WIDGET.field("metadata").is_built_in


def test_what_is_unknown() -> None:
    """Where nothing is known, maps are merged and lists replaced, with all that is in them."""
    assert schema_of(TYPES, resource_of("Other", "example.com/v1")) is UNKNOWN
    free = _WIDGET.field("spec").field("free")
    assert free.field("any") is UNKNOWN
    assert not free.field("any").is_atomic_map
    assert free.field("list").keys is None
    assert free.field("list").item.is_atomic_map
    assert free.field("list").item.field("below").is_atomic_map


def test_schemas_of_schemas() -> None:
    """A CRD's own schema is one where an object stands for what may be a boolean or a list."""
    name = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"
    props = Schema(TYPES[name], TYPES, name, is_built_in=True)
    assert props.field("items").field("additionalProperties").name == name
    assert props.field("items").is_lenient
    assert not _CONTAINER.is_lenient


def test_a_type_is_resolved_once() -> None:
    """Types that refer to themselves have no end, but each is made once."""
    assert _DEPLOYMENT.field("spec").field("containers").item is _CONTAINER


def test_reduced_says_the_same() -> None:
    """Prose and validation go; what is read here stays, be it in a field called `description`."""
    wordy: dict[str, Any] = {
        "description": "prose",
        "properties": {"description": {"type": "string", "enum": ["a"]}, "items": {"type": "array", "items": {}}},
        "additionalProperties": {"pattern": "^a"},
        "allOf": [{"$ref": "#/components/schemas/x"}, {"required": ["a"]}],
        "x-kubernetes-validations": [{"rule": "true"}],
    }
    assert reduced(wordy) == {
        "properties": {"description": {"type": "string"}, "items": {"type": "array", "items": {}}},
        "additionalProperties": {},
        "allOf": [{"$ref": "#/components/schemas/x"}],
    }
    small = {name: reduced(raw) for name, raw in TYPES.items()}
    assert len(orjson.dumps(small)) < len(orjson.dumps(TYPES))
    again = schema_of(small, resource_of("Deployment", "apps/v1"))
    assert again.field("spec").field("containers").item.field("ports").keys == ("containerPort", "protocol")
