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
from recon_action.desired.limits import DEFAULT, Limits
from recon_action.desired.sources.detection import KUSTOMIZATIONS, Folder, kind_of
from recon_action.errors import UsageError
from recon_action.model import Position

STDIN: Final = "-"
_SUFFIXES: Final = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class File:
    """A file to read: where it is ("-" is stdin), and why it can't be, with a hint, if so.

    Args:
        path: where it is.
        refusal: why it can't be read, and what to do.
        folder: of a folder that is not read, but rendered: what it is.
    """

    path: str
    refusal: tuple[str, str] | None = None
    folder: Folder | None = None


@dataclass(frozen=True, slots=True)
class Content:
    """A file's bytes, or why there are none."""

    data: bytes = field(default=b"", repr=False)  # may hold secrets: never in a traceback
    fault: Fault | None = None


def find(paths: Sequence[str], root: str = "", *, render: bool = False) -> list[File]:
    """The files that `paths` mean, each once, in the order of `paths` and sorted within a folder.

    Args:
        paths: files, folders, globs, or "-".
        root: the folder that no link may leave; "" means that of the repository that holds a path.
        render: whether a folder that holds a kustomization or a chart counts as one file, instead of its own.

    Raises:
        UsageError: a path doesn't exist, or matches nothing.
    """
    unique: dict[str, File] = {}
    missing = []
    for path in paths:
        files = list(_expand(path, root, render=render)) if path else []
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


def size_of(file: File) -> int:
    """How many bytes a file has; 0 if that can't be told before it is read."""
    try:
        return 0 if file.refusal or file.path == STDIN else Path(file.path).stat().st_size
    except OSError:
        return 0


def read(file: File, shown: str, stdin: BinaryIO | None, limits: Limits | None = DEFAULT) -> Content:
    """The bytes of one file; whatever prevents that is a fault, under the name `shown`."""
    if file.refusal:
        return Content(fault=Fault(Position(shown, 1), *file.refusal))
    most = limits.size + 1 if limits else -1
    try:
        if file.path == STDIN:
            data = (stdin or sys.stdin.buffer).read(most)
        else:
            with Path(file.path).open("rb") as opened:
                data = opened.read(most)
    except OSError as error:
        return Content(fault=Fault(Position(shown, 1), *_unreadable(error)))
    if limits and len(data) > limits.size:
        message = f"larger than {limits}, so it isn't read"
        hint = "split it into several files, or raise --max-file-size"
        return Content(fault=Fault(Position(shown, 1), message, hint))
    return Content(data)


def _expand(path: str, root: str, *, render: bool) -> Iterator[File]:
    if path == STDIN:
        yield File(STDIN)
        return
    named = _fixed(path)
    base = os.path.realpath(root) if root else _repository_of(named)
    if base and not _is_within(named, base):
        yield File(path, _LEAVES)
    elif Path(path).is_dir():
        yield from _Walk(Path(path), base, render=render).files()
    elif render and named.name in KUSTOMIZATIONS and named.is_file():
        yield from _Walk(named.parent, base, render=render).files()
    elif os.path.lexists(path):
        yield File(path)
    elif glob.has_magic(path):
        yield from _globbed(path, _Walk(named, base, render=render))


def _fixed(path: str) -> Path:
    """The part of a path before what a glob leaves open."""
    fixed = Path(path)
    while glob.has_magic(str(fixed)) and not os.path.lexists(fixed):
        fixed = fixed.parent
    return fixed


def _repository_of(path: Path) -> str:
    """The repository that a path is in as it is written, wherever links on its way lead; "" outside of one.

    Who names a path in a repository means what is in there, and not what a link in there was pointed to.
    """
    full = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow the links
    root = next((each for each in (full, *full.parents) if (each / ".git").exists()), None)
    return os.path.realpath(root) if root else ""


def _globbed(pattern: str, walk: "_Walk") -> Iterator[File]:
    """The files that a pattern matches: of any name if it spells out the suffix, else those of manifests.

    A folder that it matches is read like one that was named, unless `**` reaches its files anyway.
    """
    fixed = walk.folder
    suffix = Path(pattern).suffix
    suffixes = _SUFFIXES if not suffix or glob.has_magic(suffix) else (*_SUFFIXES, suffix)
    for path in _matches(fixed, str(Path(pattern).relative_to(fixed))):
        if not path.is_dir():
            if path.name.endswith(suffixes):
                yield walk.checked(path)
        elif path.is_symlink():
            yield from walk.linked(path)
        elif "**" not in pattern:
            yield from walk.below(path)


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


class _Walk:
    """One folder that was named, and what is found in it: nothing that leaves the repository, or else the folder.

    Args:
        folder: what was named.
        base: the repository; "" if there is none.
        render: whether folders with a kustomization or a chart count as one.
    """

    def __init__(self, folder: Path, base: str, *, render: bool) -> None:
        self.folder = folder
        self._real = os.path.realpath(folder)
        self._repository = base
        self._base = base or self._real
        self._render = render
        self._followed: set[str] = set()

    def files(self) -> Iterator[File]:
        """The manifests of the folder."""
        return self.below(self.folder)

    def below(self, folder: Path) -> Iterator[File]:
        """The manifests below a folder, hidden folders left out."""
        errors: list[OSError] = []
        for parent, folders, names in os.walk(folder, onerror=errors.append):
            if self._render and (kind := kind_of(names)):
                folders.clear()
                named = Path(parent) == self.folder
                yield File(parent, folder=Folder(parent, kind, self._repository, named=named))
                continue
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in folders:
                if (inner := Path(parent, name)).is_symlink():
                    yield from self.linked(inner)
            for name in sorted(names):
                if name.endswith(_SUFFIXES):
                    yield self.checked(Path(parent, name))
        for error in errors:
            yield File(str(error.filename or folder), _unreadable(error))

    def linked(self, link: Path) -> Iterator[File]:
        """What a link to a folder adds: nothing, if its files are read where they lie."""
        real = os.path.realpath(link)
        if not _is_within(link, self._base):
            yield File(str(link), _LEAVES)
        elif _is_within(self.folder, real) and real != self._real:
            yield File(str(link), _HOLDS_ITSELF)
        elif not _is_within(link, self._real) and real not in self._followed:
            self._followed.add(real)
            yield from self.below(link)

    def checked(self, path: Path) -> File:
        """A file that was found, not named: it must be a plain file, and lie where links may lead."""
        if not _is_within(path, self._base):
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
_HOLDS_ITSELF: Final = (
    "a symbolic link to a folder that holds the one it was found in, so it isn't followed",
    "remove it, or name that folder as the PATH",
)
_LEAVES: Final = (
    "a symbolic link that leaves its repository, or without one the folder it was found in, so it isn't followed",
    "put the manifests into the repository, or name their own place as a PATH",
)
