"""A commit's files, laid out in a folder of their own: read from git's objects, so the checkout is never touched.

No filter, hook or attribute of the repository takes part. Submodules hold other repositories' files and stay empty.
"""

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Final

from recon_action.desired.git import git
from recon_action.desired.revisions import relative_to
from recon_action.desired.sources.outward import outward
from recon_action.errors import DesiredError, UsageError
from recon_action.model import Revision

_LINK, _MODULE = "120000", "160000"
_SECONDS: Final = 120.0


@dataclass(frozen=True, slots=True)
class Tree:
    """A commit in a folder.

    Args:
        revision: the commit; its root is the folder.
        paths: the PATHs, as they are in the folder.
        of: the root of the repository.
    """

    revision: Revision
    paths: tuple[str, ...]
    of: str = ""

    def moved(self, path: str) -> str:
        """`path` as it is in the folder; one outside of the repository stays what it is."""
        inside = relative_to(Path(self.of), path)
        return path if inside is None else str(Path(self.revision.root, inside))


def commit_of(root: str, name: str) -> str:
    """The full SHA of the commit that `name` (a branch, a tag, a SHA, `HEAD^`) means in the repository at `root`.

    Raises:
        DesiredError: the clone has no such commit.
    """
    found = git(Path(root), "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if found.code:
        shallow = git(Path(root), "rev-parse", "--is-shallow-repository").text == "true"
        raise DesiredError(
            f"the clone has no commit {name}",
            hint="check out with `fetch-depth: 0`" if shallow else "fetch it first, or check its name",
        )
    return found.text


def merge_base(root: str, one: str, other: str) -> str:
    """The commit where two histories part.

    Raises:
        DesiredError: they have none in common, or the clone does not go back so far.
    """
    found = git(Path(root), "merge-base", one, other)
    if found.code:
        raise DesiredError(
            f"{one[:12]} and {other[:12]} have no commit in common in this clone",
            hint="check out with `fetch-depth: 0`",
        )
    return found.text


def parents_of(root: str, name: str) -> tuple[str, ...]:
    """What the commit `name` came from, as far as the clone has it; of a merge, what it went into comes first."""
    found = git(Path(root), "rev-list", "--parents", "--max-count=1", "--end-of-options", name)
    return tuple(found.text.split()[1:]) if found.code == 0 else ()


@contextmanager
def laid_out(of: Revision, commit: str, paths: Sequence[str], also: Sequence[str] = ()) -> Iterator[Tree]:
    """The files of `commit` below `paths`, and what they are rendered with, in a folder that is gone afterwards.

    Args:
        of: the repository.
        commit: a full SHA.
        paths: PATHs, as seen from the current folder; one that the commit lacks is left out.
        also: more files; one outside of the repository is left where it is.

    Raises:
        UsageError: a PATH lies outside of the repository.
        DesiredError: git can't read the commit.
    """
    root = Path(of.root)
    inner = [_inner(root, path) for path in paths]
    with tempfile.TemporaryDirectory(prefix="recon-action-") as name:
        folder = Path(name).resolve()
        known: set[str] = set()
        laid: set[str] = set()
        wanted = {*inner, *filter(None, (relative_to(root, path) for path in also))}
        while wanted:  # a link, or a kustomization, may lead out of the PATHs
            known |= wanted
            listed = {path: blob for path, blob in _listed(root, commit, wanted).items() if path not in laid}
            laid |= listed.keys()
            wanted = {*_lay_out(folder, listed, root), *outward(folder, listed)} - known
        revision = replace(of, commit=commit, branch="", dirty=False, root=str(folder))
        yield Tree(revision, tuple(str(folder / path) for path in inner if _is_there(folder, path)), of.root)


def _inner(root: Path, path: str) -> str:
    inside = relative_to(root, path)
    if inside is None:
        raise UsageError(f"{path} lies outside of the repository {root}", hint="name PATHs of the repository")
    return inside


def _is_there(folder: Path, path: str) -> bool:
    return os.path.lexists(folder / path) or any(folder.glob(path) if path != "." else [folder])


def _listed(root: Path, commit: str, paths: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Mode and object of each file below `paths`, by its path from the root."""
    # ls-tree knows no globs: what a glob may match lies below its fixed part.
    fixed = sorted({_fixed(path) for path in paths})
    found = git(root, "ls-tree", "-r", "-z", "--full-tree", commit, "--", *fixed, timeout=_SECONDS)
    if found.code:
        raise DesiredError(f"git can't read commit {commit[:12]}: {found.last_line}")
    rows = [row.partition(b"\t") for row in found.stdout.split(b"\0") if row]
    files = {os.fsdecode(path): os.fsdecode(head).split(" ") for head, _, path in rows}
    return {path: (mode, name) for path, (mode, _, name) in files.items() if mode != _MODULE}


def _fixed(path: str) -> str:
    parts = PurePosixPath(path).parts
    length = next((number for number, part in enumerate(parts) if set(part) & set("*?[")), len(parts))
    return str(PurePosixPath(*parts[:length])) if length else "."


def _lay_out(folder: Path, blobs: Mapping[str, tuple[str, str]], root: Path) -> Iterator[str]:
    """Write the files; gives the targets of the links among them, as paths from the root."""
    names = [name for _, name in blobs.values()]
    answer = git(root, "cat-file", "--batch", stdin="".join(f"{name}\n" for name in names).encode(), timeout=_SECONDS)
    stream, at = memoryview(answer.stdout), 0
    for path, (mode, name) in blobs.items():
        end = answer.stdout.find(b"\n", at)
        head = answer.stdout[at : max(end, at)].decode()
        if not head.startswith(f"{name} blob "):
            raise DesiredError(f"git can't read {path} of the commit", hint="check out with `fetch-depth: 0`")
        at = end + 1 + int(head.rpartition(" ")[2])
        data = bytes(stream[end + 1 : at])
        at += 1  # the line break behind an object
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if mode != _LINK:
            place.write_bytes(data)
            continue
        target = os.fsdecode(data)
        place.symlink_to(target)  # the reader refuses one that leaves its folder
        inside = os.path.normpath(PurePosixPath(path).parent / target)
        if not target.startswith("/") and not inside.startswith(".."):
            yield inside
