"""The ownership proof: "in sync", shown from managedFields alone, without asking the server.

Every object that we applied carries an entry that lists the fields we own. If the payload holds exactly
those fields, each equal to the live one, an apply would change nothing: there is nothing to take and
nothing to give up. The entry's keys (`k:{...}`, `v:...`) say how each list is merged, so no schema is
needed.

Anything short of a proof makes a suspect, which the server then judges; it is never a verdict. What the
walk can't see, admission and schemas that changed since, is the epoch's.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import orjson

from recon_action.analyze.equality import is_dropped, same, same_atomic, same_quantity
from recon_action.model import ABSENT, Body
from recon_action.model.live import FIELD_MANAGER

# The server keeps these out of managedFields.
_UNTRACKED = frozenset({"apiVersion", "kind", "metadata"})
_UNTRACKED_METADATA = frozenset({"name", "namespace"})
_NOTHING: dict[str, Any] = {}


def is_proven(payload: Body, live: Body, *, built_in: bool) -> bool:
    """Whether an apply of `payload` would leave `live` as it is, as long as the epoch is unchanged.

    Args:
        payload: what we would send.
        live: the object as stored, in the same version.
        built_in: whether the kind is Kubernetes' own, whose omitted and canonical forms are known.
    """
    metadata = live["metadata"]
    if "deletionTimestamp" in metadata or payload["apiVersion"] != live["apiVersion"]:
        return False
    entry = _own_entry(metadata.get("managedFields") or (), payload["apiVersion"])
    if entry is None:
        return False
    walk = _Walk(built_in=built_in)
    body = {key: value for key, value in payload.items() if key not in _UNTRACKED}
    own = {key: value for key, value in payload["metadata"].items() if key not in _UNTRACKED_METADATA}
    rest = {key: value for key, value in entry.items() if key != "f:metadata"}
    return walk.holds_map(entry.get("f:metadata", _NOTHING), own, metadata) and walk.holds_map(rest, body, live)


def _own_entry(entries: Sequence[dict[str, Any]], api_version: str) -> dict[str, Any] | None:
    """The fields of our one Apply entry; None if there is none, more than one, or one of another version."""
    ours = [
        entry
        for entry in entries
        if entry.get("manager") == FIELD_MANAGER and entry.get("operation") == "Apply" and not entry.get("subresource")
    ]
    if len(ours) != 1 or ours[0].get("apiVersion") != api_version:
        return None
    fields: dict[str, Any] | None = ours[0].get("fieldsV1")
    return fields


class _Walk:
    """One walk of entry, payload and live side by side."""

    def __init__(self, *, built_in: bool) -> None:
        self._built_in = built_in

    def holds_map(self, node: dict[str, Any], desired: dict[str, Any], live: Any, name: str = "") -> bool:
        """Whether a map has exactly the owned fields, each as in live."""
        if not isinstance(live, dict) or len(desired) != len(node) - ("." in node):
            return False
        for key, value in desired.items():
            below = node.get(f"f:{key}")
            if below is None:
                return False
            stored = live.get(key, ABSENT)
            if value is not stored and not self._holds(below, value, stored, key, name):
                return False
        return True

    def _holds(self, node: dict[str, Any], desired: Any, live: Any, key: str, parent: str) -> bool:
        if not node:
            return self._holds_leaf(desired, live, key, parent)
        if isinstance(desired, dict):
            return self.holds_map(node, desired, live, key)
        if isinstance(desired, list) and isinstance(live, list):
            return self._holds_list(node, desired, live, key)
        return False

    def _holds_leaf(self, desired: Any, live: Any, key: str, parent: str) -> bool:
        if type(desired) is type(live) and desired == live and not isinstance(desired, dict | list):
            return True
        if not self._built_in:
            return same(desired, live)
        if live is ABSENT:
            return is_dropped(desired)
        return same_atomic(desired, live, key) or same_quantity(desired, live, key, parent)

    def _holds_list(self, node: dict[str, Any], desired: list[Any], live: list[Any], key: str) -> bool:
        """Whether each item is owned, occurs once on either side, and comes in the same order."""
        if len(desired) != len(node) - ("." in node):
            return False
        last = -1
        owned = [(_parsed(name[2:]), name[0], below) for name, below in node.items() if name != "."]
        for item in desired:
            matches = [(fields, kind, below) for fields, kind, below in owned if _is_item(item, fields, kind, below)]
            if len(matches) != 1:
                return False
            fields, kind, below = matches[0]
            places = [index for index, other in enumerate(live) if _is_live(other, fields, kind)]
            if len(places) != 1 or places[0] <= last:
                return False
            last = places[0]
            if kind == "k" and not self._holds(below, item, live[last], "", key):
                return False
        return True


def _is_item(item: Any, fields: Any, kind: str, below: dict[str, Any]) -> bool:
    """Whether the payload's `item` is the owned one: a key field stands in Git iff the entry has it."""
    if kind == "v":
        return same(item, fields)
    if kind != "k" or not isinstance(item, dict):
        return False
    if not below:  # owned whole: the entry doesn't tell which key fields Git has
        return all(same(item.get(name, ABSENT), value) for name, value in fields.items())
    return all(
        same(item.get(name, ABSENT), value if f"f:{name}" in below else ABSENT) for name, value in fields.items()
    )


def _is_live(item: Any, fields: Any, kind: str) -> bool:
    if kind == "v":
        return same(item, fields)
    return isinstance(item, dict) and all(same(item.get(name, ABSENT), value) for name, value in fields.items())


@lru_cache(maxsize=4096)
def _parsed(text: str) -> Any:
    return orjson.loads(text)
