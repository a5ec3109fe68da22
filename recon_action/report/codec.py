"""The report as JSON and back; `docs/report.schema.json` describes the result.

Keys are the fields of `document` in camelCase, all of them, in their order. Only `desired` and `live`
of a change are left out where there is no value to show: absent, or redacted, is not null. A report
may come from an untrusted run, so reading checks every type. What a report says may not live here.
"""

import types
import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any

import orjson

from recon_action.errors import ExitCode, UsageError
from recon_action.model import Severity
from recon_action.report.document import SCHEMA, Change, Counts, Report
from recon_action.report.escape import inert_json

_HINT = "render it with the recon-action version that wrote it, or a newer one"


def to_json(report: Report) -> str:
    """The report as versioned JSON, indented, with a newline at its end."""
    document = {"schema": SCHEMA, **_encode(report)}
    text = orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()
    return inert_json(text)


def from_json(text: str) -> Report:
    """The report that `to_json` wrote.

    Raises:
        UsageError: it is no JSON, no report, or of a version that is not known here.
    """
    try:
        document = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise UsageError(f"the report is not valid JSON: {error}", hint="give a file of -o json") from error
    schema = document.pop("schema", None) if isinstance(document, dict) else None
    if schema != SCHEMA:
        if isinstance(schema, str) and schema.startswith("recon-action/report/"):
            raise UsageError(f"the report has schema {schema!r}; this is {SCHEMA!r}", hint=_HINT)
        raise UsageError("the file is no report of recon-action", hint="give a file of -o json")
    report: Report = _decode(Report, document, "report")
    return report


def camel(name: str) -> str:
    """The JSON key of a field."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _encode(value: Any) -> Any:
    if is_dataclass(value):
        names = {field.name for field in fields(value)}
        if isinstance(value, Change):
            hidden = {"desired": not value.has_desired, "live": not value.has_live}
            names -= {name for name, absent in hidden.items() if absent or value.redacted}
        document = {
            camel(field.name): _encode(getattr(value, field.name)) for field in fields(value) if field.name in names
        }
        return document | {"total": value.total} if isinstance(value, Counts) else document
    if isinstance(value, tuple):
        return [_encode(item) for item in value]
    if isinstance(value, Severity):
        return value.name.lower()
    return value.value if isinstance(value, Enum) else value


def _decode(hint: Any, value: Any, where: str) -> Any:
    """`value` as the type `hint`; `where` names it in errors."""
    if hint is Any:
        return value
    if typing.get_origin(hint) in {types.UnionType, typing.Union}:
        inner = next(kind for kind in typing.get_args(hint) if kind is not types.NoneType)
        return None if value is None else _decode(inner, value, where)
    if typing.get_origin(hint) is tuple:
        item = typing.get_args(hint)[0]
        items = _expect(list, value, where)
        return tuple(_decode(item, part, f"{where}[{index}]") for index, part in enumerate(items))
    if is_dataclass(hint):
        return _decode_fields(hint, _expect(dict, value, where), where)
    if issubclass(hint, Enum):
        return _decode_word(hint, value, where)
    return float(_expect((int, float), value, where)) if hint is float else _expect(hint, value, where)


def _decode_fields(kind: Any, document: Mapping[str, Any], where: str) -> Any:
    hints = {camel(name): (name, hint) for name, hint in _hints(kind).items()}
    known = {*hints, "total"} if kind is Counts else set(hints)
    optional = {"desired", "live"} if kind is Change else set()
    if unknown := sorted(document.keys() - known):
        raise UsageError(f"{where} has an unknown key: {unknown[0]!r}", hint=_HINT)
    if missing := sorted(hints.keys() - document.keys() - optional):
        raise UsageError(f"{where} lacks the key {missing[0]!r}", hint=_HINT)
    given = {
        name: _decode(hint, document[key], f"{where}.{key}") for key, (name, hint) in hints.items() if key in document
    }
    return kind(**given)


def _decode_word(kind: type[Enum], value: Any, where: str) -> Enum:
    by_value: dict[Any, Enum] = {member.value: member for member in kind}
    if kind is Severity:
        by_value = {member.name.lower(): member for member in kind}
    expected = int if issubclass(kind, ExitCode) else str
    member = by_value.get(_expect(expected, value, where))
    if member is None:
        raise UsageError(f"{where} has the unknown value {value!r}", hint=_HINT)
    return member


def _expect(kind: Any, value: Any, where: str) -> Any:
    is_odd_bool = isinstance(value, bool) and kind is not bool
    if is_odd_bool or not isinstance(value, kind):
        raise UsageError(f"{where} has the wrong type: {type(value).__name__}", hint=_HINT)
    return value


@cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)
