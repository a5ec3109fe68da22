"""Routes into an object: keys, list items by merge key, set items by value, or by index."""

import re
from dataclasses import dataclass
from typing import Any

import orjson

_PLAIN_KEY = re.compile(r"[A-Za-z_$][\w$-]*")


@dataclass(frozen=True, slots=True)
class ItemKey:
    """An item of a keyed list: the fields that identify it, as `(name, value)` in the server's order."""

    fields: tuple[tuple[str, Any], ...]

    def __str__(self) -> str:
        return "[" + ",".join(f"{name}={printed(value)}" for name, value in self.fields) + "]"

    def matches(self, item: object) -> bool:
        """Whether `item` is the one; a key field that `item` leaves to its default counts as equal."""
        return isinstance(item, dict) and all(
            name not in item or _same(item[name], value) for name, value in self.fields
        )


@dataclass(frozen=True, slots=True)
class ItemValue:
    """An item of a set: the value itself."""

    value: Any

    def __str__(self) -> str:
        return f"[={printed(self.value)}]"


# str: a map's key. int: an index into an atomic list.
Item = str | int | ItemKey | ItemValue


@dataclass(frozen=True, slots=True)
class FieldPath:
    """A route into an object; prints as `spec.template.spec.containers[name=web].image`."""

    items: tuple[Item, ...] = ()

    def __truediv__(self, item: Item) -> "FieldPath":
        return FieldPath((*self.items, item))

    def __len__(self) -> int:
        return len(self.items)

    def is_within(self, other: "FieldPath") -> bool:
        """Whether this is `other` or lies below it."""
        return self.items[: len(other.items)] == other.items

    def __str__(self) -> str:
        text = ""
        for item in self.items:
            if isinstance(item, str):
                plain = _PLAIN_KEY.fullmatch(item)
                text += (f".{item}" if text else item) if plain else f"[{orjson.dumps(item).decode()}]"
            else:
                text += f"[{item}]" if isinstance(item, int) else str(item)
        return text


def printed(value: object) -> str:
    """A scalar as a path shows it: text as it is, anything else as JSON."""
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _same(left: object, right: object) -> bool:
    return type(left) is type(right) and left == right
