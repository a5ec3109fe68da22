"""Gets programs, each by the first way that works: found, downloaded, built.

A release is downloaded only if its checksum is pinned (`checksums`), and a wrong checksum is never worked
around. A machine without network, or a release without a pin, falls back to Go, whose go.sum pins too.
"""

import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from recon_action.errors import ProgramError
from recon_action.model.progress import Progress
from recon_action.programs.archive import extract
from recon_action.programs.build import build, find_go
from recon_action.programs.checksums import Checksums
from recon_action.programs.download import UnreachableError, download
from recon_action.programs.exclusive import exclusive
from recon_action.programs.places import Places, find
from recon_action.programs.program import Program, Release, expand


def obtain(programs: Iterable[Program], places: Places, checksums: Checksums, progress: Progress) -> dict[str, Path]:
    """Where each program is, by name; gets those that are missing.

    Raises:
        ProgramError: one can't be had; the message says what was tried.
    """
    return {program.name: _obtain(program, places, checksums, progress) for program in programs}


def _obtain(program: Program, places: Places, checksums: Checksums, progress: Progress) -> Path:
    if found := find(program, places):
        return found
    maker = program.source.name if program.source else program.name
    with exclusive(places.cache / f"{maker}.lock", title=f"getting {program}", progress=progress):
        if found := find(program, places):  # by the process that we waited for
            return found
        _sweep(places.cache / maker)
        tried = _download(program, places, checksums, progress)
        if not tried:
            return places.downloaded(program)
        progress.note(tried)
        return _build(program, places, progress, tried)


def _sweep(folder: Path) -> None:
    """Remove what a killed process left half done; we hold the lock, so nobody is at it."""
    for leftover in folder.glob("**/.part-*"):
        shutil.rmtree(leftover, ignore_errors=True)


def _download(program: Program, places: Places, checksums: Checksums, progress: Progress) -> str:
    """Download the release of `program`; "" if it is there now, else why it isn't."""
    if program.release is None:
        return f"{program} has no release that is used here"
    sha256 = checksums.of(program, places.platform)
    if not sha256:
        return f"{program}: no checksum of its release for {places.platform} is pinned"
    url = expand(program.release.url, program, places.platform)
    target = places.downloaded(program)
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".part-") as folder:
            file = Path(folder, "file")
            download(url, sha256, file, title=f"downloading {program}", progress=progress)
            _place(file, program.release, expand(program.release.member, program, places.platform), target)
    except UnreachableError as error:
        return error.message
    return ""


def _place(file: Path, release: Release, member: str, target: Path) -> None:
    """Put the program that the verified `file` is, or holds, to `target`."""
    if release.member:
        extract(file, member, file.with_name("member"))
        file = file.with_name("member")
    file.chmod(0o755)
    file.replace(target)


def _build(program: Program, places: Places, progress: Progress, tried: str) -> Path:
    if program.source is None:
        raise ProgramError(f"{program} is not on this machine; {tried}", hint=f"install {program.name}")
    go = find_go(places.path)
    if go is None:
        raise ProgramError(
            f"{program} is not on this machine; {tried}; and there is no Go to build it with",
            hint="install Go (https://go.dev/dl/), or put the programs on PATH",
        )
    folder = places.built(program.source)
    build(program.source, folder, go=go, platform=places.platform, progress=progress)
    return folder / program.name
