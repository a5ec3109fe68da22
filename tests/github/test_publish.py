"""A run told on GitHub: which channels its event has, and what each is given."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from fake_github import FakeGitHub, Fault
from report_scenarios import clean, destructive, drift_of_a_person, forbidden, hostile, many, pending

from recon_action.errors import DesiredError, FailOn, Interrupted, ReconError
from recon_action.github import deliver
from recon_action.github.drafts import is_wanted
from recon_action.github.event import EventContext, PullRequest
from recon_action.github.found import Found, Wishes
from recon_action.github.ledger import Line, Outcome
from recon_action.github.marker import Marker, read
from recon_action.github.publish import Channel, Published, Publisher, channels_of
from recon_action.model import Mode, Output
from recon_action.model.settings import CommentOn
from recon_action.report import render
from recon_action.report.document import Report

HEAD, BASE = "a" * 40, "b" * 40
RUN = "https://github.com/acme/shop/actions/runs/123"
PULL = EventContext(
    "pull_request",
    repository="acme/shop",
    head=HEAD,
    base=BASE,
    pull=PullRequest(7),
    run=123,
    run_url=RUN,
)
PUSH = EventContext("push", repository="acme/shop", head=HEAD, run=124, run_url=RUN)
BEGAN = datetime(2026, 12, 1, 5, 0, tzinfo=UTC)
WISHES = Wishes("token")
Publish = Callable[..., Published]


@pytest.fixture
def publish(fake: FakeGitHub) -> Publish:
    """`publish(outcome)`: tell the fake of a run."""

    def tell(
        outcome: Report | ReconError,
        event: EventContext = PULL,
        wishes: Wishes = WISHES,
        mode: Mode | None = Mode.DIFF,
        began: datetime = BEGAN,
        **environ: str,
    ) -> Published:
        publisher = Publisher({"GITHUB_API_URL": fake.api} | environ, event, wishes, write_pause=0)
        return publisher.publish(Found("shop", outcome, FailOn.ERROR, began), mode)

    return tell


def comments(fake: FakeGitHub) -> list[str]:
    return [one.body for one in fake.state.comments.values()]


@pytest.mark.parametrize(
    ("name", "mode", "channels"),
    [
        ("pull_request", Mode.PREVIEW, ("comment", "check run")),
        ("pull_request", None, ("comment", "check run")),
        ("merge_group", Mode.PREVIEW, ("check run",)),
        ("schedule", Mode.APPLY, ("drift issue", "check run")),
        ("schedule", Mode.DIFF, ("drift issue", "check run")),
        ("schedule", None, ("drift issue", "check run")),
        ("push", Mode.APPLY, ("comment on the merged pull request", "drift issue", "check run")),
        ("push", Mode.DIFF, ()),
        ("push", None, ()),
        ("workflow_run", Mode.PUBLISH, ("comment", "check run")),
        ("workflow_run", None, ()),
        ("workflow_dispatch", Mode.APPLY, ()),
        ("pull_request_target", None, ()),
        ("", None, ()),
    ],
)
def test_channels(name: str, mode: Mode | None, channels: tuple[str, ...]) -> None:
    """A pull request is spoken to; a commit applied, or looked at by itself, has a check, and its target an issue."""
    assert channels_of(EventContext(name), mode) == channels


@pytest.mark.parametrize(
    ("outcome", "drift", "changes"),
    [
        pytest.param(clean(), False, False, id="in sync"),
        pytest.param(drift_of_a_person(), True, False, id="drift"),
        pytest.param(pending(), True, True, id="Git changes something"),
        pytest.param(forbidden(), True, True, id="not everything could be read"),
        pytest.param(DesiredError("x"), True, True, id="stopped"),
    ],
)
def test_comment_on(outcome: Report | ReconError, drift: bool, changes: bool) -> None:
    """What failed is always worth a comment."""
    found = Found("shop", outcome, FailOn.ERROR, BEGAN)
    assert [is_wanted(found, on) for on in CommentOn] == [True, drift, changes]


def test_a_pull_request(fake: FakeGitHub, publish: Publish) -> None:
    """Comment and check run say the same as the job summary; what stands beside the manifests is told once."""
    of = drift_of_a_person()
    published = publish(of)
    markdown = render(of, Output.MARKDOWN)
    (body,) = comments(fake)
    assert read(body) == Marker(
        "shop",
        cluster=of.cluster_uid,
        head=HEAD,
        digest=of.digest,
        run=123,
        sequence=int(BEGAN.timestamp() * 1000),
        drift=True,
    )
    assert markdown in body
    assert "head <code>aaaaaaa</code> · base <code>bbbbbbb</code>" in body
    (check,) = fake.state.checks.values()
    assert (check.head, check.conclusion, check.external_id) == (HEAD, "neutral", f"shop|{of.digest}")
    assert check.summary == markdown
    assert check.title == "Drift: 2 drifted, 41 in sync (2 with added fields, 1 by local verdict)"
    assert [line.outcome for line in published.lines] == [Outcome.DELIVERED, Outcome.DELIVERED]
    placed = {one for one in deliver.annotations(of) if one.file}
    assert published.annotated == placed
    assert len(check.annotations) == len(placed) > 0


def test_an_applied_push(fake: FakeGitHub, publish: Publish) -> None:
    """A check run on the commit, without annotations: those of the step stand on the run's own page."""
    published = publish(drift_of_a_person(), PUSH, mode=Mode.APPLY)
    (check,) = fake.state.checks.values()
    assert (check.annotations, published.annotated) == ([], frozenset())
    assert comments(fake) == []


