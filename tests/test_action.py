"""The action from event to exit code, on a strict fake of the runner; only the loop itself is replaced."""

import base64
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

import pytest
from fake_github import FakeGitHub, Fault, fake_github
from fake_runner import FakeRunner, Step
from report_scenarios import clean, drift_of_a_person
from repository import git

from recon_action.action import mode_of, run
from recon_action.errors import (
    ClusterError,
    DesiredError,
    ExitCode,
    Interrupted,
    LockedError,
    ReconError,
    RefusedError,
)
from recon_action.github.deliver import OUTPUTS
from recon_action.github.event import EventContext, Source
from recon_action.model import Bucket, Cause, DriftKind, Mode, ObjectRef, Outcome, Progress, Settings
from recon_action.report.document import Change, Counts, Entry, Place, Report
from recon_action.stop import Stop

NOW = datetime(2026, 12, 1, 5, 0, tzinfo=UTC)
REPOSITORY = {"full_name": "acme/shop", "default_branch": "main"}
KUBECONFIG = "apiVersion: v1\nclusters: []\nusers:\n- user: {token: planted-token}\n"
ATTACK = "::set-output name=result::in-sync"


def drift(number: int = 0, outcome: Outcome | None = None) -> Entry:
    ref = ObjectRef("", "ConfigMap", "shop", f"c{number}")
    place = Place("k8s/c.yaml", number + 1)
    changes = (Change("data.a", Cause.MANUAL, desired="x", live=ATTACK, place=place),)
    return Entry(ref, Bucket.DRIFTED, DriftKind.MODIFIED, Cause.MANUAL, changes=changes, place=place, outcome=outcome)


def different(mode: Mode = Mode.DIFF, entries: int = 1) -> Report:
    found = tuple(drift(number) for number in range(entries))
    return Report(mode, "shop", "different", ExitCode.DIFFERENT, Counts(in_sync=7, drifted=entries), found)


@dataclass
class Loop:
    """Stands for `reconcile`: keeps what it was asked, and answers with `answer`."""

    answer: Report | BaseException = field(default_factory=different)
    settings: Settings | None = None
    mode: Mode | None = None
    kubeconfig: str = ""
    run_url: str = ""
    stop: Stop | None = None

    def __call__(
        self,
        settings: Settings,
        mode: Mode,
        *,
        progress: Progress,
        now: Callable[[], datetime],
        run_url: str,
        stop: Stop | None,
    ) -> Report:
        """Note it down, and say something on the way that a manifest could have said."""
        self.settings, self.mode, self.run_url, self.stop = settings, mode, run_url, stop
        if settings.access.kubeconfig:
            self.kubeconfig = Path(settings.access.kubeconfig).read_text()
        assert now() == NOW
        progress.step(f"listing\n{ATTACK}", 2)
        progress.advance()
        progress.note("planted-token")
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


@dataclass
class Comparison:
    """Stands for `preview`: keeps what it was asked, and answers as `loop` does."""

    loop: Loop
    base: str = ""
    config: str = ""

    def __call__(self, settings: Settings, base: str, head: str, *, config: str, **common: Any) -> Report:
        """Note it down."""
        assert head == "HEAD"
        self.base, self.config = base, config
        return self.loop(settings, Mode.PREVIEW, **common)


@dataclass
class Job:
    """A job whose step runs the action: its event, inputs and variables."""

    fake: FakeRunner
    loop: Loop = field(default_factory=Loop)
    stop: Stop = field(default_factory=Stop)

    def __post_init__(self) -> None:
        self.comparison = Comparison(self.loop)

    def step(
        self,
        event: str = "push",
        payload: Any = None,
        inputs: dict[str, str] | None = None,
        **variables: str,
    ) -> Step:
        """Run the action; `inputs` come on top of paths and a kubeconfig."""
        given = {"paths": "k8s", "kubeconfig": KUBECONFIG, **(inputs or {})}
        environ = self.fake.environ(event, payload or {"repository": REPOSITORY}, inputs=given, **variables)

        def work(stdout: TextIO) -> ExitCode:
            return run(environ, stdout, reconcile=self.loop, preview=self.comparison, stop=self.stop, now=lambda: NOW)

        return self.fake.step(work)


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(FakeRunner(tmp_path))


