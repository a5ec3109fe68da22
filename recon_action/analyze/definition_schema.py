"""A custom resource against the schema of its CRD in the same set: for a kind that the server doesn't know as yet.

The server's rules for structural schemas, in its words as near as can be. Not checked are rules in CEL
(`x-kubernetes-validations`), most formats, admission, and patterns that `go_pattern` doesn't read.
"""

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Any

import orjson

from recon_action.analyze.definition import Definition
from recon_action.analyze.formats import has_format
from recon_action.analyze.go_pattern import is_match
from recon_action.analyze.local import applied
from recon_action.analyze.schema import Schema
from recon_action.analyze.structural import METADATA, completed, json_schema, rooted
from recon_action.model import Body, FieldPath, LiveObject, ObjectRef, Problem, Trouble

_MOST_TOLD = 20  # faults of one object
_LONGEST = 60  # characters of a value
_GROUPS = {
    "allOf": "must validate all the schemas (allOf)",
    "anyOf": "must validate at least one schema (anyOf)",
    "oneOf": "must validate one and only one schema (oneOf)",
    "not": "must not validate the schema (not)",
}
_BOUNDS = {
    "maximum": ("less than", "less than or equal to"),
    "minimum": ("greater than", "greater than or equal to"),
}
_COUNTS = {
    "maxItems": "must have at most {} items",
    "maxLength": "may not be more than {} chars long",
    "maxProperties": "must have at most {} items",
    "minItems": "should have at least {} items",
    "minLength": "should be at least {} chars long",
    "minProperties": "should have at least {} properties",
}


def refusal(ref: ObjectRef, payload: Body, definition: Definition) -> Problem | None:
    """Why the server would refuse `payload` once it has the CRD of the set; None if nothing is found."""
    found = faults(payload, definition)
    if not found:
        return None
    told = found[:_MOST_TOLD]
    if len(found) > len(told):
        told.append(f"and {len(found) - len(told)} more")
    message = f'{ref.kind}.{ref.group} "{ref.name}" is invalid by {definition.ref} in Git: {"; ".join(told)}'
    return Problem(Trouble.INVALID, message, "correct the manifest, or the schema")


def faults(payload: Body, definition: Definition) -> list[str]:
    """What is wrong with `payload`, in the order of its fields; each begins with the field's path."""
    errors = _validator(definition).iter_errors(completed(payload, rooted(definition.schema)))
    told = {text: None for error in sorted(errors, key=_place) for text in _told(error)}
    return list(told)


def foreseen(payload: Body, live: LiveObject, definition: Definition) -> Body:
    """What an apply would make of `live` once the server has the CRD of the set.

    Where a webhook converts between versions nothing but the version is foreseen.
    """
    if live.body["apiVersion"] != payload["apiVersion"] and not definition.is_convertible:
        return live.body | {"apiVersion": payload["apiVersion"]}
    fields = definition.schema.get("properties")
    schema = definition.schema | {"properties": (fields if isinstance(fields, dict) else {}) | {"metadata": METADATA}}
    return applied(payload, live, Schema(schema))


@lru_cache(maxsize=64)
def _validator(definition: Definition) -> Any:
    return _rules()(json_schema(rooted(definition.schema)))


@cache
def _rules() -> Any:
    """Validators of JSON Schema with the rules that are not JSON's."""
    from jsonschema import Draft4Validator, validators  # noqa: PLC0415 - costs more than most runs, which need none

    rules = {"format": _format, "pattern": _pattern, "unique": _unique}
    return validators.extend(Draft4Validator, rules)  # type: ignore[no-untyped-call]


def _format(_: Any, name: str, value: Any, __: Any) -> Iterator[Any]:
    if not has_format(name, value):
        yield _fault(message=f"must be of type {name}")


def _pattern(_: Any, pattern: str, text: Any, __: Any) -> Iterator[Any]:
    if isinstance(text, str) and is_match(pattern, text) is False:
        yield _fault(message=f"should match '{pattern}'")


def _unique(_: Any, keys: Sequence[str], items: Any, __: Any) -> Iterator[Any]:
    """Items that come twice, by `keys`, or by themselves if there are none."""
    seen: set[str] = set()
    for index, item in enumerate(items if isinstance(items, list) else ()):
        identity = {key: item.get(key) for key in keys} if keys and isinstance(item, dict) else item
        name = repr(identity)
        if name in seen:
            yield _fault(message="it is there already", path=[index], instance=identity)
        seen.add(name)


def _fault(**about: Any) -> Any:
    from jsonschema import ValidationError  # noqa: PLC0415 - as above

    return ValidationError(**about)


def _place(error: Any) -> tuple[str, str]:
    return str(_path(error)), str(error.validator)


def _path(error: Any, *further: str | int) -> FieldPath:
    return FieldPath((*error.absolute_path, *further))


def _told(error: Any) -> Iterator[str]:
    """One sentence for each field that is wrong."""
    rule, limit, value = error.validator, error.validator_value, error.instance
    path = str(_path(error)) or "the object"
    if rule == "required":
        yield from (f"{_path(error, name)}: Required value" for name in limit if name not in value)
    elif rule == "additionalProperties":
        known = error.schema.get("properties", {})
        yield from (f"{_path(error, key)}: field not declared in schema" for key in value if key not in known)
    elif rule == "enum":
        yield f"{path}: Unsupported value: {_shown(value)}: supported values: {', '.join(map(_shown, limit))}"
    elif rule == "unique":
        yield f"{path}: Duplicate value: {orjson.dumps(value).decode()}"
    else:
        shown = len(value) if rule in _COUNTS and isinstance(value, dict | list) else value
        yield f"{path}: Invalid value: {_shown(shown)}: {_rule(rule, limit, error)}"
        for first in error.context[:1]:  # of several schemas none of which fits
            yield from _told(first)


def _rule(rule: str, limit: Any, error: Any) -> str:
    if rule == "type":
        return f"must be of type {' or '.join(kind for kind in limit if kind != 'null')}"
    if rule in _BOUNDS:
        is_exclusive = error.schema.get(f"exclusive{rule.capitalize()}")
        return f"should be {_BOUNDS[rule][0 if is_exclusive else 1]} {limit}"
    if rule in _COUNTS:
        return _COUNTS[rule].format(limit)
    if rule == "multipleOf":
        return f"should be a multiple of {limit}"
    return _GROUPS.get(rule) or str(error.message)


def _shown(value: Any) -> str:
    """A scalar as JSON, cut where it is long; of anything else its type, as the server says it."""
    if isinstance(value, dict | list):
        return '"object"' if isinstance(value, dict) else '"array"'
    text = orjson.dumps(value).decode()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
