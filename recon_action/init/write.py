"""Files put into a repository: nothing that is there is touched, unless that is said to be meant."""

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from recon_action.errors import UsageError
from recon_action.init.draft import File


class Written(StrEnum):
    """What became of a file."""

    NEW = "written"
    SAME = "as it is already"
    KEPT = "left alone: it exists, and says something else"
    REPLACED = "overwritten"


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a file goes, and what is there now; None if nothing is."""

    path: Path
    now: bytes | None


def write(root: Path, files: Sequence[File], *, force: bool, dry_run: bool) -> list[Written]:
    """Write `files` below `root`; gives what became of each.

    Args:
        root: the repository's folder.
        files: what to write.
        force: whether a file that is there is overwritten.
        dry_run: whether nothing is written at all.

    Raises:
        UsageError: a place can't be written to, or lies outside of the repository.
    """
    places = [_place(root, file.path) for file in files]
    found = []
    for file, place in zip(files, places, strict=True):
        fate = _fate(place, file, force=force)
        if not dry_run and fate in {Written.NEW, Written.REPLACED}:
            _put(place.path, file.text)
        found.append(fate)
    return found


def _fate(place: _Place, file: File, *, force: bool) -> Written:
    if place.now is None:
        return Written.NEW
    if place.now == file.text.encode():
        return Written.SAME
    return Written.REPLACED if force else Written.KEPT


def _place(root: Path, name: str) -> _Place:
    path = root / name
    if not path.parent.resolve().is_relative_to(root.resolve()):
        raise UsageError(f"{name} would lie outside of {root}: a symbolic link leads there", hint="remove the link")
    try:
        return _Place(path, path.read_bytes() if os.path.lexists(path) else None)
    except OSError as error:
        raise UsageError(f"{name} can't be read: {error.strerror}", hint="move it away") from error


def _put(path: Path, text: str) -> None:
    """Write all of a file, or nothing; a link in its place is replaced, not followed."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".recon-") as folder:
            part = Path(folder) / path.name
            part.write_text(text, encoding="utf-8")
            part.replace(path)
    except OSError as error:
        raise UsageError(f"{path} can't be written: {error.strerror}", hint="check who owns the folder") from error
