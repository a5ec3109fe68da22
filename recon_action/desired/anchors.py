"""Anchors and aliases of one document, and how far aliases may blow it up: go-yaml's rule."""

from typing import Any, Final

_LOW: Final = 400_000
_HIGH: Final = 4_000_000


class _Anchor:
    """A named value: its size in nodes once it is complete, 0 before."""

    __slots__ = ("before", "size", "value")

    def __init__(self, value: Any, before: int) -> None:
        self.value = value
        self.before = before
        self.size = 0


class Anchors:
    """The anchors seen so far. A name may be used again, and then means the newer value."""

    def __init__(self) -> None:
        self.nodes = 0  # all nodes so far, those that aliases stand for included
        self.open: dict[int, _Anchor] = {}  # by the `id` of their unfinished container
        self._known: dict[str, _Anchor] = {}
        self._expanded = 0

    def add(self, name: str, value: Any) -> None:
        """A scalar has an anchor."""
        anchor = self._known[name] = _Anchor(value, self.nodes)
        anchor.size = 1

    def begin(self, name: str, container: Any) -> None:
        """A container with an anchor begins."""
        self._known[name] = self.open[id(container)] = _Anchor(container, self.nodes - 1)

    def close(self, container: Any) -> None:
        """A container is complete."""
        if anchor := self.open.pop(id(container), None):
            anchor.size = self.nodes - anchor.before

    def expand(self, name: str) -> Any:
        """What the alias `name` stands for; not a copy.

        Raises:
            ValueError: there is no such anchor, it holds itself, or aliases make up too much of the document.
        """
        anchor = self._known.get(name)
        if anchor is None:
            raise ValueError("an alias, *, without an anchor of its name before it")
        if not anchor.size:
            raise ValueError("an alias within its own anchor")
        self.nodes += anchor.size
        self._expanded += anchor.size
        excessive = self._expanded / self.nodes > _allowed(self.nodes)
        if self._expanded > 100 and self.nodes > 1000 and excessive:
            raise ValueError("aliases make up too much of the document")
        return anchor.value


def copied(value: Any, room: int) -> Any:
    """A deep copy of JSON.

    Raises:
        ValueError: it is nested deeper than `room`.
    """
    if room < 0:
        raise ValueError("nested too deep through aliases")
    if isinstance(value, dict):
        return {key: copied(item, room - 1) for key, item in value.items()}
    if isinstance(value, list):
        return [copied(item, room - 1) for item in value]
    return value


def extent(value: Any) -> tuple[int, int]:
    """How many keys and values a JSON value holds, itself included, and how many characters they have."""
    values = text = 0
    waiting = [value]
    while waiting:
        one = waiting.pop()
        values += 1
        if isinstance(one, dict):
            values += len(one)
            text += sum(map(len, one))
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
        elif isinstance(one, str):
            text += len(one)
    return values, text


def _allowed(nodes: int) -> float:
    """The share of a document of that many nodes that may come from aliases."""
    if nodes <= _LOW:
        return 0.99
    if nodes >= _HIGH:
        return 0.10
    return 0.99 - 0.89 * (nodes - _LOW) / (_HIGH - _LOW)
