"""A CRD's structural schema, read for validation: as JSON Schema, and values as the server reads them by it.

Only keywords that structural schemas have, and only values of their right type, are taken over: what is wrong with a
schema is the server's to say, and nothing of it can make a validator ask for another document.
"""

from collections.abc import Mapping
from typing import Any, Final

from recon_action.model import Body

_TEXT: Final[Body] = {"type": "string"}
_TEXTS: Final[Body] = {"type": "object", "additionalProperties": _TEXT}
# What every object has beside the fields of its kind; what the server sets is not in a payload.
METADATA: Final[Body] = {
    "type": "object",
    "properties": {
        "name": {
            "type": "string",
            "maxLength": 253,
            "pattern": r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
        },
        "generateName": _TEXT,
        "resourceVersion": _TEXT,
        "namespace": _TEXT,
        "labels": _TEXTS,
        "annotations": _TEXTS,
        "finalizers": {"type": "array", "items": _TEXT, "x-kubernetes-list-type": "set"},
        "ownerReferences": {
            "type": "array",
            "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["uid"],
        },
    },
}
_ROOT: Final[Body] = {"apiVersion": _TEXT, "kind": _TEXT, "metadata": METADATA}
_NOT_EMPTY: Final[Body] = {"type": "string", "minLength": 1}
_EMBEDDED: Final[Body] = {"apiVersion": _NOT_EMPTY, "kind": _NOT_EMPTY, "metadata": METADATA}

_TYPES: Final = ("array", "boolean", "integer", "number", "object", "string")
_KEYED: Final = ("map", "set")
_COUNTS: Final = ("maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties")
_BOUNDS: Final = (("maximum", "exclusiveMaximum"), ("minimum", "exclusiveMinimum"))


def rooted(schema: Body) -> Body:
    """The schema of a kind, with what every object has."""
    return schema | {"properties": {**_mapping(schema.get("properties")), **_ROOT}}


def completed(value: Any, schema: Mapping[str, Any]) -> Any:
    """`value` as the server completes it before it validates: defaults filled in, for null as well that is no value."""
    if isinstance(value, list):
        items = _mapping(schema.get("items"))
        return [completed(item, items) for item in value]
    if not isinstance(value, dict):
        return value
    fields, others = _mapping(schema.get("properties")), schema.get("additionalProperties")
    found: Body = {}
    for key, held in value.items():
        below = _mapping(fields.get(key, others))
        if held is not None or below.get("nullable") or below.get("default") is None:
            found[key] = completed(held, below)
    for key, below in fields.items():
        if key not in found and isinstance(below, dict) and below.get("default") is not None:
            found[key] = completed(below["default"], below)
    return found


def json_schema(schema: Body, *, is_spine: bool = True, is_open: bool = False) -> Body:
    """`schema` as JSON Schema, draft 4, in which unknown fields are faults, too.

    Args:
        schema: a structural schema.
        is_spine: whether it says what fields there are; those within `allOf`, `anyOf`, `oneOf` and `not` don't.
        is_open: whether unknown fields are kept, as they are below a field that keeps them.
    """
    is_open = is_open or schema.get("x-kubernetes-preserve-unknown-fields") is True

    def below(inner: Body) -> Body:
        return json_schema(inner, is_spine=is_spine, is_open=is_open)

    found = _scalars(schema) | _bounds(schema) | _combined(schema)
    fields = _mapping(schema.get("properties"))
    if is_spine and schema.get("x-kubernetes-embedded-resource") is True:
        fields = {**fields, **_EMBEDDED}
        found["required"] = sorted({*found.get("required", ()), "apiVersion", "kind"})
    if fields:
        found["properties"] = {
            key: json_schema(inner) if inner is METADATA else below(inner)
            for key, inner in fields.items()
            if isinstance(inner, dict)
        }
    others = schema.get("additionalProperties")
    if isinstance(others, dict):
        found["additionalProperties"] = below(others)
    elif is_spine and fields and others is not True and not is_open:
        found["additionalProperties"] = False
    if isinstance(items := schema.get("items"), dict):
        found["items"] = below(items)
    if is_spine and schema.get("x-kubernetes-list-type") in _KEYED:
        found["unique"] = _unique_by(schema)
    return found


def _scalars(schema: Body) -> Body:
    """The keywords that are names and lists."""
    found: Body = {}
    is_nullable = schema.get("nullable") is True
    kinds = ["integer", "string"] if schema.get("x-kubernetes-int-or-string") is True else [schema.get("type")]
    if all(kind in _TYPES for kind in kinds):
        found["type"] = [*kinds, "null"] if is_nullable else kinds
    if isinstance(schema.get("enum"), list):
        found["enum"] = schema["enum"]
    if isinstance(required := schema.get("required"), list):
        found["required"] = [name for name in required if isinstance(name, str)]
    for key in ("format", "pattern"):
        if isinstance(schema.get(key), str):
            found[key] = schema[key]
    return found


def _bounds(schema: Body) -> Body:
    """The keywords that are numbers."""
    found: Body = {key: schema[key] for key in _COUNTS if _is_number(schema.get(key))}
    for bound, exclusive in _BOUNDS:
        if _is_number(schema.get(bound)):
            found |= {bound: schema[bound], exclusive: schema.get(exclusive) is True}
    if _is_number(step := schema.get("multipleOf")) and step:
        found["multipleOf"] = step
    return found


def _combined(schema: Body) -> Body:
    """The keywords that hold further schemas for the same value."""
    found: Body = {}
    if isinstance(excluded := schema.get("not"), dict):
        found["not"] = json_schema(excluded, is_spine=False)
    for key in ("allOf", "anyOf", "oneOf"):
        among = schema.get(key)
        if isinstance(among, list) and among and all(isinstance(one, dict) for one in among):
            found[key] = [json_schema(one, is_spine=False) for one in among]
    return found


def _unique_by(schema: Body) -> list[str]:
    """By which fields of its items a list must not repeat itself; none: by the items."""
    keys = schema.get("x-kubernetes-list-map-keys") if schema["x-kubernetes-list-type"] == "map" else ()
    return [key for key in keys if isinstance(key, str)] if isinstance(keys, list) else []


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
