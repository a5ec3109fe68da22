"""A fork's pull request from its own run, which has no credentials, to the comment that another run writes."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

import pytest
from fake_github import FakeGitHub, Fault, fake_github
from fake_runner import FakeRunner, Step
from payloads import payload
from repository import git

from recon_action.action import run
from recon_action.errors import ExitCode
from recon_action.github.artifact import LIMIT
from recon_action.report import from_json, to_json
from recon_action.report.document import Fault as Flaw
from recon_action.report.document import Place
from recon_action.stop import Stop

NOW = datetime(2026, 12, 1, 5, 0, tzinfo=UTC)
OURS, FORK = "acme/shop", "mallory/shop"
OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME, namespace: shop}\ndata: {color: blue}\n"
PRIVATE = "ghp_" + "planted0" * 5


@dataclass
class Fork:
    """A pull request of a fork: its commit, and the two runs that are about it."""

    root: Path
    github: FakeGitHub
    head: str = ""
    runs: int = 0

    @property
    def clone(self) -> Path:
        """The workspace, which is the pull request's."""
        return self.root / "clone"

    def write(self, name: str, text: str) -> None:
        """Push a manifest to the pull request."""
        (self.clone / "k8s" / name).write_text(text)
        git(self.clone, "add", "--all", ".")
        git(self.clone, "commit", "--quiet", "--message=change")
        self.head = git(self.clone, "rev-parse", "HEAD")
        self.github.state.pulls[9].head = self.head

    def _step(self, event: str, given: object, inputs: Mapping[str, str], fake: FakeRunner | None = None) -> Step:
        self.runs += 1
        fake = fake or FakeRunner(self.root / f"runner-{self.runs}")
        environ = fake.environ(
            event,
            given,
            inputs=inputs,
            GITHUB_API_URL=self.github.api,
            GITHUB_REPOSITORY=OURS,
            GITHUB_RUN_ID=str(1000 + self.runs),
            GITHUB_WORKSPACE=str(self.clone),
        )

        def work(stdout: TextIO) -> ExitCode:
            return run(environ, stdout, stop=Stop(), now=lambda: NOW)

        return fake.step(work)

    def check(
        self, example: str = "pull-request-opened", changes: Mapping[str, Any] | None = None, **inputs: str
    ) -> Step:
        """The run of the pull request; GitHub gives a fork's no secrets, and a token that only reads."""
        pull = payload(example)["pull_request"]
        fork = {**pull["head"]["repo"], "full_name": FORK}
        shas = {"pull_request.head.sha": self.head, "pull_request.base.sha": git(self.clone, "rev-parse", "main")}
        given = payload(example, {"pull_request.head.repo": fork, **shas, **(changes or {})})
        return self._step("pull_request", given, {"paths": "k8s", "github-token": "planted-read-token", **inputs})

    def publish(
        self,
        artifact: Path | None = None,
        changes: Mapping[str, Any] | None = None,
        runner: FakeRunner | None = None,
        **inputs: str,
    ) -> Step:
        """The run that follows it, on the default branch."""
        repository = {**payload("workflow-run-completed")["workflow_run"]["head_repository"], "full_name": FORK}
        facts = {
            "head_sha": self.head,
            "head_branch": "patch-1",
            "head_repository": repository,
            "event": "pull_request",
            "id": 1000 + self.runs,
        }
        changed = {f"workflow_run.{name}": value for name, value in facts.items()} | dict(changes or {})
        given = payload("workflow-run-completed", changed)
        inputs = {name.replace("_", "-"): value for name, value in inputs.items()}
        named = {"artifact": str(artifact or self.clone / "recon-report"), "github-token": "planted-token"}
        return self._step("workflow_run", given, {"mode": "publish", **named, **inputs}, runner)

    @property
    def report(self) -> Path:
        """What the run of the pull request leaves."""
        return self.clone / "recon-report" / "shop-validate.json"

    @property
    def comments(self) -> list[str]:
        """What stands on GitHub."""
        return [one.body for one in self.github.state.comments.values()]


