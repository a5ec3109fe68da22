"""From PATHs to the bytes of files: folders, globs, symbolic links, stdin. Knows nothing of what is in them."""

import glob
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import BinaryIO, Final

from recon_action.desired.faults import Fault
from recon_action.errors import UsageError
from recon_action.model import Position

LIMIT: Final = 16 * 1024 * 1024
STDIN: Final = "-"
_SUFFIXES: Final = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class File:
    """A file to read: where it is ("-" is stdin), and why it can't be, with a hint, if so."""

    path: str
    refusal: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Content:
    """A file's bytes, or why there are none."""

    data: bytes = field(default=b"", repr=False)  # may hold secrets: never in a traceback
    fault: Fault | None = None


def find(paths: Sequence[str]) -> list[File]:
    """The files that `paths` mean, each once, in the order of `paths` and sorted within a folder.

    Raises:
        UsageError: a path doesn't exist, or matches nothing.
    """
    unique: dict[str, File] = {}
    missing = []
    for path in paths:
        files = list(_expand(path)) if path else []
        if not files and not (path and Path(path).is_dir()):
            missing.append(path or '""')
        for file in files:
            unique.setdefault(path if path == STDIN else os.path.realpath(file.path), file)
    if missing:
        raise UsageError(
            f"no such file or folder: {', '.join(missing)}",
            hint=f"paths are looked up from {Path.cwd()}; a glob must match at least one manifest",
        )
    return list(unique.values())


def read(file: File, shown: str, stdin: BinaryIO | None) -> Content:
    """The bytes of one file; whatever prevents that is a fault, under the name `shown`."""
    if file.refusal:
        return Content(fault=Fault(Position(shown, 1), *file.refusal))
    try:
        if file.path == STDIN:
            data = (stdin or sys.stdin.buffer).read(LIMIT + 1)
        else:
            with Path(file.path).open("rb") as opened:
                data = opened.read(LIMIT + 1)
    except OSError as error:
        return Content(fault=Fault(Position(shown, 1), *_unreadable(error)))
    if len(data) > LIMIT:
        message = f"larger than {LIMIT >> 20} MiB, so it isn't read"
        return Content(fault=Fault(Position(shown, 1), message, "split it into several files"))
    return Content(data)


def _expand(path: str) -> Iterator[File]:
    if path == STDIN:
        yield File(STDIN)
    elif Path(path).is_dir():
        yield from _walk(Path(path), os.path.realpath(path))
    elif os.path.lexists(path):
        yield File(path)
    elif glob.has_magic(path):
        yield from _globbed(path)


def _globbed(pattern: str) -> Iterator[File]:
    """The files that a pattern matches: of any name if it spells out the suffix, else those of manifests.

    A folder that it matches is read like one that was named, unless `**` reaches its files anyway.
    """
    fixed = Path(pattern)
    while glob.has_magic(str(fixed)):
        fixed = fixed.parent
    base = os.path.realpath(fixed)
    suffix = Path(pattern).suffix
    suffixes = _SUFFIXES if not suffix or glob.has_magic(suffix) else (*_SUFFIXES, suffix)
    for path in _matches(fixed, str(Path(pattern).relative_to(fixed))):
        if not path.is_dir():
            if path.name.endswith(suffixes):
                yield _checked(path, base)
        elif path.is_symlink():
            yield from _linked_folder(path, base)
        elif "**" not in pattern:
            yield from _walk(path, base)


def _matches(folder: Path, pattern: str) -> list[Path]:
    """What a pattern matches below a folder; `**` follows no links, and only a leading dot finds a hidden name."""
    pattern = f"{pattern}/*" if PurePath(pattern).name == "**" else pattern
    hidden = any(part.startswith(".") for part in PurePath(pattern).parts)
    try:
        matches = sorted(folder.glob(pattern))
    except ValueError:  # such as `**x`
        return []
    return [
        path for path in matches if hidden or not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]


def _walk(folder: Path, base: str) -> Iterator[File]:
    """The manifests below a folder, hidden folders left out; links to folders aren't followed."""
    errors: list[OSError] = []
    for parent, folders, names in os.walk(folder, onerror=errors.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in folders:
            if (inner := Path(parent, name)).is_symlink():
                yield from _linked_folder(inner, base)
        for name in sorted(names):
            if name.endswith(_SUFFIXES):
                yield _checked(Path(parent, name), base)
    for error in errors:
        yield File(str(error.filename or folder), _unreadable(error))


def _linked_folder(link: Path, base: str) -> Iterator[File]:
    """A link to a folder within the base adds nothing: its files are read where they lie."""
    if not _is_within(link, base):
        yield File(str(link), _LEAVES)


def _checked(path: Path, base: str) -> File:
    """A file that was found, not named: it must be a plain file, and lie within the base."""
    if not _is_within(path, base):
        return File(str(path), _LEAVES)
    try:
        mode = path.stat().st_mode
    except OSError as error:
        return File(str(path), _unreadable(error))
    return File(str(path), None if stat.S_ISREG(mode) else _SPECIAL)


def _is_within(path: Path, base: str) -> bool:
    real = os.path.realpath(path)
    return real == base or real.startswith(base.rstrip(os.sep) + os.sep)


def _unreadable(error: OSError) -> tuple[str, str]:
    reason = os.strerror(error.errno) if error.errno else "it can't be opened"
    return f"can't be read: {reason}", "check that it exists and may be read"


_SPECIAL: Final = ("neither a file nor a folder", "remove it, or name the manifests one by one")
_LEAVES: Final = (
    "a symbolic link that leaves the folder it was found in, so it isn't followed",
    "if its target belongs to the manifests, name it as a PATH of its own",
)
