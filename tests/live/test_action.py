"""The whole action against a real API server, on the fake runner."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

import pytest
from fake_github import fake_github
from fake_runner import FakeRunner, Step
from repository import git

from recon_action.action import run
from recon_action.lab import Lab

MANIFESTS = """\
apiVersion: v1
kind: ConfigMap
metadata: {{name: settings, namespace: {namespace}}}
data:
  color: blue
---
apiVersion: v1
kind: Secret
metadata: {{name: login, namespace: {namespace}}}
stringData:
  password: planted-password-1
"""
EVENT = {"repository": {"full_name": "acme/shop", "default_branch": "main"}}

Act = Callable[..., Step]


@pytest.fixture
def act(lab: Lab, namespace: str, tmp_path: Path) -> Act:
    """`act(event, payload, variables, **inputs)`: a fresh step of a job whose workspace is a repository."""
    workspace = tmp_path / "repository"
    (workspace / "k8s").mkdir(parents=True)
    (workspace / "k8s/all.yaml").write_text(MANIFESTS.format(namespace=namespace))
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.com")
    for arguments in (("init", "-q", "-b", "main"), ("add", "k8s"), (*identity, "commit", "-qm", "manifests")):
        subprocess.run(["git", "-C", workspace, *arguments], check=True)
    steps = iter(range(100))

    def step(
        event: str, payload: dict[str, Any] | None = None, variables: dict[str, str] | None = None, **inputs: str
    ) -> Step:
        fake = FakeRunner(tmp_path / f"runner-{next(steps)}")
        shutil.copytree(workspace, fake.workspace, dirs_exist_ok=True)
        given = {"paths": "k8s", "target": namespace, "kubeconfig": lab.kubeconfig.read_text()} | {
            name.replace("_", "-"): value for name, value in inputs.items()
        }
        environ = fake.environ(event, EVENT | (payload or {}), inputs=given, **(variables or {}))

        def work(stdout: TextIO) -> int:
            before = Path.cwd()
            os.chdir(fake.workspace)  # where the runner starts every step
            try:
                return run(environ, stdout)
            finally:
                os.chdir(before)

        found = fake.step(work)
        assert found.errors == ()
        report = fake.workspace / found.outputs["report-path"]
        if report.is_file():
            assert json.loads(report.read_text())["target"] == namespace
        assert list(fake.temp.iterdir()) == []
        return found

    return step


def test_push_then_drift_then_schedule(act: Act, lab: Lab, namespace: str) -> None:
    """A push applies; a hand's change is drift to whoever looks and undone by the schedule; then all is in sync."""
    kubectl = [lab.kubectl, "--kubeconfig", lab.kubeconfig, "-n", namespace]

    pushed = act("push")
    assert (pushed.result, pushed.outputs["result"], pushed.outputs["exit-code"]) == (0, "applied", "0")
    assert pushed.outputs["failed"] == "0"

    patch = '{"data":{"color":"::set-output name=result::in-sync"}}'
    subprocess.run([*kubectl, "patch", "configmap", "settings", "-p", patch], check=True, capture_output=True)
    seen = act("workflow_dispatch", fail_on="drift")
    assert (seen.result, seen.outputs["result"], seen.outputs["drifted"]) == (1, "different", "1")
    assert seen.outputs["in-sync"] == "1"
    (warning,) = seen.issues
    assert (warning.name, warning.properties["file"]) == ("warning", "k8s/all.yaml")
    assert warning.properties["line"] == "5"
    assert "data.color" in warning.data
    assert "settings" in seen.summary

    healed = act("schedule")
    assert healed.result == 0
    command = [*kubectl, "get", "configmap", "settings", "-o", "jsonpath={.data.color}"]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == "blue"

    clean = act("workflow_dispatch", fail_on="drift")
    assert (clean.result, clean.outputs["result"], clean.outputs["in-sync"]) == (0, "in-sync", "2")
    for step in (pushed, seen, healed, clean):
        assert "planted-password-1" not in step.text + step.summary


def test_pull_request(act: Act, lab: Lab, namespace: str, tmp_path: Path) -> None:
    """A pull request is told what it changes, in its own lines, and not what a hand has changed."""
    act("push")
    kubectl = [lab.kubectl, "--kubeconfig", lab.kubeconfig, "-n", namespace]
    patch = '{"data":{"color":"red"}}'
    subprocess.run([*kubectl, "patch", "configmap", "settings", "-p", patch], check=True, capture_output=True)
    clone = tmp_path / "repository"
    base = git(clone, "rev-parse", "HEAD")
    git(clone, "checkout", "-q", "-b", "change")
    more = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: more, namespace: {namespace}}}\n"
    (clone / "k8s/more.yaml").write_text(more)
    git(clone, "add", "k8s")
    git(clone, "commit", "-qm", "more")
    head = git(clone, "rev-parse", "HEAD")
    git(clone, "checkout", "-q", "main")
    git(clone, "merge", "-q", "--no-ff", "--no-edit", "change")
    pull = {"number": 7, "head": {"sha": head, "repo": {"full_name": "acme/shop"}}, "base": {"sha": base}}
    seen = act("pull_request", {"pull_request": pull}, fail_on="drift")
    assert (seen.result, seen.outputs["result"], seen.outputs["pending"]) == (1, "different", "1")
    (notice,) = seen.issues
    assert (notice.properties["file"], notice.properties["line"]) == ("k8s/more.yaml", "1")
    assert "settings" not in seen.summary.partition("Notes")[0]
    assert "differs from the base already" in seen.summary


