"""What Git says of the folder that the manifests lie in, and how to follow it.

Only reads, but for `pull`. The repository's own configuration is not trusted: it starts no program of its choice.
"""

import glob
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from recon_action.desired.files import STDIN
from recon_action.desired.git import git
from recon_action.errors import ProgramError
from recon_action.model import Revision

_PULL_SECONDS: Final = 300.0
_SCP: Final = re.compile(r"(?:[^@/\s]+@)?(?P<host>[^:/\s]{2,}):(?P<path>[^\s]+)")
_COMMIT: Final = re.compile(r"[0-9a-f]{40,64}")
_CREDENTIALS: Final = re.compile(r"(?<=://)[^/@\s]*@")


def revision_of(paths: Sequence[str]) -> Revision | None:
    """The revision of the repository that holds the first of `paths`; None outside of one, or without git."""
    root = next((found for path in paths if path != STDIN and (found := root_of(path))), None)
    if root is None:
        return None
    try:
        commit = git(root, "rev-parse", "--verify", "HEAD")
        if commit.code:  # not one of git's folders after all, or one without a commit
            return None
        branch = git(root, "symbolic-ref", "--quiet", "--short", "HEAD")
        remote = remote_of(root)
        return Revision(
            commit=commit.text,
            branch=branch.text,
            dirty=is_dirty(root, paths),
            repository=repository_of(remote),
            url=web_url(remote),
            root=str(root),
        )
    except ProgramError:
        return None


def pull(root: str) -> str:
    """Fetch, fast-forward the work tree at `root`, and return the commit it is at then.

    Raises:
        ProgramError: git can't: it is missing, the remote is, or the branches have diverged.
    """
    folder = Path(root)
    done = git(folder, "pull", "--ff-only", "--no-rebase", "--quiet", timeout=_PULL_SECONDS)
    if done.code:
        reason = _CREDENTIALS.sub("", done.last_line) or f"exit code {done.code}"
        raise ProgramError(f"git pull failed: {reason}", hint=f"see what `git pull --ff-only` says in {root}")
    return git(folder, "rev-parse", "--verify", "HEAD").text


def is_ancestor(root: str, commit: str, of: str) -> bool | None:
    """Whether `commit` comes before `of` in the repository at `root`; None if its clone doesn't go back so far."""
    if commit == of:
        return False
    if not _COMMIT.fullmatch(of):  # it comes from the cluster
        return None
    folder = Path(root)
    try:
        if git(folder, "merge-base", "--is-ancestor", of, commit).code == 0:
            return False
        back = git(folder, "merge-base", "--is-ancestor", commit, of).code
        if back == 1 and git(folder, "rev-parse", "--is-shallow-repository").text == "true":
            return None  # what lies between the two may have been cut off
    except ProgramError:
        return None
    return {0: True, 1: False}.get(back)


def root_of(path: str) -> Path | None:
    """The work tree that holds `path`, which may be a glob; without links. None outside of one."""
    place = Path(path)
    while glob.has_magic(str(place)) and not os.path.lexists(place):
        place = place.parent
    place = place.parent.resolve() / place.name if place.name else place.resolve()
    return next((each for each in (place, *place.parents) if (each / ".git").exists()), None)


def is_dirty(root: Path, paths: Iterable[str]) -> bool:
    """Whether a file under `paths` isn't as HEAD has it, or isn't in HEAD at all."""
    specs = [
        f":(top,{'literal' if os.path.lexists(path) else 'glob'}){'' if inner == '.' else inner}"
        for path in paths
        if path != STDIN and (inner := relative_to(root, path)) is not None
    ]
    if not specs:
        return False
    # What git lists under a folder that is a submodule is that repository's business.
    status = git(root, "status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=dirty", "--", *specs)
    return status.code != 0 or bool(status.stdout)


def place_of(path: str) -> Path:
    """Where `path` really lies; of a link that was named the link is meant, and not its target."""
    full = Path(path).absolute()
    fixed = full
    while glob.has_magic(str(fixed)) and not os.path.lexists(fixed):
        fixed = fixed.parent
    real = fixed.resolve() if fixed.is_dir() else fixed.parent.resolve() / fixed.name
    return real / full.relative_to(fixed)


def relative_to(root: Path, path: str) -> str | None:
    """`path` as seen from the root of its work tree; None if it lies elsewhere."""
    place = place_of(path)
    return str(place.relative_to(root)) if place.is_relative_to(root) else None


def repository_of(remote: str) -> str:
    """`host/owner/name` of a remote's address; "" if it names no host. Credentials and SSH ports are left out."""
    host, path, _ = _parts(remote)
    return f"{host}/{path}" if host and path else ""


def web_url(remote: str) -> str:
    """The web address of the repository behind a remote; "" where none can be made."""
    host, path, scheme = _parts(remote)
    return f"{scheme}://{host}/{path}" if host and path else ""


def remote_of(root: Path) -> str:
    """The address of `origin`, or of the only remote, if that has another name; "" without one."""
    found = git(root, "remote", "get-url", "origin")
    if found.code == 0:
        return found.text
    names = git(root, "remote").text.split()
    return git(root, "remote", "get-url", "--", names[0]).text if len(names) == 1 else ""


def _parts(remote: str) -> tuple[str, str, str]:
    """Host, path and web scheme of a remote's address; empty where it has none."""
    if "://" in remote:
        try:
            parts = urlsplit(remote)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            return "", "", ""
        if parts.scheme not in {"http", "https", "ssh", "git", "git+ssh"}:
            return "", "", ""
        is_web = parts.scheme in {"http", "https"}
        host = f"{host}:{port}" if host and port and is_web else host
        return host, _trimmed(parts.path), parts.scheme if is_web else "https"
    match = _SCP.fullmatch(remote)
    return (match["host"].lower(), _trimmed(match["path"]), "https") if match else ("", "", "")


def _trimmed(path: str) -> str:
    return path.strip("/").removesuffix(".git").rstrip("/")
