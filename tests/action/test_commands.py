"""Orders in comments, from event to reply: fake runner, fake GitHub, a real repository; only the loop is replaced."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TextIO

import pytest
from fake_github import BOT, Comment, FakeGitHub, Fault, fake_github
from fake_runner import FakeRunner, Step
from payloads import payload
from repository import git

from recon_action.action import run
from recon_action.errors import ClusterError, ExitCode, UsageError
from recon_action.github.issue import read_memory
from recon_action.github.marker import ISSUE, Marker
from recon_action.model import Access, Bucket, Cause, DriftKind, Inventory, Mode, ObjectRef, Settings
from recon_action.report.document import Change, Counts, Entry, Place, PlannedAction, Report

NOW = datetime(2026, 12, 1, 5, 0, tzinfo=UTC)
DIGEST = "9f86d081884c7d65-a1b2c3d4"
KUBECONFIG = "apiVersion: v1\nclusters: []\nusers:\n- user: {token: planted-token}\n"
REF = ObjectRef("", "ConfigMap", "shop", "c")
PULL, DRIFT_ISSUE, ISSUE_OF_A_PERSON = 7, 8, 9


def different(mode: Mode = Mode.DIFF) -> Report:
    changes = (Change("data.a", Cause.MANUAL, desired="x", live="y", place=Place("k8s/c.yaml", 4)),)
    entry = Entry(REF, Bucket.DRIFTED, DriftKind.MODIFIED, Cause.MANUAL, changes=changes)
    plan = (PlannedAction(1, "configure", REF),)
    counts = Counts(in_sync=7, drifted=1)
    return Report(
        mode,
        "shop",
        "different",
        ExitCode.DIFFERENT,
        counts,
        (entry,),
        plan=plan,
        digest=DIGEST,
        started=f"{NOW:%FT%TZ}",
    )


@dataclass
class Job:
    """A job that runs on each comment, and what it has been asked to do."""

    fake: FakeRunner
    github: FakeGitHub
    clone: Path
    answer: Report | BaseException = field(default_factory=different)
    done: list[tuple[Any, ...]] = field(default_factory=list)
    settings: Settings | None = None
    attempt: int = 1

    def __post_init__(self) -> None:
        self.head = git(self.clone, "rev-parse", "HEAD")
        self.github.state.branches["main"] = self.head

    def reconcile(self, settings: Settings, mode: Mode, **_: Any) -> Report:
        """Stands for the loop."""
        self.settings = settings
        return self._did(mode, settings.plan, settings.allow_destructive)

    def preview(self, settings: Settings, base: str, head: str, **_: Any) -> Report:
        """Stands for the preview."""
        self.settings = settings
        return self._did(Mode.PREVIEW, base, head)

    def hold(
        self, access: Access, named: str, until: datetime, reason: str, *, namespace: str, inventory: Inventory | None
    ) -> ObjectRef:
        """Stands for the hold."""
        assert access.kubeconfig
        self._did(named, namespace, until, reason, inventory)
        return REF

    def _did(self, *what: Any) -> Report:
        self.done.append(what)
        if isinstance(self.answer, BaseException):
            raise self.answer
        mode = what[0] if isinstance(what[0], Mode) else Mode.DIFF
        return replace(self.answer, mode=mode)

    def say(self, number: int, text: str, author: str = "octocat") -> Comment:
        """Somebody comments."""
        return self.github.state.add_comment(number, author, text)

    def step(self, comment: Comment, changes: dict[str, Any] | None = None, **inputs: str) -> Step:
        """The step that the comment leads to."""
        shown = comment.json(self.github.api)
        given = {f"comment.{key}": shown[key] for key in ("id", "body", "html_url", "created_at", "updated_at")}
        given |= {f"comment.user.{key}": shown["user"][key] for key in ("login", "type")}
        given |= {"issue.number": comment.number, "repository.default_branch": "main"}
        if comment.number == PULL:
            link = dict.fromkeys(("url", "html_url", "diff_url", "patch_url"), "https://github.com/x")
            given["issue.pull_request"] = link
        wanted = {"paths": "k8s", "target": "shop", "kubeconfig": KUBECONFIG, "github-token": "planted-job-token"}
        environ = self.fake.environ(
            "issue_comment",
            payload("issue-comment-created", given | (changes or {})),
            inputs=wanted | {name.replace("_", "-"): value for name, value in inputs.items()},
            GITHUB_API_URL=self.github.api,
            GITHUB_SHA=self.head,
            GITHUB_RUN_ATTEMPT=str(self.attempt),
        )

        def work(stdout: TextIO) -> ExitCode:
            moment = NOW + timedelta(minutes=self.attempt)
            return run(
                environ,
                stdout,
                reconcile=self.reconcile,
                preview=self.preview,
                hold=self.hold,
                now=lambda: moment,
                write_pause=0,
            )

        step = self.fake.step(work)
        assert step.errors == ()
        assert "planted" not in step.text + step.summary + "".join(one.body for one in self.replies())
        return step

    def replies(self) -> list[Comment]:
        """What we have written."""
        return [one for one in self.github.state.comments.values() if one.author == BOT]

    @property
    def reply(self) -> str:
        """The only reply, less its hidden line."""
        (only,) = self.replies()
        return only.body.split("\n", 1)[1]

    def order(self, number: int, text: str, **inputs: str) -> Step:
        """Somebody who may gives an order."""
        return self.step(self.say(number, text), **inputs)


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    """A pull request, the drift issue of the target, an issue of a person, and a person who may write."""
    with fake_github() as running:
        state = running.state
        state.add_issue(DRIFT_ISSUE, author=BOT, body=f"{Marker('shop', ISSUE).line}\n\nDrift.")
        state.add_issue(ISSUE_OF_A_PERSON)
        state.add_pull(PULL)
        state.collaborators["octocat"] = "write"
        yield running


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, github: FakeGitHub) -> Job:
    """A clone with the default branch checked out."""
    clone = tmp_path / "clone"
    (clone / "k8s").mkdir(parents=True)
    (clone / "k8s/c.yaml").write_text("kind: ConfigMap\n")
    git(clone, "init", "--quiet", "--initial-branch=main")
    git(clone, "add", "k8s")
    git(clone, "commit", "--quiet", "--message=first")
    monkeypatch.chdir(clone)
    return Job(FakeRunner(tmp_path / "runner"), github, clone)


def published(job: Job, digest: str = DIGEST, **more: str) -> None:
    """A check run tells of a plan for the default branch's head."""
    made = job.github.state.add_check("recon-action: shop", more.get("head", job.head), more.get("app", BOT))
    made.status, made.conclusion, made.external_id = "completed", "neutral", f"shop|{digest}"


