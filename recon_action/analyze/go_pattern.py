r"""Patterns of schemas, matched as the API server matches them: Go's regular expressions, in linear time.

Python's own differ in what `$` and `\d` mean, and some patterns of real CRDs would keep them busy for hours with a
text of forty letters. What is rare in schemas is not read here, and such a pattern is not checked.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

_Ranges = tuple[tuple[int, int], ...]  # of code points, ends included

_LAST: Final = 0x10FFFF
_LINE: Final[_Ranges] = ((0, 9), (11, _LAST))
_DIGIT: Final[_Ranges] = ((0x30, 0x39),)
_WORD: Final[_Ranges] = (*_DIGIT, (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_SPACE: Final[_Ranges] = ((9, 10), (12, 13), (32, 32))
_CLASSES: Final = {"d": _DIGIT, "w": _WORD, "s": _SPACE}
_CONTROLS: Final = {"f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_TIMES: Final[dict[str, tuple[int, int | None]]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}

_DEEPEST = 50  # groups within groups
_MOST_TIMES = 1000  # Go's own bound
_MOST_STATES = 10_000
_MOST_STEPS = 2_000_000  # states times characters: about a second


class _UnreadError(Exception):
    """The pattern is none of Go's, or holds what isn't read here."""


@dataclass(slots=True)
class _State:
    """Lets one character of `ranges` through to `after`, or at the place `at`, or always; none after: a match."""

    after: list["_State"] = field(default_factory=list)
    ranges: _Ranges = ()
    at: str = ""


_Part = Callable[[_State], _State]  # makes the states of a part of the pattern, given what comes after it


def is_match(pattern: str, text: str) -> bool | None:
    """Whether `pattern` matches somewhere in `text`; None if that can't be found out here."""
    start, states = _compiled(pattern)
    if start is None or states * len(text) > _MOST_STEPS:
        return None
    current: dict[int, _State] = {}
    for place in range(len(text) + 1):
        _enter(start, place, len(text), current)
        if any(not state.after for state in current.values()):
            return True
        code = ord(text[place]) if place < len(text) else -1
        following: dict[int, _State] = {}
        for state in current.values():
            if any(low <= code <= high for low, high in state.ranges):
                _enter(state.after[0], place + 1, len(text), following)
        current = following
    return False


def _enter(state: _State, place: int, end: int, into: dict[int, _State]) -> None:
    """Add `state`, and all that it leads to without a character."""
    waiting = [state]
    while waiting:
        one = waiting.pop()
        if id(one) in into or (one.at == "^" and place) or (one.at == "$" and place != end):
            continue
        into[id(one)] = one
        if not one.ranges:
            waiting += one.after


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> tuple[_State | None, int]:
    """The first state and how many there are; None if the pattern can't be read."""
    reader = _Reader(pattern)
    try:
        return reader.whole()(_State()), reader.states
    except _UnreadError:
        return None, 0


class _Reader:
    """Reads one pattern from left to right."""

    def __init__(self, pattern: str) -> None:
        self.states = 0
        self._text = pattern
        self._at = 0
        self._depth = 0

    def whole(self) -> _Part:
        """The pattern as a whole."""
        part = self._alternatives()
        if self._next():
            raise _UnreadError
        return part

    def _next(self, ahead: int = 0) -> str:
        return self._text[self._at + ahead : self._at + ahead + 1]

    def _take(self) -> str:
        if not (char := self._next()):
            raise _UnreadError
        self._at += 1
        return char

    def _state(self, after: list[_State], ranges: _Ranges = (), at: str = "") -> _State:
        self.states += 1
        if self.states > _MOST_STATES:
            raise _UnreadError
        return _State(after, ranges, at)

    def _alternatives(self) -> _Part:
        parts = [self._sequence()]
        while self._next() == "|":
            self._take()
            parts.append(self._sequence())
        return lambda after: self._state([part(after) for part in parts])

    def _sequence(self) -> _Part:
        parts: list[_Part] = []
        while self._next() not in {"", "|", ")"}:
            parts.append(self._repeated(self._atom()))

        def make(after: _State) -> _State:
            for part in reversed(parts):
                after = part(after)
            return after

        return make

    def _repeated(self, part: _Part) -> _Part:
        """`part` as often as the quantifier behind it says, if there is one."""
        times = _TIMES.get(self._next())
        if times is not None:
            self._take()
        elif self._next() == "{":
            times = self._counts()
        if times is None:
            return part
        if self._next() == "?":  # which of several matches is found makes no difference here
            self._take()
        if self._next() in _TIMES:
            raise _UnreadError
        least, most = times

        def make(after: _State) -> _State:
            if most is None:
                loop = self._state([])
                loop.after += part(loop), after
                after = loop
            for number in range(least if most is None else most):
                after = part(after) if number >= (most or least) - least else self._state([part(after), after])
            return after

        return make

    def _counts(self) -> tuple[int, int | None]:
        """`{2}`, `{2,}` or `{2,5}`."""
        inner, end, _ = self._text[self._at + 1 :].partition("}")
        least, comma, most = inner.partition(",")
        numbers = [least, *([most] if most else [])]
        if not end or not all(number.isascii() and number.isdigit() and len(number) <= 4 for number in numbers):
            raise _UnreadError
        self._at += len(inner) + 2
        counts = int(least), int(most or least)
        if not counts[0] <= counts[1] <= _MOST_TIMES:
            raise _UnreadError
        return counts if most or not comma else (counts[0], None)

    def _atom(self) -> _Part:
        char = self._take()
        if char == "(":
            return self._group()
        if char in "*+?{":
            raise _UnreadError
        if char in "^$":
            return lambda after: self._state([after], at=char)
        ranges = self._class() if char == "[" else _LINE if char == "." else self._one(char)
        return lambda after: self._state([after], ranges)

    def _group(self) -> _Part:
        self._depth += 1
        if self._next() == "?":
            self._take()
            if self._take() != ":":
                raise _UnreadError
        if self._depth > _DEEPEST:
            raise _UnreadError
        part = self._alternatives()
        self._take()  # the bracket, or there is none
        self._depth -= 1
        return part

    def _class(self) -> _Ranges:
        is_negated = self._next() == "^"
        if is_negated:
            self._take()
        ranges = self._member()
        while self._next() != "]":
            ranges += self._member()
        self._take()
        return _others(ranges) if is_negated else ranges

    def _member(self) -> _Ranges:
        """One member of a class: a character, a range, or another class."""
        if self._next() == "[" and self._next(1) == ":":
            raise _UnreadError
        low = self._one(self._take())
        if self._next() != "-" or self._next(1) in {"]", ""}:
            return low
        self._take()
        high = self._one(self._take())
        if len(low) + len(high) != 2 or low[0][0] != low[0][1] or low[0][0] > high[0][0]:
            raise _UnreadError
        return ((low[0][0], high[0][1]),)

    def _one(self, char: str) -> _Ranges:
        """What `char` stands for; a backslash takes the character behind it along."""
        if char == "\\":
            char = self._take()
            if char.lower() in _CLASSES:
                ranges = _CLASSES[char.lower()]
                return ranges if char.islower() else _others(ranges)
            if char not in _CONTROLS and char.isalnum():
                raise _UnreadError
            char = _CONTROLS.get(char, char)
        return ((ord(char), ord(char)),)


def _others(ranges: _Ranges) -> _Ranges:
    """All other characters."""
    found: list[tuple[int, int]] = []
    begin = 0
    for low, high in sorted(ranges):
        if low > begin:
            found.append((begin, low - 1))
        begin = max(begin, high + 1)
    return (*found, (begin, _LAST))
