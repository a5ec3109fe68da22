"""Labs that stay after the command that started them, by name: up, and down."""

import fcntl
import os
import re
import shutil
import signal
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

import platformdirs

from recon_action.errors import ProgramError, UsageError
from recon_action.lab.binaries import get_binaries
from recon_action.lab.control_plane import Lab
from recon_action.lab.options import LabOptions
from recon_action.lab.supervisor import LOCK
from recon_action.model.progress import Progress
from recon_action.programs.exclusive import exclusive

_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,40}[a-z0-9])?")
_END_LIMIT = 10.0
_POLL = 0.05


@dataclass(frozen=True, slots=True)
class Standing:
    """A lab that stays.

    Args:
        name: what it is called.
        server: the API server's URL.
        kubernetes: the version that it serves.
        kubectl: of its version.
        environment: the variables, besides PATH, with which a program uses it.
    """

    name: str
    server: str
    kubernetes: str
    kubectl: Path
    environment: dict[str, str]


def labs_folder() -> Path:
    """Where standing labs lie."""
    return platformdirs.user_state_path("recon-action") / "labs"


def up(name: str, options: LabOptions, environ: Mapping[str, str], progress: Progress) -> Standing:
    """Start a lab that stays until `down`.

    Raises:
        UsageError: the name is none, or it is up already.
        ProgramError: it can't be started.
    """
    folder = _folder(name)
    with _alone(folder, progress):
        if _is_alive(folder):
            raise UsageError(
                f"lab {name} is already up: KUBECONFIG={folder / 'kubeconfig'}",
                hint=f"end it with `recon-action lab down --name {name}`, or give this one another --name",
            )
        shutil.rmtree(folder, ignore_errors=True)  # of a machine that was switched off
        binaries = get_binaries(environ, progress, controllers=options.controllers)
        lab = Lab(replace(options, folder=folder), binaries, progress)
        try:
            environment = {key: value for key, value in lab.env({}).items() if key != "PATH"}
            standing = Standing(name, lab.server, lab.kubernetes, lab.kubectl, environment)
            lab.detach()
        except BaseException:
            lab.end()
            raise
        return standing


def down(name: str, progress: Progress) -> bool:
    """End a lab; False if it wasn't up."""
    folder = _folder(name)
    with _alone(folder, progress):
        if not _is_alive(folder):
            shutil.rmtree(folder, ignore_errors=True)
            return False
        pid = int((folder / LOCK).read_text(encoding="ascii"))
        os.kill(pid, signal.SIGTERM)
        end = time.monotonic() + _END_LIMIT
        while folder.exists():
            if time.monotonic() > end:
                raise ProgramError(f"lab {name} does not end", hint=f"kill its supervisor: kill -9 {pid}")
            time.sleep(_POLL)
    return True


def names() -> list[str]:
    """The labs that are up."""
    folder = labs_folder()
    return sorted(each.name for each in folder.iterdir() if _is_alive(each)) if folder.is_dir() else []


def _alone(folder: Path, progress: Progress) -> AbstractContextManager[None]:
    """One `up` or `down` of a name at a time."""
    lock = folder.parent / f".{folder.name}.lock"
    return exclusive(lock, title=f"lab {folder.name} is changing", progress=progress)


def _folder(name: str) -> Path:
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} is no name for a lab", hint="use small letters, digits and dashes")
    return labs_folder() / name


def _is_alive(folder: Path) -> bool:
    """Whether its supervisor lives: it holds a lock as long as it does."""
    try:
        with (folder / LOCK).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