def test_diff(job: Job) -> None:
    """On the drift issue: the default branch is compared, the reply says how to go on, issue and check are renewed."""
    step = job.order(DRIFT_ISSUE, "/recon diff")
    assert (step.result, step.outputs["result"], step.outputs["exit-code"]) == (ExitCode.OK, "different", "1")
    assert job.done == [(Mode.DIFF, "", False)]
    assert "ConfigMap shop/c" in job.reply
    assert f"The order for this plan, and no other: <code>/recon apply {DIGEST}</code>" in job.reply
    order = next(iter(job.github.state.comments.values()))
    assert order.reactions == ["eyes", "+1"]
    assert step.outputs["comment-id"] == str(job.replies()[-1].id)
    (check,) = job.github.state.checks.values()
    assert (check.head, check.external_id) == (job.head, f"shop|{DIGEST}")
    assert "ConfigMap shop/c" in str(job.github.state.issues[DRIFT_ISSUE].body)
    assert f"issuecomment-{job.replies()[-1].id}) | written |" in step.summary


@pytest.mark.parametrize("digest", [DIGEST, DIGEST[:16]])
@pytest.mark.parametrize("flag", ["", " --allow-destructive"])
def test_apply(job: Job, digest: str, flag: str) -> None:
    """The plan that was published is carried out, and no other; a flag in the order allows what it says."""
    published(job)
    step = job.order(DRIFT_ISSUE, f"/recon apply {digest}{flag}")
    assert step.result is ExitCode.OK
    assert job.done == [(Mode.APPLY, DIGEST, bool(flag))]
    assert job.settings is not None
    assert job.settings.paths == ("k8s",)
    assert "ConfigMap shop/c" in job.reply
    assert len(job.github.state.checks) == 2


