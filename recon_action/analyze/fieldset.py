"""The algebra of FieldsV1: sets of fields, in the server's own form.

Of two sets, what is in either, in both, in one alone; the set of some paths; and what of a set a manifest
does not mention. As in managedFields, `{}` below a key is the field itself, `.` is the field itself beside
some of what it holds, and an empty set is `{}` at the top. Which set is whose may not be known here.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

import orjson

from recon_action.analyze.equality import same
from recon_action.analyze.fields import Node, child
from recon_action.model import ABSENT, FieldPath, Item, ItemKey, ItemValue

_ITSELF: Node = {".": {}}
_ROOT = FieldPath()
# A list's key field that Git may leave out; of others a manifest's item is taken for any that fits.
_KEY_DEFAULTS = {"protocol": "TCP"}


def union(*nodes: Node) -> Node:
    """The fields that any of `nodes` has."""
    merged: Node = {}
    for node in nodes:
        for key, below in node.items():
            name = _canonical(key)
            known = merged.get(name)
            merged[name] = below if known is None or name == "." else _close(union(_open(known), _open(below)))
    return merged


def difference(node: Node, cover: Node) -> Node:
    """The fields of `node` outside of `cover`; a leaf of `cover` covers whatever lies below it as well."""
    over = {_canonical(key): below for key, below in cover.items()}
    left: Node = {}
    for key, below in node.items():
        covered = over.get(_canonical(key))
        if covered is None:
            left[key] = below
        elif covered and (rest := difference(_open(below), covered)):
            left[key] = _close(rest)
    return left


def intersection(node: Node, cover: Node) -> Node:
    """The fields of `node` inside of `cover`; a leaf of `cover` covers whatever lies below it as well."""
    over = {_canonical(key): below for key, below in cover.items()}
    inside: Node = {}
    for key, below in node.items():
        covered = over.get(_canonical(key))
        if covered is None:
            continue
        if not covered:
            inside[key] = below
        elif common := intersection(_open(below), covered):
            inside[key] = _close(common)
    return inside


def of_paths(paths: Iterable[FieldPath]) -> Node:
    """The set whose leaves are `paths`; one that lies below another adds nothing.

    An index leads into a list that is owned whole: it stands for that list.
    """
    whole: Node = {}
    for path in paths:
        keys = _keys(path)
        node = whole
        for depth, key in enumerate(keys):
            if node.get(key) == {}:
                break  # covered by a path above
            if depth == len(keys) - 1:
                node[key] = {}
            else:
                node = node.setdefault(key, {})
    return whole


def leaves(node: Node, path: FieldPath = _ROOT) -> Iterator[tuple[FieldPath, Node]]:
    """What a person would call the fields of a set, each with its node: values of maps, and items of lists whole.

    `path` is where the set lies.
    """
    for key, below in node.items():
        if key == ".":
            continue
        at = path / item_of(key)
        if key.startswith("f:") and below.keys() - _ITSELF.keys():
            yield from leaves(below, at)
        else:
            yield at, below


def unmentioned(node: Node, body: Any, path: FieldPath = _ROOT) -> Iterator[tuple[FieldPath, Node]]:
    """The topmost fields of `node` that a manifest's `body` does not have, each with its node.

    An item of a keyed list is in the manifest even if it leaves a key field to its default.
    """
    for key, below in node.items():
        if key == ".":
            continue
        at = path / item_of(key)
        value = _found(key, body)
        if value is ABSENT:
            yield at, below
        else:
            keys = _parsed(key[2:]) if key.startswith("k:") else ()
            yield from unmentioned({name: inner for name, inner in below.items() if name[2:] not in keys}, value, at)


def placed(path: FieldPath, node: Node) -> Node:
    """The set that has `node` at `path`."""
    for key in reversed(_keys(path)):
        node = {key: node}
    return node


def node_at(node: Node, path: FieldPath) -> Node | None:
    """What `node` says of the field at `path`: `{}` if it has it whole, None if it has nothing of it."""
    for item in path.items:
        below = child(node, item)
        if not below:
            return below
        node = below
    return node


def item_of(key: str) -> Item:
    """The step of a path that a FieldsV1 key stands for."""
    kind, text = key[:2], key[2:]
    if kind == "k:":
        return ItemKey(tuple(_parsed(text).items()))
    return ItemValue(_parsed(text)) if kind == "v:" else text


def key_of(item: str | ItemKey | ItemValue) -> str:
    """The FieldsV1 key of a step."""
    match item:
        case ItemKey():
            return "k:" + _dumped(dict(item.fields))
        case ItemValue():
            return "v:" + _dumped(item.value)
        case _:
            return f"f:{item}"


def _found(key: str, body: Any) -> Any:
    """What a manifest has at `key`; ABSENT if nothing."""
    kind, text = key[:2], key[2:]
    if kind == "f:":
        return body.get(text, ABSENT) if isinstance(body, dict) else ABSENT
    items = body if isinstance(body, list) else ()
    fields = _parsed(text)
    if kind == "v:":
        return next((item for item in items if same(item, fields)), ABSENT)
    return next((item for item in items if _is_item(item, fields)), ABSENT)


def _is_item(item: Any, fields: dict[str, Any]) -> bool:
    return isinstance(item, dict) and all(
        same(item[name], value) if name in item else value == _KEY_DEFAULTS.get(name, value)
        for name, value in fields.items()
    )


def _keys(path: FieldPath) -> list[str]:
    keys = []
    for item in path.items:
        if isinstance(item, int):
            break
        keys.append(key_of(item))
    return keys


def _open(node: Node) -> Node:
    """A node inside of a set, as a set of its own that says whether it has the field itself."""
    return node or _ITSELF


def _close(node: Node) -> Node:
    return {} if node == _ITSELF else node


@lru_cache(maxsize=4096)
def _canonical(key: str) -> str:
    """One spelling for the keys that mean the same item, whoever wrote the JSON in them."""
    return key[:2] + _dumped(_parsed(key[2:])) if key[:2] in {"k:", "v:"} else key


@lru_cache(maxsize=4096)
def _parsed(text: str) -> Any:
    return orjson.loads(text)


def _dumped(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
