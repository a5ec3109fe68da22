"""What a repository holds, and where it comes from. Reads files and asks git; decides nothing."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from recon_action.desired.files import File, find
from recon_action.desired.git import git
from recon_action.desired.revisions import relative_to, remote_of, repository_of, root_of
from recon_action.desired.sources.closure import Closure, closure_of
from recon_action.desired.sources.detection import CIPHER, Kind
from recon_action.errors import UsageError

_MOST_READ: Final = 1 << 20  # bytes of a file that are looked at
# What every object has, in YAML as in JSON.
_OBJECT: Final = (re.compile(rb'\bapiVersion["\']?\s*:'), re.compile(rb'\bkind["\']?\s*:'))
_AGE: Final = re.compile(rb'\brecipient["\']?\s*:\s*["\']?age1')
_OURS: Final = "recon-action/recon-action"
_USUAL: Final = "main"


class Sort(StrEnum):
    """What manifests are made of."""

    PLAIN = "plain manifests"
    KUSTOMIZE = "a kustomization"
    HELM = "a chart"


@dataclass(frozen=True, slots=True)
class Found:
    """Manifests in a repository.

    Args:
        path: from the repository's root; "." is the root itself.
        sort: what they are made of.
    """

    path: str
    sort: Sort


@dataclass(frozen=True, slots=True)
class Sight:
    """What was seen.

    Args:
        root: the repository's folder.
        repository: `host/owner/name`, "" without a remote.
        branch: the default branch.
        sources: manifests that no others are made from.
        is_encrypted: whether some of them are encrypted by SOPS.
        has_age: whether with age keys.
        workflows: workflow files that use this action already.
    """

    root: Path
    repository: str = ""
    branch: str = _USUAL
    sources: tuple[Found, ...] = ()
    is_encrypted: bool = False
    has_age: bool = False
    workflows: tuple[str, ...] = ()


def look(folder: str, paths: Sequence[str]) -> Sight:
    """What the repository around `folder` holds, or of it what is in `paths`.

    Raises:
        UsageError: there is no repository, or a path does not exist or lies outside.
    """
    root = root_of(folder)
    if root is None:
        raise UsageError(
            f"{Path(folder).absolute()} lies in no Git repository", hint="git init, or go to the folder of a clone"
        )
    if outside := [path for path in paths if relative_to(root, path) is None]:
        raise UsageError(f"{outside[0]} lies outside of {root}", hint="name folders of this repository")
    files = find(paths or [str(root)], str(root), render=True)
    closures = [
        closure_of(Path(file.folder.path), str(root))
        for file in files
        if file.folder and file.folder.kind is Kind.KUSTOMIZE
    ]
    contents = {file.path: _content(file) for file in files if not file.folder}
    inner = [_content(File(str(path))) for closure in closures for path in closure.files]
    ciphered = [data for data in (*contents.values(), *inner) if CIPHER in data]
    return Sight(
        root=root,
        repository=repository_of(remote_of(root)),
        branch=_default_branch(root),
        sources=tuple(sorted(set(_sources(root, paths, files, closures, contents)), key=lambda found: found.path)),
        is_encrypted=bool(ciphered),
        has_age=any(map(_AGE.search, ciphered)),
        workflows=tuple(_workflows(root)),
    )


def _sources(
    root: Path, paths: Sequence[str], files: Sequence[File], closures: Sequence[Closure], contents: dict[str, bytes]
) -> Iterator[Found]:
    """Each source; of plain manifests the uppermost folder below the root, or the PATH that was named."""
    used = {file for closure in closures for file in closure.files}
    inner = {folder for closure in closures for folder in closure.levels if folder != closure.folder}
    inner |= {closure.folder for closure in closures if closure.is_component}
    for file in files:
        place = Path(os.path.realpath(file.path))
        if file.folder is None:
            if place not in used and _is_object(contents[file.path]):
                yield Found(_named(root, paths, place) or _uppermost(root, place), Sort.PLAIN)
        elif file.folder.kind is Kind.HELM:
            if not any(each.is_relative_to(place) for each in used):
                yield Found(_shown(root, place), Sort.HELM)
        elif place not in inner:
            yield Found(_shown(root, place), Sort.KUSTOMIZE)


def _is_object(data: bytes) -> bool:
    return all(pattern.search(data) for pattern in _OBJECT)


def _shown(root: Path, place: Path) -> str:
    return place.relative_to(root).as_posix()


def _named(root: Path, paths: Sequence[str], place: Path) -> str:
    """The PATH that holds a file; "" if it was not named."""
    for path in paths:
        inside = relative_to(root, path)
        if inside is not None and (inside == "." or place.is_relative_to(root / inside)):
            return Path(inside).as_posix()
    return ""


def _uppermost(root: Path, place: Path) -> str:
    folder = place.relative_to(root).parent
    return folder.parts[0] if folder.parts else "."


def _content(file: File) -> bytes:
    if file.refusal:
        return b""
    try:
        with Path(file.path).open("rb") as opened:
            return opened.read(_MOST_READ)
    except OSError:
        return b""


def _default_branch(root: Path) -> str:
    """What `origin` calls its main line; else the branch that is checked out."""
    remote = git(root, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD").text
    return remote.removeprefix("origin/") or git(root, "symbolic-ref", "--quiet", "--short", "HEAD").text or _USUAL


def _workflows(root: Path) -> Iterator[str]:
    for path in sorted((root / ".github" / "workflows").glob("*.y*ml")):
        if _OURS.encode() in _content(File(str(path))):
            yield _shown(root, path)
