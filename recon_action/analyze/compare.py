"""Where two forms of one object differ: what the server would store, and what it stores.

Both sides come from the server, so defaults and canonical forms cancel out; what is left is the
difference an apply would make. Lists are paired as the server merges them, which the managedFields of
either side tell.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from recon_action.analyze.equality import same
from recon_action.analyze.fields import Node, below, merge_keys
from recon_action.model import ABSENT, Body, FieldPath, ItemKey, ItemValue
from recon_action.model.inventory import PART_OF

# (path, desired, live); ABSENT where a side lacks the field.
Difference = tuple[FieldPath, Any, Any]

_BOOKKEEPING = frozenset({"managedFields", "resourceVersion", "generation", "creationTimestamp", "uid", "selfLink"})
# The server derives it from metadata.generation.
_DERIVED = frozenset({"deprecated.daemonset.template.generation"})


def compare(desired: Body, live: Body, *, status: bool) -> list[Difference]:
    """The fields in which `desired` (the prediction) and `live` differ, in the object's order.

    Args:
        desired: the server's answer to a dry run.
        live: the object as stored.
        status: whether `status` belongs to the object; False where it is a subresource.
    """
    nodes = [
        entry.get("fieldsV1") or {} for side in (live, desired) for entry in side["metadata"].get("managedFields") or ()
    ]
    return list(_walk(FieldPath(), _comparable(desired, status=status), _comparable(live, status=status), nodes))


def differing(one: Body, other: Body) -> tuple[FieldPath, ...]:
    """The fields in which two manifests of one object differ, which no server has completed or ordered."""
    return tuple(path for path, _, _ in _walk(FieldPath(), one, other, ()))


def _comparable(body: Body, *, status: bool) -> Body:
    """`body` without what is the server's or our own bookkeeping."""
    metadata = {key: value for key, value in body["metadata"].items() if key not in _BOOKKEEPING}
    for name, hidden in (("labels", {PART_OF}), ("annotations", _DERIVED)):
        if name in metadata:
            left = {key: value for key, value in (metadata[name] or {}).items() if key not in hidden}
            metadata[name] = left
            if not left:
                del metadata[name]
    kept = {key: value for key, value in body.items() if status or key != "status"}
    return kept | {"metadata": metadata}


def _walk(path: FieldPath, desired: Any, live: Any, nodes: Sequence[Node]) -> Iterator[Difference]:
    if isinstance(desired, dict) and isinstance(live, dict):
        for key in [*desired, *(key for key in live if key not in desired)]:
            left, right = desired.get(key, ABSENT), live.get(key, ABSENT)
            if left is not right:
                yield from _walk(path / key, left, right, below(nodes, key))
    elif isinstance(desired, list) and isinstance(live, list):
        yield from _walk_lists(path, desired, live, nodes)
    elif not same(desired, live):
        yield path, desired, live


def _walk_lists(path: FieldPath, desired: list[Any], live: list[Any], nodes: Sequence[Node]) -> Iterator[Difference]:
    if same(desired, live):
        return
    keys = merge_keys(nodes)
    left, right = _keyed(desired, keys), _keyed(live, keys)
    if left is None or right is None:
        # An atomic list is replaced whole; but if its items correspond, saying which differs reads better.
        if len(desired) == len(live) and all(isinstance(item, dict) for item in (*desired, *live)):
            for index, pair in enumerate(zip(desired, live, strict=True)):
                yield from _walk(path / index, *pair, ())
        else:
            yield path, desired, live
        return
    for item in [*left, *(item for item in right if item not in left)]:
        yield from _walk(path / item, left.get(item, ABSENT), right.get(item, ABSENT), below(nodes, item))
    if [item for item in left if item in right] != [item for item in right if item in left]:
        yield path, [str(item) for item in left], [str(item) for item in right]


def _keyed(items: list[Any], keys: tuple[str, ...] | None) -> dict[ItemKey | ItemValue, Any] | None:
    """`items` by what identifies them; None if that is unknown or not unique."""
    if keys is None:
        return None
    found: dict[ItemKey | ItemValue, Any] = {}
    for item in items:
        if keys and isinstance(item, dict):
            name: ItemKey | ItemValue = ItemKey(tuple((key, item[key]) for key in keys if key in item))
        elif not keys and not isinstance(item, dict | list):
            name = ItemValue(item)
        else:
            return None
        if name in found:
            return None
        found[name] = item
    return found