def event(name: str, branch: str = "", **more: Any) -> EventContext:
    return EventContext(name, branch=branch, default_branch="main", **more)


@pytest.mark.parametrize(
    ("happened", "mode"),
    [
        pytest.param(event("push", "main"), Mode.APPLY, id="push to the default branch"),
        pytest.param(event("push", "feature"), Mode.DIFF, id="push elsewhere"),
        pytest.param(event("push", ref="refs/tags/v1"), Mode.DIFF, id="tag"),
        pytest.param(event("push", "main", deleted=True), Mode.DIFF, id="branch deleted"),
        pytest.param(EventContext("push", branch="main"), Mode.DIFF, id="default branch unknown"),
        pytest.param(event("schedule", "main"), Mode.APPLY, id="schedule"),
        pytest.param(event("pull_request"), Mode.PREVIEW, id="pull request"),
        pytest.param(event("merge_group"), Mode.PREVIEW, id="merge queue"),
        pytest.param(event("workflow_dispatch", "main"), Mode.DIFF, id="by hand"),
        pytest.param(event("issue_comment", "main"), Mode.DIFF, id="comment"),
        pytest.param(event("something_new", "main"), Mode.DIFF, id="unknown event"),
        pytest.param(EventContext(""), Mode.DIFF, id="no event"),
    ],
)
def test_events(happened: EventContext, mode: Mode) -> None:
    """Only a push to the default branch and a schedule change the cluster by themselves."""
    assert mode_of(happened, "auto", (), self_heal=True) is mode


def test_schedule_without_self_heal() -> None:
    """Then a schedule only looks."""
    assert mode_of(event("schedule", "main"), "auto", (), self_heal=False) is Mode.DIFF


@pytest.mark.parametrize(
    ("branch", "mode"),
    [("release/1", Mode.APPLY), ("prod", Mode.APPLY), ("main", Mode.DIFF), ("Prod", Mode.DIFF)],
)
def test_apply_branches(branch: str, mode: Mode) -> None:
    """They take the default branch's place, are globs, and mind case."""
    assert mode_of(event("push", branch), "auto", ("prod", "release/*"), self_heal=True) is mode


@pytest.mark.parametrize("asked", ["diff", "apply"])
@pytest.mark.parametrize("name", ["workflow_dispatch", "push", "schedule", "merge_group"])
def test_mode_as_asked(name: str, asked: str) -> None:
    """A mode that was asked for is the mode."""
    assert mode_of(event(name), asked, (), self_heal=True) is Mode(asked)


@pytest.mark.parametrize("asked", ["auto", "diff", "apply"])
def test_pull_request_target(asked: str) -> None:
    """Refused however it is asked for."""
    with pytest.raises(RefusedError, match="pull_request_target"):
        mode_of(event("pull_request_target"), asked, (), self_heal=True)


@pytest.mark.parametrize(
    ("follows", "auto", "is_refused"),
    [("pull_request", Mode.PUBLISH, True), ("pull_request_target", Mode.DIFF, True), ("push", Mode.DIFF, False)],
)
def test_after_a_pull_request_nothing_is_applied(follows: str, auto: Mode, *, is_refused: bool) -> None:
    """A run that follows another's has credentials, and what that left may be a stranger's."""
    happened = event("workflow_run", "main", source=Source(5, follows, "a" * 40, "mallory/shop", "success"))
    assert mode_of(happened, "auto", (), self_heal=True) is auto
    if is_refused:
        with pytest.raises(RefusedError, match="follows one of a pull request"):
            mode_of(happened, "apply", (), self_heal=True)
    else:
        assert mode_of(happened, "apply", (), self_heal=True) is Mode.APPLY


