"""Whatever ends, and however: what the supervisor owns ends with it. Its components are `sleep` here."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from recon_action.errors import ProgramError
from recon_action.lab.supervised import Supervised
from recon_action.lab.supervisor import Supervisor

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 20.0


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lab").mkdir()
    return tmp_path / "lab"


@pytest.fixture
def supervised(folder: Path) -> Iterator[Supervised]:
    held = Supervised(folder)
    yield held
    held.end()


def test_a_component_runs_and_ends_with_the_lab(supervised: Supervised, folder: Path, processes: Any) -> None:
    """No process and no folder are left when `end` returns."""
    supervised.run("sleep", ["sleep", "600"], folder / "sleep.log")
    pids = dict(supervised.pids)
    assert set(pids) == {"supervisor", "sleep"}
    assert processes.living(pids.values()) == sorted(pids.values())
    supervised.end()
    assert processes.living(pids.values()) == []
    assert not folder.exists()


def test_what_a_component_writes_is_kept(supervised: Supervised, folder: Path) -> None:
    """Both of its streams, in one file, in the lab's folder."""
    supervised.run("say", ["sh", "-c", "pwd; echo oops >&2; exit 3"], folder / "say.log")
    until(supervised.exited)
    assert supervised.exited() == {"say": 3}
    assert (folder / "say.log").read_text() == f"{folder}\noops\n"


def test_a_program_that_is_none_is_said(supervised: Supervised, folder: Path) -> None:
    """And the supervisor goes on."""
    with pytest.raises(ProgramError, match=r"etcd can't be started: .*No such file"):
        supervised.run("etcd", [folder / "etcd"], folder / "etcd.log")
    assert supervised.exited() == {}


def test_one_component_is_stopped_alone(supervised: Supervised, folder: Path) -> None:
    """With SIGTERM, so that it may say goodbye."""
    script = "trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.01; done"
    supervised.run("one", ["sh", "-c", script], folder / "one.log")
    supervised.run("two", ["sleep", "600"], folder / "two.log")
    until(lambda: (folder / "one.log").read_text() == "up\n")
    supervised.stop("one", PATIENCE)
    assert (folder / "one.log").read_text() == "up\nbye\n"
    assert set(supervised.pids) == {"supervisor", "two"}
    assert supervised.exited() == {}


def test_who_does_not_stop_is_killed(supervised: Supervised, folder: Path, processes: Any) -> None:
    """After the grace."""
    script = "trap '' TERM; echo up; while :; do sleep 0.01; done"
    supervised.run("deaf", ["sh", "-c", script], folder / "deaf.log")
    until(lambda: (folder / "deaf.log").read_text() == "up\n")
    pid = supervised.pids["deaf"]
    supervised.stop("deaf", 0.05)
    assert processes.living([pid]) == []


def test_a_guarded_group_ends_with_the_lab(supervised: Supervised, processes: Any) -> None:
    """A command and its children, even if they don't listen to SIGTERM."""
    script = "trap '' TERM; sleep 600 & echo $!; wait"
    with subprocess.Popen(["sh", "-c", script], process_group=0, stdout=subprocess.PIPE, text=True) as command:
        assert command.stdout
        child = int(command.stdout.readline())
        supervised.guard(command.pid, group=True)
        supervised.end()
        assert command.wait(PATIENCE) == -signal.SIGKILL
    until(lambda: not processes.living([child]))


def test_ending_twice_is_once(supervised: Supervised) -> None:
    """A `with` block may end what was ended by hand."""
    supervised.end()
    supervised.end()


# One that starts a supervisor, says what it started, and then waits.
USER = """
import json, sys, time
from pathlib import Path
from recon_action.lab.supervised import Supervised
from recon_action.lab.supervisor import Supervisor
folder = Path(sys.argv[1])
held = Supervised(folder)
held.run("sleep", ["sleep", "600"], folder / "sleep.log")
if sys.argv[2] == "detach":
    held.detach()
print(json.dumps(held.pids), flush=True)
time.sleep(0 if sys.argv[2] == "detach" else 600)
"""