def test_diff_then_apply(job: Job) -> None:
    """What a comparison has published can be ordered at once."""
    job.order(DRIFT_ISSUE, "/recon diff")
    job.order(DRIFT_ISSUE, f"/recon apply {DIGEST}")
    assert [what[0] for what in job.done] == [Mode.DIFF, Mode.APPLY]


@pytest.mark.parametrize(
    ("digest", "why"),
    [
        (None, "no check run of ours tells of a plan for shop"),
        ("", f"{DIGEST} is not the plan of the last run, which found nothing to do"),
        ("1" * 16 + "-a1b2c3d4", f"{DIGEST} is not the plan of the last run, which is 1111111111111111-a1b2c3d4"),
    ],
    ids=["none", "nothing to do", "another"],
)
def test_a_digest_that_is_not_the_published_one(job: Job, digest: str | None, why: str) -> None:
    """Refused, with what to do; nothing is applied."""
    if digest is not None:
        published(job, digest)
    step = job.order(DRIFT_ISSUE, f"/recon apply {DIGEST}")
    assert (step.result, step.outputs["result"]) == (ExitCode.REFUSED, "refused")
    assert why in job.reply
    assert "/recon diff" in job.reply
    assert job.done == []
    assert next(iter(job.github.state.comments.values())).reactions == ["eyes", "-1"]


@pytest.mark.parametrize(
    "forged", [{"app": "other[bot]"}, {"head": "d" * 40}], ids=["by another app", "of another commit"]
)
def test_a_forged_plan(job: Job, forged: dict[str, str]) -> None:
    """Neither another app's check run nor one of another commit approves anything, nor does the text of an issue."""
    published(job, **forged)
    job.github.state.issues[DRIFT_ISSUE].body = f"{Marker('shop', ISSUE, digest=DIGEST).line}\n\n/recon apply {DIGEST}"
    assert job.order(DRIFT_ISSUE, f"/recon apply {DIGEST}").result is ExitCode.REFUSED
    assert job.done == []


def test_a_check_of_yesterday(job: Job) -> None:
    """The plan of an older commit is not that of the branch's head."""
    published(job)
    git(job.clone, "commit", "--quiet", "--allow-empty", "--message=second")
    job.__post_init__()
    assert job.order(DRIFT_ISSUE, f"/recon apply {DIGEST}").result is ExitCode.REFUSED
    assert "no check run of ours" in job.reply


@pytest.mark.parametrize("text", ["/recon diff", f"/recon apply {DIGEST}"])
@pytest.mark.parametrize("moved", ["pushed since", "checked out elsewhere"])
def test_only_the_head_of_the_default_branch(job: Job, text: str, moved: str) -> None:
    """What is not the branch's head on the server is neither shown as it nor applied for it."""
    published(job)
    if moved == "pushed since":
        job.github.state.branches["main"] = "e" * 40
    else:
        git(job.clone, "checkout", "--quiet", "-b", "feature")
        git(job.clone, "commit", "--quiet", "--allow-empty", "--message=not reviewed")
    assert job.order(DRIFT_ISSUE, text).result is ExitCode.REFUSED
    assert "the head of main is" in job.reply
    assert job.done == []


@pytest.mark.parametrize("path", ["/branches/main", "/check-runs"])
def test_what_cannot_be_looked_up_is_not_applied(job: Job, path: str) -> None:
    """Unknown is not allowed; the reply names what is missing."""
    published(job)
    job.github.faults.append(Fault("GET", path, status=403))
    assert job.order(DRIFT_ISSUE, f"/recon apply {DIGEST}").result is ExitCode.REFUSED
    assert "told whether that may be done" in job.reply
    assert job.done == []


