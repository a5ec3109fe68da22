"""Reads one YAML document into JSON values, straight from libyaml's events.

Scalars, keys, tags, merges and aliases mean what they mean to kubectl; repeated keys are a fault. No tree of
nodes is built, and nothing here recurses with the depth of a file. Where documents begin is `documents`' business,
what makes a value an object is `objects`'.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

from yaml import YAMLError
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from recon_action.desired.documents import Document
from recon_action.desired.faults import Fault
from recon_action.desired.limits import DEFAULT, Meter
from recon_action.desired.open_document import MAX_DEPTH, Merge, OpenDocument, Stop
from recon_action.desired.scalars import key_of, resolve, resolve_key, resolve_tagged
from recon_action.desired.syntax import SECOND, mended, syntax_fault, told_of_templates

_MISSING: Final = object()
_ITEM: Final = "item"  # stands where a mapping has its pending key: the container is a list
_MERGE: Final = "<<"


@dataclass(frozen=True, slots=True)
class Read:
    """What one document holds.

    Args:
        value: its JSON value; None if it is empty or can't be read.
        faults: why it can't.
        lines: the line, from 1, on which each mapping begins that is the document or a list's item, by `id`.
    """

    value: Any = field(repr=False)
    faults: tuple[Fault, ...] = ()
    lines: dict[int, int] = field(default_factory=dict, repr=False)


@contextmanager
def garbage_kept() -> Iterator[None]:
    """Collection off: reading only builds, and the collector would walk all of it again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class YamlReader:
    """Reads documents; what it learns of scalars and keys serves the next ones."""

    def __init__(self, meter: Meter | None = None) -> None:
        self.meter = meter or Meter(DEFAULT)
        self._keys: dict[str, Any] = {_MERGE: Merge}
        self._values: dict[str, Any] = {}

    def read(self, document: Document, file: str) -> Read:
        """The document's value, or all of its faults."""
        state = OpenDocument(document, file, self.meter)
        roots: list[Any] = []
        try:
            with garbage_kept():
                self._compose(state, roots)
        except YAMLError as error:
            if (data := mended(document.data)) != document.data:
                return self.read(replace(document, data=data), file)
            state.faults.append(syntax_fault(error, document, file))
        except Stop:
            pass
        if state.faults:
            return Read(None, told_of_templates(state.faults, document))
        return Read(roots[0] if roots else None, (), state.lines)

    def _compose(self, state: OpenDocument, roots: list[Any]) -> None:  # noqa: C901, PLR0912, PLR0915 - see below
        """Add the document's value to `roots`.

        One loop over the events: a call for each of them would cost half as much again. Every open container
        has a `key`: `_ITEM` in a list, in a mapping the key whose value comes next, or None if a key does.
        """
        keys, values, lines, anchors = self._keys, self._values, state.lines, state.anchors
        open_anchors, loose = anchors.open, state.loose
        stack: list[tuple[Any, Any, Any]] = []
        container: Any = roots
        append: Any = roots.append
        key: Any = _ITEM
        for event in state.events():
            kind = event.__class__
            if kind is ScalarEvent:
                plain, quoted = event.implicit
                text = event.value
                if key is None:
                    if quoted:
                        key = text
                    elif not plain or (key := keys.get(text)) is None:
                        key = self._key(event, state)
                    if event.anchor is not None:
                        anchors.add(event.anchor, self._value(event, state))
                    if key in container:
                        state.repeat(container, key, event)
                    continue
                if quoted:
                    value = text
                elif not plain or (value := values.get(text, _MISSING)) is _MISSING:
                    value = self._value(event, state)
                if event.anchor is not None:
                    anchors.add(event.anchor, value)
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                if key is None:
                    state.fault(event, "a list or mapping is used as a key", "write a text before the colon")
                stack.append((container, append, key))
                if len(stack) > MAX_DEPTH:
                    state.stop(event, f"nested more than {MAX_DEPTH} levels deep", "flatten it")
                if kind is MappingStartEvent:
                    container = {}
                    if append is not None:
                        lines[id(container)] = state.line + event.start_mark.line
                    append = key = None
                else:
                    container = []
                    append = container.append
                    key = _ITEM
                if event.anchor is not None:
                    anchors.begin(event.anchor, container)
                continue
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                value = container
                if open_anchors or loose:
                    state.close(value)
                container, append, key = stack.pop()
            elif kind is AliasEvent:
                value = state.expand(event, len(stack), merging=key is Merge)
                if key is None:
                    key = state.key_of(value, event)
                    if key in container:
                        state.repeat(container, key, event)
                    continue
            else:
                if kind is DocumentStartEvent and roots:
                    state.stop(event, *SECOND)
                continue
            if append is not None:
                append(value)
            elif key is Merge:
                state.merge(container, value, event)
                key = None
            else:
                container[key] = value
                key = None

    def _value(self, event: Any, state: OpenDocument) -> Any:
        """The value of a scalar that isn't known yet."""
        try:
            if event.implicit[1]:
                return event.value
            plain = event.implicit[0]
            value = resolve(event.value) if plain else resolve_tagged(event.tag, event.value)
        except ValueError as error:
            state.fault(event, str(error), "correct the tag, or leave it out")
            return None
        if value.__class__ is float and value - value != 0:
            state.fault(event, "infinity and NaN have no JSON form", "quote it if a text is meant")
            return None
        if plain:
            self._values[event.value] = value
        return value

    def _key(self, event: Any, state: OpenDocument) -> Any:
        """The key that a scalar makes that isn't known yet."""
        try:
            if event.implicit[0]:
                return self._keys.setdefault(event.value, resolve_key(event.value))
            if event.tag == "tag:yaml.org,2002:merge" and event.value == _MERGE:
                return Merge
            return key_of(resolve_tagged(event.tag, event.value))
        except ValueError as error:
            state.fault(event, str(error), "quote the key")
            return ""
