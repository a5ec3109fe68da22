"""`rbac` on the command line, without a cluster."""

from pathlib import Path

import pytest
import yaml

from recon_action.cli.app import run
from recon_action.errors import ExitCode

_MANIFESTS = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a folder of manifests."""
    (tmp_path / "k8s").mkdir()
    (tmp_path / "k8s/all.yaml").write_text(_MANIFESTS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_all_reaches(capsys: pytest.CaptureFixture[str]) -> None:
    """By default there is an account for each reach; stdout is YAML and nothing else."""
    assert run(["rbac", "--offline", "k8s"]) == ExitCode.OK
    documents = list(yaml.safe_load_all(capsys.readouterr().out))
    accounts = [document["metadata"]["name"] for document in documents if document["kind"] == "ServiceAccount"]
    assert accounts == [f"recon-action-k8s-{reach}" for reach in ("read-only", "preview", "apply")]
    homes = {document["metadata"].get("namespace", "") for document in documents}
    assert homes == {"", "default", "recon-system", "shop"}


def test_options(capsys: pytest.CaptureFixture[str]) -> None:
    """Account, target, namespaces and what may be deleted come from the options."""
    options = ["--service-account", "tools/ci", "--target", "web", "-n", "team", "--inventory-namespace", "inv"]
    assert run(["rbac", "--offline", "k8s", "--mode", "apply", "--no-prune", "--cluster-wide", *options]) == ExitCode.OK
    text = capsys.readouterr().out
    documents = list(yaml.safe_load_all(text))
    assert {document["metadata"]["name"] for document in documents} == {"inv", "ci", "recon-action-web-apply"}
    assert {document["metadata"].get("namespace", "") for document in documents} == {"", "tools", "inv"}
    (role,) = [document for document in documents if document["kind"] == "ClusterRole"]
    assert all("delete" not in rule["verbs"] for rule in role["rules"])
    assert "Taken for it" not in text


def test_an_unknown_kind(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is known is printed; that something is missing is exit code 3, and said on stderr."""
    (folder / "k8s/widget.yaml").write_text("apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n")
    assert run(["rbac", "--offline", "k8s", "--mode", "preview"]) == ExitCode.DESIRED
    said = capsys.readouterr()
    assert "Widget (example.com)" in said.err
    assert "Widget (example.com)" in said.out
    assert list(yaml.safe_load_all(said.out))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--service-account", "ci"], "can't be all of"),
        (["--mode", "apply", "--user", "a", "--group", "b"], "name one account"),
        (["--mode", "everything"], "everything"),
    ],
    ids=["one-for-all", "two-accounts", "unknown-mode"],
)
def test_wrong_usage(capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    """What can't be meant is refused."""
    assert run(["rbac", "--offline", "k8s", *arguments]) == ExitCode.USAGE
    assert said in capsys.readouterr().err


def test_no_cluster(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where none was told to be left out, a cluster has to answer; the hint says how to do without."""
    monkeypatch.setenv("KUBECONFIG", str(folder / "none"))
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    assert run(["rbac", "k8s"]) == ExitCode.USAGE
    assert "--offline" in capsys.readouterr().err