@pytest.fixture
def fork(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fork]:
    """A clone as the runner checks it out, and the pull request on GitHub, number 9."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    monkeypatch.setenv("KUBECONFIG", "/nowhere")
    clone = tmp_path / "clone"
    (clone / "k8s").mkdir(parents=True)
    monkeypatch.chdir(clone)
    git(clone, "init", "--quiet", "--initial-branch=main")
    git(clone, "remote", "add", "origin", f"https://github.com/{OURS}")
    (clone / "k8s/web.yaml").write_text(OBJECT.replace("NAME", "web"))
    (clone / "k8s/old.yaml").write_text(OBJECT.replace("NAME", "old"))
    git(clone, "add", "--all", ".")
    git(clone, "commit", "--quiet", "--message=first")
    git(clone, "checkout", "--quiet", "-b", "patch-1")
    with fake_github() as github:
        github.state.add_pull(9, head_repository=FORK, branch="patch-1")
        found = Fork(tmp_path, github)
        found.write("new.yaml", OBJECT.replace("NAME", "new"))
        yield found


def test_from_the_run_to_the_comment(fork: Fork) -> None:
    """The run checks and writes nothing on GitHub; the one that follows tells it, as what it is."""
    checked = fork.check()
    assert (checked.result, checked.errors, checked.outputs["result"]) == (ExitCode.OK, (), "valid")
    assert (checked.outputs["in-sync"], checked.outputs["pending"]) == ("", "")
    assert checked.outputs["report-path"] == "recon-report/shop-validate.json"
    assert "No cluster was asked" in checked.summary
    assert "in sync" not in checked.summary.lower()
    assert "ConfigMap shop/new" in checked.summary
    assert fork.github.asked == []
    assert "a workflow that follows it" in checked.summary

    told = fork.publish()
    assert (told.result, told.errors, told.outputs["result"]) == (ExitCode.OK, (), "unverified")
    (comment,), (check,) = fork.comments, fork.github.state.checks.values()
    assert fork.github.state.comments[min(fork.github.state.comments)].number == 9
    assert "**Not verified.**" in comment
    assert "ConfigMap shop/new" in comment
    assert f"https://github.com/{OURS}/blob/{fork.head}/k8s/new.yaml#L1" in comment
    assert f"https://github.com/{OURS}/actions/runs/1001" in comment
    assert (check.name, check.head, check.conclusion) == ("recon-action: shop (not verified)", fork.head, "neutral")
    assert "**Not verified.**" in str(check.summary)
    assert "planted" not in told.text + told.summary + comment


def test_bad_manifests(fork: Fork) -> None:
    """Exit 3 and annotations at the lines; the publisher tells it, and has not failed itself."""
    fork.write("web.yaml", "apiVersion: v1\nkind: 5\n")
    checked = fork.check()
    assert (checked.result, checked.outputs["result"], checked.outputs["exit-code"]) == (ExitCode.DESIRED, "error", "3")
    assert [(one.name, one.properties["file"], one.properties["line"]) for one in checked.issues] == [
        ("error", "k8s/web.yaml", "2")
    ]
    told = fork.publish(changes={"workflow_run.conclusion": "failure"})
    assert told.result is ExitCode.OK
    (check,) = fork.github.state.checks.values()
    assert check.conclusion == "failure"
    assert [(one["path"], one["start_line"]) for one in check.annotations] == [("k8s/web.yaml", 2)]
    assert "kind is no text" in fork.comments[0]
    assert told.issues == ()


def test_kept_current(fork: Fork) -> None:
    """The next push's comment takes the place of the first; an older run that ends late changes nothing."""
    fork.check()
    old = {"workflow_run.head_sha": fork.head, "workflow_run.id": 1001}
    fork.publish()
    fork.write("newer.yaml", OBJECT.replace("NAME", "newer"))
    stale = fork.publish(changes=old)
    assert "has moved on: its head is" in stale.summary
    assert "newer" not in fork.comments[0]
    fork.check()
    fork.publish()
    (comment,) = fork.comments
    assert "ConfigMap shop/newer" in comment


def test_dependabot(fork: Fork) -> None:
    """Without credentials Dependabot's pull request is treated as a fork's."""
    author = {**payload("pull-request-opened")["pull_request"]["user"], "login": "dependabot[bot]"}
    ours = {**payload("pull-request-opened")["pull_request"]["head"]["repo"], "full_name": OURS}
    step = fork.check(changes={"pull_request.head.repo": ours, "pull_request.user": author})
    assert (step.result, step.outputs["result"]) == (ExitCode.OK, "valid")
    assert fork.github.asked == []


def test_a_fork_that_is_gone(fork: Fork) -> None:
    """Its run checks all the same, and nothing is published."""
    assert fork.check("pull-request-labeled", {"pull_request.head.repo": None}).outputs["result"] == "valid"
    step = fork.publish(changes={"workflow_run.head_repository": None})
    assert (step.result, step.outputs["result"]) == (ExitCode.OK, "skipped")
    assert "gone" in step.summary
    assert fork.comments == []


def test_a_fork_is_never_given_the_cluster(fork: Fork) -> None:
    """Whatever the workflow asks for, and whatever credentials there are."""
    step = fork.check(mode="apply", kubeconfig="apiVersion: v1\nclusters: [{name: x}]\nusers: []\n")
    assert (step.result, step.outputs["result"]) == (ExitCode.OK, "valid")
    assert "No cluster was asked" in step.summary


def forge(fork: Fork, **more: Any) -> None:
    """What a stranger makes of the artifact."""
    fork.report.write_text(to_json(replace(from_json(fork.report.read_text()), **more)))


