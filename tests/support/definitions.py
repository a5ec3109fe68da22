"""A CRD with every rule that a schema may have, and what is wrong with objects of it: tried on a real server, too."""

from typing import Any

from objects import body_of, manifest_of

from recon_action.analyze.definition import Definition, definitions
from recon_action.model import Body

_TEXT = {"type": "string"}
_FIELDS: Body = {
    "size": {"type": "integer", "minimum": 1, "maximum": 5},
    "small": {"type": "integer", "format": "int32"},
    "ratio": {"type": "number", "minimum": 0, "exclusiveMinimum": True, "multipleOf": 0.5},
    "share": {"type": "number", "maximum": 1, "exclusiveMaximum": True},
    "mode": {"type": "string", "enum": ["a", "b"]},
    "name": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 4},
    "words": {"type": "string", "pattern": "^(?i)on$", "minLength": 2},
    "at": {"type": "string", "format": "date-time"},
    "day": {"type": "string", "format": "date"},
    "bytes": {"type": "string", "format": "byte"},
    "ip": {"type": "string", "format": "ipv4"},
    "ip6": {"type": "string", "format": "ipv6"},
    "net": {"type": "string", "format": "cidr"},
    "id": {"type": "string", "format": "uuid"},
    "list": {"type": "array", "items": _TEXT, "minItems": 1, "maxItems": 2},
    "set": {"type": "array", "items": _TEXT, "x-kubernetes-list-type": "set"},
    "map": {
        "type": "array",
        "items": {
            "type": "object",
            "required": ["k"],
            "properties": {"k": _TEXT, "p": {"type": "string", "default": "TCP"}, "v": {"type": "integer"}},
        },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k", "p"],
    },
    "texts": {"type": "object", "additionalProperties": _TEXT, "minProperties": 1, "maxProperties": 2},
    "any": {"x-kubernetes-preserve-unknown-fields": True},
    "anything": {"type": "object", "additionalProperties": True},
    "open": {
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": True,
        "properties": {"in": {"type": "object", "properties": {"x": {"type": "integer"}}}},
    },
    "port": {"x-kubernetes-int-or-string": True},
    "embedded": {
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "x-kubernetes-preserve-unknown-fields": True,
    },
    "one": {
        "type": "object",
        "properties": {"a": _TEXT, "b": _TEXT},
        "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
    },
    "some": {
        "type": "object",
        "properties": {"a": _TEXT, "b": _TEXT},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    },
    "good": {"type": "string", "not": {"enum": ["bad"]}},
    "all": {"type": "string", "allOf": [{"minLength": 3}, {"maxLength": 4}]},
    "bool": {"type": "boolean"},
    "empty": {"type": "object"},
    "filled": {
        "type": "object",
        "default": {"x": "y"},
        "required": ["x"],
        "properties": {"x": {"type": "string", "default": "y"}},
    },
    "null": {"type": "string", "nullable": True},
    "ruled": {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 2", "message": "too small"}]},
}
SCHEMA: Body = {
    "type": "object",
    "required": ["spec"],
    "properties": {
        "spec": {"type": "object", "required": ["size"], "properties": _FIELDS},
        "status": {"type": "object", "properties": {"ready": {"type": "boolean"}}},
    },
}

