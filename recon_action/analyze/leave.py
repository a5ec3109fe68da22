"""How fields are left to others: out of the payload, out of our ownership, with their live value kept.

A field that is merged leaves the payload; if we own it, it must be disowned first, or the server would reset
it. Inside a list or map that is replaced whole, the live value goes into the payload instead. Which fields
these are is decided elsewhere (`ignore`, `autoscale`, `contest`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from recon_action.analyze.compare import Difference
from recon_action.analyze.equality import is_dropped, same, same_atomic, same_quantity
from recon_action.analyze.fields import Node, below, index_of
from recon_action.analyze.fieldset import intersection, node_at, placed, union, unmentioned
from recon_action.analyze.ignore import Ignored
from recon_action.analyze.payload import labelled
from recon_action.analyze.value import value_at
from recon_action.model import ABSENT, Body, FieldPath, Item, ItemKey, LiveObject, ManagedEntry
from recon_action.model.inventory import PART_OF

_OWN = ("f:", "k:", "v:")
_NONE: Ignored = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Left:
    """An object, some of whose fields are left to others.

    Args:
        payload: what an apply makes sure of, once `disown` is done.
        asked: what a dry run sends before that: it holds the live values of what is to be disowned.
        kept: the payload with the live value of all that is left to others: what they have done is no claim on Git.
        disown: fields that the payload no longer has and that must not be, or become, ours.
        is_owned: whether some of them are ours now.
        uid: of the object that keeps its values; another of its name would begin without them.
        version: the resourceVersion that live values in the payload are of; "" if there are none.
        fields: what is left to others.
        hidden: of what rules ignore, the fields in which Git and live differ, each with its rule's reason.
        scaled: of what autoscalers own, the fields that Git has as well, or that were ours.
        contested: what something else keeps setting back, with Git's value and the live one.
        spared: contested fields as others hold them: they are theirs for as long as they are contested.
        reasons: why each contested field is left alone.
    """

    payload: Body = field(repr=False)
    asked: Body = field(repr=False)
    kept: Body = field(repr=False)
    disown: Node = field(repr=False)
    is_owned: bool
    uid: str
    version: str
    fields: frozenset[FieldPath]
    hidden: Ignored = field(default_factory=dict)
    scaled: tuple[FieldPath, ...] = ()
    contested: tuple[Difference, ...] = ()
    spared: Node = field(default_factory=dict, repr=False)
    reasons: Ignored = field(default_factory=dict)

    @property
    def sent(self) -> Body:
        """The payload as it is sent: a conflict, if the object is gone, or a live value in it has become stale."""
        guards = {"uid": self.uid} | ({"resourceVersion": self.version} if self.version else {})
        return self.payload | {"metadata": self.payload["metadata"] | guards}


def leave(
    payload: Body, live: LiveObject, ignored: Ignored, scaled: Ignored, contested: Ignored = _NONE, *, built_in: bool
) -> Left:
    """Leave fields to others; all of them are named as the server names them.

    Args:
        payload: what we would send otherwise, our label included.
        live: the object as stored.
        ignored: what rules ignore.
        scaled: what autoscalers own; not told of as ignored.
        contested: what something else keeps setting back, which differs; nothing of the others.
        built_in: whether the kind is Kubernetes' own.
    """
    paths = _outermost([*ignored, *scaled, *contested], live.body)
    fought = [path for path in paths if path in contested]
    nodes = [entry.fields for entry in live.entries]
    own = live.own_entry.fields if live.own_entry else {}
    leaving = _Leaving()
    sent: Any = payload
    asked: Any = payload
    kept: Any = payload
    hidden = {}
    for path in paths:
        owned = _is_owned(own, path)
        sent = leaving.out(sent, live.body, path.items, nodes)
        kept = leaving.over(kept, live.body, path.items)
        if owned:
            asked = leaving.over(asked, live.body, path.items)
        else:
            asked = leaving.out(asked, live.body, path.items, nodes)
        if path in ignored and path not in scaled and differs(path, payload, live.body, owned=owned, built_in=built_in):
            hidden[path] = ignored[path]
    applyset = payload["metadata"]["labels"][PART_OF]  # stays ours, even where all labels are left to others
    sent = labelled(sent, applyset)
    ours = [live.own_entry] if live.own_entry else []
    others = [entry for entry in live.entries if not entry.subresource and not entry.is_ours]
    peaceful = [path for path in paths if path not in fought]
    disown = union(_gone(peaceful, [*ours, *others], sent), _gone(fought, ours, sent))
    return Left(
        payload=sent,
        asked=labelled(asked, applyset),
        kept=labelled(kept, applyset),
        disown=disown,
        is_owned=bool(intersection(own, disown)),
        uid=live.uid,
        version=live.resource_version if leaving.copied else "",
        fields=frozenset(paths),
        hidden=hidden,
        scaled=tuple(path for path in scaled if value_at(payload, path) is not ABSENT or _is_owned(own, path)),
        contested=tuple((path, value_at(payload, path), value_at(live.body, path)) for path in fought),
        spared=_gone(fought, others, sent),
        reasons={path: contested[path] for path in fought},
    )


def _is_owned(own: Node, path: FieldPath) -> bool:
    return node_at(own, path) is not None


def _gone(paths: Iterable[FieldPath], entries: Iterable[ManagedEntry], sent: Body) -> Node:
    """Of `paths`, the fields that the payload lacks and that some of `entries`, ours or that we might take, hold."""
    nodes = [entry.fields for entry in entries]
    gone: list[Node] = []
    for path in paths:
        held = [found for node in nodes if (found := node_at(node, path)) is not None]
        if held:
            node, value = union(*held), value_at(sent, path)
            missing = [(path, node)] if value is ABSENT else unmentioned(node, value, path)
            gone += (placed(*one) for one in missing)
    return union(*gone)


class _Leaving:
    """Takes fields out of a payload; never changes a value in place."""

    def __init__(self) -> None:
        self.copied = False  # whether a live value went into the payload, which must not be sent if it is stale

    def out(self, value: Any, live: Any, path: Sequence[Item], nodes: Sequence[Node], *, depth: int = 0) -> Any:
        """`value` without the field at `path`; ABSENT if nothing else was in it.

        An item that live lacks stays whole: half of one would be made otherwise.
        """
        if not path:
            return ABSENT
        if depth and _is_whole(nodes, value):
            mixed = self.over(value, live, path)
            self.copied |= not same(mixed, value)
            return mixed
        step, rest = path[0], path[1:]
        if isinstance(value, dict) and isinstance(step, str):
            if step not in value:
                return value
            inner = live.get(step, ABSENT) if isinstance(live, dict) else ABSENT
            return _with(value, step, self.out(value[step], inner, rest, below(nodes, step), depth=depth + 1))
        at, there = index_of(value, step), index_of(live, step)
        if at is None or (rest and there is None) or (isinstance(step, ItemKey) and _is_key(step, rest)):
            return value
        inner = ABSENT if there is None else live[there]
        return _with_item(value, at, self.out(value[at], inner, rest, below(nodes, step), depth=depth + 1))

    def over(self, value: Any, live: Any, path: Sequence[Item]) -> Any:
        """`value` with the live value at `path`; ABSENT if nothing is in it then."""
        if not path:
            return live
        step, rest = path[0], path[1:]
        if isinstance(step, str):
            if not isinstance(live, dict) or not (value is ABSENT or isinstance(value, dict)):
                return value
            known = {} if value is ABSENT else value
            return _with(known, step, self.over(known.get(step, ABSENT), live.get(step, ABSENT), rest))
        at, there = index_of(value, step), index_of(live, step)
        if there is None:
            return value if rest or at is None else _with_item(value, at, ABSENT)
        if at is None:
            return value if rest or not isinstance(value, list) else [*value[:there], live[there], *value[there:]]
        return _with_item(value, at, self.over(value[at], live[there], rest))


def _outermost(fields: Iterable[FieldPath], live: Body) -> list[FieldPath]:
    """The paths that lie below no other, in an order that moves no item before its own path's turn."""
    outer: list[FieldPath] = []
    for path in sorted(fields, key=len):
        if not any(path.is_within(other) for other in outer):
            outer.append(path)
    outer.sort(key=lambda path: [item for item in path.items if isinstance(item, int)])
    kept = [path for path in outer if value_at(live, path) is not ABSENT]
    return kept + [path for path in reversed(outer) if path not in kept]