def test_what_the_loop_refuses(job: Job) -> None:
    """A plan that is another one under the lock ends in exit 9; the reply is the report, which names what changed."""
    published(job)
    refused = replace(different(), result="refused", exit_code=ExitCode.REFUSED, notes=("the plan is another one",))
    job.answer = refused
    step = job.order(DRIFT_ISSUE, f"/recon apply {DIGEST}")
    assert (step.result, step.outputs["result"]) == (ExitCode.REFUSED, "refused")
    assert "the plan is another one" in job.reply
    assert next(iter(job.github.state.comments.values())).reactions == ["eyes", "-1"]


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (ClusterError("the server does not answer", hint="look at it"), 4, "the server does not answer\nlook at it"),
        (KeyError("planted-secret"), 70, "a bug in recon-action: KeyError"),
        (KeyboardInterrupt(), 130, "the run was cancelled"),
    ],
    ids=["error", "bug", "cancelled"],
)
def test_a_run_that_stops_is_answered_as_well(job: Job, error: BaseException, code: int, said: str) -> None:
    """Whatever becomes of it, who gave the order hears of it, and no check run tells of a report that isn't there."""
    job.answer = error
    step = job.order(DRIFT_ISSUE, "/recon diff")
    assert step.result == code
    assert said in job.reply
    assert next(iter(job.github.state.comments.values())).reactions == ["eyes", "-1"]
    assert job.github.state.checks == {}


def test_hold(job: Job) -> None:
    """The object is held for the target that manages it, and the hold says whose word it was."""
    text = "/recon hold deploy/web -n shop 2h INC-42: twice\nthe pods"
    step = job.order(DRIFT_ISSUE, text)
    assert (step.result, step.outputs["result"]) == (ExitCode.OK, "answered")
    until = NOW + timedelta(hours=2, minutes=1)
    assert job.done == [("deploy/web", "shop", until, "octocat: INC-42: twice", Inventory("shop", "recon-system"))]
    assert "ConfigMap shop/c" in job.reply
    assert "is held until 2026-12-01 07:01 UTC" in job.reply
    assert "is held until" in step.summary


def test_hold_on_a_pull_request_of_a_stranger(job: Job) -> None:
    """What is held is the cluster's; the namespace is the target's, if none is named."""
    job.github.state.pulls[PULL].head_repository = "mallory/shop"
    assert job.order(PULL, "/recon hold cm/a 1h x", namespace="web").result is ExitCode.OK
    assert job.done[0][:2] == ("cm/a", "web")


def test_a_hold_that_fails(job: Job) -> None:
    """What the cluster refuses is said."""
    job.answer = UsageError("ConfigMap shop/c is not managed by target shop", hint="name another")
    step = job.order(DRIFT_ISSUE, "/recon hold cm/c 1h x")
    assert step.result is ExitCode.USAGE
    assert "is not managed by target shop" in job.reply


def test_snooze(job: Job) -> None:
    """The drift issue remembers until when; no cluster is asked, so that no credentials are needed."""
    step = job.order(DRIFT_ISSUE, "/recon snooze 3d", kubeconfig="")
    assert step.result is ExitCode.OK
    memory = read_memory(str(job.github.state.issues[DRIFT_ISSUE].body))
    assert memory is not None
    assert memory.snoozed == int((NOW + timedelta(days=3, minutes=1)).timestamp())
    assert "until 2026-12-04 05:01 UTC" in job.reply
    assert job.done == []


@pytest.mark.parametrize(("text", "reaction", "code"), [("/recon help", "+1", 0), ("/recon destroy", "confused", 2)])
@pytest.mark.parametrize("number", [PULL, DRIFT_ISSUE, ISSUE_OF_A_PERSON])
def test_usage(job: Job, number: int, text: str, reaction: str, code: int) -> None:
    """Whoever asks, or is not understood, is told what can be ordered."""
    step = job.step(job.say(number, text, author="mallory"))
    assert step.result == code
    assert "<code>/recon snooze 3d</code>" in job.reply
    assert "destroy" not in job.reply
    assert next(iter(job.github.state.comments.values())).reactions == [reaction]


def pull_request(job: Job, repository: str = "acme/shop") -> str:
    """A pull request whose head the clone has got, and does not have checked out; its SHA."""
    git(job.clone, "update-ref", "refs/remotes/origin/main", job.head)
    git(job.clone, "checkout", "--quiet", "-b", "change")
    git(job.clone, "commit", "--quiet", "--allow-empty", "--message=change")
    head = git(job.clone, "rev-parse", "HEAD")
    git(job.clone, "checkout", "--quiet", "main")
    git(job.clone, "branch", "--quiet", "-D", "change")
    pull = job.github.state.pulls[PULL]
    pull.head, pull.base, pull.head_repository = head, job.head, repository
    return head


