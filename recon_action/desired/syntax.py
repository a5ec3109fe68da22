"""Where libyaml and go-yaml disagree on syntax, and what libyaml's complaints mean to who edits the file."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from yaml import YAMLError
from yaml.reader import ReaderError
from yaml.scanner import ScannerError

from recon_action.desired.documents import Document
from recon_action.desired.events import events_of
from recon_action.desired.faults import Fault
from recon_action.model import Position

SECOND: Final = (
    "a second document begins here without a line of ---, and kubectl would drop it",
    "write --- on a line of its own before it",
)
_TEMPLATE: Final = re.compile(
    rb"\{\{-?\s*(?:\.(?:Values|Release|Chart|Capabilities|Files|Template)|/\*"
    rb"|(?:if|else|end|with|range|define|block|include|template|tpl|toYaml)\b)"
)
_RENDER: Final = "this looks like a Helm template: render it first (helm template), or leave its folder out"
_HINTS: Final = (
    ("mapping values are not allowed", "quote a value that holds ': ', or correct the indentation"),
    ("'\\t'", "indent with spaces, not with tabs"),
    ("tab character", "indent with spaces, not with tabs"),
    ("cannot start any token", "quote a value that begins with this character"),
    ("did not find expected key", "indent it like the keys around it; a quoted text ends at its quote"),
    ("did not find expected '-'", "begin it with '- ' and indent it like the items before it"),
    ("could not find expected ':'", "write 'key: value', or indent the text below its key"),
    ("unexpected end of stream", "close the quote or the bracket that is still open"),
    ("begins with %", "leave the line out"),
    ("second document", SECOND[1]),
    ("document start", "close what the lines before leave open, or write --- before a new document"),
    ("',' or", "close the bracket, or put a comma between the items"),
    ("anchor", "use a plain name of letters, digits, - and _ after & or *"),
    ("escape", "write the backslash twice, or use single quotes"),
    ("nesting", "flatten it"),
)
_OPEN: Final = "found unexpected end of stream"
_NO_START: Final = "did not find expected <document start>"
_END: Final = re.compile(rb"^\.\.\.", re.MULTILINE)
_UNKNOWN_ESCAPE: Final = "found unknown escape character"
_SLASH: Final = re.compile(rb"(?<!\\)(?:\\\\)*\\/")
_MENDS: Final = 100


def mended(data: bytes) -> bytes:
    r"""The YAML with each `\'` in double quotes as `'`, which is what go-yaml makes of it and libyaml refuses."""
    original = data
    for _ in range(_MENDS if b"\\'" in data else 0):
        try:
            for _event in events_of(data):
                pass
        except ScannerError as error:
            if error.problem != _UNKNOWN_ESCAPE or error.problem_mark is None:
                return data
            at = len(data.decode()[: error.problem_mark.index].encode())  # the mark counts characters
            if not data.startswith(b"\\'", at):
                return data
            data = data[:at] + data[at + 1 :]
        except YAMLError:
            return data
        else:
            return data
    return original


def slashes(events: Iterator[Any], data: bytes) -> Iterator[tuple[Any, bool]]:
    r"""The events, and of each whether it holds `\/` in double quotes, which libyaml reads and go-yaml refuses."""
    text = data.decode().removeprefix("\ufeff")
    for event in events:
        quoted = getattr(event, "style", None) == '"'
        source = text[event.start_mark.index : event.end_mark.index].encode() if quoted else b""
        yield event, bool(_SLASH.search(source))


def syntax_fault(error: YAMLError, document: Document, file: str) -> Fault:
    """The fault that stopped libyaml; its text never quotes the file."""
    if isinstance(error, ReaderError):
        # Depending on where libyaml was, it counts bytes or characters here: the line is all that is sure.
        position = Position(file, document.line + document.data.count(b"\n", 0, error.position))
        character = f"U+{error.character:04X}" if isinstance(error.character, int) else "this character"
        return Fault(position, f"{character} may not stand in YAML", "write it as an escape in double quotes")
    problem = getattr(error, "problem", None) or "not YAML"
    context = getattr(error, "context", None)
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if problem == _OPEN:
        mark = getattr(error, "context_mark", None) or mark  # where it was opened, not the end of the file
    line, column = (mark.line, mark.column) if mark else (0, 0)
    if problem == _NO_START and document.data.lstrip().startswith(b"%"):
        problem, line, column = "a line that begins with %, which kubectl doesn't read", 0, 0
    elif problem == _NO_START and _END.search(document.data):
        problem = SECOND[0]
    told = f"{context}: {problem}" if context else problem
    hint = next((hint for part, hint in _HINTS if part in problem), "check quotes and indentation here and above")
    return Fault(Position(file, document.line + line, column + 1), told, hint)


def told_of_templates(faults: Sequence[Fault], document: Document) -> tuple[Fault, ...]:
    """The faults; of a Helm template the first alone, because no other would be left once it is rendered."""
    if faults and _TEMPLATE.search(document.data):
        return (replace(faults[0], hint=_RENDER),)
    return tuple(faults)
