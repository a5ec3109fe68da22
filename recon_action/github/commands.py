"""Workflow commands and command files as text: how they are written so that the runner reads them back unchanged.

Pure. What is sent, and when, is not decided here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

MAX_ANNOTATIONS = 10  # of each level in a step; the runner drops the rest without a word
MAX_MESSAGE = 4096  # characters; the runner cuts the rest off without a word


class Level(StrEnum):
    """The levels of an annotation, by their commands' names; most severe first."""

    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True)
class Annotation:
    """A message beside a line of a file, or of the run as a whole if `file` is "".

    Args:
        level: how loud.
        message: plain text; GitHub renders no Markdown here.
        title: shown in bold above it.
        file: relative to the repository's root.
        line: from 1; 0 means the file as a whole.
    """

    level: Level
    message: str
    title: str = ""
    file: str = ""
    line: int = 0


def command(name: str, message: str = "", properties: Mapping[str, str] | None = None) -> str:
    """One workflow command, a line without its end; empty properties are left out."""
    written = ",".join(f"{key}={_property(value)}" for key, value in (properties or {}).items() if value)
    return f"::{name}{' ' if written else ''}{written}::{_data(message)}"


def annotate(annotation: Annotation) -> str:
    """The command that makes `annotation`, its message cut where the runner would cut it."""
    message = annotation.message
    if len(message) > MAX_MESSAGE:
        message = message[: MAX_MESSAGE - 1] + "…"
    return command(
        annotation.level,
        message,
        {
            "title": annotation.title,
            "file": annotation.file,
            "line": str(annotation.line) if annotation.file and annotation.line else "",
        },
    )


def entry(name: str, value: str, delimiter: str) -> str:
    """One entry of GITHUB_OUTPUT.

    Always with a delimiter: in the short form `NAME=VALUE` a line break in the value would start an entry of
    its own. The runner ends lines at LF alone.

    Raises:
        ValueError: the delimiter occurs in name or value, or the name can't be written at all.
    """
    if delimiter in name or delimiter in value:
        raise ValueError(f"the delimiter of output {name!r} occurs in it")
    if not name or any(mark in name for mark in ("<<", "=", "\n")):
        raise ValueError(f"{name!r} can't be the name of an output")
    return f"{name}<<{delimiter}\n{value}\n{delimiter}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
