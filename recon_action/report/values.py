"""Values as people read them: one line where it fits, else the lines that differ.

Both text formats show a change by `difference`. Colour, indentation and markup may not live here.
"""

import difflib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

import orjson

from recon_action.report.document import Change
from recon_action.report.escape import visible, visible_line

WIDTH: Final = 160  # of one line of a value
_LINES = 40  # of one change
_INLINE = 72  # a longer list or map is shown line by line
_COMPARED = 500  # comparing more lines than that takes longer than anyone would read them
_LEAD = 24  # how much of what two long values share is left before the place where they part
_QUOTED = frozenset("\"'`,[]{}#\\")


class Side(Enum):
    """Whom a line belongs to."""

    GIT = "git"
    LIVE = "live"
    BOTH = "both"
    NOTE = "note"  # our words


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a change; its text is free of control characters."""

    side: Side
    text: str


def inline(value: Any, limit: int = WIDTH) -> str:
    """`value` on one line, in YAML's flow style, at most `limit` characters and what is left out."""
    return _clip(_flow(value), limit)


def difference(change: Change) -> list[Line]:
    """What Git says and what the cluster holds, line by line, always labelled with the side."""
    if change.redacted:
        sides = {(True, False): "only in Git", (False, True): "only in the cluster"}
        word = sides.get((change.has_desired, change.has_live), "changed")
        return [Line(Side.NOTE, f"{word}; the value is secret")]
    git = _lines(change.desired) if change.has_desired else None
    live = _lines(change.live) if change.has_live else None
    if git is None or live is None:
        lines = [Line(Side.GIT, text) for text in git or ["(not in Git)"]]
        lines += [Line(Side.LIVE, text) for text in live or ["(not in the cluster)"]]
    else:
        lines = list(_compare(git, live))
    return _shorten(lines)


def _lines(value: Any) -> list[str]:
    if isinstance(value, str) and "\n" in value:
        return value.split("\n")
    flow = _flow(value)
    return list(_block(value)) if isinstance(value, dict | list) and len(flow) > _INLINE else [flow]


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_flow(key)}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return _quoted(value) if isinstance(value, str) else json.dumps(value)


def _quoted(text: str) -> str:
    """`text` bare if it can't be taken for anything but text, else in JSON's quotes."""
    bare = text[:1].isalnum() or text[:1] in {"/", ".", "_"}
    if bare and text.isprintable() and not _QUOTED & set(text) and ": " not in text and text[-1] not in " :":
        try:
            orjson.loads(text)
        except orjson.JSONDecodeError:
            return text
    return visible(json.dumps(text, ensure_ascii=False))


def _block(value: Any, indent: str = "") -> Iterator[str]:
    heads = (
        [(f"{_flow(key)}:", item) for key, item in value.items()]
        if isinstance(value, dict)
        else [("-", item) for item in value]
    )
    for head, item in heads:
        flow = _flow(item)
        if isinstance(item, dict | list) and len(flow) > _INLINE:
            yield indent + head
            yield from _block(item, indent + "  ")
        else:
            yield f"{indent}{head} {flow}"


def _compare(git: Sequence[str], live: Sequence[str]) -> Iterator[Line]:
    if max(len(git), len(live)) > _COMPARED:
        same = _parting(git, live)
        yield Line(Side.NOTE, f"{len(git)} lines in Git, {len(live)} in the cluster, from line {same + 1} on:")
        git, live = git[same : same + _LINES // 3], live[same : same + _LINES // 3]
    if len(git) == len(live) == 1:
        yield from _pair(git[0], live[0])
        return
    if git == live:  # a text against the list that it spells
        yield Line(Side.NOTE, "the same lines, of another type")
    matcher = difflib.SequenceMatcher(None, git, live, autojunk=False)
    for number, group in enumerate(matcher.get_grouped_opcodes(1)):
        if number:
            yield Line(Side.NOTE, "…")
        for tag, g0, g1, l0, l1 in group:
            if tag == "equal":
                yield from (Line(Side.BOTH, text) for text in git[g0:g1])
            elif g1 - g0 == l1 - l0 == 1:
                yield from _pair(git[g0], live[l0])
            else:
                yield from (Line(Side.GIT, text) for text in git[g0:g1])
                yield from (Line(Side.LIVE, text) for text in live[l0:l1])


def _pair(git: str, live: str) -> Iterator[Line]:
    """Two lines that differ; long ones from shortly before the place where they part."""
    start = 0
    if max(len(git), len(live)) > WIDTH:
        start = max(0, _parting(git, live) - _LEAD)
    cut = "…" if start else ""
    yield Line(Side.GIT, cut + git[start:])
    yield Line(Side.LIVE, cut + live[start:])


def _parting(git: Sequence[str], live: Sequence[str]) -> int:
    """The first index at which the two differ."""
    shorter = min(len(git), len(live))
    return next((n for n in range(shorter) if git[n] != live[n]), shorter)


def _shorten(lines: Sequence[Line]) -> list[Line]:
    """At most `_LINES` lines, of both sides if both have some, and how many are left out."""
    shown = list(lines)
    if len(lines) > _LINES:
        git = [line for line in lines if line.side is Side.GIT]
        # One side alone must not fill the room: without the other there is no difference to see.
        if len(git) >= _LINES and lines[: len(git)] == git:
            shown = [*git[: _LINES // 2], *lines[len(git) : len(git) + _LINES // 2]]
        else:
            shown = list(lines[:_LINES])
        shown.append(Line(Side.NOTE, f"… {len(lines) - len(shown)} more lines"))
    return [Line(line.side, _clip(visible_line(line.text), WIDTH)) for line in shown]


def _clip(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… (+{len(text) - limit} characters)"
