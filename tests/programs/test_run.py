"""Running an external program: what comes back, and what stops it."""

import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from recon_action.errors import ExitCode, ProgramError
from recon_action.programs.run import Completed, run


def python(code: str, *, timeout: float = 30, **options: Any) -> Completed:
    return run([sys.executable, "-c", code], cwd=None, env=None, timeout=timeout, **options)


def test_output_and_code_come_back() -> None:
    """The exit code, stdout as bytes and stderr as text are the program's own."""
    done = python("import sys; print('out'); print('first\\nlast\\n', file=sys.stderr); sys.exit(3)")
    assert (done.code, done.stdout, done.text, done.last_line) == (3, b"out\n", "out", "last")


def test_a_signal_is_a_negative_code() -> None:
    """A program that a signal ended tells which."""
    assert python("import os; os.kill(os.getpid(), 15)").code == -15


def test_input_larger_than_a_pipe_is_passed_through() -> None:
    """Input and output flow at the same time, so large ones don't deadlock."""
    data = os.urandom(3_000_000)
    done = python("import sys, shutil; shutil.copyfileobj(sys.stdin.buffer, sys.stdout.buffer)", input=data)
    assert done.stdout == data


def test_input_that_is_not_read_is_no_error() -> None:
    """A program may ignore its stdin."""
    assert python("print(1)", input=b"x" * 3_000_000).stdout == b"1\n"


def test_without_input_stdin_is_empty() -> None:
    """A program that asks for a password reads nothing instead of waiting for one."""
    assert python("import sys; print(repr(sys.stdin.read()))").text == "''"


def test_arguments_and_environment_are_passed_as_they_are(tmp_path: Path) -> None:
    """No shell stands between, and only the given environment exists."""
    code = "import os, sys; print(sys.argv[1], sorted(k for k in os.environ if k == 'A'), os.getcwd())"
    done = run([sys.executable, "-c", code, "$HOME; `id`"], cwd=tmp_path, env={"A": "1"}, timeout=30)
    assert done.text == f"$HOME; `id` ['A'] {tmp_path}"


def test_a_program_that_nobody_waits_for_is_killed() -> None:
    """Whoever gives up sets an event; the program is gone within a moment."""
    ended = threading.Event()
    threading.Timer(0.3, ended.set).start()
    begin = time.monotonic()
    with pytest.raises(ProgramError, match="was stopped"):
        python("import time; time.sleep(60)", ended=ended)
    assert time.monotonic() - begin < 30


def test_a_missing_program_says_so() -> None:
    """The error names the program and what to do."""
    with pytest.raises(ProgramError, match="no-such-program can't be started") as caught:
        run(["no-such-program"], cwd=None, env=None, timeout=1)
    assert caught.value.hint == "install no-such-program, or put it on PATH"
    assert caught.value.exit_code == ExitCode.USAGE


def test_a_timeout_kills_the_children_too(tmp_path: Path) -> None:
    """After the timeout neither the program nor what it started is left, and we don't wait for either."""
    mark = tmp_path / "pid"
    code = f"""
import pathlib, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
pathlib.Path({str(mark)!r}).write_text(str(child.pid))
time.sleep(600)
"""
    with pytest.raises(ProgramError, match="took longer than 2 s"):
        python(code, timeout=2)
    child = int(mark.read_text())
    end = time.monotonic() + 10
    while _is_alive(child) and time.monotonic() < end:
        time.sleep(0.01)
    assert not _is_alive(child)


def test_too_much_output_stops_the_program() -> None:
    """Endless output can't eat the memory."""
    with pytest.raises(ProgramError, match="wrote more than 1000000 bytes"):
        python("while True: print('x' * 1000)", limit=1_000_000)


def test_output_is_not_in_the_repr() -> None:
    """A traceback that shows the result shows no secret."""
    assert "hunter2" not in repr(python("print('hunter2')"))


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"