def _is_whole(nodes: Sequence[Node], value: Any) -> bool:
    """Whether the server replaces `value` as one: it is owned, and nobody owns a part of it.

    Of a list that nobody owns nothing is known; to take it for such a one is right in any case.
    """
    if not isinstance(value, dict | list) or any(key[:2] in _OWN for node in nodes for key in node):
        return False
    return isinstance(value, list) or any(not node for node in nodes)


def _is_key(item: ItemKey, rest: Sequence[Item]) -> bool:
    return len(rest) == 1 and rest[0] in [name for name, _ in item.fields]


def _with(value: Body, key: str, inner: Any) -> Any:
    if inner is not ABSENT:
        return value | {key: inner}
    return {name: other for name, other in value.items() if name != key} or ABSENT


def _with_item(items: list[Any], at: int, inner: Any) -> Any:
    return [*items[:at], *([] if inner is ABSENT else [inner]), *items[at + 1 :]] or ABSENT


def differs(path: FieldPath, desired: Body, live: Body, *, owned: bool, built_in: bool) -> bool:
    """Whether Git and live differ in the field; one that Git lacks counts if it was ours."""
    git, stored = value_at(desired, path), value_at(live, path)
    if git is ABSENT:
        return owned and stored is not ABSENT
    return not _agrees(git, stored, [item for item in ("", *path.items) if isinstance(item, str)], built_in=built_in)


def _agrees(desired: Any, live: Any, names: Sequence[str], *, built_in: bool) -> bool:
    """Whether live has all that Git says; what it has besides may be defaults."""
    if isinstance(desired, dict) and isinstance(live, dict):
        return all(
            _agrees(value, live.get(key, ABSENT), [names[-1], key], built_in=built_in) for key, value in desired.items()
        )
    if isinstance(desired, list) and isinstance(live, list):
        return len(desired) == len(live) and all(
            _agrees(*pair, names, built_in=built_in) for pair in zip(desired, live, strict=True)
        )
    if same(desired, live) or not built_in:
        return same(desired, live)
    if live is ABSENT:
        return is_dropped(desired)
    return same_atomic(desired, live, names[-1]) or same_quantity(desired, live, names[-1], names[-2])
