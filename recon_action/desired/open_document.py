"""What is remembered while one document is read, beside its values: anchors, merges, places, faults."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from yaml.events import MappingEndEvent, SequenceEndEvent

from recon_action.desired.anchors import Anchors, copied, extent
from recon_action.desired.documents import Document
from recon_action.desired.events import events_of
from recon_action.desired.faults import Fault
from recon_action.desired.limits import Meter, TooMuchError
from recon_action.desired.outline import MOST_REPEATS, Place, repeated_keys
from recon_action.desired.scalars import key_of
from recon_action.desired.syntax import slashes
from recon_action.model import Position

MAX_DEPTH: Final = 200  # Python's JSON codecs stop at 254; real manifests stay below 60
TOO_MUCH: Final = "split it into several files, or raise --max-file-size, with which this limit grows"
_ENDS: Final = (MappingEndEvent, SequenceEndEvent)
_NO_KEY: Final = ("a list or mapping is used as a key", "write a text before the colon")
_NO_MAP: Final = ("<< takes a mapping or a list of mappings", "let it refer to an anchor on a mapping")


class Merge:
    """The key `<<`, as distinct from a quoted "<<"."""


class Stop(Exception):  # noqa: N818 - no error, but the way out of the reader's loop
    """The rest of the document can't be read."""


class OpenDocument:
    """One document while it is read."""

    def __init__(self, document: Document, file: str, meter: Meter) -> None:
        self.document = document
        self.line = document.line
        self.file = file
        self.meter = meter
        self.faults: list[Fault] = []
        self.lines: dict[int, int] = {}
        self.anchors = Anchors()
        self._repeats: dict[Place, Place] | None = None
        self.loose: dict[int, set[str]] = {}  # by mapping: keys that only a merge has set so far

    def events(self) -> Iterable[Any]:
        """The document's events."""
        data = self.document.data
        events = events_of(data)
        if b"\\/" in data and not self.document.is_json:
            events = self._unslashed(events)
        if b"! " in data or b"!\n" in data:
            events = _texts(events)
        if self.meter.is_counting:
            events = self._metered(events)
        return self._counted(events) if b"&" in data else events

    def _metered(self, events: Iterator[Any]) -> Iterator[Any]:
        """The events, as long as there are not too many; counted here, as a call for each would cost a tenth."""
        left = self.meter.left
        for event in events:
            if event.__class__ not in _ENDS:
                left -= 1
                if left < 0:
                    break
            yield event
        try:
            self.meter.count(self.meter.left - left)
        except TooMuchError as error:
            self.stop(event, f"the file holds {error}", TOO_MUCH)

    def _unslashed(self, events: Iterator[Any]) -> Iterator[Any]:
        """The events, with a fault for each escape that only libyaml knows."""
        for event, has_slash in slashes(events, self.document.data):
            if has_slash:
                self.fault(event, "the text holds an unknown escape, \\/", "write / without the backslash")
            yield event

    def _counted(self, events: Iterable[Any]) -> Iterator[Any]:
        """The events, counted as go-yaml counts nodes: containers once."""
        for event in events:
            if event.__class__ not in _ENDS:
                self.anchors.nodes += 1
            yield event

    def position(self, event: Any) -> Position:
        """Where an event stands in its file."""
        mark = event.start_mark
        return Position(self.file, self.line + mark.line, mark.column + 1)

    def fault(self, event: Any, message: str, hint: str) -> None:
        """Note a fault and go on, unless there are too many to be worth it."""
        if len(self.faults) == MOST_REPEATS:
            raise Stop
        self.faults.append(Fault(self.position(event), message, hint))

    def stop(self, event: Any, message: str, hint: str) -> None:
        """Note a fault and read no further."""
        self.fault(event, message, hint)
        raise Stop

    def close(self, container: Any) -> None:
        """A container is complete."""
        self.anchors.close(container)
        self.loose.pop(id(container), None)

    def expand(self, event: Any, depth: int, *, merging: bool) -> Any:
        """A copy of what an alias stands for."""
        try:
            value = copied(self.anchors.expand(event.anchor), MAX_DEPTH - depth)
            self.meter.expand(*extent(value))
        except ValueError as error:
            self.stop(event, str(error), "write the value itself; in quotes, if it begins with *")
        if merging and not isinstance(value, dict):
            self.stop(event, *_NO_MAP)
        return value

    def key_of(self, value: Any, event: Any) -> str:
        """The key that an alias makes."""
        if isinstance(value, dict | list):
            self.fault(event, *_NO_KEY)
            return ""
        try:
            return key_of(value)
        except ValueError as error:
            self.fault(event, str(error), "write the key itself")
            return ""

    def merge(self, into: dict[str, Any], value: Any, event: Any) -> None:
        """Set what `<<` brings: over what stands before it, as kubectl does, and under what follows."""
        maps = value if isinstance(value, list) else [value]
        if not all(isinstance(each, dict) for each in maps):
            self.fault(event, *_NO_MAP)
            return
        loose = self.loose.setdefault(id(into), set())
        for each in reversed(maps):
            loose.update(each.keys() - into.keys())
            into.update(each)

    def repeat(self, container: dict[str, Any], key: str, event: Any) -> None:
        """A key comes again: allowed once after a merge has set it."""
        loose = self.loose.get(id(container))
        if loose and key in loose:
            loose.discard(key)
            return
        if self._repeats is None:
            self._repeats = repeated_keys(self.document.data)
        first = self._repeats.get(Place(event.start_mark.line, event.start_mark.column))
        where = f", first in line {self.line + first.line}" if first else ""
        self.fault(event, f"the key {key!r} is repeated{where}", "keep one of the two")


def _texts(events: Iterator[Any]) -> Iterator[Any]:
    """The events, with scalars tagged `!` as texts; libyaml calls them plain."""
    for event in events:
        if getattr(event, "tag", None) == "!":
            event.implicit = (False, True)
        yield event