def test_difference(job: Job) -> None:
    """A diff that finds something: outputs, summary, annotation, files, and a green step by default."""
    step = job.step("workflow_dispatch")
    assert step.errors == ()
    assert step.result is ExitCode.OK
    assert set(step.outputs) == set(OUTPUTS)
    assert {name: value for name, value in step.outputs.items() if value} == {
        "result": "different",
        "exit-code": "1",
        "in-sync": "7",
        "pending": "0",
        "drifted": "1",
        "ignored": "0",
        "skipped": "0",
        "failed": "0",
        "report-path": "recon-report/shop-diff.json",
        "sarif-path": "recon-report/shop-diff.sarif",
    }
    assert "ConfigMap" in step.summary
    assert [(issue.name, dict(issue.properties)) for issue in step.issues] == [
        ("warning", {"title": "ConfigMap shop/c0", "file": "k8s/c.yaml", "line": "1"})
    ]
    written = json.loads((job.fake.workspace / step.outputs["report-path"]).read_text())
    assert written["schema"] == "recon-action/report/v1"
    assert (job.fake.workspace / "recon-report/shop-diff.md").read_text().strip()
    sarif = json.loads((job.fake.workspace / step.outputs["sarif-path"]).read_text())
    assert [one["ruleId"] for one in sarif["runs"][0]["results"]] == ["drifted"]
    assert job.loop.run_url == "https://github.com/acme/shop/actions/runs/123"


@pytest.mark.parametrize(
    ("fail_on", "code"), [("drift", 1), ("error", 0), ("never", 0), ("", 0)], ids=["drift", "error", "never", "default"]
)
def test_fail_on(job: Job, fail_on: str, code: int) -> None:
    """What fails the step is a choice; the output tells the difference all the same."""
    step = job.step("schedule", inputs={"fail-on": fail_on})
    assert step.result == code
    assert step.outputs["exit-code"] == "1"


def test_foreign_text_never_speaks_to_the_runner(job: Job) -> None:
    """What progress, report and values say is shown, and obeyed nowhere."""
    step = job.step("push")
    assert ATTACK in step.text
    assert step.outputs["result"] == "different"
    assert {command.name for command in step.commands} == {"add-mask", "group", "stop-commands", "endgroup", "warning"}
    assert len({command.data for command in step.named("stop-commands")}) == 2


def test_kubeconfig_is_masked_before_anything_is_said_and_gone_after(job: Job) -> None:
    """The credentials of a kubeconfig show nowhere, and its file ends with the step."""
    step = job.step("push", inputs={"kubeconfig": base64.b64encode(KUBECONFIG.encode()).decode()})
    assert job.loop.kubeconfig == KUBECONFIG
    assert step.commands[0].name == "add-mask"
    assert "planted-token" not in step.text
    assert "***" in step.text
    assert list(job.fake.temp.iterdir()) == []


def test_settings_come_from_inputs(job: Job) -> None:
    """Inputs in either spelling, lists, booleans and white space reach the run."""
    inputs = {"paths": "k8s\n extra, more ", "prune": "False", "timeout": " 90s ", "target": "shop"}
    job.step("push", inputs=inputs, INPUT_MAX_PRUNE="all")
    settings = job.loop.settings
    assert settings is not None
    assert settings.paths == ("k8s", "extra", "more")
    assert not settings.prune
    assert settings.timeout == 90
    assert settings.target == "shop"
    assert settings.max_prune is not None
    assert settings.max_prune.unlimited
    assert settings.wait


def test_recon_yaml_is_named_by_an_input(job: Job, tmp_path: Path) -> None:
    """Its rules reach the run; a mistake in it ends the step, with its place."""
    file = tmp_path / "recon.yaml"
    file.write_text("ignore: [{match: {kind: Deployment}, fields: [spec.replicas], reason: scaled}]\n")
    job.step("push", inputs={"config": str(file)})
    assert job.loop.settings is not None
    assert [rule.reason for rule in job.loop.settings.ignore] == ["scaled"]
    file.write_text("ignored: []\n")
    step = job.step("push", inputs={"config": str(file)})
    assert step.result is ExitCode.USAGE
    assert "recon.yaml:1:1: unknown key 'ignored'" in step.summary