def test_diff_of_a_pull_request(job: Job) -> None:
    """Head and base are read from the clone's objects, whatever is checked out; nothing is published but the reply."""
    head = pull_request(job)
    step = job.order(PULL, "/recon diff")
    assert step.result is ExitCode.OK
    assert job.done == [(Mode.PREVIEW, "refs/remotes/origin/main", head)]
    assert "ConfigMap shop/c" in job.reply
    assert "/recon apply" not in job.reply
    assert job.github.state.checks == {}
    assert git(job.clone, "rev-parse", "HEAD") == job.head


def test_diff_of_a_fork(job: Job) -> None:
    """Only the commit that was seen, which the order names."""
    head = pull_request(job, "mallory/shop")
    assert job.order(PULL, "/recon diff").result is ExitCode.REFUSED
    assert f"/recon diff {head}" in job.reply
    assert job.done == []
    assert job.order(PULL, f"/recon diff {head}").result is ExitCode.OK
    assert job.done == [(Mode.PREVIEW, "refs/remotes/origin/main", head)]


def test_a_head_that_was_not_fetched(job: Job) -> None:
    """Nothing is fetched on somebody's word; the reply says how the workflow does it."""
    step = job.order(PULL, "/recon diff")
    assert step.result is ExitCode.DESIRED
    assert "git fetch origin refs/pull/7/head" in job.reply
    assert job.done == []


def test_a_clone_without_branches(job: Job) -> None:
    """Then the base is the one that GitHub tells."""
    head = pull_request(job)
    git(job.clone, "update-ref", "-d", "refs/remotes/origin/main")
    job.order(PULL, "/recon diff")
    assert job.done == [(Mode.PREVIEW, job.head, head)]


@pytest.mark.parametrize(
    ("number", "text", "author"),
    [
        (PULL, f"/recon apply {DIGEST}", "octocat"),
        (ISSUE_OF_A_PERSON, f"/recon apply {DIGEST}", "octocat"),
        (DRIFT_ISSUE, f"/recon apply {DIGEST}", "mallory"),
        (DRIFT_ISSUE, "/recon hold cm/a 1h x", "mallory"),
    ],
    ids=["on a pull request", "on an issue of a person", "by a stranger", "hold by a stranger"],
)
def test_refusals(job: Job, number: int, text: str, author: str) -> None:
    """A reply with the reason, a thumb down, a red step, and nothing done."""
    published(job)
    step = job.step(job.say(number, text, author))
    assert (step.result, step.outputs["result"], step.outputs["exit-code"]) == (ExitCode.REFUSED, "refused", "9")
    assert "⛔ recon-action: refused" in job.reply
    assert "⛔ recon-action: refused" in step.summary
    assert job.done == []
    assert next(iter(job.github.state.comments.values())).reactions == ["-1"]


def test_permission_is_the_workflows_choice(job: Job) -> None:
    """More than writing may be asked for; what is none of the words ends the step."""
    text = "/recon diff"
    assert job.order(DRIFT_ISSUE, text, command_permission="maintain").result is ExitCode.REFUSED
    job.github.state.collaborators["octocat"] = "maintain"
    assert job.order(DRIFT_ISSUE, text, command_permission="maintain").result is ExitCode.OK
    assert job.order(DRIFT_ISSUE, text, command_permission="read").result is ExitCode.USAGE


@pytest.mark.parametrize(
    ("text", "author", "changes"),
    [
        ("Thanks!", "octocat", {}),
        (f"As I said:\n/recon apply {DIGEST}", "octocat", {}),
        (f"/recon apply {DIGEST}", "helper[bot]", {}),
        (f"/recon apply {DIGEST}", "octocat", {"comment.user": None}),
        (f"{'x' * 60_000}\n/recon diff", "octocat", {}),
    ],
    ids=["chat", "second line", "bot", "gone", "huge"],
)
def test_silence(job: Job, text: str, author: str, changes: dict[str, Any]) -> None:
    """What is no order gets no request, no reaction, no word: skipped, and green."""
    step = job.step(job.say(DRIFT_ISSUE, text, author), changes)
    assert (step.result, step.outputs["result"], step.summary, step.issues) == (ExitCode.OK, "skipped", "", ())
    assert job.github.asked == []
    assert job.done == []


