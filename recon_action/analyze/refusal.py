"""A server's refusal, taken apart: of which field it says what.

The words are the server's, in one line; what they mean for a run is decided elsewhere.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, Final

from recon_action.model import FieldPath
from recon_action.model.path import Item, ItemKey, ItemValue

_FIELD: Final = r"\.?[A-Za-z_$][\w$-]*(?:\.[\w$-]+|\[(?:\"(?:[^\"\\]|\\.)*\"|[^\"\]])*\])*"
_NONE: Final = "<nil>"  # a rule that speaks of the object as a whole
_KINDS_OF_FAULT: Final = (
    r"(?:Invalid|Required|Unsupported|Duplicate) value|Forbidden|Not found|Too (?:long|many|few|short)|Internal error"
)
# `Deployment.apps "web" is invalid: spec.replicas: Invalid value: -1: must be …; spec.x: Required value`
_INVALID = re.compile(rf"(?:^|(?<= is invalid: )|; )(?P<field><nil>|{_FIELD}): (?={_KINDS_OF_FAULT})")
# `….spec.replcas: field not declared in schema`, `….spec.replicas: expected numeric (int or float), got string`
_TYPED = re.compile(
    rf"(?<![\w\]])(?P<field>\.{_FIELD[3:]}): (?P<told>field not declared in schema|expected .*?)(?= \.|$)"
)
_WRAPPED = re.compile(r"&value\.valueUnstructured\{Value:(.*)\}")  # Go's way to print what is no text
_STRICT = re.compile(r'(?P<told>(?:unknown|duplicate) field) "(?P<field>[^"]+)"')
# `json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32`
_DECODED = re.compile(
    r"(?P<told>cannot unmarshal .*?) into Go struct field \w+\.(?P<field>[\w.-]+)(?P<type> of type \S+)?"
)
_STEP = re.compile(r"\.?(?P<key>[A-Za-z_$][\w$-]*|(?<=\.)[\w$-]+)|\[(?P<item>(?:\"(?:[^\"\\]|\\.)*\"|[^\"\]])*)\]")


@dataclass(frozen=True, slots=True)
class Told:
    """One thing that a server has against an object.

    Args:
        path: the field; the whole object if it names none.
        text: what, with the field in front, if there is one.
    """

    path: FieldPath
    text: str


def taken_apart(message: str) -> list[Told]:
    """What `message` says of each field; all of it of the whole object, where it names none."""
    starts = list(_INVALID.finditer(message))
    if starts:
        ends = [start.start() for start in starts[1:]] + [len(message)]
        parts = [(start["field"], message[start.end() : end]) for start, end in zip(starts, ends, strict=True)]
    elif found := list(_TYPED.finditer(message)) or list(_STRICT.finditer(message)):
        parts = [(one["field"], _WRAPPED.sub(r"\g<1>", one["told"])) for one in found]
    elif decoded := _DECODED.search(message):
        parts = [(decoded["field"], decoded["told"] + (decoded["type"] or ""))]
    else:
        return [Told(FieldPath(), message)]
    told = ((field_path(field) if field != _NONE else FieldPath(), text) for field, text in parts)
    return list(dict.fromkeys(Told(path, f"{path}: {text}" if path.items else text) for path, text in told))


def field_path(text: str) -> FieldPath:
    """A field as the API server writes it: `spec.ports[0].name`, `.spec.containers[name="web"].image`, `data[a.b]`."""
    return FieldPath(tuple(step["key"] or _item(step["item"]) for step in _STEP.finditer(text)))


def _item(text: str) -> Item:
    if text.isdecimal():
        return int(text)
    if text.startswith("="):
        return ItemValue(_value(text[1:]))
    fields = re.findall(r"([A-Za-z][\w.-]*)=(\"(?:[^\"\\]|\\.)*\"|[^,]*)", text)
    if fields and ",".join(f"{name}={value}" for name, value in fields) == text:
        return ItemKey(tuple((name, _value(value)) for name, value in fields))
    value = _value(text)
    return value if isinstance(value, str) else text


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
