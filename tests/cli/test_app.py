"""The command line as a whole: what it says, to whom, and with which exit code."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import click
import pytest
from kubernetes.config import kube_config

from recon_action import __version__
from recon_action.cli import app
from recon_action.config import OPTIONS
from recon_action.errors import ClusterError, DesiredError, RefusedError, UsageError

Told = Callable[..., tuple[int, str]]
_COMMANDS = ["diff", "apply", "watch", "hold", "lab", "demo", "action"]
_PACKAGE = Path(app.__file__).parents[2]  # where `python -m` finds it, installed or not
_HEAVY = {"kubernetes", "github", "yaml", "ruamel", "rich", "urllib3", "orjson"}


@pytest.fixture(autouse=True)
def _own_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """No kubeconfig of whoever runs the tests, none of their options, and their SIGTERM given back."""
    for name in [name for name in os.environ if name.startswith("RECON_")]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    monkeypatch.setattr(kube_config, "KUBE_CONFIG_DEFAULT_LOCATION", str(tmp_path / "no-kubeconfig"))
    monkeypatch.chdir(tmp_path)
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Told:
    """Run the command line; gives the exit code and what stderr said. stdout must stay empty."""

    def run(*arguments: str) -> tuple[int, str]:
        code = app.run(arguments)
        captured = capsys.readouterr()
        assert captured.out == ""
        return code, captured.err

    return run


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Make `recon-action test` run a function."""

    def register(function: Callable[[], object]) -> None:
        module = ModuleType("a_command")
        module.test = click.command()(function)  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "a_command", module)
        monkeypatch.setitem(app._COMMANDS, "test", ("a_command:test", ""))

    return register


def _raise(error: BaseException) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["nonsense"], "No such command 'nonsense'", id="unknown-command"),
        pytest.param(["--nonsense"], "No such option", id="unknown-root-option"),
        pytest.param(["diff", "--nonsense", "x"], "No such option", id="unknown-option"),
        pytest.param(["diff"], "no manifests were named", id="no-path"),
        pytest.param(["diff", "gone"], "gone", id="no-such-path"),
        pytest.param(["diff", "-o", "xml", "."], "'xml'", id="choice"),
        pytest.param(["apply", "--timeout", "soon", "."], "--timeout: 'soon' is no duration", id="duration"),
        pytest.param(["apply", "--max-prune", "lots", "."], "--max-prune: 'lots' is no limit", id="limit"),
        pytest.param(["apply", "--concurrency", "0", "."], "--concurrency: '0'", id="count"),
        pytest.param(["diff", "--target", "A b", "."], "--target: 'A b' is no target name", id="target"),
        pytest.param(["diff", "--report", "xml=r", "."], "--report: 'xml=r' is not FORMAT=FILE", id="report"),
        pytest.param(["watch", "-"], "watch can't read stdin again and again", id="watch-stdin"),
        pytest.param(["watch", ".", "--plan", "0" * 16], "watch carries out more than one plan", id="watch-plan"),
        pytest.param(["watch", "--interval", "often", "."], "--interval: 'often' is no duration", id="interval"),
        pytest.param(["watch", "--for", "ever", "."], "--for: 'ever' is no duration", id="for"),
        pytest.param(["watch", "--git-pull", "."], "lies in no Git repository", id="git-pull"),
        pytest.param(["lab", "nonsense"], "No such command 'nonsense'", id="unknown-lab-command"),
    ],
)
def test_wrong_usage_is_2_and_says_what_is_wrong(told: Told, arguments: list[str], said: str) -> None:
    """On stderr, in the words of whoever typed it, without a traceback."""
    code, text = told(*arguments)
    assert code == 2
    assert said in text
    assert "Traceback" not in text
    assert "File " not in text


