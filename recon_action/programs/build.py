"""Builds programs with Go from a packaged go.mod: the way that needs no release page, only a module proxy.

What is built is pinned by go.mod and go.sum; the user's Go settings may say where modules come from,
but not what is built from them.
"""

import os
import re
import selectors
import shutil
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO

from recon_action.errors import ProgramError
from recon_action.model.progress import Progress
from recon_action.programs.program import GoModule, Platform
from recon_action.programs.run import run

_TAIL = 20  # lines of Go's output that an error shows
_HEARTBEAT = 30.0  # seconds between two notes in a log that nobody watches
_LISTING_LIMIT = 900.0
_FOREIGN = ("GOBIN", "GOEXPERIMENT", "GO111MODULE", "GOAMD64", "GOARM64", "GOFIPS140", "GOTOOLDIR")


def find_go(path: str) -> Path | None:
    """The `go` command of PATH, None without one."""
    found = shutil.which("go", path=path)
    return Path(found) if found else None


def build(module: GoModule, folder: Path, *, go: Path, platform: Platform, progress: Progress) -> None:
    """Build `module` and put its programs into `folder`, which appears whole or not at all.

    Raises:
        ProgramError: Go fails; the message ends with the last lines it wrote.
    """
    env = _environment(os.environ, platform)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".part-") as name:
        part = Path(name, "programs")
        part.mkdir()
        main, *aliases = module.names if len(module.names) == 1 else (module.name, *module.names)
        total = _count_packages(module, go, env, progress)
        progress.step(f"building {module.title} with Go (minutes the first time, then cached)", total)
        _go(_command(go, module, part / main), module, env, Display(progress, total))
        for alias in aliases:
            (part / alias).symlink_to(main)
        shutil.rmtree(folder, ignore_errors=True)
        part.rename(folder)


def _command(go: Path, module: GoModule, target: Path) -> list[str]:
    """The `go build` that makes a small program which says the right version of itself."""
    flags = " ".join(["-s", "-w", *(f"-X {variable}" for variable in module.variables)])
    # Without -buildvcs=false Go would stamp the repository that surrounds the sources into the program.
    options = ["-v", "-trimpath", "-buildvcs=false", "-ldflags", flags]
    return [str(go), "build", *options, "-o", str(target), module.package]


def _environment(environ: Mapping[str, str], platform: Platform) -> dict[str, str]:
    """Go's environment: the user's, without what would change the result."""
    env = {name: value for name, value in environ.items() if name not in _FOREIGN}
    return env | {
        "CGO_ENABLED": "0",
        "GOFLAGS": "-mod=readonly",
        "GOWORK": "off",
        "GOOS": platform.os,
        "GOARCH": platform.arch,
    }


def _count_packages(module: GoModule, go: Path, env: Mapping[str, str], progress: Progress) -> int:
    """How many packages the build consists of; downloads the modules on the way."""
    progress.step(f"downloading the sources of {module.title}")
    done = run([str(go), "list", "-deps", module.package], cwd=module.folder, env=env, timeout=_LISTING_LIMIT)
    if done.code != 0:
        raise _failure(module, done.stderr.splitlines()[-_TAIL:])
    return len(done.text.splitlines())


class Display:
    """Tells of each package that Go compiles, and now and then that it is still at it."""

    def __init__(self, progress: Progress, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._progress = progress
        self._total = total
        self._clock = clock
        self._count = 0
        self._begin = self._told = clock()

    def line(self, text: str) -> bool:
        """One line of `go build -v`; whether it named a package."""
        if re.fullmatch(r"[\w./~+-]+", text) is None:
            return False
        self._count += 1
        self._progress.advance()
        return True

    def beat(self) -> None:
        """Called at least every second."""
        now = self._clock()
        if now - self._told >= _HEARTBEAT:
            self._told = now
            minutes, seconds = divmod(int(now - self._begin), 60)
            compiled = f"{self._count} packages compiled, of {self._total} at most"
            self._progress.note(f"still building after {minutes}:{seconds:02}: {compiled}")


def _go(argv: list[str], module: GoModule, env: Mapping[str, str], display: Display) -> None:
    """Run Go to its end. Its stderr is a pipe: should we be killed, Go ends at its next line."""
    tail: deque[str] = deque(maxlen=_TAIL)

    def read(line: str) -> None:
        if not display.line(line):
            tail.append(line)

    with subprocess.Popen(
        argv,
        cwd=module.folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            _lines(process.stderr, read, display.beat)
        except BaseException:
            process.terminate()
            raise
    if process.returncode != 0:
        raise _failure(module, list(tail))


def _lines(stream: IO[bytes] | None, read: Callable[[str], None], beat: Callable[[], None]) -> None:
    """Hand over each line of `stream` as it comes, with a beat at least every second."""
    if stream is None:
        return
    rest = b""
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        while True:
            beat()
            if not selector.select(1.0):
                continue
            chunk = os.read(stream.fileno(), 65536)
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                read(line.decode(errors="replace"))
            if not chunk:
                break
    if rest:
        read(rest.decode(errors="replace"))


def _failure(module: GoModule, lines: list[str]) -> ProgramError:
    return ProgramError(
        "\n".join([f"Go could not build {module.title}; the last it wrote:", *(f"  {line}" for line in lines)]),
        hint="does `go env GOPROXY` name a reachable proxy, and is there room in `go env GOCACHE`?",
    )