def start_user(folder: Path, mode: str) -> tuple[subprocess.Popen[str], dict[str, int]]:
    command = [sys.executable, "-c", USER, str(folder), mode]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    pids: Any = json.loads(process.stdout.readline())
    process.stdout.close()
    return process, pids


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=["KILL", "TERM", "INT"])
def test_a_killed_user_leaves_nothing(folder: Path, number: signal.Signals, processes: Any) -> None:
    """The pipe closes when its holder dies, of anything."""
    process, pids = start_user(folder, "stay")
    process.send_signal(number)
    process.wait(PATIENCE)
    until(lambda: not processes.living(pids.values()))
    assert not folder.exists()


def test_a_detached_one_stays_until_sigterm(folder: Path, processes: Any) -> None:
    """Its user has ended in order; its process says where it is."""
    process, pids = start_user(folder, "detach")
    assert process.wait(PATIENCE) == 0
    assert processes.living(pids.values()) == sorted(pids.values())
    assert int((folder / "supervisor.pid").read_text()) == pids["supervisor"]
    os.kill(pids["supervisor"], signal.SIGTERM)
    until(lambda: not processes.living(pids.values()))
    assert not folder.exists()


def test_a_terminal_that_goes_away_does_not_end_a_detached_one(folder: Path, processes: Any) -> None:
    """SIGHUP and Ctrl-C are for others."""
    _process, pids = start_user(folder, "detach")
    _process.wait(PATIENCE)
    for number in (signal.SIGHUP, signal.SIGINT):
        os.kill(pids["supervisor"], number)
    assert processes.living(pids.values()) == sorted(pids.values())
    os.kill(pids["supervisor"], signal.SIGTERM)
    until(lambda: not folder.exists())


def test_a_killed_supervisor_is_told_of(supervised: Supervised) -> None:
    """The next question says that it is gone, with what to do."""
    os.kill(supervised.pids["supervisor"], signal.SIGKILL)
    with pytest.raises(ProgramError, match="supervisor is gone") as caught:
        supervised.exited()
    assert caught.value.hint


# The same, spoken to directly


def test_commands_and_answers(folder: Path) -> None:
    """One JSON object each way; an error is an answer, too."""
    own = Supervisor(folder)
    log = str(folder / "a.log")
    started = own.answer({"do": "run", "name": "a", "argv": ["sh", "-c", "exit 4"], "log": log})
    assert set(started) == {"pid"}
    until(lambda: own.answer({"do": "poll"})["exited"])
    assert own.answer({"do": "poll"}) == {"exited": {"a": 4}}
    assert own.answer({"do": "stop", "name": "a", "grace": 0}) == {"code": 4}
    assert "No such file" in own.answer({"do": "run", "name": "b", "argv": ["/no/b"], "log": log})["error"]
    assert own.answer({"do": "detach"}) == {}
    assert own.detached
    with pytest.raises(ValueError, match="dance"):
        own.answer({"do": "dance"})
    own.end()
    assert not folder.exists()


def test_the_end_is_for_components_and_the_command(folder: Path, processes: Any) -> None:
    """Components are killed at once; a command may end in order."""
    own = Supervisor(folder)
    sleep = own.answer({"do": "run", "name": "a", "argv": ["sleep", "600"], "log": str(folder / "a.log")})["pid"]
    script = "trap 'exit 6' TERM; echo up; while :; do sleep 0.01; done"
    with subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE, text=True) as command:
        assert command.stdout
        assert command.stdout.readline() == "up\n"
        assert own.answer({"do": "guard", "pid": command.pid, "group": False}) == {}
        reaper = threading.Thread(target=command.wait)  # as whoever started it would
        reaper.start()
        own.end()
        reaper.join()
        assert command.returncode == 6
    assert processes.living([sleep]) == []
    assert not folder.exists()
