"""`init`: what it writes passes the linters, is a valid recon.yaml, and works."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

import pytest
import yaml
from fake_runner import FakeRunner, Step
from repository import git
from target import config_map

from recon_action.action import run as run_action
from recon_action.cli.app import run
from recon_action.errors import ExitCode
from recon_action.init.pin import ACTION, TAG
from recon_action.lab import Lab

_BIN = Path(sys.executable).parent
_EVENT = {"repository": {"full_name": "acme/shop", "default_branch": "trunk"}}


@pytest.fixture
def repository(lab: Lab, namespace: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone with manifests, in which we are; git finds a release of the action where GitHub would have it."""
    release, root, home = (tmp_path / name for name in ("release", "shop", "home"))
    for folder in (release, root / "k8s", home):
        folder.mkdir(parents=True)
    git(release, "init", "-q")
    git(release, "commit", "-q", "--allow-empty", "-m", "release")
    git(release, "tag", TAG)
    (home / ".gitconfig").write_text(f'[url "{release}"]\n\tinsteadOf = https://github.com/{ACTION}\n')
    git(root, "init", "-q", "-b", "trunk")
    git(root, "remote", "add", "origin", "git@github.com:acme/shop.git")
    (root / "k8s/settings.yaml").write_text(config_map("settings").replace("name:", f"namespace: {namespace}\n  name:"))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.chdir(root)
    return root


def _workflows(root: Path) -> list[Path]:
    return sorted((root / ".github/workflows").iterdir())


def _step(root: Path, name: str) -> dict[str, Any]:
    """The step with the action, in a workflow that was written."""
    (job,) = yaml.safe_load((root / f".github/workflows/recon-{name}.yml").read_text())["jobs"].values()
    return dict(next(step for step in job["steps"] if "paths" in step["with"]))


def test_linters(repository: Path, require: Callable[[object, str], None]) -> None:
    """Actions are pinned and permissions least: actionlint, zizmor and GitHub's schema have nothing to say."""
    assert run(["init"]) == ExitCode.OK
    files = _workflows(repository)
    assert len(files) == 3
    assert run(["config", "check"]) == ExitCode.OK
    commands: list[list[str | Path]] = [
        [_BIN / "zizmor", "--offline", "--no-progress", "--persona=pedantic", repository],
        [_BIN / "check-jsonschema", "--builtin-schema", "vendor.github-workflows", *files],
    ]
    if (_BIN / "actionlint").exists():
        commands.append([_BIN / "actionlint", *files])
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    require((_BIN / "actionlint").exists(), "actionlint is not built: make lint")


def test_what_is_written_works(repository: Path, tmp_path: Path, lab: Lab, namespace: str) -> None:
    """A push is applied with what the workflow hands over, drift corrected by the clock, a pull request previewed."""
    assert run(["init"]) == ExitCode.OK
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "recon")
    base = git(repository, "rev-parse", "HEAD")

    def act(event: str, workflow: str, payload: dict[str, Any] | None = None) -> Step:
        runner = FakeRunner(tmp_path / f"runner-{workflow}")
        shutil.copytree(repository, runner.workspace, dirs_exist_ok=True)
        inputs = {
            name: str(value).replace("${{ secrets.KUBECONFIG }}", lab.kubeconfig.read_text())
            for name, value in _step(repository, workflow)["with"].items()
        }
        environ = runner.environ(event, _EVENT | (payload or {}), inputs=inputs, GITHUB_REF="refs/heads/trunk")

        def work(stdout: TextIO) -> int:
            os.chdir(runner.workspace)
            try:
                return run_action(environ, stdout)
            finally:
                os.chdir(repository)

        return runner.step(work)

    kubectl = [lab.kubectl, "--kubeconfig", lab.kubeconfig, "-n", namespace]
    pushed = act("push", "push")
    assert (pushed.result, pushed.outputs["result"]) == (0, "applied"), pushed.text
    subprocess.run([*kubectl, "patch", "configmap", "settings", "-p", '{"data": {"a": "2"}}'], check=True)
    healed = act("schedule", "schedule")
    assert (healed.result, healed.outputs["drifted"]) == (0, "1"), healed.text
    settings = repository / "k8s/settings.yaml"
    settings.write_text(settings.read_text().replace('"1"', '"3"'))
    git(repository, "commit", "-qam", "change")
    pull = {"number": 7, "head": {"sha": git(repository, "rev-parse", "HEAD"), "repo": _EVENT["repository"]}}
    asked = act("pull_request", "pull-request", {"pull_request": pull | {"base": {"sha": base}}})
    assert (asked.result, asked.outputs["pending"]) == (0, "1"), asked.text


def test_what_it_says(repository: Path, lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    """It tells what it saw and wrote, and what is to be done next; again, that there is nothing to do."""
    options = ["init", "--kubeconfig", str(lab.kubeconfig)]
    assert run([*options, "--dry-run"]) == ExitCode.OK
    shown = capsys.readouterr().out
    assert not (repository / "recon.yaml").exists()
    assert "  permissions: {}" in shown
    assert run(options) == ExitCode.OK
    told = capsys.readouterr().out
    for words in (
        "Repository: github.com/acme/shop, default branch trunk",
        "Manifests: k8s (plain manifests)",
        f"Cluster: {lab.server}, ",
        "recon.yaml written. It says",
        "gh secret set KUBECONFIG",
        "recon-action rbac k8s --mode apply",
    ):
        assert words in told, words
    assert f"@{git(repository.parent / 'release', 'rev-parse', 'HEAD')} # {TAG}" in shown
    (repository / "recon.yaml").write_text("# mine\n")
    assert run(options) == ExitCode.OK
    again = capsys.readouterr().out
    assert "recon.yaml left alone" in again
    assert again.count("as it is already") == 3
    assert (repository / "recon.yaml").read_text() == "# mine\n"


def test_without_anybody(repository: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Without cluster and GitHub the files are written all the same, and it is said what is missing in them."""
    git(repository, "remote", "set-url", "origin", "https://git.example/acme/shop")
    (Path(os.environ["HOME"]) / ".gitconfig").write_text(f'[url "{tmp_path}/none"]\n\tinsteadOf = https://github.com\n')
    assert run(["init"]) == ExitCode.OK
    said = capsys.readouterr()
    assert "No cluster was asked" in said.err
    assert f"The workflows name {ACTION}@v1, a tag" in said.out
    assert "The workflows are for GitHub" in said.out
    assert "# clusterUID: " in (repository / "recon.yaml").read_text()
    assert run(["init", "--offline", "--force", "--pin", f"acme/fork@{'a' * 40}"]) == ExitCode.OK
    assert _step(repository, "push")["uses"] == f"acme/fork@{'a' * 40}"
    assert run(["init", "--context", "none"]) == ExitCode.USAGE
