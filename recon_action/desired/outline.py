"""The outline of one document: what stands where. Slower than reading, so used only where a place is asked for."""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from yaml import YAMLError
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from recon_action.desired.events import events_of
from recon_action.desired.scalars import key_of, resolve, resolve_tagged
from recon_action.desired.syntax import mended
from recon_action.model import FieldPath, Item, ItemKey, ItemValue

_LARGEST: Final = 2 * 1024 * 1024  # no single object that the API server takes is larger
MOST_REPEATS: Final = 100  # of one document: whoever needs more has another problem


@dataclass(frozen=True, slots=True)
class Place:
    """A line and a column within the document, both from 0."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Node:
    """A value and its place.

    Args:
        place: where it begins.
        value: of a scalar, resolved.
        fields: of a mapping: key, the key's place, value.
        items: of a list.
        merged: of a mapping: what `<<` brings, the last one first.
    """

    place: Place
    value: Any = field(default=None, repr=False)
    fields: dict[str, tuple[Place, "Node"]] = field(default_factory=dict, repr=False)
    items: list["Node"] = field(default_factory=list, repr=False)
    merged: list["Node"] = field(default_factory=list, repr=False)

    def child(self, item: Item) -> tuple[Place, "Node"] | None:
        """The place of one step into the value, and what is there."""
        if isinstance(item, str):
            own = self.fields.get(item)
            return own or next((found for node in self.merged if (found := node.child(item))), None)
        if isinstance(item, int):
            node = self.items[item] if 0 <= item < len(self.items) else None
            return (node.place, node) if node else None
        node = self._item(item)
        return (node.place, node) if node else None

    def _item(self, item: ItemKey | ItemValue) -> "Node | None":
        if isinstance(item, ItemValue):
            return next((node for node in self.items if _is_value(node, item)), None)
        # Of several that leave a key field to its default, the one that states the most is meant.
        stated = [(node.stated(item), node) for node in self.items if node.fields]
        found = [(len(known), node) for known, node in stated if item.matches(known)]
        return max(found, key=lambda pair: pair[0])[1] if found else None

    def stated(self, item: ItemKey) -> dict[str, Any]:
        """The key fields of `item` that stand in this mapping, with their values."""
        return {name: found[1].value for name, _ in item.fields if (found := self.child(name))}


def _is_value(node: Node, item: ItemValue) -> bool:
    return type(node.value) is type(item.value) and bool(node.value == item.value)


def outline(data: bytes) -> Node | None:
    """The outline of a document; None if it is empty, no YAML, or too large to be looked through once more."""
    if len(data) > _LARGEST:
        return None
    composer = _Composer()
    try:
        composer.compose(mended(data))
    except YAMLError:
        return None
    return composer.root


def nearest(root: Node, path: FieldPath) -> Place:
    """Where `path` stands, or the last thing on the way to it that the document has."""
    place, node = root.place, root
    for item in path.items:
        found = node.child(item)
        if not found:
            break
        place, node = found
    return place


def repeated_keys(data: bytes) -> dict[Place, Place]:
    """Where a key comes again in its mapping, and where it stood before; of a very large document nothing."""
    composer = _Composer()
    if len(data) > _LARGEST:
        return composer.repeats
    with suppress(YAMLError):  # what is wrong stands behind the keys that were read
        composer.compose(data)
    return composer.repeats


class _Frame:
    """A container that isn't complete yet."""

    __slots__ = ("anchor", "is_mapping", "key", "node")

    def __init__(self, node: Node, anchor: str | None, *, is_mapping: bool) -> None:
        self.node = node
        self.anchor = anchor
        self.is_mapping = is_mapping
        self.key: tuple[str, Place] | None = None


class _Composer:
    """Builds the outline of the first document of its bytes."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self.repeats: dict[Place, Place] = {}  # where a key comes again: where it stood before
        self._stack: list[_Frame] = []
        self._anchors: dict[str, Node] = {}

    def compose(self, data: bytes) -> None:
        """Read the events up to the document's end."""
        for event in events_of(data):
            place = Place(event.start_mark.line, event.start_mark.column)
            if isinstance(event, DocumentEndEvent) or len(self.repeats) == MOST_REPEATS:
                return
            if isinstance(event, MappingStartEvent | SequenceStartEvent):
                is_mapping = isinstance(event, MappingStartEvent)
                self._stack.append(_Frame(Node(place), event.anchor, is_mapping=is_mapping))
            elif isinstance(event, MappingEndEvent | SequenceEndEvent):
                frame = self._stack.pop()
                self._add(frame.node, frame.anchor)
            elif isinstance(event, AliasEvent):
                known = self._anchors.get(event.anchor or "", Node(place))
                self._add(Node(place, known.value, known.fields, known.items, known.merged), None)
            elif isinstance(event, ScalarEvent):
                self._add(Node(place, _value(event)), event.anchor, text=event.value)

    def _add(self, node: Node, anchor: str | None, text: str = "") -> None:
        """A node is complete: a key, a key's value, an item, or the whole."""
        if anchor:
            self._anchors[anchor] = node
        if not self._stack:
            self.root = node
            return
        frame = self._stack[-1]
        if not frame.is_mapping:
            frame.node.items.append(node)
        elif frame.key is None:
            name = _key(node.value, text)
            if before := frame.node.fields.get(name):
                self.repeats[node.place] = before[0]
            frame.key = (name, node.place)
        else:
            name, place = frame.key
            frame.key = None
            if name == "<<":
                frame.node.merged[:0] = node.items or [node]
            else:
                frame.node.fields[name] = (place, node)


def _value(event: Any) -> Any:
    plain, quoted = event.implicit
    try:
        if quoted or event.tag == "!":
            return event.value
        return resolve(event.value) if plain else resolve_tagged(event.tag, event.value)
    except ValueError:
        return None


def _key(value: Any, text: str) -> str:
    try:
        return key_of(value)
    except ValueError:
        return text
