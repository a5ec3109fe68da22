"""A page of Markdown with a limit: blocks that still fit, and how many did not.

Cuts between blocks only, and counts what it leaves out. What stands on the page, and in which order, is the caller's.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from recon_action.model import ObjectRef
from recon_action.report import words

RESERVED: Final = 1_000  # bytes for the lines that say what was left out
_FOLDED = 10  # a longer list is folded
_FIELDS_OF = "<strong>Fields</strong> ({} objects)"


class Page:
    """Blocks that still fit. What doesn't is counted in its place: for that there is always room."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._blocks: list[str] = []

    def take(self) -> list[str]:
        """The blocks added since the last call."""
        blocks, self._blocks = self._blocks, []
        return blocks

    def add(self, block: str) -> None:
        """One block, if it fits."""
        if block and size(block) <= self._room:
            self._room -= size(block)
            self._blocks.append(block)

    def listing(
        self, title: str, items: Sequence[str], *, share: float, noun: str = "object", fold: bool = True
    ) -> None:
        """A list, with as many items as go into `share` of the room that is left; a long one is folded."""
        heading = f"<strong>{title}</strong> ({words.plural(len(items), noun)})"  # the longest that there may be
        shown = _fitting(items, int(self._room * share) - size(folded(heading, "")))
        if shown and fold and len(shown) > _FOLDED:
            heading = f"<strong>{title}</strong> ({words.plural(len(shown), noun)})"
            self.add(folded(heading, "\n".join(shown)))
        elif shown:
            self.add(f"**{title}**\n\n" + "\n".join(shown))
        self._count(len(items) - len(shown), noun, "not shown", "" if shown else f"{title}: ")

    def table(self, rows: Mapping[ObjectRef, str], kept: int) -> set[ObjectRef]:
        """One row an object, in what `kept` bytes of details leave, or in half of the room; whose rows fit."""
        head = "| Object | Difference |\n|---|---|\n"
        room = max(self._room // 2, self._room - kept) - size(head)
        shown = set(_fitting(list(rows.values()), room))
        if shown:
            self.add(head + "\n".join(row for row in rows.values() if row in shown))
        self._count(sum(row not in shown for row in rows.values()), "object", "not shown")
        return {ref for ref, row in rows.items() if row in shown}

    def details(self, blocks: Sequence[str]) -> None:
        """The fields of each object, folded; many of them once more, all together."""
        many = len(blocks) > _FOLDED
        shown = _fitting(blocks, self._room - size(folded(_FIELDS_OF.format(len(blocks)), "")) * many)
        if many and shown:
            self.add(folded(_FIELDS_OF.format(len(shown)), "\n\n".join(shown)))
        else:
            for block in shown:
                self.add(block)
        self._count(len(blocks) - len(shown), "object", "shown without fields")

    def _count(self, hidden: int, noun: str, what: str, where: str = "") -> None:
        if hidden:
            number = words.plural(hidden, noun)
            self._blocks.append(f"**{where}{number} {what}**, to keep the text within its limit.")


def folded(summary: str, text: str, *, is_open: bool = False) -> str:
    """`text` below `summary`; Markdown is read within, as blank lines are around it."""
    return f"<details{' open' if is_open else ''}><summary>{summary}</summary>\n\n{text}\n\n</details>"


def _fitting(items: Sequence[str], room: int) -> list[str]:
    """Those of `items`, in their order, that fit one after the other."""
    shown = []
    for item in items:
        if size(item) <= room:
            room -= size(item)
            shown.append(item)
    return shown


def size(block: str) -> int:
    """How many bytes a block takes."""
    return len(block.encode()) + 2  # the blank line between blocks