def test_a_variable_is_named_as_the_option(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    """`RECON_*` stands for the option, and a wrong one is refused just so."""
    monkeypatch.setenv("RECON_TIMEOUT", "soon")
    code, text = told("apply", ".")
    assert code == 2
    assert "--timeout: 'soon' is no duration" in text


def test_an_empty_folder_is_3(told: Told) -> None:
    """It must never empty a cluster."""
    code, text = told("apply", ".")
    assert code == 3
    assert "no manifests" in text
    assert "hint: " in text


def test_no_kubeconfig_is_2(told: Told, tmp_path: Path) -> None:
    """Manifests, but no cluster: the message says where it was looked for."""
    (tmp_path / "app.yaml").write_text("{apiVersion: v1, kind: Namespace, metadata: {name: shop}}", encoding="utf-8")
    code, text = told("diff", "app.yaml")
    assert code == 2
    assert "no-kubeconfig" in text
    assert "--kubeconfig" in text


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("it happened", hint="do this"), 2),
        (DesiredError("it happened", hint="do this"), 3),
        (ClusterError("it happened", hint="do this"), 4),
        (RefusedError("it happened", hint="do this"), 9),
    ],
    ids=["usage", "desired", "cluster", "refused"],
)
def test_an_error_is_message_hint_and_code(
    told: Told, command: Callable[..., None], error: Exception, code: int
) -> None:
    """Two lines, and the number of its class."""
    command(_raise(error))
    assert told("test") == (code, "error: it happened\nhint: do this\n")


def test_an_error_without_a_hint_is_one_line(told: Told, command: Callable[..., None]) -> None:
    """No empty hint."""
    command(_raise(ClusterError("it happened")))
    assert told("test") == (4, "error: it happened\n")


@pytest.mark.parametrize("cause", [None, KeyError("s3cret cause")], ids=["alone", "with-a-cause"])
def test_a_bug_is_70_and_does_not_leak(told: Told, command: Callable[..., None], cause: Exception | None) -> None:
    """It says where it happened; an exception's own words may quote a secret."""
    error = ValueError("s3cret value")
    error.__cause__ = cause
    command(_raise(error))
    code, text = told("test")
    assert code == 70
    assert "s3cret" not in text
    assert "bug: ValueError" in text
    assert Path(__file__).name in text


@pytest.mark.parametrize(
    "function",
    [
        pytest.param(_raise(KeyboardInterrupt()), id="ctrl-c"),
        pytest.param(_raise(click.exceptions.Abort()), id="abort"),
        pytest.param(lambda: os.kill(os.getpid(), signal.SIGTERM), id="sigterm"),
    ],
)
def test_an_interrupt_is_130(told: Told, command: Callable[..., None], function: Callable[[], None]) -> None:
    """Ctrl-C and SIGTERM alike, in a word."""
    command(function)
    code, text = told("test")
    assert (code, text.strip()) == (130, "interrupted")


@pytest.mark.parametrize(("given", "code"), [(None, 0), (0, 0), (6, 6)])
def test_a_commands_number_is_the_exit_code(
    told: Told, command: Callable[..., None], given: int | None, code: int
) -> None:
    """Nothing means success."""
    command(lambda: given)
    assert told("test") == (code, "")


@pytest.mark.parametrize("name", _COMMANDS)
def test_every_command_is_there_and_helps(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What the root's help lists can be called."""
    assert app.run([name, "--help"]) == 0
    assert f"Usage: recon-action {name}" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["diff", "apply", "watch"])
def test_the_loops_help_tells_every_option(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """All of the one table."""
    app.run([name, "--help"])
    text = capsys.readouterr().out
    assert [option.name for option in OPTIONS if f"--{option.name}" not in text] == []


def _python(*arguments: str, stdout: int = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=_PACKAGE, stdout=stdout, stderr=subprocess.PIPE, text=True, check=False
    )


def test_help_is_quick() -> None:
    """It imports none of what takes long: no Kubernetes, no GitHub, no YAML."""
    done = _python("-X", "importtime", "-m", "recon_action", "--help")
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert done.returncode == 0
    assert {"click", "recon_action"} <= imported
    assert not imported & _HEAVY
    assert [name for name in _COMMANDS if f"  {name} " not in done.stdout] == []
    assert "Exit codes: " in done.stdout


def test_the_version_is_told() -> None:
    """As a process of its own, by the module's name."""
    done = _python("-m", "recon_action", "--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"recon-action, version {__version__}\n"


def test_alone_it_prints_help() -> None:
    """Whoever types only the name learns what there is."""
    done = _python("-m", "recon_action")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Usage: recon-action [OPTIONS] COMMAND" in done.stdout


def test_a_reader_that_leaves_is_no_bug() -> None:
    """`recon-action … | head`: no traceback, and no claim that all is in sync."""
    read, write = os.pipe()
    os.close(read)
    try:
        done = _python("-m", "recon_action", "--help", stdout=write)
    finally:
        os.close(write)
    assert done.stderr == ""
    assert done.returncode not in {0, 70}