_KUBERNETES_NAME = r"should match '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$'"
_TYPE = "must be of type"
# What stands in a spec beside `size: 1`, and what is wrong with it.
FAULTS: tuple[tuple[Body, tuple[str, ...]], ...] = (
    ({}, ()),
    ({"size": "x"}, (f'spec.size: Invalid value: "x": {_TYPE} integer',)),
    ({"size": True}, (f"spec.size: Invalid value: true: {_TYPE} integer",)),
    ({"size": 1.5}, (f"spec.size: Invalid value: 1.5: {_TYPE} integer",)),
    ({"size": 9}, ("spec.size: Invalid value: 9: should be less than or equal to 5",)),
    ({"size": None}, (f"spec.size: Invalid value: null: {_TYPE} integer",)),
    ({"size": ...}, ("spec.size: Required value",)),
    ({"small": 3_000_000_000}, (f"spec.small: Invalid value: 3000000000: {_TYPE} int32",)),
    ({"ratio": 0}, ("spec.ratio: Invalid value: 0: should be greater than 0",)),
    ({"ratio": 0.7}, ("spec.ratio: Invalid value: 0.7: should be a multiple of 0.5",)),
    ({"share": 1}, ("spec.share: Invalid value: 1: should be less than 1",)),
    ({"mode": "c"}, ('spec.mode: Unsupported value: "c": supported values: "a", "b"',)),
    ({"name": "A"}, ("spec.name: Invalid value: \"A\": should match '^[a-z]+$'",)),
    ({"name": "abcde"}, ('spec.name: Invalid value: "abcde": may not be more than 4 chars long',)),
    ({"words": "o"}, ('spec.words: Invalid value: "o": should be at least 2 chars long',)),
    ({"at": "2026-01-01T10:00:00Z"}, ()),
    ({"at": "2026-01-01T10:00:00.5+01:00"}, ()),
    ({"at": "2026-01-01"}, (f'spec.at: Invalid value: "2026-01-01": {_TYPE} date-time',)),
    ({"day": "2026-02-28"}, ()),
    ({"day": "2026-02-30"}, (f'spec.day: Invalid value: "2026-02-30": {_TYPE} date',)),
    ({"bytes": "aGk="}, ()),
    ({"bytes": "?"}, (f'spec.bytes: Invalid value: "?": {_TYPE} byte',)),
    ({"ip": "10.0.0.1", "ip6": "::1", "net": "10.0.0.1/8", "id": "123e4567-e89b-12d3-a456-426614174000"}, ()),
    ({"ip": "10.0.0.256"}, (f'spec.ip: Invalid value: "10.0.0.256": {_TYPE} ipv4',)),
    ({"ip6": "x"}, (f'spec.ip6: Invalid value: "x": {_TYPE} ipv6',)),
    ({"net": "10.0.0.1"}, (f'spec.net: Invalid value: "10.0.0.1": {_TYPE} cidr',)),
    ({"id": "1"}, (f'spec.id: Invalid value: "1": {_TYPE} uuid',)),
    ({"list": []}, ("spec.list: Invalid value: 0: should have at least 1 items",)),
    ({"list": ["a", "b", "c"]}, ("spec.list: Invalid value: 3: must have at most 2 items",)),
    ({"list": [1]}, (f"spec.list[0]: Invalid value: 1: {_TYPE} string",)),
    ({"list": [None]}, (f"spec.list[0]: Invalid value: null: {_TYPE} string",)),
    ({"list": "a"}, (f'spec.list: Invalid value: "a": {_TYPE} array',)),
    ({"set": ["a", "b", "a"]}, ('spec.set[2]: Duplicate value: "a"',)),
    ({"map": [{"k": "a", "p": "UDP"}, {"k": "a"}]}, ()),
    ({"map": [{"k": "a", "p": "TCP"}, {"k": "a"}]}, ('spec.map[1]: Duplicate value: {"k":"a","p":"TCP"}',)),
    ({"map": [{"v": 1}]}, ("spec.map[0].k: Required value",)),
    ({"texts": {"a": 1}}, (f"spec.texts.a: Invalid value: 1: {_TYPE} string",)),
    ({"texts": {"a": None}}, (f"spec.texts.a: Invalid value: null: {_TYPE} string",)),
    ({"texts": {}}, ("spec.texts: Invalid value: 0: should have at least 1 properties",)),
    (
        {"texts": {"a": "1", "b": "2", "c": "3"}},
        ("spec.texts: Invalid value: 3: must have at most 2 items",),
    ),
    ({"any": {"x": [1, None]}, "anything": {"x": {"y": 1}}, "empty": {"a": 1}}, ()),
    ({"open": {"y": 1, "in": {"z": 1}}}, ()),
    ({"open": {"in": {"x": "s"}}}, (f'spec.open.in.x: Invalid value: "s": {_TYPE} integer',)),
    ({"port": 80}, ()),
    ({"port": "http"}, ()),
    ({"port": True}, (f"spec.port: Invalid value: true: {_TYPE} integer or string",)),
    ({"embedded": {"apiVersion": "v1", "kind": "Foo", "metadata": {"name": "a"}, "spec": {"x": 1}}}, ()),
    ({"embedded": {}}, ("spec.embedded.apiVersion: Required value", "spec.embedded.kind: Required value")),
    (
        {"embedded": {"apiVersion": "v1", "kind": "", "metadata": {"name": "A B", "x": 1}}},
        (
            'spec.embedded.kind: Invalid value: "": should be at least 1 chars long',
            "spec.embedded.metadata.x: field not declared in schema",
            f'spec.embedded.metadata.name: Invalid value: "A B": {_KUBERNETES_NAME}',
        ),
    ),
    ({"one": {"a": "x"}}, ()),
    (
        {"one": {}},
        (
            'spec.one: Invalid value: "object": must validate one and only one schema (oneOf)',
            "spec.one.a: Required value",
        ),
    ),
    (
        {"one": {"a": "x", "b": "y"}},
        ('spec.one: Invalid value: "object": must validate one and only one schema (oneOf)',),
    ),
    (
        {"some": {}},
        (
            'spec.some: Invalid value: "object": must validate at least one schema (anyOf)',
            "spec.some.a: Required value",
        ),
    ),
    ({"good": "bad"}, ('spec.good: Invalid value: "bad": must not validate the schema (not)',)),
    ({"all": "a"}, ('spec.all: Invalid value: "a": should be at least 3 chars long',)),
    ({"bool": "true"}, (f'spec.bool: Invalid value: "true": {_TYPE} boolean',)),
    ({"filled": None}, ()),
    ({"filled": {}}, ()),
    ({"null": None}, ()),
    ({"null": 1}, (f"spec.null: Invalid value: 1: {_TYPE} string",)),
    ({"colour": "red"}, ("spec.colour: field not declared in schema",)),
    (
        {"size": 0, "mode": "z", "nmae": 1},
        (
            "spec.nmae: field not declared in schema",
            'spec.mode: Unsupported value: "z": supported values: "a", "b"',
            "spec.size: Invalid value: 0: should be greater than or equal to 1",
        ),
    ),
)
# What only the server knows: rules in CEL, patterns that aren't read here.
UNSEEN: tuple[Body, ...] = ({"ruled": 1}, {"words": "off"})


def crd(schema: Body = SCHEMA, *, version: str = "v1", **spec: Any) -> Body:
    """The CRD of Widgets in example.com, in one version."""
    versions = [{"name": version, "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}]
    names = {"kind": "Widget", "plural": "widgets", "singular": "widget", "listKind": "WidgetList"}
    known = {"group": "example.com", "scope": "Namespaced", "names": names, "versions": versions}
    return body_of("CustomResourceDefinition", "widgets.example.com", api="apiextensions.k8s.io/v1", spec=known | spec)


def definition_of(schema: Body = SCHEMA, **spec: Any) -> Definition:
    """The same, as it is read."""
    (one,) = definitions([manifest_of(crd(schema, **spec))]).values()
    return one


def widget(spec: Body, **more: Any) -> Body:
    """A Widget with that spec beside `size: 1`; `...` takes a field away."""
    held = {key: value for key, value in ({"size": 1} | spec).items() if value is not ...}
    return body_of("Widget", "w", api=more.pop("api", "example.com/v1"), namespace="default", spec=held, **more)
