"""A push whose apply fails: told below the pull request that it has merged."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

import pytest
from fake_github import FakeGitHub, Fault, fake_github
from fake_runner import FakeRunner, Step
from payloads import payload

from recon_action.action import run
from recon_action.errors import ClusterError, ExitCode, LockedError, ReconError
from recon_action.model import Bucket, Cause, DriftKind, Mode, ObjectRef, Outcome, Problem, Trouble
from recon_action.report.document import Counts, Entry, Report
from recon_action.stop import Stop

NOW = datetime(2026, 12, 1, 5, 0, tzinfo=UTC)
HEAD = "c" * 40
KUBECONFIG = "apiVersion: v1\nclusters: []\nusers: []\n"
REF = ObjectRef("", "ConfigMap", "shop", "web")
FAILED = Entry(
    REF, Bucket.PENDING, DriftKind.MODIFIED, Cause.GIT, problem=Problem(Trouble.DENIED, "no"), outcome=Outcome.FAILED
)
INCOMPLETE = Report(Mode.APPLY, "shop", "incomplete", ExitCode.INCOMPLETE, Counts(in_sync=3, pending=1), (FAILED,))
FINE = Report(Mode.APPLY, "shop", "applied", ExitCode.OK, Counts(in_sync=4))


@dataclass
class Merge:
    """Pull request 9, which was merged as the pushed commit."""

    root: Path
    github: FakeGitHub
    runs: list[Step] = field(default_factory=list)

    def push(
        self, outcome: Report | ReconError, attempt: int = 1, number: int = 123, head: str = HEAD, **inputs: str
    ) -> Step:
        """A run of that push that comes to `outcome`."""
        fake = FakeRunner(self.root / str(len(self.runs)))
        commits = [{**one, "id": head} for one in payload("push")["commits"]]
        given = {"paths": "k8s", "kubeconfig": KUBECONFIG, "github-token": "token", "drift-issue": "off"}
        environ = fake.environ(
            "push",
            payload("push", {"after": head, "commits": commits, "repository.default_branch": "main"}),
            inputs=given | {name.replace("_", "-"): value for name, value in inputs.items()},
            GITHUB_API_URL=self.github.api,
            GITHUB_RUN_ATTEMPT=str(attempt),
            GITHUB_RUN_ID=str(number),
            GITHUB_SHA=head,
        )

        def reconcile(*_: Any, **__: Any) -> Report:
            if isinstance(outcome, ReconError):
                raise outcome
            return outcome

        def work(stdout: TextIO) -> ExitCode:
            clock = datetime.fromtimestamp(NOW.timestamp() + len(self.runs), UTC)
            return run(environ, stdout, reconcile=reconcile, stop=Stop(), now=lambda: clock)

        self.runs.append(fake.step(work))
        return self.runs[-1]

    @property
    def comments(self) -> list[str]:
        """What stands below the pull request."""
        return [one.body for one in self.github.state.comments.values() if one.number == 9]


@pytest.fixture
def merge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Merge]:
    monkeypatch.chdir(tmp_path)
    with fake_github() as github:
        github.state.add_pull(9, merged=True, state="closed", merge_commit=HEAD)
        yield Merge(tmp_path, github)


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        pytest.param(INCOMPLETE, "ConfigMap shop/web", id="a part failed"),
        pytest.param(ClusterError("the server does not answer"), "the server does not answer", id="nothing was done"),
        pytest.param(LockedError("another run holds the lock"), "another run holds the lock", id="locked"),
        pytest.param(replace(FINE, exit_code=ExitCode.UNHEALTHY, result="unhealthy"), "Unhealthy", id="unhealthy"),
    ],
)
def test_a_push_that_fails(merge: Merge, outcome: Report | ReconError, told: str) -> None:
    """One comment below the pull request says which commit was not applied, and why."""
    step = merge.push(outcome)
    (comment,) = merge.comments
    assert "Commit <code>ccccccc</code> on <code>main</code>, with this pull request in it" in comment
    assert "**not applied in full**" in comment
    assert told in comment
    assert '"kind":"push"' in comment
    assert "written below &#35;9" in step.summary.replace("&#8203;", "")


@pytest.mark.parametrize("report", [FINE, replace(FINE, exit_code=ExitCode.DIFFERENT)], ids=["in sync", "contested"])
def test_a_push_that_does_not_fail(merge: Merge, report: Report) -> None:
    """Nobody is told, and GitHub is not asked for anything but the check run."""
    step = merge.push(report)
    assert merge.comments == []
    assert all("pulls" not in str(asked) and "comments" not in str(asked) for asked in merge.github.asked)
    assert "comment on the merged pull request" in step.summary


def test_run_again(merge: Merge) -> None:
    """The comment follows the same commit: failed, failed otherwise, applied after all; and it stays one."""
    merge.push(INCOMPLETE)
    merge.push(ClusterError("the server does not answer"), attempt=2)
    (comment,) = merge.comments
    assert "the server does not answer" in comment
    merge.push(FINE, attempt=3)
    (comment,) = merge.comments
    assert "was applied after all" in comment
    assert "not applied" not in comment


def test_run_again_without_a_comment(merge: Merge) -> None:
    """What went well from the start is not told, however often it is run."""
    merge.push(FINE, attempt=2)
    assert merge.comments == []


def test_another_commit_does_not_touch_it(merge: Merge) -> None:
    """What a later push comes to is told below its own pull request; what this one came to stays true."""
    merge.push(INCOMPLETE)
    merge.github.state.add_pull(10, merged=True, state="closed", merge_commit="d" * 40)
    merge.push(FINE, number=200, head="d" * 40)
    assert "not applied in full" in merge.comments[0]


def test_no_pull_request(merge: Merge) -> None:
    """A commit that somebody has pushed has none; that is no fault."""
    step = merge.push(INCOMPLETE, head="e" * 40)
    assert merge.comments == []
    assert "has merged no pull request" in step.summary
    assert step.result is ExitCode.INCOMPLETE


def test_beside_the_comment_that_it_had(merge: Merge) -> None:
    """What stood there before the merge is another text, and stays."""
    merge.github.state.add_comment(9, merge.github.state.author, '<!-- recon:v1 {"target":"shop"} -->\npreview')
    merge.push(INCOMPLETE)
    assert len(merge.comments) == 2


def test_switched_off(merge: Merge) -> None:
    """By the input of comments, and without a token."""
    merge.push(INCOMPLETE, comment="off")
    merge.push(INCOMPLETE, github_token="")
    assert merge.comments == []


def test_denied(merge: Merge) -> None:
    """A warning that names the permission; what the apply came to stays what it is."""
    merge.github.faults.append(Fault(status=403, times=99, message="Resource not accessible by integration"))
    step = merge.push(INCOMPLETE)
    assert step.result is ExitCode.INCOMPLETE
    assert "pull-requests" in " ".join(issue.data for issue in step.issues)


@pytest.mark.parametrize("mode", ["diff", "preview"])
def test_only_an_apply(merge: Merge, mode: str) -> None:
    """A push that was only looked at has failed nobody."""
    merge.push(replace(INCOMPLETE, mode=Mode.DIFF), mode=mode)
    assert merge.comments == []