def test_a_second_attempt_links_itself(fake: FakeGitHub, publish: Publish) -> None:
    """The run's address alone shows the last attempt."""
    publish(clean(), replace(PULL, attempt=2))
    assert next(iter(fake.state.checks.values())).details_url == f"{RUN}/attempts/2"
    assert f"({RUN}/attempts/2)" in comments(fake)[0]


def test_a_run_that_stopped(fake: FakeGitHub, publish: Publish) -> None:
    """The comment says so in the old verdict's place, and the check fails: neither stays as it was."""
    publish(clean())
    later = replace(PULL, head="c" * 40, run=200)
    publish(DesiredError("k8s/a.yaml:3:1: not YAML", hint="correct it"), later, mode=None)
    (body,) = comments(fake)
    assert "recon-action: stopped\n\n```text\nk8s/a.yaml:3:1: not YAML\ncorrect it\n```\n" in body
    assert "In sync" not in body
    check = fake.state.checks[max(fake.state.checks)]
    assert (check.conclusion, check.title, check.external_id) == ("failure", "k8s/a.yaml:3:1: not YAML", "shop|")


def test_a_long_error_fits(fake: FakeGitHub, publish: Publish) -> None:
    """Thousands of faults at once: cut between lines, and counted."""
    faults = "\n".join(f"k8s/{number}.yaml:1:1: `x` is no kind 🔥" for number in range(5_000))
    published = publish(DesiredError(faults, hint="correct them"))
    assert [line.outcome for line in published.lines] == [Outcome.DELIVERED, Outcome.DELIVERED]
    (body,) = comments(fake)
    assert len(body.encode()) < 22_000
    shown = body.count("is no kind")
    assert f"**{5_000 - shown:} more lines**" in body
    assert "\ncorrect them\n```" in body


@pytest.mark.parametrize("of", [many(), hostile()], ids=["large", "hostile"])
def test_any_report_is_taken(fake: FakeGitHub, publish: Publish, of: Report) -> None:
    """Within GitHub's limits and alphabet, however large or strange."""
    of = replace(of, entries=of.entries * 20, notes=(*of.notes, "🔥" * 20_000))
    published = publish(of)
    assert [line.outcome for line in published.lines] == [Outcome.DELIVERED, Outcome.DELIVERED]
    assert published.lines[1].what in {"neutral", "failure"}
    assert len(comments(fake)[0].encode()) <= 65_536


def test_what_is_denied_keeps_nothing_else(fake: FakeGitHub, publish: Publish) -> None:
    """One channel without its permission: the other is served."""
    fake.permissions |= {"issues": "read", "pull_requests": "read"}
    comment, check = publish(clean()).lines
    assert (comment.outcome, check.outcome) == (Outcome.DENIED, Outcome.DELIVERED)
    assert "add `pull-requests: write`" in comment.hint


