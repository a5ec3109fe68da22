"""Which fields an apply of a value owns, as the server writes them down: FieldsV1.

The other way round, what FieldsV1 says, is `fields`.
"""

from typing import Any

import orjson

from recon_action.analyze.fields import Node
from recon_action.analyze.schema import Schema
from recon_action.model import ABSENT, Body, ItemKey, ItemValue

# The server keeps these out.
_UNTRACKED = frozenset({"apiVersion", "kind"})
_UNTRACKED_METADATA = frozenset({"name", "namespace"})
# Go's JSON writes these so.
_ESCAPED = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def owned_fields(payload: Body, schema: Schema) -> Node:
    """The fields of the entry that an apply of `payload` leaves behind."""
    metadata = {key: value for key, value in payload["metadata"].items() if key not in _UNTRACKED_METADATA}
    body = {key: value for key, value in payload.items() if key not in _UNTRACKED}
    return _fields(schema, body | {"metadata": metadata})


def item_key(schema: Schema, item: Any) -> ItemKey | ItemValue:
    """What identifies an item of the list that `schema` describes; a key that it leaves out has its default."""
    if not schema.keys or not isinstance(item, dict):
        return ItemValue(_as_key(item))
    names = sorted(schema.keys)
    values = {name: item.get(name, schema.item.field(name).default) for name in names}
    return ItemKey(tuple((name, _as_key(value)) for name, value in values.items() if value is not ABSENT))


def _fields(schema: Schema, value: Any) -> Node:
    node: Node = {}
    if isinstance(value, dict) and not schema.is_atomic_map:
        for key, held in value.items():
            below = _fields(schema.field(key), held)
            is_own_key = key not in schema.declared
            if _is_tracked(schema.field(key), held) or is_own_key:
                node[f"f:{key}"] = {".": {}, **below} if below and is_own_key else below
    elif isinstance(value, list) and schema.keys is not None:
        for item in value:
            below = _fields(schema.item, item)
            node[_name(item_key(schema, item))] = {".": {}, **below} if below else {}
    return node


def _as_key(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _is_tracked(schema: Schema, value: Any) -> bool:
    """An empty list that is merged has no items that could be owned, and is no leaf itself."""
    return value != [] or not isinstance(value, list) or schema.keys is None


def _name(key: ItemKey | ItemValue) -> str:
    kind, value = ("k", dict(key.fields)) if isinstance(key, ItemKey) else ("v", key.value)
    return f"{kind}:{orjson.dumps(value).decode().translate(_ESCAPED)}"
