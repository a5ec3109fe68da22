"""Runs one command against a lab, as if it were run alone: its stdin, its terminal, its signals, its exit code.

It ends with us, and we end with whoever started us: a command that nobody waits for keeps no control plane.
"""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import FrameType

from recon_action.errors import UsageError
from recon_action.lab.control_plane import Lab

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_POLL = 0.2
_GRACE = 10.0  # seconds a command has after a signal; in them it may clean up on the server


def check_command(argv: Sequence[str], environ: Mapping[str, str]) -> None:
    """Say that a command doesn't exist before a control plane is started for it."""
    name = argv[0]
    if name != "kubectl" and shutil.which(name, path=environ.get("PATH")) is None:
        raise UsageError(f"there is no command {name}", hint="what follows -- is the command and its arguments")


def run_command(lab: Lab, argv: Sequence[str], environ: Mapping[str, str], *, parent: int) -> int:
    """Run `argv` with the lab's environment; its exit code, 128 + n if signal n ended it.

    Args:
        lab: what it runs against.
        argv: the command.
        environ: to which the lab adds its own.
        parent: the process that started us; once it is another one, the command is ended.
    """
    # At a terminal it stays in our process group: there, Ctrl-C reaches both of us, and job control works.
    # Elsewhere it leads a group of its own, so that its children end with it.
    own_group = not os.isatty(0)
    end = 0.0
    with _received() as received:
        process = _spawn(argv, lab.env(environ), own_group=own_group)
        lab.guard(process.pid, group=own_group)
        while (code := _wait(process)) is None:
            if os.getppid() != parent:
                parent = os.getppid()
                received.append(signal.SIGTERM)
            while received:
                number = received.pop(0)
                if own_group or number != signal.SIGINT:
                    end = end or time.monotonic() + _GRACE
                    _send(process, number, group=own_group)
            if end and time.monotonic() > end:
                _send(process, signal.SIGKILL, group=own_group)
        if not own_group:
            lab.guard(0, group=False)
    return code if code >= 0 else 128 - code


def _spawn(argv: Sequence[str], env: Mapping[str, str], *, own_group: bool) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(argv, env=env, process_group=0 if own_group else None)
    except OSError as error:
        raise UsageError(
            f"{argv[0]} can't be run: {error.strerror}", hint="is it a program for this machine?"
        ) from error


@contextmanager
def _received() -> Iterator[list[int]]:
    """Collects the signals that would end us, as long as the block lasts."""
    numbers: list[int] = []

    def collect(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - what signal.signal calls
        numbers.append(number)

    before = {number: signal.signal(number, collect) for number in _SIGNALS}
    try:
        yield numbers
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _wait(process: subprocess.Popen[bytes]) -> int | None:
    try:
        return process.wait(_POLL)
    except subprocess.TimeoutExpired:
        return None


def _send(process: subprocess.Popen[bytes], number: int, *, group: bool) -> None:
    with suppress(ProcessLookupError):  # it has just ended by itself
        (os.killpg if group else os.kill)(process.pid, number)
