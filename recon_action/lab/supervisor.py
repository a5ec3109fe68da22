"""The process that owns a lab's components, and outlives whoever asked for them just long enough to end them.

It is run as a script of its own (see `supervised`), with the standard library alone: it starts in an
instant and depends on nothing that its parent may have in memory. It reads one JSON command a line on
stdin and answers each with one line on stdout. When stdin ends, because its parent closed it or died of
anything, SIGKILL included, it kills what it owns and removes the lab's folder. `detach` makes it stay
until SIGTERM instead.

It decides nothing about what it runs: programs, flags and readiness are `components` and `control_plane`.
"""

import contextlib
import ctypes
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

LOCK = "supervisor.pid"  # locked as long as the supervisor lives

_PR_SET_PDEATHSIG = 1
_POLL = 0.02
_GRACE = 1.0  # seconds that a command has to end


class _End(Exception):  # noqa: N818 - no error: the way out
    """A signal says that it is over."""


class Supervisor:
    """Components by name, and the command that runs against them: a process, or a group of them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._components: dict[str, subprocess.Popen[bytes]] = {}
        self._command = (0, False)
        self.detached = False

    def answer(self, command: dict[str, Any]) -> dict[str, Any]:
        """Do one command; an error is an answer too."""
        try:
            return self._do(command)
        except OSError as error:
            return {"error": str(error)}

    def _do(self, command: dict[str, Any]) -> dict[str, Any]:
        match command["do"]:
            case "run":
                return self._run(command["name"], command["argv"], Path(command["log"]))
            case "stop":
                process = self._components.pop(command["name"])
                process.terminate()
                return {"code": _wait(process, command["grace"])}
            case "poll":
                return {"exited": {name: code for name, code in self._codes().items() if code is not None}}
            case "guard":
                self._command = (command["pid"], command["group"])
            case "detach":
                self.detached = True
            case other:
                raise ValueError(other)
        return {}

    def _run(self, name: str, argv: list[str], log: Path) -> dict[str, Any]:
        with log.open("ab") as out:
            process = subprocess.Popen(
                argv,
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                preexec_fn=_die_with_parent(),  # noqa: PLW1509 - this process has one thread
            )
        self._components[name] = process
        return {"pid": process.pid}

    def _codes(self) -> dict[str, int | None]:
        return {name: process.poll() for name, process in self._components.items()}

    def end(self) -> None:
        """Leave no process and no file. What is thrown away needs no orderly shutdown, so it is killed."""
        for process in self._components.values():
            process.kill()
        pid, is_group = self._command
        if pid:
            _end_command(pid, os.killpg if is_group else os.kill)
        for process in self._components.values():
            process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


def _die_with_parent() -> Callable[[], None] | None:
    """Where Linux offers it: a component dies with this process, should even this one be killed."""
    if not sys.platform.startswith("linux"):
        return None
    prctl = ctypes.CDLL(None).prctl
    return lambda: prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _wait(process: subprocess.Popen[bytes], grace: float) -> int:
    try:
        return process.wait(grace)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def _end_command(pid: int, send: Callable[[int, int], None]) -> None:
    """SIGTERM, and SIGKILL to what of it is left after the grace. It is no child of ours: it can't be waited for."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        send(pid, signal.SIGTERM)
        end = time.monotonic() + _GRACE
        while time.monotonic() < end:
            send(pid, 0)
            time.sleep(_POLL)
        send(pid, signal.SIGKILL)


def _stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - what signal.signal calls
    raise _End


def main(folder: str) -> None:
    """Serve until stdin ends, then, if detached, until a signal."""
    supervisor = Supervisor(Path(folder))
    lock = Path(folder, LOCK).open("w", encoding="ascii")  # noqa: SIM115 - held until the process ends
    fcntl.flock(lock, fcntl.LOCK_EX)
    lock.write(str(os.getpid()))
    lock.flush()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _stop)
    try:
        for line in sys.stdin:
            sys.stdout.write(json.dumps(supervisor.answer(json.loads(line))) + "\n")
            sys.stdout.flush()
        while supervisor.detached:
            signal.pause()
    except (_End, BrokenPipeError):
        pass
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        supervisor.end()


if __name__ == "__main__":
    main(sys.argv[1])
