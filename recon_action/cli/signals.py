"""SIGINT and SIGTERM, made a `Stop` that a run heeds: what has begun is settled, within a bound."""

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

import click

from recon_action.errors import ExitCode
from recon_action.model import Problem, Trouble
from recon_action.stop import Stop

_LIMIT = 4.8  # seconds from the first signal to the end, whatever hangs
_ECHO = 0.3  # seconds in which a second signal is the first one's: a terminal's Ctrl-C that a wrapper passes on as well
_HINT = "what had begun may be half done; the next run goes on"
_OVER = 0  # no signal has this number


@contextmanager
def interruptible() -> Iterator[Stop]:
    """Inside, a signal asks the run to end, a second one ends it at once; where nothing is at stake, the first does."""
    stop = Stop()

    def note(_number: int, _frame: FrameType | None) -> None:
        if stop.is_idle:
            raise KeyboardInterrupt

    # Who ignores SIGINT was started in the background by a shell, and means it.
    numbers = [number for number in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(number) != signal.SIG_IGN]
    arrived, arrival = socket.socketpair()
    with arrived, arrival:
        arrival.settimeout(0)
        listener = threading.Thread(target=_listen, args=(stop, arrived), name="signals", daemon=True)
        listener.start()
        before = {number: signal.signal(number, note) for number in numbers}
        # A handler runs once the main thread is between two instructions, which may take as long as what it waits
        # for; and it may take no lock, which that instruction may hold. This is written at once.
        woken = signal.set_wakeup_fd(arrival.fileno(), warn_on_full_buffer=False)
        try:
            yield stop
        finally:
            signal.set_wakeup_fd(woken)
            for number, handler in before.items():
                signal.signal(number, handler)
            arrival.send(bytes([_OVER]))
            listener.join()


def _listen(stop: Stop, arrived: socket.socket) -> None:
    """Pass the first signal on, then end the process at the second one, or when it takes too long."""
    first = arrived.recv(1)[0]
    if first == _OVER:
        return
    name, begun = signal.Signals(first).name, time.monotonic()
    stop.ask(Problem(Trouble.INTERRUPTED, f"the run was interrupted by {name}", _HINT))
    while (number := _next(arrived, begun + _ECHO)) not in {None, _OVER}:
        pass
    if number is None:
        _say(f"{name}: settling what has begun, within {_LIMIT:.0f} s; once more ends at once")
        number = _next(arrived, begun + _LIMIT)
    if number != _OVER:
        _say(f"interrupted before all was settled: {_HINT}")
        os._exit(ExitCode.INTERRUPTED)


def _next(arrived: socket.socket, end: float) -> int | None:
    """The next signal's number; None if there is none until `end` of the monotonic clock."""
    arrived.settimeout(max(end - time.monotonic(), 0.001))
    try:
        return arrived.recv(1)[0]
    except TimeoutError:
        return None


def _say(text: str) -> None:
    with suppress(OSError):  # whoever read our stderr may have left
        click.echo(text, err=True)
