"""Patterns of fields, as people write them in recon.yaml, and what they mean in an object.

A pattern is a field path as reports print it (`spec.template.spec.containers[name=web].image`), in which
`[*]` stands for any item or key, or a JSON pointer (`/spec/template/spec/containers/0/image`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

import orjson

from recon_action.model.path import FieldPath, Item, ItemKey, ItemValue, printed

Route = tuple[str | int, ...]  # keys of maps, indexes of lists: a way into one concrete object

_KEY = re.compile(r"[A-Za-z_$][\w$-]*")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_FIELDS = re.compile(r'([A-Za-z_$][\w$./-]*)=("(?:[^"\\]|\\.)*"|[^,\]"]*)(,?)')


class Wildcard(Enum):
    """Any item of a list, any key of a map."""

    ANY = "[*]"


ANY: Final = Wildcard.ANY


@dataclass(frozen=True, slots=True)
class KeyStep:
    """An item with these fields: `[containerPort=80,protocol=TCP]`; values as a report prints them."""

    fields: tuple[tuple[str, str], ...]

    def fits(self, item: object) -> bool:
        """Whether `item` has these fields."""
        return isinstance(item, dict) and all(
            name in item and printed(item[name]) == text for name, text in self.fields
        )


@dataclass(frozen=True, slots=True)
class ValueStep:
    """An item of a list of plain values: `[=value]`."""

    text: str

    def fits(self, item: object) -> bool:
        """Whether `item` is the value."""
        return not isinstance(item, dict | list) and printed(item) == self.text


# str: a map's key, or in a JSON pointer an item's index.
Step = str | int | KeyStep | ValueStep | Wildcard


@dataclass(frozen=True, slots=True)
class FieldPattern:
    """Some fields of an object: `text` as it was written, and what it means."""

    text: str
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return self.text

    def routes(self, body: object) -> Iterator[Route]:
        """The ways to the fields of `body` that the pattern means; only to such as are there."""
        return _routes(self.steps, body, ())

    def covers(self, path: FieldPath) -> bool:
        """Whether the field at `path` is meant, or lies below one that is.

        Where a path and the pattern name an item in two ways, which only the object could settle, it is.
        """
        return len(path) >= len(self.steps) and all(map(_may_be, self.steps, path.items))

    def below(self, path: FieldPath) -> "FieldPattern | None":
        """What the pattern means in the value that stands at `path`; None if nothing there is meant."""
        if len(path) >= len(self.steps) or not all(map(_may_be, self.steps, path.items)):
            return None
        return FieldPattern(self.text, self.steps[len(path) :])


def parse_pointer(text: str) -> FieldPattern:
    """A JSON pointer (RFC 6901); ValueError says what is wrong with it."""
    if not text.startswith("/"):
        raise ValueError("a JSON pointer begins with /")
    if re.search(r"~(?![01])", text):
        raise ValueError("in a JSON pointer ~ is written ~0 and / is written ~1")
    return _checked(text, tuple(part.replace("~1", "/").replace("~0", "~") for part in text[1:].split("/")))


def parse_field(text: str) -> FieldPattern:
    """A field path; ValueError says what is wrong with it."""
    steps: list[Step] = []
    at = 0
    while at < len(text):
        if text[at] == "[":
            step, at = _bracket(text, at + 1)
        else:
            if steps and text[at] != ".":
                raise _unread(text, at)
            found = _KEY.match(text, at + bool(steps))
            if found is None:
                raise _unread(text, at)
            step, at = found[0], found.end()
        steps.append(step)
    return _checked(text, tuple(steps))


def _bracket(text: str, at: int) -> tuple[Step, int]:
    """The step in brackets that opened just before `at`, and where it ends."""
    if quoted := _QUOTED.match(text, at):
        step: Step = str(orjson.loads(quoted[0]))
        at = quoted.end()
    else:
        end = text.find("]", at)
        inside = text[at : max(end, at)]
        if inside == "*":
            step, at = ANY, end
        elif inside.isdecimal():
            step, at = int(inside), end
        elif inside.startswith("="):
            step, at = ValueStep(inside[1:]), end
        else:
            step, at = _fields(text, at)
    if text[at : at + 1] != "]":
        raise _unread(text, at)
    return step, at + 1


def _fields(text: str, at: int) -> tuple[KeyStep, int]:
    fields: list[tuple[str, str]] = []
    more = True
    while more:
        found = _FIELDS.match(text, at)
        if found is None:
            raise _unread(text, at)
        value = str(orjson.loads(found[2])) if found[2].startswith('"') else found[2]
        fields.append((found[1], value))
        at, more = found.end(), bool(found[3])
    return KeyStep(tuple(fields)), at


def _unread(text: str, at: int) -> ValueError:
    hint = 'write keys with other characters as in metadata.annotations["example.com/name"]'
    return ValueError(f"{text!r} can't be read from character {at + 1} on; {hint}")


_IDENTITY = {("apiVersion",), ("kind",), ("metadata",), ("metadata", "name"), ("metadata", "namespace")}


def _checked(text: str, steps: tuple[Step, ...]) -> FieldPattern:
    if not steps or not isinstance(steps[0], str) or steps in _IDENTITY or steps == ("metadata", ANY):
        raise ValueError(f"{text!r} would take the object's identity with it; name a field of it")
    return FieldPattern(text, steps)


def _routes(steps: tuple[Step, ...], value: object, route: Route) -> Iterator[Route]:
    while steps and isinstance(value, dict) and isinstance(step := steps[0], str):  # most of the way, and fast
        if step not in value:
            return
        steps, value, route = steps[1:], value[step], (*route, step)
    if not steps:
        yield route
        return
    for at, below in _children(steps[0], value):
        yield from _routes(steps[1:], below, (*route, at))


def _children(step: Step, value: object) -> Iterator[tuple[str | int, Any]]:
    if isinstance(value, dict):
        yield from value.items() if step is ANY else ()
    elif isinstance(value, list):
        yield from ((index, item) for index, item in enumerate(value) if _is_item(step, index, item))


def _is_item(step: Step, index: int, item: object) -> bool:
    match step:
        case str():
            return step == str(index)
        case int():
            return step == index
        case KeyStep() | ValueStep():
            return step.fits(item)
        case _:
            return True


def _may_be(step: Step, item: Item) -> bool:
    """Whether the step can mean the item, as far as its name tells."""
    match step, item:
        case str() | int(), str() | int():
            return str(step) == str(item) and (isinstance(step, str) or isinstance(item, int))
        case str() | int(), ItemKey() | ItemValue():
            return str(step).isdecimal()
        case KeyStep(), ItemKey():
            known = dict(item.fields)
            return all(name not in known or printed(known[name]) == text for name, text in step.fields)
        case ValueStep(), ItemValue():
            return step.fits(item.value)
        case _:
            return step is ANY or isinstance(item, int)
