"""The documents of the files that objects are made of: which is about what, as far as their text tells.

Templates are no YAML, and a base may be large, so nothing is parsed: kind and name are looked for line by line.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from recon_action.desired.documents import Document, split

_KIND: Final = re.compile(rb"^kind:[ \t]*[\"']?([\w.-]+)", re.MULTILINE)
_NAME: Final = re.compile(rb"(?:^[ \t-]+|[{,][ \t]*)name:[ \t]*(?:&\S+[ \t]+)?[\"']?([^\s\"'#{},]+)", re.MULTILINE)
_METADATA: Final = re.compile(rb"^metadata:[ \t]*(?:#[^\n]*)?\n([ \t]+)", re.MULTILINE)
_NEXT: Final = re.compile(rb"^[^\s#]", re.MULTILINE)
_VALUE: Final = re.compile(rb"name:[ \t]*(?:&\S+[ \t]+)?[\"']?([^\s\"'#]+)")
_CONTENT: Final = re.compile(rb"^(?!#|---|\{\{|\s*$)", re.MULTILINE)
_LIST: Final = "List"
_WORDS: Final = 12  # of a name; nobody's has more
_NAMES: Final = 50  # in one document


@dataclass(frozen=True, slots=True)
class Part:
    """One document of a file that objects are made of.

    Args:
        index: which of the file's documents.
        line: on which it begins.
        kind: of its object; "" if it can't be told, or if it is a list.
        name: of its object; "" if it can't be told.
        others: names that stand elsewhere in it.
    """

    index: int
    line: int
    kind: str = ""
    name: str = ""
    others: tuple[str, ...] = ()


FIRST: Final = Part(0, 1)


@dataclass(frozen=True, slots=True)
class Index:
    """The parts of a file.

    Args:
        parts: in their order.
        kinds: the first of each kind; "" if it can't be told.
        named: by kind and name, the object's own before others that stand in it.
    """

    parts: tuple[Part, ...]
    kinds: Mapping[str, Part]
    named: Mapping[tuple[str, str], Part]

    def find(self, kind: str, name: str) -> Part:
        """The part that an object was made of, as far as can be told."""
        for each in stems(name):
            if found := self.named.get((kind, each)):
                return found
        return self.kinds.get(kind) or self.kinds.get("") or FIRST


def index_of(file: Path) -> Index:
    """The parts of a file; none if it can't be read."""
    try:
        data = file.read_bytes()
    except OSError:
        data = b""
    parts = tuple(part_of(document) for document in split(data, "") if isinstance(document, Document))
    own = {(part.kind, part.name): part for part in reversed(parts) if part.name}
    others = {(part.kind, name): part for part in reversed(parts) for name in part.others}
    return Index(parts, {part.kind: part for part in reversed(parts)}, others | own)


def part_of(document: Document) -> Part:
    """What a document can be recognised by."""
    data = document.data
    kind = _KIND.search(data)
    first = _CONTENT.search(data)
    line = document.line + data.count(b"\n", 0, first.start() if first else 0)
    names = [name.decode(errors="replace") for name in _NAME.findall(data)[:_NAMES]]
    told = kind[1].decode(errors="replace") if kind else ""
    if told.endswith(_LIST):
        return Part(document.index, line, others=tuple(names))
    own = _own_name(data) or next(iter(names), "")
    return Part(document.index, line, told, own, tuple(names))


def _own_name(data: bytes) -> str:
    """The name below `metadata`, where that is written on lines of its own."""
    begin = _METADATA.search(data)
    if begin is None:
        return ""
    end = _NEXT.search(data, begin.end())
    lines = data[begin.start(1) : end.start() if end else len(data)].split(b"\n")
    names = (_VALUE.match(line, len(begin[1])) for line in lines if line.startswith(begin[1]))
    return next((name[1].decode(errors="replace") for name in names if name), "")


def stems(name: str) -> Iterator[str]:
    """What a prefix or a suffix may have made `name` of, the longest first."""
    words = name.split("-")[:_WORDS]
    for length in range(len(words), 0, -1):
        for start in range(len(words) - length + 1):
            yield "-".join(words[start : start + length])
