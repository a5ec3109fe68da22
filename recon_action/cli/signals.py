"""SIGINT and SIGTERM, made a `Stop` that a run heeds: what has begun is settled, within a bound."""

import os
import queue
import signal
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


@contextmanager
def interruptible() -> Iterator[Stop]:
    """Inside, a signal asks the run to end, a second one ends it at once; where nothing is at stake, the first does."""
    stop = Stop()
    arrived: queue.SimpleQueue[int] = queue.SimpleQueue()

    def note(number: int, _frame: FrameType | None) -> None:
        if stop.is_idle:
            raise KeyboardInterrupt
        arrived.put(number)  # a handler may take no lock, as whatever it interrupted may hold it; this takes none

    # Who ignores SIGINT was started in the background by a shell, and means it.
    numbers = [number for number in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, note) for number in numbers}
    listener = threading.Thread(target=_listen, args=(stop, arrived), name="signals", daemon=True)
    listener.start()
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        arrived.put(_OVER)
        listener.join()


_OVER = 0  # no signal has this number


def _listen(stop: Stop, arrived: "queue.SimpleQueue[int]") -> None:
    """Pass the first signal on, then end the process at the second one, or when it takes too long."""
    number = arrived.get()
    if number == _OVER:
        return
    name, first = signal.Signals(number).name, time.monotonic()
    stop.ask(Problem(Trouble.INTERRUPTED, f"the run was interrupted by {name}", _HINT))
    _say(f"{name}: settling what has begun, within {_LIMIT:.0f} s; once more ends at once")
    while (left := first + _LIMIT - time.monotonic()) > 0:
        try:
            number = arrived.get(timeout=left)
        except queue.Empty:
            break
        if number == _OVER:
            return
        if time.monotonic() - first > _ECHO:
            break
    _say(f"interrupted, and not settled: {_HINT}")
    os._exit(ExitCode.INTERRUPTED)


def _say(text: str) -> None:
    with suppress(OSError):  # whoever read our stderr may have left
        click.echo(text, err=True)
