"""Writes the table of pinned checksums, from what the projects publish beside their releases. For maintainers.

    python -m recon_action.programs.pin recon_action.lab.binaries

It trusts what it reads at that moment; from then on the committed table is what every download is held
against, so its change belongs into a review. A platform for which nothing is published gets no entry, and is
built with Go.
"""

import re
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path

from recon_action.errors import ProgramError
from recon_action.programs.checksums import TABLE, Checksums, read_checksums, write_checksums
from recon_action.programs.download import UnreachableError, read_text
from recon_action.programs.program import Platform, Program, Release, expand

PLATFORMS = tuple(Platform(os, arch) for os in ("linux", "darwin") for arch in ("amd64", "arm64"))
_LINE = re.compile(r"^([0-9a-fA-F]{64})(?:\s+\*?(.+))?$", re.MULTILINE)


def pin(programs: Iterable[Program], platforms: Iterable[Platform]) -> tuple[Checksums, list[str]]:
    """The published checksums, and a line for each that isn't published."""
    table: dict[str, dict[str, dict[str, str]]] = {}
    missing = []
    wanted = [(program, platform) for program in programs for platform in platforms]
    for program, platform in wanted:
        if program.release is None:
            continue
        try:
            sha256 = _published(program.release, program, platform)
        except ProgramError as error:
            missing.append(f"{program} for {platform}: {error.message}")
        else:
            table.setdefault(program.name, {}).setdefault(program.version, {})[str(platform)] = sha256
    return Checksums(table), missing


def _published(release: Release, program: Program, platform: Platform) -> str:
    """The sha256 of one file: the only one of the list, or the one with the file's name."""
    url = expand(release.checksums, program, platform)
    file = expand(release.url, program, platform).rsplit("/", 1)[-1]
    found = _LINE.findall(read_text(url))
    for sha256, name in found:
        if name.strip() in {file, f"./{file}"} or (not name and len(found) == 1):
            return str(sha256).lower()
    raise UnreachableError(f"{url} holds no checksum of {file}")


def main(arguments: Sequence[str], table: Path = TABLE, platforms: Sequence[Platform] = PLATFORMS) -> int:
    """Pin the PROGRAMS of each module named; 0 if at least one checksum of each program is there."""
    programs = [program for name in arguments for program in import_module(name).PROGRAMS]
    checksums, missing = pin(programs, platforms)
    for line in missing:
        sys.stderr.write(f"not published: {line}\n")
    write_checksums(Checksums({**read_checksums(table).table, **checksums.table}), table)
    return 0 if programs and all(program.name in checksums.table for program in programs) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