@pytest.mark.parametrize(
    ("inputs", "named"),
    [
        ({"paths": " \n"}, "no manifests were named"),
        ({"mode": "destroy"}, "input mode: 'destroy' is none of auto, diff, apply"),
        ({"fail-on": "warning"}, "input fail-on: 'warning' is none of drift, error, never"),
        ({"wait": "yes"}, "input wait: 'yes' is no boolean"),
        ({"self-heal": "1"}, "input self-heal: '1' is no boolean"),
        ({"max-prune": "many"}, "input max-prune: 'many' is no limit"),
        ({"timeout": "soon"}, "input timeout: 'soon' is no duration"),
        ({"kubeconfig": "/home/runner/.kube/config"}, "input kubeconfig: no such file"),
        ({"kubeconfig": ""}, "no kubeconfig"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_bad_input(job: Job, inputs: dict[str, str], named: str) -> None:
    """Exit 2; annotation and summary name the input as the workflow does and say what to write; nothing ran."""
    step = job.step("push", inputs=inputs)
    assert step.result is ExitCode.USAGE
    assert job.loop.mode is None
    (issue,) = step.issues
    message, _, hint = issue.data.partition("\n")
    assert issue.name == "error"
    assert message.startswith(named)
    assert hint
    assert named in step.summary
    assert step.outputs["result"] == "error"
    assert step.outputs["exit-code"] == "2"
    assert step.outputs["in-sync"] == ""
    assert step.errors == ()


def test_in_cluster_needs_no_kubeconfig(job: Job) -> None:
    """In a pod the service account is enough."""
    step = job.step("push", inputs={"kubeconfig": ""}, KUBERNETES_SERVICE_HOST="10.96.0.1")
    assert step.result is ExitCode.OK
    assert job.loop.settings is not None
    assert job.loop.settings.access.kubeconfig == ""


@pytest.mark.parametrize(
    ("error", "code", "result"),
    [
        (DesiredError("k8s holds no manifest", hint="name another path"), 3, "error"),
        (ClusterError("the server does not answer", hint="look at it"), 4, "error"),
        (RefusedError("9 objects would go", hint="raise max-prune"), 9, "refused"),
    ],
    ids=["desired", "cluster", "refused"],
)
def test_errors(job: Job, error: ReconError, code: int, result: str) -> None:
    """An error is an annotation with its hint, a summary, outputs and its exit code."""
    job.loop.answer = error
    step = job.step("push")
    assert step.result == code
    assert [(issue.name, issue.data) for issue in step.issues] == [("error", f"{error.message}\n{error.hint}")]
    assert f"{error.message}\n{error.hint}" in step.summary
    assert (step.outputs["result"], step.outputs["exit-code"]) == (result, str(code))
    assert step.errors == ()


def test_bug(job: Job) -> None:
    """A bug ends in exit 70 with a traceback in the log, without the words of the exception: they may be secret."""
    job.loop.answer = KeyError("planted-secret")
    step = job.step("push")
    assert step.result is ExitCode.BUG
    assert "test_action.py" in step.text
    assert "planted-secret" not in step.text + step.summary
    assert "KeyError" in step.issues[0].data
    assert step.outputs["exit-code"] == "70"


def test_cancelled(job: Job) -> None:
    """A job that is cancelled before anything has begun still says so: outputs, summary and exit 130."""
    job.loop.answer = KeyboardInterrupt()
    step = job.step("push")
    assert step.result is ExitCode.INTERRUPTED
    assert "cancelled" in step.summary
    assert step.outputs["exit-code"] == "130"
    assert step.errors == ()


@pytest.mark.parametrize(
    ("error", "word"),
    [(Interrupted("by SIGTERM"), "interrupted"), (LockedError("by another run"), "locked")],
    ids=["interrupted", "locked"],
)
def test_without_a_report(job: Job, error: ReconError, word: str) -> None:
    """A run that comes to none has its word all the same, and is asked to end by what asks the step."""
    job.loop.answer = error
    step = job.step("push")
    assert step.result is error.exit_code
    assert step.outputs["result"] == word
    assert error.message in step.summary
    assert job.loop.stop is job.stop


def test_fork(job: Job) -> None:
    """A fork's pull request reaches no cluster, whatever is set: what it gets is in action/test_forks.py."""
    pull = {"head": {"repo": {"full_name": "mallory/shop"}}, "user": {"login": "mallory"}}
    for mode in ("auto", "diff", "apply", "preview", "publish"):
        step = job.step("pull_request", {"repository": REPOSITORY, "pull_request": pull}, {"mode": mode})
        assert (job.loop.mode, job.loop.settings, job.comparison.base) == (None, None, "")
        assert not step.named("add-mask")


def test_dependabot_without_credentials(job: Job) -> None:
    """Dependabot's pull request without secrets is like a fork's; with its own secrets it is anybody's."""
    pull = {"head": {"repo": REPOSITORY}, "user": {"login": "dependabot[bot]"}}
    payload = {"repository": REPOSITORY, "pull_request": pull}
    job.step("pull_request", payload, {"kubeconfig": ""})
    assert job.loop.mode is None
    job.step("pull_request", payload)
    assert job.loop.mode is Mode.PREVIEW


def test_a_preview_compares_with_what_the_merge_went_into(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the trial merge that the runner checks out its first parent; else the base that the event names."""
    clone = tmp_path / "clone"
    (clone / "k8s").mkdir(parents=True)
    monkeypatch.chdir(clone)
    git(clone, "init", "--quiet", "--initial-branch=main")
    git(clone, "commit", "--quiet", "--allow-empty", "--message=base")
    git(clone, "checkout", "--quiet", "-b", "change")
    git(clone, "commit", "--quiet", "--allow-empty", "--message=change")
    head = git(clone, "rev-parse", "HEAD")
    git(clone, "checkout", "--quiet", "main")
    git(clone, "commit", "--quiet", "--allow-empty", "--message=moved on")
    moved = git(clone, "rev-parse", "HEAD")
    git(clone, "merge", "--quiet", "--no-ff", "--no-edit", "change")
    pull = {"number": 7, "head": {"sha": head, "repo": REPOSITORY}, "base": {"sha": "b" * 40, "ref": "main"}}
    payload = {"repository": REPOSITORY, "pull_request": pull}
    job.step("pull_request", payload, {"config": "recon.yaml"})
    assert (job.comparison.base, job.comparison.config) == (moved, "recon.yaml")
    git(clone, "checkout", "--quiet", "change")
    job.step("pull_request", payload)
    assert job.comparison.base == "b" * 40
    job.step("workflow_dispatch", inputs={"mode": "preview"})
    assert job.comparison.base == "origin/main"


def test_merged_dependabot_push_without_secrets_fails(job: Job) -> None:
    """After a merge the same empty secret means an apply that did not happen: red."""
    step = job.step("push", inputs={"kubeconfig": ""}, GITHUB_ACTOR="dependabot[bot]")
    assert step.result is ExitCode.USAGE


def test_refused_event(job: Job) -> None:
    """pull_request_target is refused with its reason, before any credential is touched."""
    step = job.step("pull_request_target")
    assert step.result is ExitCode.REFUSED
    assert step.outputs["result"] == "refused"
    assert not step.named("add-mask")
    assert "pull_request_target" in step.summary


def test_large_report_fits_the_summary(job: Job) -> None:
    """Far more drift than there is room for: the summary is kept, ten annotations are, and the rest is announced."""
    job.loop.answer = different(entries=1_000)
    earlier = "earlier\n" * 120_000
    job.fake.file("GITHUB_STEP_SUMMARY").write_text(earlier)
    step = job.step("push")
    assert step.errors == ()
    assert step.summary.startswith(earlier)
    assert 1_000_000 - 4_000 < len(step.summary.encode()) <= 1_000_000
    assert len(step.issues) == 10
    assert "990 more would have an annotation" in step.text
    assert max(map(len, step.outputs.values())) < 100


def test_undeliverable_report_costs_exit_8(job: Job) -> None:
    """A summary without room: the run's work stands, the log says what is missing, and the step fails."""
    job.loop.answer = Report(Mode.APPLY, "shop", "in-sync", ExitCode.OK, Counts(in_sync=7))
    job.fake.file("GITHUB_STEP_SUMMARY").write_text("x" * 1_000_000)
    step = job.step("push")
    assert step.result is ExitCode.PUBLISH
    assert step.outputs["result"] == "in-sync"
    assert "job summary" in step.issues[0].data


def test_undeliverable_outputs_fail_the_step_last(job: Job) -> None:
    """Outputs that can't be written: everything else has been said, and the step fails."""
    step = job.step("schedule", inputs={"fail-on": "error"}, GITHUB_OUTPUT=str(job.fake.root))
    assert step.result is ExitCode.PUBLISH
    assert step.commands[-1].name == "error"
    assert "ConfigMap" in step.summary


def test_error_and_full_summary(job: Job) -> None:
    """The error wins over what could not be delivered of it."""
    job.loop.answer = ClusterError("no answer")
    job.fake.file("GITHUB_STEP_SUMMARY").write_text("x" * 1_000_000)
    step = job.step("push")
    assert step.result is ExitCode.CLUSTER
    assert step.outputs["exit-code"] == "4"
    assert step.issues[0].data.startswith("no answer")
    assert len(step.issues) == 3  # and neither the summary has room, nor what is told beside it


def test_outside_of_a_workflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any of the runner's variables it is a usage error, not a crash."""
    monkeypatch.chdir(tmp_path)
    step = FakeRunner(tmp_path / "runner").step(lambda stdout: run({}, stdout, reconcile=Loop()))
    assert step.result is ExitCode.USAGE


HEAD = "a" * 40
PULL = {"number": 7, "head": {"sha": HEAD, "repo": REPOSITORY}, "base": {"sha": "b" * 40}, "user": {"login": "octocat"}}


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    """A GitHub with the pull request that the events are about."""
    with fake_github() as running:
        running.state.add_pull(7, head=HEAD)
        yield running


def pull_request(job: Job, github: FakeGitHub, **inputs: str) -> Step:
    """A step of a run on pull request 7 that may write on GitHub."""
    given = {"github-token": "planted-job-token"} | {name.replace("_", "-"): value for name, value in inputs.items()}
    payload = {"repository": REPOSITORY, "pull_request": PULL}
    return job.step("pull_request", payload, given, GITHUB_API_URL=github.api)


def test_told_on_the_pull_request(job: Job, github: FakeGitHub) -> None:
    """Comment, check run and ledger; an annotation that stands beside the check run is no workflow command as well."""
    step = pull_request(job, github)
    assert (step.result, step.errors, step.issues) == (ExitCode.OK, (), ())
    (comment,) = github.state.comments.values()
    (check,) = github.state.checks.values()
    assert "ConfigMap shop/c0" in comment.body
    assert (check.name, check.head, check.conclusion, len(check.annotations)) == (
        "recon-action: shop",
        HEAD,
        "neutral",
        1,
    )
    assert step.summary.index("ConfigMap shop/c0") < step.summary.index("**On GitHub**")
    assert f"issuecomment-{comment.id}) | written |" in step.summary
    told = ("comment-url", "comment-id", "check-run-url", "issue-url", "issue-number")
    assert [step.outputs[name] for name in told] == [
        f"https://github.com/acme/shop/issues/7#issuecomment-{comment.id}",
        str(comment.id),
        f"https://github.com/acme/shop/runs/{check.id}",
        "",
        "",
    ]
    assert len("".join(f"{name}={value}\n" for name, value in step.outputs.items())) < 1_000
    assert "planted-job-token" not in step.text + step.summary + comment.body


def test_told_nowhere_without_permission(job: Job, github: FakeGitHub) -> None:
    """Warnings with the lines to add, the annotations as commands instead, and the step's own end."""
    github.permissions.clear()
    step = pull_request(job, github)
    assert step.result is ExitCode.OK
    assert step.outputs["exit-code"] == "1"
    assert [(issue.name, issue.properties.get("file")) for issue in step.issues] == [("warning", None)] * 2 + [
        ("warning", "k8s/c.yaml")
    ]
    for permission in ("pull-requests: write", "checks: write"):
        assert f"add `{permission}`" in "".join(issue.data for issue in step.issues)
        assert f"add <code>{permission}</code>" in step.summary


def test_publishing_fails(job: Job, github: FakeGitHub) -> None:
    """GitHub's own failure is exit 8, and nothing else: outputs tell what the run came to."""
    job.loop.answer = Report(Mode.DIFF, "shop", "in-sync", ExitCode.OK, Counts(in_sync=7))
    github.faults.append(Fault(status=422, times=99))
    step = pull_request(job, github)
    assert step.result is ExitCode.PUBLISH
    assert (step.outputs["result"], step.outputs["exit-code"], step.outputs["in-sync"]) == ("in-sync", "8", "7")
    assert [issue.name for issue in step.issues] == ["error", "error"]
    assert pull_request(job, github, fail_on="never").result is ExitCode.OK


def test_a_bug_in_publishing(job: Job, github: FakeGitHub) -> None:
    """It is told as a bug; the outputs still tell what the run came to."""

    class Careless(Stop):
        def wait(self, seconds: float) -> bool:
            raise KeyError(seconds)

    job.stop = Careless()
    github.faults.append(Fault(status=502, times=99))
    step = pull_request(job, github)
    assert step.result is ExitCode.BUG
    assert (step.outputs["result"], step.outputs["exit-code"], step.outputs["drifted"]) == ("different", "70", "1")
    assert "a bug in recon-action: KeyError" in step.issues[0].data


@pytest.mark.parametrize("error", [DesiredError("k8s/c.yaml:1:1: not YAML"), KeyError("bug")], ids=["error", "bug"])
def test_a_run_that_stops_is_told_as_well(job: Job, github: FakeGitHub, error: BaseException) -> None:
    """Its target is the one it would have had, so that the old verdict doesn't stand there any longer."""
    pull_request(job, github)
    job.loop.answer = error
    later = {**PULL, "head": {"sha": "c" * 40, "repo": REPOSITORY}}
    job.step(
        "pull_request",
        {"repository": REPOSITORY, "pull_request": later},
        {"github-token": "t"},
        GITHUB_API_URL=github.api,
        GITHUB_RUN_ID="200",
    )
    (comment,) = github.state.comments.values()
    assert "stopped" in comment.body
    assert "c0" not in comment.body
    assert [check.conclusion for check in github.state.checks.values()] == ["neutral", "failure"]


def test_nothing_is_told_where_it_is_not_wanted(job: Job, github: FakeGitHub) -> None:
    """Inputs switch channels off; a push that is not applied, and a fork, have none."""
    step = pull_request(job, github, comment="off", check_run="off")
    assert step.summary.count("| – off |") == 2
    given = {"github-token": "planted-job-token"}
    fork = {**PULL, "head": {"sha": HEAD, "repo": {"full_name": "mallory/shop"}}}
    for name, payload in (("workflow_dispatch", {}), ("pull_request", {"pull_request": fork})):
        job.fake.file("GITHUB_STEP_SUMMARY").write_text("")
        told = job.step(name, {"repository": REPOSITORY, **payload}, given, GITHUB_API_URL=github.api)
        assert ("On GitHub" in told.summary) == (name == "pull_request")
    assert told.summary.count("told by a workflow that follows it, in mode publish") == 2
    assert github.asked == []


@pytest.mark.parametrize(
    ("name", "value"),
    [("comment", "recreate"), ("comment-on", "never"), ("check-run", "on"), ("drift-issue", "always")],
    ids=lambda value: value,
)
def test_what_is_to_be_told_is_checked_first(job: Job, github: FakeGitHub, name: str, value: str) -> None:
    """A wrong input ends the step before anything is done, on GitHub as well."""
    step = pull_request(job, github, **{name: value})
    assert step.result is ExitCode.USAGE
    assert f"input {name}: '{value}' is none of" in step.summary
    assert job.loop.mode is None
    assert github.asked == []


@pytest.mark.parametrize("value", ["0", "-1", "two", "1000", "9999999999", "²"])
def test_how_many_clean_scans_is_checked_first(job: Job, value: str) -> None:
    """A number from 1 on, and nothing that only looks like one."""
    step = job.step("schedule", inputs={"issue-close-after": value})
    assert step.result is ExitCode.USAGE
    assert f"input issue-close-after: '{value}' is no number from 1 to 999" in step.summary


def test_what_the_issue_is_given(github: FakeGitHub, job: Job) -> None:
    """Inputs that are lists, and a number, as the workflow has them."""
    inputs = {
        "github-token": "job-token",
        "issue-labels": "ops, drift",
        "issue-assignees": "octocat",
        "issue-close-after": "1",
        "check-run": "off",
    }
    for number, of in enumerate((drift_of_a_person(), clean())):
        job.loop.answer = of
        variables = {"GITHUB_API_URL": github.api, "GITHUB_SHA": "a" * 40, "GITHUB_RUN_ID": str(100 + number)}
        step = job.step("schedule", inputs=inputs, **variables)
    (issue,) = [one for one in github.state.issues.values() if one.number not in github.state.pulls]
    assert (issue.labels, issue.assignees, issue.state) == (["recon-drift", "ops", "drift"], ["octocat"], "closed")
    assert step.outputs["issue-number"] == str(issue.number)


TARGETS = """\
defaults: {wait: false, access: {context: from-the-file}}
targets:
- {name: shop, paths: [k8s/shop], namespace: shop, prune: false}
- {name: blog, paths: [k8s/blog], timeout: 1m}
"""


@pytest.fixture
def with_targets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a repository with two targets."""
    clone = tmp_path / "clone"
    clone.mkdir()
    monkeypatch.chdir(clone)
    (clone / "recon.yaml").write_text(TARGETS)
    git(clone, "init", "--quiet", "--initial-branch=main")
    git(clone, "add", ".")
    git(clone, "commit", "--quiet", "--message=base")
    return clone


@pytest.mark.usefixtures("with_targets")
def test_a_step_is_about_one_target(job: Job) -> None:
    """It is named by an input; what it is treated like is the file's, but not how the cluster is reached."""
    step = job.step("schedule", inputs={"paths": ""})
    assert step.result == ExitCode.USAGE
    assert "recon.yaml has targets, and a step is about one: shop, blog" in step.summary
    assert job.loop.settings is None
    job.step("schedule", inputs={"paths": "", "target": "shop", "prune": "true", "wait": "true"})
    chosen = job.loop.settings
    assert chosen is not None
    assert (chosen.target, chosen.paths, chosen.namespace) == ("shop", ("k8s/shop",), "shop")
    assert (chosen.prune, chosen.wait, chosen.access.context) == (False, False, "")
    job.step("schedule", inputs={"paths": "other", "target": "blog", "prune": "false", "timeout": "2m"})
    chosen = job.loop.settings
    assert chosen is not None
    assert (chosen.paths, chosen.namespace, chosen.prune, chosen.timeout) == (("other",), "", False, 120)


def test_a_pull_request_does_not_decide_what_is_looked_at(job: Job, with_targets: Path) -> None:
    """Targets and their settings are the base's."""
    base = git(with_targets, "rev-parse", "HEAD")
    (with_targets / "recon.yaml").write_text(TARGETS.replace("k8s/shop", "k8s/nothing").replace("shop,", "elsewhere,"))
    git(with_targets, "commit", "--quiet", "--all", "--message=change")
    pull = {"number": 7, "head": {"sha": "a" * 40, "repo": REPOSITORY}, "base": {"sha": base, "ref": "main"}}
    payload = {"repository": REPOSITORY, "pull_request": pull}
    job.step("pull_request", payload, {"paths": "", "target": "shop"})
    chosen = job.loop.settings
    assert chosen is not None
    assert (chosen.paths, chosen.namespace) == (("k8s/shop",), "shop")
