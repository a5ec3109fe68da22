"""Cuts a file into documents as kubectl does: by its encoding, by JSON's own ends, by lines that begin with `---`.

Decides where documents begin and end, and what they are written in. What they mean is the readers' business.
"""

import codecs
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from recon_action.desired.faults import Fault
from recon_action.model import Position

_SEPARATOR: Final = re.compile(rb"^---(.*)$", re.MULTILINE)
_NOTHING: Final = re.compile(rb"(?:[ \t\r\n]++|#[^\n]*+)*+")
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_GUESS: Final = 4096  # how far kubectl looks for the brace that makes a file JSON
_ENCODINGS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class Document:
    """The source of one document.

    Args:
        data: its bytes as UTF-8, without the separators around it.
        line: the line of the file, from 1, on which `data` begins.
        index: which of the file's documents it is, from 0; empty ones count.
        is_json: whether it is JSON by itself.
    """

    data: bytes = field(repr=False)  # may hold secrets: never in a traceback
    line: int
    index: int
    is_json: bool = False


def split(data: bytes, file: str, most: int = sys.maxsize - 1) -> Iterator[Document | Fault]:
    """The documents of a file's bytes, those that hold only comments left out, and what can't be cut.

    Args:
        data: the file.
        file: what it is called.
        most: how many documents are read, empty ones included.
    """
    text = _as_utf8(data)
    start = index = 0
    line = 1
    if text[:_GUESS].lstrip().startswith(b"{"):
        ends = list(islice(_json_ends(text), most + 1))
        for end in ends:
            if index == most:
                yield _too_many(most, file, line)
                return
            chunk = text[start:end]
            yield Document(chunk, line, index, is_json=True)
            line += chunk.count(b"\n")
            start, index = end, index + 1
        rest = text[start:]
        if not rest.strip():
            return
        if len(ends) > 1:  # kubectl no longer expects YAML then
            position = Position(file, text.count(b"\n", 0, len(text) - len(rest.lstrip())) + 1)
            yield Fault(position, "this is no JSON, though objects in JSON precede it", "make it one format")
            return
        # Up to the first line break is blank: what separates a JSON object from YAML.
        blank = re.match(rb"[ \t\r\f\v]*\n?", rest)
        start += blank.end() if blank else 0
    yield from _split_yaml(text[start:], text.count(b"\n", 0, start) + 1, index, file, most)


def _as_utf8(data: bytes) -> bytes:
    """UTF-8 without a byte order mark; bytes that are none become U+FFFD."""
    for mark, encoding in _ENCODINGS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, errors="replace").encode()
    return data if data.isascii() else data.decode(errors="replace").encode()


def _json_ends(text: bytes) -> Iterator[int]:
    """Where each JSON value that stands at the beginning ends, as an offset into `text`."""
    decoded = text.decode()
    decoder = json.JSONDecoder(parse_constant=_refuse, parse_int=str, parse_float=str)
    position = offset = 0
    while True:
        space = _SPACE.match(decoded, position)
        begin = space.end() if space else position
        try:
            _, end = decoder.raw_decode(decoded, begin)
        except (ValueError, RecursionError):  # of YAML, or of the end of the text
            return
        offset += len(decoded[position:end].encode())
        position = end
        yield offset


def _refuse(_: str) -> None:
    raise ValueError


def _split_yaml(text: bytes, line: int, index: int, file: str, most: int) -> Iterator[Document | Fault]:
    start = 0
    for number, match in enumerate(_SEPARATOR.finditer(text), index + 1):
        if number > most:
            yield _too_many(most, file, line)
            return
        if document := _document(text[start : match.start()], line, index):
            yield document
        if start != match.start():
            index += 1
        line += text.count(b"\n", start, match.end() + 1)
        start = match.end() + 1
        tail = match[1].strip()
        if tail and not tail.startswith(b"#"):
            here = Position(file, line - text.count(b"\n", match.end(), match.end() + 1))
            yield Fault(here, *_separator_fault(tail))
    if document := _document(text[start:], line, index):
        yield document


def _document(data: bytes, line: int, index: int) -> Document | None:
    if _NOTHING.fullmatch(data):
        return None
    # kubectl reads by lines and ends each, so that a block scalar at the very end has its line break.
    return Document(data if data.endswith(b"\n") else data + b"\n", line, index)


def _too_many(most: int, file: str, line: int) -> Fault:
    return Fault(Position(file, line), f"the file holds more than {most:,} documents", "split it into several files")


def _separator_fault(tail: bytes) -> tuple[str, str]:
    if tail.startswith(b"-"):
        hint = "indent this line: to kubectl a line that begins with --- ends the document, even inside a text"
    else:
        hint = "put what follows the --- on a line of its own"
    return "only a comment may follow --- on its line", hint
