"""A hidden line of what we write on GitHub: a frozen dataclass as JSON, in an HTML comment.

Pure. What is read back may have been written by anybody: it has the shape that we write, or it is not read at all.
"""

import json
import re
import typing
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

# What could end the HTML comment, or our line, early.
_ESCAPES = {"-": "\\u002d", "<": "\\u003c", ">": "\\u003e"}

_Hidden = TypeVar("_Hidden", bound="DataclassInstance")


def hide(tag: str, of: "DataclassInstance") -> str:
    """The line that holds `of`, whose fields are texts, numbers from 0 on, truth values, or tuples of these."""
    values = {field.name: getattr(of, field.name) for field in fields(of)}
    text = json.dumps(values, separators=(",", ":"))
    return f"<!-- {tag} {''.join(_ESCAPES.get(char, char) for char in text)} -->"


def reveal(tag: str, kind: type[_Hidden], line: str) -> _Hidden | None:
    """What `line` holds; None if it is no such line, or one that we would not have written."""
    found = re.fullmatch(rf"<!-- {re.escape(tag)} (\{{.*\}}) -->", line.rstrip())
    if found is None:
        return None
    try:
        values = json.loads(found[1])
    except (ValueError, RecursionError):
        return None
    known: dict[str, Any] = {}
    for field in fields(kind):  # a key of a later version is passed over
        value = values.get(field.name, field.default)
        if not _is_of(field.type, value):
            return None
        known[field.name] = tuple(value) if isinstance(value, list) else value
    return kind(**known)


def _is_of(hint: Any, value: Any) -> bool:
    if typing.get_origin(hint) is not tuple:
        return type(value) is hint
    item = typing.get_args(hint)[0]
    return isinstance(value, list | tuple) and all(type(one) is item for one in value)