def test_told_on_github(act: Act, lab: Lab, namespace: str, tmp_path: Path) -> None:
    """A pull request has one comment, which follows its pushes, and each of its heads a check run."""
    workspace = tmp_path / "repository"
    act("push")
    base = git(workspace, "rev-parse", "HEAD")
    with fake_github() as github:
        pull = github.state.add_pull(7)
        variables = {"GITHUB_API_URL": github.api}

        def push(text: str) -> Step:
            (workspace / "k8s/all.yaml").write_text(text)
            git(workspace, "commit", "-qam", "change")
            pull.head = git(workspace, "rev-parse", "HEAD")
            payload = {"number": 7, "head": {"sha": pull.head, "repo": EVENT["repository"]}, "base": {"sha": base}}
            variables["GITHUB_RUN_ID"] = str(len(github.asked) + 1000)
            return act("pull_request", {"pull_request": payload}, variables, github_token="planted-job-token")

        changed = push(MANIFESTS.format(namespace=namespace).replace("blue", "red"))
        dropped = push(MANIFESTS.format(namespace=namespace).partition("---")[2])
        (comment,) = github.state.comments.values()
    assert f"head <code>{pull.head[:7]}</code> · base <code>{base[:7]}</code>" in comment.body
    assert "1 removed" in comment.body
    assert "written |" in changed.summary
    assert "updated |" in dropped.summary
    first, second = github.state.checks.values()
    assert [one.conclusion for one in (first, second)] == ["neutral", "neutral"]
    assert [(one["path"], one["start_line"]) for one in first.annotations] == [("k8s/all.yaml", 5)]
    assert (second.head, second.external_id.partition("|")[0]) == (pull.head, namespace)
    told = comment.body + changed.text + dropped.text + f"{first.summary}{second.summary}"
    assert "planted" not in told


def test_drift_issue(act: Act, lab: Lab, namespace: str, tmp_path: Path) -> None:
    """A hand's change is told in an issue while it remains, and when it was set back; then the issue is closed."""
    kubectl = [lab.kubectl, "--kubeconfig", lab.kubeconfig, "-n", namespace]
    commit = git(tmp_path / "repository", "rev-parse", "HEAD")
    with fake_github() as github:

        def scan(event: str = "schedule", **inputs: str) -> str:
            number = str(len(github.asked) + 1000)
            variables = {"GITHUB_API_URL": github.api, "GITHUB_RUN_ID": number, "GITHUB_SHA": commit}
            step = act(event, None, variables, github_token="planted-job-token", **inputs)
            assert (step.result, "planted" in step.text + step.summary) == (0, False)
            return step.summary.partition("**On GitHub**")[2]

        assert "there is none, and no drift that needs one" in scan("push")
        patch = '{"data":{"color":"red"}}'
        subprocess.run([*kubectl, "patch", "configmap", "settings", "-p", patch], check=True, capture_output=True)
        assert "opened" in scan(self_heal="false")
        (issue,) = github.state.issues.values()
        drifted = issue.body or ""
        assert "updated" in scan(self_heal="true")
        healed = issue.body or ""
        scan()
        assert "closed" in scan()
        (news,) = github.state.comments.values()
    assert (issue.title, issue.labels) == (f"Drift in the cluster: {namespace}", ["recon-drift"])
    assert issue.state == "closed"
    assert "**New drift**, first seen" in drifted
    assert "git <code>blue</code> → live <code>red</code>" in drifted
    assert re.search(r"/recon apply [0-9a-f]{16}-[0-9a-f]{8}<", drifted)
    assert f"Last good apply: <code>{commit[:7]}</code>." in drifted
    assert "had been changed outside of Git, and this run has put back what Git says." in healed
    assert re.search(
        r"\| <code>data\.<wbr>color</code><br><sub>[^|]*; written with <code>kubectl-patch</code></sub> \|", healed
    )
    assert news.body.endswith("✅ In sync in 2 full scans in a row: closed.")
    assert "planted" not in drifted + healed + (issue.body or "")


def test_expired_credentials(act: Act, lab: Lab) -> None:
    """A token that no longer works is exit 4, with annotation, summary and outputs."""
    step = act("push", kubeconfig=lab.kubeconfig_with_token("of-yesterday").read_text())
    assert step.result == 4
    assert (step.outputs["result"], step.outputs["exit-code"]) == ("error", "4")
    assert step.issues[0].name == "error"
    assert "of-yesterday" not in step.text + step.summary
