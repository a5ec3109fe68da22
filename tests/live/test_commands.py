"""Orders in comments against a real API server, on a fake runner and a fake GitHub."""

import itertools
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_github import BOT, FakeGitHub, fake_github
from fake_runner import FakeRunner, Step
from payloads import payload
from repository import git

from recon_action.action import run
from recon_action.github.marker import ISSUE, Marker
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
DRIFT_ISSUE, PULL = 8, 7

Act = Callable[[str, int], Step]


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    """A pull request, and somebody who may write."""
    with fake_github() as running:
        running.state.add_pull(PULL)
        running.state.collaborators["octocat"] = "write"
        yield running


@pytest.fixture
def act(lab: Lab, namespace: str, tmp_path: Path, github: FakeGitHub, monkeypatch: pytest.MonkeyPatch) -> Act:
    """`act(text, number)`: what a comment leads to, or a push to the default branch if `text` is ""."""
    clone = tmp_path / "clone"
    (clone / "k8s").mkdir(parents=True)
    (clone / "k8s/all.yaml").write_text(MANIFESTS.format(namespace=namespace))
    git(clone, "init", "--quiet", "--initial-branch=main")
    git(clone, "add", "k8s")
    git(clone, "commit", "--quiet", "--message=manifests")
    monkeypatch.chdir(clone)
    github.state.add_issue(DRIFT_ISSUE, author=BOT, body=f"{Marker(namespace, ISSUE).line}\n\nDrift.")
    runs = itertools.count(1000)

    def given(text: str, number: int) -> dict[str, Any]:
        shown = github.state.add_comment(number, "octocat", text).json(github.api)
        keys = ("id", "body", "html_url", "created_at", "updated_at")
        changes: dict[str, Any] = {f"comment.{key}": shown[key] for key in keys}
        changes |= {f"comment.user.{key}": shown["user"][key] for key in ("login", "type")}
        if number == PULL:
            link = dict.fromkeys(("url", "html_url", "diff_url", "patch_url"), "https://github.com/x")
            changes["issue.pull_request"] = link
        return payload("issue-comment-created", changes | {"issue.number": number, "repository.default_branch": "main"})

    def step(text: str, number: int = DRIFT_ISSUE) -> Step:
        this = next(runs)
        fake = FakeRunner(tmp_path / f"runner-{this}")
        event = given(text, number) if text else {"repository": {"full_name": "acme/shop", "default_branch": "main"}}
        head = github.state.branches["main"] = git(clone, "rev-parse", "main")
        environ = fake.environ(
            "issue_comment" if text else "push",
            event,
            inputs={
                "paths": "k8s",
                "target": namespace,
                "kubeconfig": lab.kubeconfig.read_text(),
                "github-token": "planted-job-token",
            },
            GITHUB_API_URL=github.api,
            GITHUB_SHA=head,
            GITHUB_RUN_ID=str(this),
        )
        found = fake.step(lambda stdout: run(environ, stdout, write_pause=0))
        assert found.errors == ()
        assert "planted" not in found.text + found.summary + "".join(one.body for one in github.state.comments.values())
        return found

    return step


def reply(github: FakeGitHub) -> str:
    """What was said last."""
    return [one for one in github.state.comments.values() if one.author == BOT][-1].body


def published(github: FakeGitHub) -> str:
    """The digest that was published last."""
    return list(github.state.checks.values())[-1].external_id.partition("|")[2]


def test_orders(act: Act, lab: Lab, namespace: str, github: FakeGitHub) -> None:
    """A plan that was looked at is carried out, unless the cluster has changed since; a held object stays as it is."""
    kubectl = [lab.kubectl, "--kubeconfig", lab.kubeconfig, "-n", namespace]

    def paint(color: str) -> None:
        patch = f'{{"data":{{"color":"{color}"}}}}'
        subprocess.run([*kubectl, "patch", "configmap", "settings", "-p", patch], check=True, capture_output=True)

    def color() -> str:
        command = [*kubectl, "get", "configmap", "settings", "-o", "jsonpath={.data.color}"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    assert act("", 0).result == 0
    paint("red")
    assert act("/recon diff", DRIFT_ISSUE).outputs["drifted"] == "1"
    looked_at = published(github)
    assert f"<code>/recon apply {looked_at}</code>" in reply(github)

    paint("green")
    refused = act(f"/recon apply {looked_at}", DRIFT_ISSUE)
    assert (refused.result, refused.outputs["result"], color()) == (9, "refused", "green")
    assert "objects" in reply(github)

    act("/recon diff", DRIFT_ISSUE)
    applied = act(f"/recon apply {published(github)}", DRIFT_ISSUE)
    assert (applied.result, color()) == (0, "blue")
    assert "1 configured" in reply(github)

    paint("yellow")
    held = act(f"/recon hold cm/settings -n {namespace} 1h the sale", DRIFT_ISSUE)
    assert (held.result, held.outputs["result"]) == (0, "answered")
    pushed = act("", 0)
    assert (pushed.outputs["skipped"], color()) == ("1", "yellow")
    assert "octocat: the sale" in pushed.summary

    elsewhere = act("/recon hold ns/default 1h x", DRIFT_ISSUE)
    assert elsewhere.result == 2
    assert "is not managed by target" in reply(github)


def test_a_pull_request(act: Act, namespace: str, github: FakeGitHub, tmp_path: Path) -> None:
    """What it changes is said of its head, which is nowhere checked out; its own recon.yaml decides nothing."""
    act("", 0)
    clone = tmp_path / "clone"
    base = git(clone, "rev-parse", "HEAD")
    git(clone, "checkout", "--quiet", "-b", "change")
    (clone / "k8s/all.yaml").write_text(MANIFESTS.format(namespace=namespace).replace("blue", "red"))
    rule = "ignore: [{match: {kind: ConfigMap}, fields: [data.color], reason: mine}]\n"
    (clone / "recon.yaml").write_text(rule)
    git(clone, "add", ".")
    git(clone, "commit", "--quiet", "--message=change")
    pull = github.state.pulls[PULL]
    pull.base, pull.head, pull.head_repository = base, git(clone, "rev-parse", "HEAD"), "mallory/shop"
    git(clone, "checkout", "--quiet", "main")
    seen = act(f"/recon diff {pull.head}", PULL)
    assert (seen.result, seen.outputs["pending"]) == (0, "1")
    assert "data.color" in reply(github)
    assert not os.path.lexists(clone / "recon.yaml")
