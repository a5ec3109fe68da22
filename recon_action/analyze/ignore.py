"""Which fields of an object recon.yaml leaves alone, named as the server names them.

What is done about them is `leave`'s business.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from recon_action.analyze.fields import Node, below, index_of, merge_keys
from recon_action.analyze.fieldset import item_of
from recon_action.model import ABSENT, Body, FieldPath, IgnoreRule, Item, ItemKey, ItemValue, LiveObject, ObjectRef
from recon_action.model.pattern import FieldPattern, KeyStep, Route, Step, ValueStep

Ignored = Mapping[FieldPath, str]  # with the reason


def rules_of(ref: ObjectRef, rules: Sequence[IgnoreRule]) -> tuple[IgnoreRule, ...]:
    """The rules that are about `ref`."""
    return tuple(rule for rule in rules if rule.match.has(ref))


def ignored_fields(rules: Sequence[IgnoreRule], desired: Body, live: LiveObject) -> dict[FieldPath, str]:
    """The fields that `rules` mean in Git's form or in the live one, each with its rule's reason.

    Args:
        rules: about this object.
        desired: what Git says.
        live: the object as stored.
    """
    nodes = [entry.fields for entry in live.entries]
    found: dict[FieldPath, str] = {}
    for rule in rules:
        for pattern in rule.patterns:
            for body in (live.body, desired):
                for route in pattern.routes(body):
                    found.setdefault(_placed(route, pattern, body, live.body, nodes), rule.reason)
        for path in _owned(rule.managers, live):
            found.setdefault(path, rule.reason)
    return found


def is_ignored(path: FieldPath, ignored: Container[FieldPath]) -> bool:
    """Whether the field at `path` is one of `ignored`, or lies below one."""
    return any(FieldPath(path.items[:length]) in ignored for length in range(1, len(path) + 1))


def _placed(route: Route, pattern: FieldPattern, body: Any, live: Any, nodes: Sequence[Node]) -> FieldPath:
    """The way `route` into `body`, with the items of lists named as the server names them."""
    items: list[Item] = []
    for at, step in zip(route, pattern.steps, strict=True):
        if isinstance(at, str):
            item: Item = at
            live = live.get(at, ABSENT) if isinstance(live, dict) else ABSENT
        else:
            item = _item(body[at], step, at, live, merge_keys(nodes))
            there = index_of(live, item)
            live = ABSENT if there is None else live[there]
        body = body[at]
        nodes = below(nodes, item)
        items.append(item)
    return FieldPath(tuple(items))


def _item(value: Any, step: Step, index: int, live: Any, keys: tuple[str, ...] | None) -> Item:
    """The name of an item: by the merge keys, or, in a list that is replaced whole, as the pattern has it."""
    if keys and isinstance(value, dict):
        name = ItemKey(tuple((key, value[key]) for key in keys if key in value))
        there = index_of(live, name)
        # Live has the key fields that Git leaves to their defaults.
        return name if there is None else ItemKey(tuple((key, live[there][key]) for key in keys if key in live[there]))
    if keys == () or (keys is None and isinstance(step, ValueStep)):
        return ItemValue(value)
    if isinstance(step, KeyStep):
        return ItemKey(tuple((name, value[name]) for name, _ in step.fields))
    return index


def _owned(managers: Sequence[str], live: LiveObject) -> Iterator[FieldPath]:
    """The fields that others own whose manager's name fits one of the globs."""
    for entry in live.entries:
        if not entry.is_ours and any(fnmatchcase(entry.manager, glob) for glob in managers):
            yield from _leaves(FieldPath(), entry.fields)


def _leaves(path: FieldPath, node: Node) -> Iterator[FieldPath]:
    """The fields of a set down to the last; an item's key fields name it and are none of it."""
    keys = [name for name, _ in path.items[-1].fields] if path.items and isinstance(path.items[-1], ItemKey) else []
    for key, inner in node.items():
        if key == "." or (key[:2] == "f:" and key[2:] in keys):
            continue
        at = path / item_of(key)
        if inner.keys() - {"."}:
            yield from _leaves(at, inner)
        elif key[:2] == "f:" or not inner:
            yield at
