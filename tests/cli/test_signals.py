"""Signals, in processes of their own: the first asks, the second ends, and nothing hangs."""

import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from recon_action.cli import app
from recon_action.cli.signals import interruptible

_PACKAGE = Path(app.__file__).parents[2]
_BEGIN = """
import sys, time
from recon_action.cli import signals
from recon_action.cli.signals import interruptible
from recon_action.errors import ReconError

def say(text):
    print(text, flush=True)
"""
_SIGNALS = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)


class _Child:
    """A program that has said "ready"."""

    def __init__(self, program: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _BEGIN + textwrap.dedent(program)],
            cwd=_PACKAGE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout
        assert self._process.stdout.readline() == "ready\n"

    def send(self, *numbers: signal.Signals) -> None:
        for number in numbers:
            self._process.send_signal(number)

    def says(self, text: str) -> None:
        assert self._process.stdout
        assert self._process.stdout.readline() == text + "\n"

    def ends(self) -> tuple[int, str]:
        """Its exit code, and what it wrote to stderr."""
        _, errors = self._process.communicate(timeout=30)
        return self._process.returncode, errors


@_SIGNALS
def test_the_first_signal_asks(number: signal.Signals) -> None:
    """Whoever waits is woken, and what it does then is its own; if that takes a while, it is said."""
    child = _Child("""
        with interruptible() as stop:
            say("ready")
            assert stop.wait(30)
            say(f"{stop.problem.trouble}: {stop.problem.message}")
            time.sleep(1)
        sys.exit(7)
    """)
    child.send(number)
    child.says(f"interrupted: the run was interrupted by {number.name}")
    code, errors = child.ends()
    assert code == 7
    assert f"{number.name}: settling" in errors


@pytest.mark.parametrize("second", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_the_second_signal_ends_at_once(second: signal.Signals) -> None:
    """Whatever hangs: nothing more is tried."""
    child = _Child("""
        with interruptible() as stop:
            say("ready")
            stop.wait(30)
            say("settling")
            while True:
                time.sleep(30)
    """)
    begun = time.monotonic()
    child.send(signal.SIGINT)
    child.says("settling")
    time.sleep(0.5)
    child.send(second)
    code, errors = child.ends()
    assert code == 130
    assert "before all was settled" in errors
    assert time.monotonic() - begun < 4


def test_one_key_may_come_as_two_signals() -> None:
    """A terminal sends it to all, and a wrapper passes it on: that is no impatience."""
    child = _Child("""
        with interruptible() as stop:
            say("ready")
            stop.wait(30)
            time.sleep(1)
        sys.exit(7)
    """)
    child.send(signal.SIGINT, signal.SIGTERM)
    assert child.ends()[0] == 7


@_SIGNALS
def test_what_hangs_is_ended(number: signal.Signals) -> None:
    """Within a bound, without a second signal."""
    child = _Child("""
        signals._LIMIT = 0.5
        with interruptible() as stop:
            say("ready")
            while True:
                time.sleep(30)
    """)
    child.send(number)
    assert child.ends()[0] == 130


@_SIGNALS
def test_where_nothing_is_at_stake_it_ends_at_once(number: signal.Signals) -> None:
    """Reading stdin, for one: no Python code would look at a flag."""
    child = _Child("""
        with interruptible() as stop, stop.idle():
            try:
                say("ready")
                while True:
                    time.sleep(0.01)
            except KeyboardInterrupt:
                sys.exit(7)
    """)
    child.send(number)
    assert child.ends() == (7, "")


def test_who_was_told_to_ignore_it_does() -> None:
    """As a shell tells what it starts in the background."""
    child = _Child("""
        import signal
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with interruptible() as stop:
            say("ready")
            sys.exit(7 if stop.wait(1) else 0)
    """)
    child.send(signal.SIGINT)
    assert child.ends()[0] == 0


def test_afterwards_signals_are_what_they_were() -> None:
    """For whoever goes on."""
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with interruptible() as stop:
        assert signal.getsignal(signal.SIGINT) != before[0]
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
    assert stop.problem is None
