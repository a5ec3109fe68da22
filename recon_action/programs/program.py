"""What a program is, as data: its version, where it is published, and from which sources Go builds it.

The data of each program lives with whoever runs it (the lab's in `lab.binaries`); how to get one is `obtain`'s.
"""

import hashlib
import platform as host
import sys
from dataclasses import dataclass
from pathlib import Path

_ARCHITECTURES = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


@dataclass(frozen=True, slots=True)
class Platform:
    """An operating system and an architecture, in Go's words, which the releases use too."""

    os: str
    arch: str

    def __str__(self) -> str:
        return f"{self.os}/{self.arch}"


def this_platform() -> Platform:
    """The platform we run on."""
    machine = host.machine().lower()
    return Platform("darwin" if sys.platform == "darwin" else "linux", _ARCHITECTURES.get(machine, machine))


@dataclass(frozen=True, slots=True)
class Release:
    """Where a program is published. Each text may hold {version}, {os} and {arch}.

    Args:
        url: the file: the program itself, or a .tar.gz that holds it.
        checksums: the published file with its sha256, alone or in the form of `sha256sum`.
        member: the program's path inside the archive; "" if the file is the program itself.
    """

    url: str
    checksums: str
    member: str = ""


@dataclass(frozen=True, slots=True)
class GoModule:
    """Sources that Go builds: a packaged go.mod pins every dependency, its go.sum the content of each.

    Args:
        name: what it builds, as a folder of the cache.
        title: what it builds, for a person.
        version: of what it builds.
        folder: holds go.mod, go.sum and the sources of its own.
        package: what `go build` is told to build.
        variables: linker variables, as `import/path.name=value`.
        names: the programs that the result is; several if the name it is called by picks one.
    """

    name: str
    title: str
    version: str
    folder: Path
    package: str
    names: tuple[str, ...]
    variables: tuple[str, ...] = ()

    @property
    def fingerprint(self) -> str:
        """Changes when any source changes, so that a cache never serves yesterday's build."""
        digest = hashlib.sha256(repr((self.package, self.variables, self.names)).encode())
        for file in sorted(self.folder.iterdir()):
            if file.is_file():
                content = file.read_bytes()
                digest.update(f"{file.name} {len(content)}\n".encode() + content)
        return digest.hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Program:
    """An external program.

    Args:
        name: its executable's name.
        version: the version that we test with; of one found on PATH, major and minor must be the same.
        version_args: what makes it print its version.
        release: where it is published; None if nowhere that we use.
        source: what Go builds it from; None if it can't be built.
        any_version: whether whatever PATH has is taken, and not even asked for its version.
    """

    name: str
    version: str
    version_args: tuple[str, ...] = ("--version",)
    release: Release | None = None
    source: GoModule | None = None
    any_version: bool = False

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


def expand(template: str, program: Program, platform: Platform) -> str:
    """A text of a Release with version and platform filled in."""
    return template.format(version=program.version, os=platform.os, arch=platform.arch)
