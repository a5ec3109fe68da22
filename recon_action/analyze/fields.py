"""FieldsV1, the server's own map of who owns which field.

Keys are `f:NAME` for a map's field, `k:{JSON}` for an item of a keyed list, `v:JSON` for an item of
a set, and `.` for the thing itself; a node without children owns everything below it. The keys also
tell how the server merges a list, so that no schema is needed for it.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from recon_action.analyze.equality import same
from recon_action.model import FieldPath, Item, ItemKey, ItemValue, ManagedEntry

Node = dict[str, Any]


def child(node: Node, item: Item) -> Node | None:
    """The node of `item` below `node`; None if `node` says nothing about it."""
    match item:
        case str():
            return node.get(f"f:{item}")
        case ItemKey():
            return next((below for key, below in node.items() if key.startswith("k:") and _names(key, item)), None)
        case ItemValue():
            return next((below for key, below in node.items() if key.startswith("v:") and _is(key, item)), None)
        case _:
            return None  # an index: an atomic list is owned whole


def below(nodes: Iterable[Node], item: Item) -> list[Node]:
    """What each of `nodes` says of `item`, of those that say anything."""
    return [found for found in (child(node, item) for node in nodes) if found is not None]


def merge_keys(nodes: Iterable[Node]) -> tuple[str, ...] | None:
    """How the list that `nodes` describe is merged.

    Returns:
        the key fields of a keyed list; () for a set; None for an atomic list, or where nothing is known.
    """
    for node in nodes:
        for key in node:
            if key.startswith("k:"):
                return tuple(orjson.loads(key[2:]))
            if key.startswith("v:"):
                return ()
    return None


def index_of(items: object, item: Item) -> int | None:
    """Where `item` is in a list; None if it isn't there, or `items` is no list.

    An item that has all the key fields comes before one that leaves some to their default.
    """
    if not isinstance(items, list):
        return None
    match item:
        case int():
            return item if item < len(items) else None
        case ItemKey():
            found = [index for index, other in enumerate(items) if item.matches(other)]
            if len(found) <= 1:
                return found[0] if found else None
            return max(found, key=lambda index: len([1 for name, _ in item.fields if name in items[index]]))
        case ItemValue():
            return next((index for index, other in enumerate(items) if same(other, item.value)), None)
        case _:
            return None


def owners(entries: Sequence[ManagedEntry], path: FieldPath, *, whole: bool = False) -> list[ManagedEntry]:
    """The entries that own the field at `path`, or something below it; the latest write first.

    `whole` leaves out those that only own something below.
    """
    owning = [entry for entry in entries if _owns(entry.fields, path, whole=whole)]
    return sorted(owning, key=lambda entry: entry.time, reverse=True)


def _owns(fields: Node, path: FieldPath, *, whole: bool) -> bool:
    node = fields
    for item in path.items:
        if not node and node is not fields:
            return True  # a leaf above: the whole of it is owned
        below = child(node, item)
        if below is None:
            return False
        node = below
    return not whole or not node


def _names(key: str, item: ItemKey) -> bool:
    fields = orjson.loads(key[2:])
    return len(fields) == len(item.fields) and all(
        name in fields and type(fields[name]) is type(value) and fields[name] == value for name, value in item.fields
    )


def _is(key: str, item: ItemValue) -> bool:
    value = orjson.loads(key[2:])
    return type(value) is type(item.value) and value == item.value
