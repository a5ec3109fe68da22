"""Git's values that admission replaces: an apply "changes nothing", and yet live is not as Git says.

The server's dry run runs through mutating admission too, so its answer hides the difference. What Git
states and live states otherwise, in a value that canonical form doesn't explain, was overridden.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from recon_action.analyze.compare import Difference
from recon_action.analyze.equality import is_dropped, quantity, same
from recon_action.analyze.fields import Node, below, merge_keys
from recon_action.model import ABSENT, Body, FieldPath, ItemKey, ItemValue, LiveObject
from recon_action.model.inventory import PART_OF

_UNTRACKED = frozenset({"apiVersion", "kind", "status"})


def overridden(payload: Body, live: LiveObject, *, built_in: bool) -> list[Difference]:
    """The leaves of `payload` that live has otherwise; what live has beside them doesn't count.

    Args:
        payload: what we send.
        live: the object that a dry run of it would leave as it is.
        built_in: whether the kind is Kubernetes' own, whose canonical forms are known.
    """
    metadata = payload["metadata"]
    # Our own label is bookkeeping, which an object that we never applied lacks.
    labels = {key: value for key, value in (metadata.get("labels") or {}).items() if key != PART_OF}
    desired = {key: value for key, value in payload.items() if key not in _UNTRACKED}
    desired["metadata"] = metadata | {"labels": labels}
    nodes = [entry.fields for entry in live.entries]
    return list(_walk(FieldPath(), desired, live.body, nodes, built_in=built_in))


def _walk(path: FieldPath, desired: Any, live: Any, nodes: Sequence[Node], *, built_in: bool) -> Iterator[Difference]:
    if isinstance(desired, Mapping) and isinstance(live, Mapping):
        for key, value in desired.items():
            yield from _walk(path / key, value, live.get(key, ABSENT), below(nodes, key), built_in=built_in)
    elif isinstance(desired, list) and isinstance(live, list):
        yield from _walk_lists(path, desired, live, nodes, built_in=built_in)
    elif not _is_kept(desired, live, built_in=built_in):
        yield path, desired, live


def _is_kept(desired: object, live: object, *, built_in: bool) -> bool:
    if desired is None or same(desired, live):  # null leaves the value to the server
        return True
    if live is ABSENT or live is None:
        return is_dropped(desired)
    left, right = quantity(desired), quantity(live)
    return built_in and left is not None and left == right


def _walk_lists(
    path: FieldPath, desired: list[Any], live: list[Any], nodes: Sequence[Node], *, built_in: bool
) -> Iterator[Difference]:
    """Item by item where they are known to correspond; else the whole list, if live lacks one of Git's."""
    keys = merge_keys(nodes)
    if keys is None and len(desired) == len(live):
        for index, (item, stored) in enumerate(zip(desired, live, strict=True)):
            yield from _walk(path / index, item, stored, (), built_in=built_in)
    elif not keys:
        lacking = [item for item in desired if not any(_is_within(item, other, built_in=built_in) for other in live)]
        if keys is None and lacking:
            yield path, desired, live
        elif keys is not None:
            yield from ((path / ItemValue(item), item, ABSENT) for item in lacking)
    else:
        for item in desired:
            name, stored = _partner(item, live, keys)
            if name is not None:
                yield from _walk(path / name, item, stored, below(nodes, name), built_in=built_in)


def _is_within(item: Any, stored: Any, *, built_in: bool) -> bool:
    return next(_walk(FieldPath(), item, stored, (), built_in=built_in), None) is None


def _partner(item: Any, live: list[Any], keys: tuple[str, ...]) -> tuple[ItemKey | None, Any]:
    """The live item of the same keys, and its name; no name if there are several, or `item` has none."""
    if not isinstance(item, dict):
        return None, ABSENT
    name = ItemKey(tuple((key, item[key]) for key in keys if key in item))
    found = [other for other in live if isinstance(other, dict) and name.matches(other)]
    if not found:
        return name, ABSENT
    full = ItemKey(tuple((key, found[0][key]) for key in keys if key in found[0]))
    return (full if len(found) == 1 else None), found[0]
