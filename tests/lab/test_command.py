"""A command is run as if it were run alone. The lab is a stand-in here: it only names the environment."""

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from recon_action.errors import UsageError
from recon_action.lab.command import check_command, run_command

ROOT = Path(__file__).resolve().parents[2]


class FakeLab:
    """Remembers what it was asked to guard."""

    def __init__(self) -> None:
        self.guarded: list[tuple[int, bool]] = []

    def env(self, environ: Mapping[str, str]) -> dict[str, str]:
        """One more variable."""
        return dict(environ) | {"KUBECONFIG": "/lab/kubeconfig"}

    def guard(self, pid: int, *, group: bool) -> None:
        """Remember."""
        self.guarded.append((pid, group))


@pytest.fixture
def lab() -> FakeLab:
    return FakeLab()


ENVIRON = {"PATH": "/usr/bin:/bin"}


@pytest.mark.parametrize(
    ("script", "code"),
    [
        pytest.param("exit 0", 0, id="success"),
        pytest.param("exit 7", 7, id="its own code"),
        pytest.param("exit 255", 255, id="the largest"),
        pytest.param("kill -KILL $$", 137, id="SIGKILL"),
        pytest.param("kill -TERM $$", 143, id="SIGTERM"),
        pytest.param('test "$KUBECONFIG" = /lab/kubeconfig', 0, id="environment"),
        pytest.param('test "$1" = "a b"', 0, id="no shell between"),
    ],
)
def test_the_exit_code_is_the_commands(lab: FakeLab, script: str, code: int) -> None:
    """128 + n if signal n ended it."""
    assert run_command(lab, ["sh", "-c", script, "sh", "a b"], ENVIRON, parent=os.getppid()) == code
    assert len(lab.guarded) >= 1


def test_our_handlers_are_ours_again(lab: FakeLab) -> None:
    """Signals are taken only while the command runs."""
    before = signal.getsignal(signal.SIGTERM)
    run_command(lab, ["true"], ENVIRON, parent=os.getppid())
    assert signal.getsignal(signal.SIGTERM) == before


def test_a_file_that_is_no_program_is_refused(lab: FakeLab, tmp_path: Path) -> None:
    """It can't be run, which is no fault of ours."""
    file = tmp_path / "program"
    file.write_bytes(b"\x7fELF nothing")
    file.chmod(0o755)
    with pytest.raises(UsageError, match="Exec format error"):
        run_command(lab, [str(file)], ENVIRON, parent=os.getppid())


def test_a_terminals_interrupt_is_the_commands_alone(tmp_path: Path) -> None:
    """At a terminal, Ctrl-C reaches a shell without us, and a shell goes on: it isn't told or ended again."""
    script = "trap 'echo told' INT; echo up; while [ ! -e done ]; do sleep 0.05; done; exit 4"
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(ROOT)
        os.execv(sys.executable, [sys.executable, "-c", SCRIPT, f"cd {tmp_path}; {script}"])
    try:
        read_until(terminal, "up")
        os.write(terminal, b"\x03")
        read_until(terminal, "told")
        (tmp_path / "done").touch()
        rest = read_until(terminal, None)
    finally:
        os.close(terminal)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert code == 4
    assert "told" not in rest


def read_until(terminal: int, text: str | None) -> str:
    """What a terminal shows until `text`, or to its end."""
    shown = ""
    while text is None or text not in shown:
        try:
            chunk = os.read(terminal, 1024)
        except OSError:  # how Linux says that the other side is closed
            chunk = b""
        if not chunk:
            assert text is None, shown
            break
        shown += chunk.decode()
    return shown


def test_a_command_that_nobody_waits_for_is_ended(lab: FakeLab) -> None:
    """Who started us has ended, perhaps while the control plane was starting: our parent is another one now."""
    assert run_command(lab, ["sleep", "600"], ENVIRON, parent=os.getppid() + 1) == 143


SCRIPT = """
import os, sys
sys.path.insert(0, "tests/lab")
from test_command import ENVIRON, FakeLab
from recon_action.lab.command import run_command
sys.exit(run_command(FakeLab(), ["sh", "-c", sys.argv[1]], ENVIRON, parent=os.getppid()))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=["INT", "TERM", "HUP"])
def test_a_signal_reaches_the_command(number: signal.Signals) -> None:
    """Whoever is told to stop, stops in order; the code is the command's."""
    script = "trap 'echo told; exit 5' INT TERM HUP; echo up; while :; do sleep 0.05; done"
    command = [sys.executable, "-c", SCRIPT, script]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "up\n"
        process.send_signal(number)
        assert process.stdout.read() == "told\n"
    assert process.returncode == 5


@pytest.mark.parametrize("name", ["no-such-command", "/no/such/command", ""])
def test_a_command_that_does_not_exist_is_refused(name: str) -> None:
    """Before a control plane is started for it."""
    with pytest.raises(UsageError, match="there is no command"):
        check_command([name], ENVIRON)


@pytest.mark.parametrize("name", ["sh", "/bin/sh", "kubectl"])
def test_a_command_that_exists_passes(name: str) -> None:
    """And kubectl always does: the lab brings its own."""
    check_command([name], ENVIRON)
