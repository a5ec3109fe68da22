"""`config check`."""

from pathlib import Path

import pytest

from recon_action.cli.app import run
from recon_action.errors import ExitCode

_RULE = "ignore:\n- match: {kind: Deployment}\n  fields: [spec.replicas]\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, empty."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("clusterUid: x\n", "recon.yaml:1:1: unknown key"),
        ("# all\nignore:\n- fields: [a]\n", "recon.yaml:3"),
        ("ignore: [\n", "recon.yaml:"),
    ],
    ids=["unknown-key", "no-match", "no-yaml"],
)
def test_what_is_wrong(folder: Path, capsys: pytest.CaptureFixture[str], text: str, said: str) -> None:
    """Each fault is told with its line: exit 2."""
    (folder / "recon.yaml").write_text(text)
    assert run(["config", "check"]) == ExitCode.USAGE
    assert said in capsys.readouterr().err


def test_nothing_is_wrong(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A valid file is told to be one; also under another name."""
    (folder / "other.yaml").write_text(_RULE)
    assert run(["config", "check", "other.yaml"]) == ExitCode.OK
    assert capsys.readouterr().out == "other.yaml: nothing is wrong with it\n"


def test_targets_are_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """So that one sees what a run without a PATH is about."""
    (folder / "recon.yaml").write_text("targets:\n- {name: shop, paths: [a]}\n- {name: blog, paths: [b]}\n")
    assert run(["config", "check"]) == ExitCode.OK
    assert capsys.readouterr().out == "recon.yaml: nothing is wrong with it; its targets are shop, blog\n"


def test_no_file() -> None:
    """A file that is missing can't be checked."""
    assert run(["config", "check"]) == ExitCode.USAGE
