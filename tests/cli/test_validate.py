"""`validate` and `publish` as somebody types them."""

import json
from pathlib import Path

import pytest

from recon_action.cli import app

OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one manifest, in no repository, on a machine that knows no cluster."""
    monkeypatch.setenv("KUBECONFIG", "/nowhere")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k8s").mkdir()
    (tmp_path / "k8s/web.yaml").write_text(OBJECT)
    return tmp_path


def test_valid(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 0, and the report on stdout alone; further reports go to their files."""
    assert app.run(["validate", "k8s", "--target", "shop", "--report", "json=report.json"]) == 0
    assert capsys.readouterr().out.startswith("shop: checked without a cluster — 1 object\n")
    assert json.loads((folder / "report.json").read_text())["result"] == "valid"


def test_invalid(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 3 with each fault's line."""
    (folder / "k8s/odd.yaml").write_text("kind: X\n")
    assert app.run(["validate", "k8s"]) == 3
    assert "k8s/odd.yaml:1: the object has no apiVersion" in capsys.readouterr().out


def test_the_targets_of_recon_yaml(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a PATH each is checked; whom it asks, and where, is not even looked at."""
    targets = "targets:\n- {name: shop, paths: [k8s]}\n- {name: blog, paths: [none]}\n"
    access = "defaults: {access: {auth: github-oidc, audience: x}}\n"
    (folder / "recon.yaml").write_text(access + targets)
    assert app.run(["validate", "--target", "shop"]) == 0
    assert app.run(["validate"]) == 2
    said = capsys.readouterr()
    assert said.out.count("shop: checked without a cluster") == 2
    assert "error: blog: " in said.err


def test_a_version_that_no_server_shows(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2, with those that there are."""
    assert app.run(["validate", "k8s", "--kubernetes", "1.20"]) == 2
    assert "choose one of 1.34, 1.35, 1.36, 1.37" in capsys.readouterr().err


def test_nothing_of_a_cluster_can_be_asked_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Options that lead to one are none of this command's."""
    for option in ("--kubeconfig", "--context", "--prune", "--namespace", "--fail-on"):
        assert app.run(["validate", "k8s", option, "x"]) == 2
        assert "No such option" in capsys.readouterr().err


def test_publish_needs_a_workflow(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Outside of one it says where it belongs."""
    for name in ("GITHUB_EVENT_NAME", "GITHUB_EVENT_PATH", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
        monkeypatch.delenv(name, raising=False)
    assert app.run(["publish", "report.json"]) == 2
    assert "on: workflow_run" in capfd.readouterr().out
