"""Git's values that admission replaces: an apply "changes nothing", and yet live is not as Git says.

The server's dry run runs through mutating admission too, so its answer hides the difference. What Git
states and live states otherwise, in a value that canonical form doesn't explain, was overridden.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from recon_action.analyze.compare import Difference
from recon_action.analyze.equality import is_dropped, quantity, same
from recon_action.analyze.fields import Node, child, merge_keys
from recon_action.model import ABSENT, Body, FieldPath, Item, ItemKey, ItemValue, LiveObject

_UNTRACKED = frozenset({"apiVersion", "kind", "status"})


def overridden(payload: Body, live: LiveObject, *, built_in: bool) -> list[Difference]:
    """The leaves of `payload` that live has otherwise; what live has beside them doesn't count.

    Args:
        payload: what we send.
        live: the object that a dry run of it would leave as it is.
        built_in: whether the kind is Kubernetes' own, whose canonical forms are known.
    """
    own = live.own_entry
    desired = {key: value for key, value in payload.items() if key not in _UNTRACKED}
    return list(_walk(FieldPath(), desired, live.body, own.fields if own else {}, built_in=built_in))


def _walk(path: FieldPath, desired: Any, live: Any, node: Node, *, built_in: bool) -> Iterator[Difference]:
    if isinstance(desired, Mapping) and isinstance(live, Mapping):
        for key, value in desired.items():
            below = child(node, key) or {}
            yield from _walk(path / key, value, live.get(key, ABSENT), below, built_in=built_in)
    elif isinstance(desired, list) and isinstance(live, list):
        for item, value, stored in _pairs(desired, live, node):
            yield from _walk(path / item, value, stored, child(node, item) or {}, built_in=built_in)
    elif not _is_kept(desired, live, built_in=built_in):
        yield path, desired, live


def _is_kept(desired: object, live: object, *, built_in: bool) -> bool:
    if same(desired, live):
        return True
    if live is ABSENT:
        return is_dropped(desired)
    left, right = quantity(desired), quantity(live)
    return built_in and left is not None and left == right


def _pairs(desired: list[Any], live: list[Any], node: Node) -> Iterator[tuple[Item, Any, Any]]:
    """Items of both sides that correspond; of lists whose items can't be paired, nothing is claimed."""
    keys = merge_keys([node])
    if keys is None:
        if len(desired) == len(live):
            yield from ((index, *pair) for index, pair in enumerate(zip(desired, live, strict=True)))
        return
    for item in desired:
        if not keys:
            yield ItemValue(item), item, item if any(same(item, other) for other in live) else ABSENT
        elif isinstance(item, dict):
            key = ItemKey(tuple((name, item[name]) for name in keys if name in item))
            found = [other for other in live if isinstance(other, dict) and key.matches(other)]
            if len(found) == 1:
                yield key, item, found[0]
