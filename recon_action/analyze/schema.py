"""The server's OpenAPI as merging needs it: how each list and map is merged, which defaults there are.

The rules are those by which the API server itself turns OpenAPI into merge types. Schemas are resolved
field by field, as they are asked for: most of a document is never looked at.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from recon_action.model import ABSENT, Resource

Types = Mapping[str, Any]  # `components.schemas` of an OpenAPI v3 document

# Kubernetes' own types; custom resources are named after their group.
_BUILT_IN = (
    "io.k8s.api.",
    "io.k8s.apimachinery.",
    "io.k8s.apiextensions-apiserver.",
    "io.k8s.kube-aggregator.",
)
_QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity"
_DURATION = "io.k8s.apimachinery.pkg.apis.meta.v1.Duration"
_SERVICE = "io.k8s.api.core.v1.ServiceSpec"
_JSON_SCHEMA = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"
# Published without a type, as they may be a boolean or a list too; an object in their place is a schema.
_JSON_SCHEMAS = frozenset({f"{_JSON_SCHEMA}OrArray", f"{_JSON_SCHEMA}OrBool"})


@dataclass(frozen=True)
class Schema:
    """The type of one value.

    Args:
        raw: its OpenAPI; {} for a value of which nothing is known.
        types: what `$ref` points into.
        name: the type's name; "" for an inline type.
        is_built_in: whether Kubernetes' own code reads and writes it, which drops empty values and has
            defaults that no document tells.
        is_whole: whether it lies in a value of which nothing is known and that is replaced as a whole.
        known: schemas already resolved, by the identity of their OpenAPI: types refer to themselves.
    """

    raw: Mapping[str, Any]
    types: Types = field(default_factory=dict, repr=False)
    name: str = ""
    is_built_in: bool = False
    is_whole: bool = False
    known: dict[int, "Schema"] = field(default_factory=dict, repr=False, compare=False)

    @property
    def type(self) -> str:
        """`object`, `array`, `string`, …; "" where any is allowed."""
        return str(self.raw.get("type", ""))

    @property
    def is_quantity(self) -> bool:
        """Whether it is stored as a canonical quantity."""
        return self.name == _QUANTITY

    @property
    def is_duration(self) -> bool:
        """Whether it is stored as a canonical duration."""
        return self.name == _DURATION

    @property
    def is_bytes(self) -> bool:
        """Whether it is stored as canonical base64."""
        return self.raw.get("format") == "byte" and self.is_built_in

    @property
    def is_service(self) -> bool:
        """Whether it is a Service's spec, which the server itself completes."""
        return self.name == _SERVICE

    @property
    def is_lenient(self) -> bool:
        """Whether the server reads it without complaint about unknown fields, and drops them."""
        return self.name == _JSON_SCHEMA

    @property
    def is_nullable(self) -> bool:
        """Whether null is a value of its own."""
        return bool(self.raw.get("nullable"))

    @property
    def is_atomic_map(self) -> bool:
        """Whether a map is replaced as a whole."""
        return self.is_whole or self.raw.get("x-kubernetes-map-type") == "atomic"

    @cached_property
    def keys(self) -> tuple[str, ...] | None:
        """How a list is merged: by these keys; () as a set; None not at all, it is replaced."""
        match self.raw.get("x-kubernetes-list-type"):
            case "map":
                return tuple(self.raw.get("x-kubernetes-list-map-keys") or ())
            case "set":
                return ()
            case None if str(self.raw.get("x-kubernetes-patch-strategy", "")).startswith("merge"):
                key = self.raw.get("x-kubernetes-patch-merge-key")
                return (str(key),) if key else ()
            case _:
                return None

    @property
    def default(self) -> Any:
        """The declared default; ABSENT if there is none."""
        return self.raw.get("default", ABSENT)

    @cached_property
    def defaults(self) -> Mapping[str, Any]:
        """The declared defaults of its fields."""
        below = {key: self.field(key).default for key in self.declared}
        return {key: default for key, default in below.items() if default is not ABSENT}

    @property
    def declared(self) -> Mapping[str, Any]:
        """The fields that are named; others are a map's own keys."""
        return self.raw.get("properties") or {}

    @cached_property
    def required(self) -> frozenset[str]:
        """The fields that must be there."""
        return frozenset(self.raw.get("required") or ())

    def field(self, key: str) -> "Schema":
        """The type of a field, or of a map's entry."""
        if self.is_whole:
            return _WHOLE
        below = self.declared.get(key, self.raw.get("additionalProperties"))
        return self._resolved(below) if isinstance(below, dict) else UNKNOWN

    @cached_property
    def item(self) -> "Schema":
        """The type of a list's items."""
        items = self.raw.get("items")
        return self._resolved(items) if isinstance(items, dict) else _WHOLE

    def _resolved(self, raw: Mapping[str, Any]) -> "Schema":
        found = self.known.get(id(raw))
        if found is None:
            found = self.known[id(raw)] = self._resolve(raw)
        return found

    def _resolve(self, raw: Mapping[str, Any]) -> "Schema":
        name = _reference(raw)
        if not name:
            return replace(self, raw=raw, name="")
        if name in _JSON_SCHEMAS:
            name = _JSON_SCHEMA
        beside = {key: value for key, value in raw.items() if key not in {"$ref", "allOf"}}
        target = {**self.types.get(name, {}), **beside}
        return replace(self, raw=target, name=name, is_built_in=name.startswith(_BUILT_IN))


_READ = frozenset(
    {
        "$ref",
        "default",
        "format",
        "nullable",
        "required",
        "type",
        "x-kubernetes-group-version-kind",
        "x-kubernetes-list-map-keys",
        "x-kubernetes-list-type",
        "x-kubernetes-map-type",
        "x-kubernetes-patch-merge-key",
        "x-kubernetes-patch-strategy",
    }
)


def reduced(raw: Mapping[str, Any]) -> dict[str, Any]:
    """`raw` with what is read here alone: a tenth of it, as most is prose and validation."""
    kept: dict[str, Any] = {key: value for key, value in raw.items() if key in _READ}
    if isinstance(fields := raw.get("properties"), dict):
        kept["properties"] = {name: reduced(below) for name, below in fields.items()}
    for key in ("items", "additionalProperties"):
        if isinstance(below := raw.get(key), dict):
            kept[key] = reduced(below)
    if isinstance(among := raw.get("allOf"), list):
        kept["allOf"] = [{"$ref": only["$ref"]} for only in among if "$ref" in only]
    return kept


# What the server deduces where a schema says nothing: maps are merged, lists are replaced.
UNKNOWN = Schema({"nullable": True})
_WHOLE = Schema({"nullable": True}, is_whole=True)


def schema_of(types: Types, resource: Resource) -> Schema:
    """The schema of a kind; `UNKNOWN` if the server publishes none."""
    wanted = {"group": resource.group, "version": resource.version, "kind": resource.kind}
    for name, raw in types.items():
        if wanted in (raw.get("x-kubernetes-group-version-kind") or ()):
            return Schema(raw, types, name, is_built_in=name.startswith(_BUILT_IN))
    return UNKNOWN


def _reference(raw: Mapping[str, Any]) -> str:
    """The name of the type that `raw` refers to, directly or as its only `allOf`; "" if it is inline."""
    reference = raw.get("$ref", "")
    for only in raw.get("allOf") or ():
        reference = reference or only.get("$ref", "")
    return str(reference).rpartition("/")[2]