def test_another_targets_issue(job: Job) -> None:
    """In a matrix, only the job of the issue's target answers."""
    step = job.order(DRIFT_ISSUE, "/recon diff", target="other")
    assert (step.result, step.outputs["result"]) == (ExitCode.OK, "skipped")
    assert job.replies() == []


def test_each_target_answers_on_a_pull_request(job: Job) -> None:
    """A result is a target's, a refusal everybody's: that is written once."""
    comment = job.say(PULL, f"/recon apply {DIGEST}")
    job.step(comment)
    job.step(comment, target="other")
    assert len(job.replies()) == 1


def test_an_edited_comment(job: Job) -> None:
    """What it says by now was not what made the run: refused, whatever it says."""
    published(job)
    comment = job.say(DRIFT_ISSUE, "/recon diff")
    shown = comment.updated
    comment.body, comment.updated = f"/recon apply {DIGEST}", shown + 1
    step = job.step(replace(comment, body="/recon diff", updated=shown))
    assert step.result is ExitCode.REFUSED
    assert "edited since" in job.reply
    assert job.done == []


def test_run_again(job: Job) -> None:
    """A run that is run again writes over its own words."""
    comment = job.say(DRIFT_ISSUE, "/recon diff")
    job.step(comment)
    job.attempt, job.answer = 2, ClusterError("no answer")
    job.step(comment)
    assert "no answer" in job.reply
    assert "actions/runs/123/attempts/2" in job.reply


@pytest.mark.parametrize("mode", ["diff", "apply", "preview"])
@pytest.mark.parametrize("text", ["Thanks!", "/recon diff"])
def test_no_mode_but_auto(job: Job, mode: str, text: str) -> None:
    """Else anybody's comment would be an order, without a word in it."""
    step = job.order(DRIFT_ISSUE, text, mode=mode)
    assert step.result is ExitCode.REFUSED
    assert "input mode: on issue_comment only `auto` is taken" in step.summary
    assert (job.done, job.github.asked) == ([], [])


def test_no_token(job: Job) -> None:
    """Without one nobody can be asked who may give orders; what is no order needs none."""
    assert job.order(DRIFT_ISSUE, "Thanks!", github_token="").result is ExitCode.OK
    step = job.order(DRIFT_ISSUE, "/recon diff", github_token="")
    assert step.result is ExitCode.REFUSED
    assert "github-token is empty" in step.summary
    assert (job.done, job.github.asked) == ([], [])


def test_no_payload(job: Job, tmp_path: Path) -> None:
    """A runner that mounts none is told nothing, so nothing is done."""
    environ = FakeRunner(tmp_path / "bare").environ("issue_comment", inputs={"paths": "k8s"})
    with (tmp_path / "log").open("w") as log:
        assert run(environ, log, reconcile=job.reconcile) is ExitCode.OK
    assert job.done == []


def test_an_answer_that_is_denied(job: Job) -> None:
    """The order is carried out all the same; the ledger names the line that is missing."""
    published(job)
    job.github.permissions["issues"] = job.github.permissions["pull_requests"] = "read"
    step = job.order(DRIFT_ISSUE, f"/recon apply {DIGEST}")
    assert step.result is ExitCode.OK
    assert [what[0] for what in job.done] == [Mode.APPLY]
    assert "add <code>issues: write</code>" in step.summary
    assert job.replies() == []


def test_an_answer_that_fails(job: Job) -> None:
    """What GitHub should have done is exit 8, as with every other channel."""
    job.github.faults.append(Fault("POST", "/comments$", status=422, times=9))
    step = job.order(DRIFT_ISSUE, "/recon help")
    assert step.result is ExitCode.PUBLISH


def test_attacks_on_the_log(job: Job) -> None:
    """Words of a reason are shown, and obeyed nowhere."""
    text = "/recon hold cm/a 1h ::set-output name=result::x ##[error]y @team <img src=x>"
    step = job.order(DRIFT_ISSUE, text)
    assert step.outputs["result"] == "answered"
    assert not step.issues
    for shown in (job.reply, step.summary):
        assert "@team" not in shown
        assert "<img" not in shown