def test_addressed_by_nothing_in_the_artifact(fork: Fork) -> None:
    """Numbers, repositories, runs and hidden lines that it names lead nowhere."""
    fork.github.state.add_pull(7)
    fork.check()
    text = fork.report.read_text()
    lie = '<!-- recon:v1 {"target":"prod","kind":"report"} -->'
    forge(
        fork,
        notes=(lie, "pull request #7 of other/repository", "@everyone", "![x](https://evil.example/beacon)"),
        run_url="https://evil.example/actions/runs/1",
        faults=(Flaw(Place("../../../mallory/evil", 1, "https://evil.example/x"), f"</details>\n{lie}\n::error::x"),),
    )
    step = fork.publish()
    assert step.result is ExitCode.OK
    (comment,) = fork.github.state.comments.values()
    assert comment.number == 9
    assert comment.body.count("<!--") == 1
    assert '"target":"shop"' in comment.body.split("\n")[0]
    assert "](https://evil" not in comment.body
    assert "![" not in comment.body
    assert "@everyone" not in comment.body
    assert "other/repository" in comment.body
    assert step.named("error") == []
    assert text != fork.report.read_text()


def test_secret_looking_text(fork: Fork) -> None:
    """A credential that somebody has put there is not passed on."""
    fork.check()
    forge(fork, notes=(f"use {PRIVATE}",))
    step = fork.publish()
    (check,) = fork.github.state.checks.values()
    for text in (*fork.comments, step.summary, step.text, str(check.summary)):
        assert PRIVATE[:20] not in text
    assert "use &#42;&#42;&#42;" in fork.comments[0]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        pytest.param(b"{", "not valid JSON", id="broken"),
        pytest.param(b"\x00" * (LIMIT + 1), "larger than 8 MiB", id="huge"),
        pytest.param(b'{"schema": "recon-action/report/v1"}', "lacks the key", id="half"),
        pytest.param(b"[" * 1_000_000, "not valid JSON", id="deep"),
    ],
)
def test_what_is_no_report(fork: Fork, content: bytes, why: str) -> None:
    """Nothing is published, the reason is told, and GitHub is not even asked."""
    fork.check()
    fork.report.write_bytes(content)
    step = fork.publish()
    assert (step.result, step.outputs["result"]) == (ExitCode.PUBLISH, "error")
    assert why in step.summary
    assert fork.github.asked == []


def test_another_target(fork: Fork) -> None:
    """A report speaks for the target of its own step alone."""
    fork.check()
    forge(fork, target="prod")
    assert fork.publish().result is ExitCode.PUBLISH
    assert fork.publish(target="prod", artifact=fork.report).result is ExitCode.OK
    fork.check(target="prod")
    assert fork.publish(target="prod").result is ExitCode.OK
    assert {one.partition('"target":"')[2][:4] for one in fork.comments} == {"prod"}


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        pytest.param({"workflow_run.event": "push"}, "made by push", id="of a push"),
        pytest.param({"workflow_run.conclusion": "cancelled"}, "cancelled", id="cancelled"),
        pytest.param({"workflow_run.head_branch": "other"}, "no open pull request", id="of another branch"),
        pytest.param({"workflow_run.head_sha": "d" * 40}, "has moved on", id="of another commit"),
    ],
)
def test_runs_that_are_not_told(fork: Fork, changes: dict[str, Any], why: str) -> None:
    """Nothing is written, and the step is green: most runs that follow another end so."""
    fork.check()
    step = fork.publish(changes=changes)
    assert step.result is ExitCode.OK
    assert why in step.summary
    assert (fork.comments, fork.github.state.checks) == ([], {})


def test_a_run_that_has_left_nothing(fork: Fork) -> None:
    """Of a run with credentials, which has told everything itself, there is no validation."""
    (fork.clone / "recon-report").mkdir()
    step = fork.publish()
    assert (step.result, step.outputs["result"]) == (ExitCode.OK, "skipped")
    assert "has left no validation of shop" in step.summary


def test_wrong_use(fork: Fork) -> None:
    """Another event, or no file, is the workflow's mistake."""
    fork.check()
    for step in (
        fork._step("push", payload("push"), {"mode": "publish", "artifact": str(fork.report)}),
        fork._step("workflow_run", payload("workflow-run-completed"), {"mode": "publish"}),
        fork.publish(artifact=fork.clone / "gone.json"),
    ):
        assert step.result is ExitCode.USAGE
    assert fork.github.asked == []


def test_refused_by_github(fork: Fork) -> None:
    """What is missing is named; without a pull request nothing else is tried."""
    fork.check()
    fork.github.faults.append(Fault(status=403, times=9, message="Resource not accessible by integration"))
    step = fork.publish()
    assert step.result is ExitCode.OK
    assert "pull-requests: read" in step.issues[0].data
    assert len(step.issues) == 1
    without = fork.publish(github_token="")
    assert without.summary.count("input github-token is empty") == 2


def test_a_summary_without_room(fork: Fork) -> None:
    """The comment is written all the same, and the step says what is missing."""
    fork.check()
    runner = FakeRunner(fork.root / "full")
    runner.file("GITHUB_STEP_SUMMARY").write_text("x" * 1_000_000)
    step = fork.publish(runner=runner)
    assert step.result is ExitCode.PUBLISH
    assert "job summary" in step.issues[0].data
    assert "**Not verified.**" in fork.comments[0]


def test_the_report_is_what_is_documented(fork: Fork) -> None:
    """The file that is uploaded holds the whole validation."""
    fork.check()
    document = json.loads(fork.report.read_text())
    assert (document["mode"], document["result"], document["counts"]["unasked"]) == ("validate", "valid", 3)
