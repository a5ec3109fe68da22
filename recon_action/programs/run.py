"""Runs one external program to its end: no shell, bounded in time and in output.

Decides nothing about the program: which one, and what its exit code means, is its caller's.
"""

import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import IO

from recon_action.errors import ProgramError

LIMIT = 256 * 1024 * 1024
_CHUNK = 64 * 1024
_POLL = 0.2  # seconds between two looks whether anybody still waits


@dataclass(frozen=True, slots=True)
class Completed:
    """How a program ended.

    Args:
        code: its exit code; minus the signal's number if a signal ended it.
        stdout: as it wrote it.
        stderr: decoded; what isn't UTF-8 is replaced.
    """

    code: int
    stdout: bytes = field(repr=False)  # may hold secrets: never in a traceback
    stderr: str = field(repr=False)

    @property
    def text(self) -> str:
        """What it wrote to stdout, decoded, without the white space around it."""
        return self.stdout.decode(errors="replace").strip()

    @property
    def last_line(self) -> str:
        """The last line of stderr that isn't blank: what most programs end with when they fail."""
        return next((line.strip() for line in reversed(self.stderr.splitlines()) if line.strip()), "")


def run(
    argv: Sequence[str],
    *,
    cwd: str | os.PathLike[str] | None,
    env: Mapping[str, str] | None,
    timeout: float,
    input: bytes | None = None,  # noqa: A002 - the name that subprocess gives it
    limit: int = LIMIT,
    ended: threading.Event | None = None,
) -> Completed:
    """Run `argv` and wait for it; without `input` its stdin is empty.

    Args:
        argv: the program (looked up in our own PATH unless it is a path) and its arguments.
        cwd: the folder to run in; None means ours.
        env: the whole environment; None means ours.
        timeout: seconds, after which the program and all of its children are killed.
        input: what the program reads on its stdin.
        limit: bytes that stdout and stderr may hold together.
        ended: once it is set, nobody waits any more: the program is killed.

    Raises:
        ProgramError: it can't be started, takes too long, writes too much, or nobody waits any more.
    """
    name = PurePath(argv[0]).name
    try:
        process = subprocess.Popen(
            argv,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL if input is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # so that its children can be killed with it
        )
    except OSError as error:
        raise ProgramError(
            f"{name} can't be started: {error.strerror}", hint=f"install {name}, or put it on PATH"
        ) from error
    with process:
        try:
            stdout, stderr = _exchange(process, input or b"", time.monotonic() + timeout, limit, ended)
            process.wait()
        except BaseException as error:
            _kill(process)
            if isinstance(error, _TooMuch):
                raise ProgramError(f"{name} was stopped: it wrote more than {limit} bytes") from error
            if isinstance(error, _Unwanted):
                raise ProgramError(f"{name} was stopped") from error
            if isinstance(error, TimeoutError):
                raise ProgramError(f"{name} was stopped: it took longer than {timeout:g} s") from error
            raise
    return Completed(process.returncode, stdout, stderr.decode(errors="replace"))


class _TooMuch(Exception):  # noqa: N818 - a signal between two functions of this module
    """The limit is passed."""


class _Unwanted(Exception):  # noqa: N818 - another
    """Nobody waits any more."""


def _exchange(
    process: subprocess.Popen[bytes], data: bytes, end: float, limit: int, ended: threading.Event | None
) -> tuple[bytes, bytes]:
    """Feed stdin and collect stdout and stderr until both are closed."""
    collected: dict[IO[bytes] | None, bytearray] = {process.stdout: bytearray(), process.stderr: bytearray()}
    rest = memoryview(data)
    with selectors.DefaultSelector() as selector:
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                selector.register(stream, selectors.EVENT_READ)
        if process.stdin is not None:
            os.set_blocking(process.stdin.fileno(), False)
            selector.register(process.stdin, selectors.EVENT_WRITE)
        while selector.get_map():
            for key, _ in _awaited(selector, end, ended):
                if key.fileobj is process.stdin:
                    rest = rest[_write(key.fd, rest) :]
                    done = not rest
                else:
                    chunk = os.read(key.fd, _CHUNK)
                    collected[key.fileobj] += chunk  # type: ignore[index]
                    done = not chunk
                if done:
                    selector.unregister(key.fileobj)
                    key.fileobj.close()  # type: ignore[union-attr]
            if sum(map(len, collected.values())) > limit:
                raise _TooMuch
    return bytes(collected[process.stdout]), bytes(collected[process.stderr])


def _awaited(
    selector: selectors.BaseSelector, end: float, ended: threading.Event | None
) -> list[tuple[selectors.SelectorKey, int]]:
    """What can be read or written now; nothing, if somebody may have given up meanwhile."""
    left = max(end - time.monotonic(), 0)
    ready = selector.select(min(left, _POLL) if ended else left)
    if ended and ended.is_set():
        raise _Unwanted
    if not ready and time.monotonic() >= end:
        raise TimeoutError
    return ready


def _write(descriptor: int, rest: memoryview) -> int:
    """Write what the pipe takes; a program that doesn't read all of its stdin is no error."""
    try:
        return os.write(descriptor, rest[:_CHUNK])
    except BlockingIOError:
        return 0
    except BrokenPipeError:
        return len(rest)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the program and every child that stayed in its group."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        process.kill()