def test_dependabot(fake: FakeGitHub, publish: Publish) -> None:
    """Its runs have a token that only reads: no line of `permissions:` would help, and none is asked for."""
    fake.permissions.clear()
    for line in publish(clean(), replace(PULL, dependabot=True)).lines:
        assert line.outcome is Outcome.DENIED
        assert "whatever the workflow says" in line.hint


@pytest.mark.parametrize(
    ("wishes", "off"),
    [
        (Wishes(""), ["input github-token is empty"] * 2),
        (replace(WISHES, comment=False), ["by its input", ""]),
        (replace(WISHES, check_run=False), ["", "by its input"]),
    ],
    ids=["no token", "no comment", "no check run"],
)
def test_off(fake: FakeGitHub, publish: Publish, wishes: Wishes, off: list[str]) -> None:
    """What is off sends nothing, and is told as off."""
    lines = publish(clean(), wishes=wishes).lines
    assert [line.what if line.outcome is Outcome.OFF else "" for line in lines] == off
    assert ("comment" in off[0]) or bool(fake.asked) or wishes.token == ""


def test_an_interrupted_run_says_nothing(fake: FakeGitHub, publish: Publish) -> None:
    """A job that is cancelled has no time for it."""
    assert [line.what for line in publish(Interrupted("by SIGTERM")).lines] == ["the run was interrupted"] * 2
    assert fake.asked == []


def test_an_event_without_a_payload(fake: FakeGitHub, publish: Publish) -> None:
    """Some runners in Kubernetes mount none: nothing is asked of a pull request 0, or of no commit."""
    lines = publish(clean(), EventContext("pull_request", repository="acme/shop")).lines
    assert [line.what for line in lines] == [
        "the event's payload names no pull request",
        "the event's payload names no commit",
    ]
    assert fake.asked == []


def test_no_address(publish: Publish) -> None:
    """A wrong GITHUB_API_URL is no reason to lose anything else."""
    lines = publish(clean(), GITHUB_API_URL="ghe.example").lines
    assert [line.outcome for line in lines] == [Outcome.FAILED, Outcome.FAILED]


def test_a_github_that_fails(fake: FakeGitHub, publish: Publish) -> None:
    """Each channel is tried for itself."""
    fake.faults.append(Fault(status=503, times=99))
    lines = publish(clean()).lines
    assert [line.outcome for line in lines] == [Outcome.FAILED, Outcome.FAILED]


def test_news_of_destruction(fake: FakeGitHub, publish: Publish) -> None:
    """What would be destroyed now, and would not before, is told by name."""
    uid = destructive().cluster_uid
    publish(replace(clean(), cluster_uid=uid))
    publish(destructive(), replace(PULL, run=200, head="c" * 40))
    _, news = comments(fake)
    assert "the cluster has drifted" in news
    assert "an apply would now destroy <code>PersistentVolumeClaim data/pg</code>." in news
    assert Channel.COMMENT == "comment"


def test_outputs() -> None:
    """Pages and numbers of what was written; nothing of a channel that has none, or whose page is no page."""
    lines = (
        Line(Channel.COMMENT, Outcome.DELIVERED, "written", url="https://github.com/a/b/issues/7#issuecomment-91"),
        Line(Channel.CHECK, Outcome.DELIVERED, "neutral", url=f"https://github.com/{'x' * 300}"),
        Line(Channel.ISSUE, Outcome.DELIVERED, "opened", url="https://github.com/a/b/issues/12"),
        Line("elsewhere", Outcome.DELIVERED, "written", url="https://github.com/a/b/issues/13"),
    )
    assert Published(lines).outputs == {
        "comment-url": "https://github.com/a/b/issues/7#issuecomment-91",
        "comment-id": "91",
        "issue-url": "https://github.com/a/b/issues/12",
        "issue-number": "12",
    }
    denied = (Line(Channel.COMMENT, Outcome.DENIED, "403"), Line(Channel.ISSUE, Outcome.OFF, "by its input"))
    assert Published(denied).outputs == {}
