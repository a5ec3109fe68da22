"""`tools`: where the programs are, and how a missing one is told."""

from pathlib import Path

import pytest

from recon_action.cli.app import run
from recon_action.errors import ExitCode


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine that has none of them."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("RECON_TOOLS", raising=False)
    return tmp_path


def _program(file: Path) -> Path:
    file.parent.mkdir(exist_ok=True)
    file.write_text("#!/bin/sh\nexit 1\n")  # it is not asked for its version
    file.chmod(0o755)
    return file


def test_list(bare: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever PATH has is taken, and before it what RECON_TOOLS has; what is missing says so."""
    _program(bare / "helm")
    on_path = _program(bare / "sops")
    own = _program(bare / "own" / "helm")
    monkeypatch.setenv("RECON_TOOLS", str(own.parent))
    assert run(["tools", "list"]) == ExitCode.OK
    found = dict(line.split("\t") for line in capsys.readouterr().out.splitlines())
    assert (found["helm"], found["sops"]) == (str(own), str(on_path))
    assert found["kustomize"].startswith("missing; install gets ")


def test_path(bare: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """For scripts: the path alone, or exit 1 and what to do."""
    assert run(["tools", "path", "helm"]) == ExitCode.DIFFERENT
    assert "recon-action tools install helm" in capsys.readouterr().err
    helm = _program(bare / "helm")
    assert run(["tools", "path", "helm"]) == ExitCode.OK
    assert capsys.readouterr().out == f"{helm}\n"


def test_install_takes_what_is_there(bare: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is fetched that the machine has."""
    helm = _program(bare / "helm")
    assert run(["tools", "install", "helm"]) == ExitCode.OK
    assert capsys.readouterr().out == f"helm\t{helm}\n"


def test_install_says_what_it_lacks(bare: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a pinned checksum and without Go a program can't be had."""
    assert run(["tools", "install", "sops"]) == ExitCode.USAGE
    assert "no Go to build it with" in capsys.readouterr().err
