"""Where a program may already be: folders that the user names, PATH, our cache. Looks only, gets nothing."""

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from recon_action.errors import ProgramError
from recon_action.programs.program import GoModule, Platform, Program, this_platform
from recon_action.programs.run import run

_VERSION = re.compile(r"(\d+\.\d+)\.\d+")


@dataclass(frozen=True, slots=True)
class Places:
    """Where to look, in this order.

    Args:
        folders: named by the user: what lies there is taken as it is.
        path: in PATH's form: what lies there is taken if its version is the wanted one, or any will do.
        cache: our own folder: what lies there was verified or built by us.
        platform: of the programs to get.
    """

    folders: tuple[Path, ...]
    path: str
    cache: Path
    platform: Platform

    def downloaded(self, program: Program) -> Path:
        """Where the release of `program` lies, or would."""
        folder = f"{program.version}-{self.platform.os}-{self.platform.arch}"
        return self.cache / program.name / folder / program.name

    def built(self, module: GoModule) -> Path:
        """The folder in which the programs built from `module` lie, or would."""
        folder = f"{module.version}-{module.fingerprint}-{self.platform.os}-{self.platform.arch}"
        return self.cache / module.name / folder


def usual_places(environ: Mapping[str, str], *, variable: str = "") -> Places:
    """The places of this machine; `variable` names the one that holds the user's folder."""
    folder = environ.get(variable, "")
    return Places(
        folders=(Path(folder).absolute(),) if folder else (),
        path=environ.get("PATH", os.defpath),
        cache=platformdirs.user_cache_path("recon-action") / "programs",
        platform=this_platform(),
    )


def find(program: Program, places: Places) -> Path | None:
    """Where `program` is on this machine, None if it isn't."""
    for folder in places.folders:
        if is_executable(folder / program.name):
            return folder / program.name
    on_path = shutil.which(program.name, path=places.path)
    if on_path and (program.any_version or _has_version(program, Path(on_path))):
        return Path(on_path).absolute()
    candidates = [places.downloaded(program)]
    if program.source:
        candidates.append(places.built(program.source) / program.name)
    return next(filter(is_executable, candidates), None)


def is_executable(file: Path) -> bool:
    """Whether `file` can be run."""
    return file.is_file() and os.access(file, os.X_OK)


def _has_version(program: Program, file: Path) -> bool:
    """Whether `file` says of itself that it is the wanted major and minor version."""
    try:
        done = run([str(file), *program.version_args], cwd=None, env=None, timeout=10)
    except ProgramError:
        return False
    said = _VERSION.search(done.text or done.stderr)
    wanted = _VERSION.match(program.version)
    return bool(done.code == 0 and said and wanted and said[1] == wanted[1])
