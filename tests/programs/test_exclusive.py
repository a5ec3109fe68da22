"""Two processes never fill the same folder at once."""

import threading
from pathlib import Path
from typing import Any

import pytest

from recon_action.programs.exclusive import exclusive


def test_a_free_lock_is_taken_in_silence(tmp_path: Path, told: Any) -> None:
    """Nobody waits, so nobody is told."""
    with exclusive(tmp_path / "new" / "a.lock", title="getting tool", progress=told):
        pass
    assert told.steps == []


def test_who_waits_is_told_for_what_and_goes_on_when_it_is_free(tmp_path: Path, told: Any) -> None:
    """The second enters when the first has left, never before."""
    order: list[str] = []
    entered = threading.Event()

    def second() -> None:
        entered.wait(10)
        with exclusive(tmp_path / "a.lock", title="getting tool", progress=told):
            order.append("second")

    thread = threading.Thread(target=second)
    thread.start()
    with exclusive(tmp_path / "a.lock", title="getting tool", progress=told):
        entered.set()
        while not told.steps:  # the second has found the lock taken
            assert thread.is_alive()
        order.append("first")
    thread.join(10)
    assert order == ["first", "second"]
    assert told.steps == [("waiting for another process: getting tool", None)]


def test_an_error_inside_frees_the_lock(tmp_path: Path, told: Any) -> None:
    """A failed build doesn't block the next one."""
    lock = tmp_path / "a.lock"
    with pytest.raises(ValueError, match="inside"), exclusive(lock, title="x", progress=told):
        raise ValueError("inside")
    with exclusive(lock, title="x", progress=told):
        pass
    assert told.steps == []
