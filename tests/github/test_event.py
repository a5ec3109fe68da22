"""Events as GitHub sends them, and as it sometimes sends them."""

from pathlib import Path
from typing import Any

import pytest
from fake_runner import FakeRunner

from recon_action.errors import UsageError
from recon_action.github.event import Comment, EventContext, PullRequest, Source, read_event

RUN = {"GITHUB_SHA": "c" * 40, "GITHUB_RUN_ATTEMPT": "2"}
REPOSITORY = {"full_name": "acme/shop", "default_branch": "main"}


def pull(full_name: str | None, login: str = "octocat") -> dict[str, Any]:
    head = {"repo": None if full_name is None else {"full_name": full_name}}
    return {"repository": REPOSITORY, "pull_request": {"head": head, "user": {"login": login}}}


@pytest.fixture
def fake(tmp_path: Path) -> FakeRunner:
    return FakeRunner(tmp_path)


def test_push(fake: FakeRunner) -> None:
    """A push names its branch, the default branch and the run."""
    assert read_event(fake.environ("push", {"repository": REPOSITORY, "before": "b" * 40}, **RUN)) == EventContext(
        name="push",
        repository="acme/shop",
        ref="refs/heads/main",
        branch="main",
        default_branch="main",
        sha="c" * 40,
        head="c" * 40,
        base="b" * 40,
        actor="octocat",
        run=123,
        attempt=2,
        run_url="https://github.com/acme/shop/actions/runs/123",
    )


def test_tag_is_no_branch(fake: FakeRunner) -> None:
    """A tag called like the default branch is not that branch."""
    event = read_event(fake.environ("push", {"repository": REPOSITORY}, GITHUB_REF="refs/tags/main"))
    assert event.branch == ""


def test_deleted_branch(fake: FakeRunner) -> None:
    """A push that deletes its branch says so."""
    assert read_event(fake.environ("push", {"deleted": True})).deleted


@pytest.mark.parametrize(
    ("payload", "foreign"),
    [
        pytest.param(pull("acme/shop"), False, id="same repository"),
        pytest.param(pull("mallory/shop"), True, id="fork"),
        pytest.param(pull(None), True, id="fork that is gone"),
        pytest.param({"pull_request": {}}, True, id="nothing known of the head"),
        pytest.param({"repository": REPOSITORY}, True, id="nothing known at all"),
    ],
)
def test_forks(fake: FakeRunner, payload: dict[str, Any], foreign: bool) -> None:
    """A head that isn't known to be ours is a stranger's."""
    assert read_event(fake.environ("pull_request", payload)).foreign is foreign


def test_no_pull_request(fake: FakeRunner) -> None:
    """Of another event nothing is foreign."""
    assert not read_event(fake.environ("push", {"repository": REPOSITORY})).foreign


def test_dependabot_by_author_or_actor(fake: FakeRunner) -> None:
    """Who opened the pull request counts as much as who started the run."""
    assert read_event(fake.environ("pull_request", pull("acme/shop", "dependabot[bot]"))).dependabot
    assert read_event(fake.environ("pull_request", pull("acme/shop"), GITHUB_ACTOR="dependabot[bot]")).dependabot
    assert not read_event(fake.environ("pull_request", pull("acme/shop"))).dependabot


@pytest.mark.parametrize("payload", [[], "text", {"pull_request": "x", "repository": []}], ids=repr)
def test_payload_of_another_shape(fake: FakeRunner, payload: object) -> None:
    """What is not as expected is unknown, not an error."""
    assert read_event(fake.environ("push", payload)).default_branch == ""


def test_missing_payload(fake: FakeRunner) -> None:
    """Some runners in Kubernetes mount no payload; a run outside of a workflow has none."""
    assert read_event(fake.environ("push", GITHUB_EVENT_PATH="/nowhere/event.json")).name == "push"
    assert read_event({}) == EventContext(name="")


@pytest.mark.parametrize("text", ["", "-1", "1.5", "٣", "9" * 19, "9" * 5_000], ids=len)
def test_a_run_without_a_number(fake: FakeRunner, text: str) -> None:
    """What is no id of a run is none."""
    event = read_event(fake.environ("push", GITHUB_RUN_ID=text, GITHUB_RUN_ATTEMPT=text))
    assert (event.run, event.attempt) == (0, 1)


def test_broken_payload(fake: FakeRunner) -> None:
    """A payload that is no JSON is an error that names the file."""
    environ = fake.environ("push")
    Path(environ["GITHUB_EVENT_PATH"]).write_text("{")
    with pytest.raises(UsageError, match=r"event\.json can't be read"):
        read_event(environ)


PULL = {
    "number": 7,
    "state": "open",
    "draft": True,
    "user": {"login": "octocat"},
    "head": {"sha": "a" * 40, "repo": {"full_name": "acme/shop"}},
    "base": {"sha": "b" * 40, "ref": "main"},
}
GROUP = {"merge_group": {"head_sha": "a" * 40, "base_sha": "b" * 40}}


@pytest.mark.parametrize(
    ("name", "payload", "commits"),
    [
        pytest.param("push", {"before": "b" * 40}, ("c" * 40, "b" * 40), id="push"),
        pytest.param("push", {"before": "0" * 40}, ("c" * 40, ""), id="push of a new branch"),
        pytest.param("schedule", {"schedule": "5 4 * * *"}, ("c" * 40, ""), id="schedule"),
        pytest.param("pull_request", {"pull_request": PULL}, ("a" * 40, "b" * 40), id="pull request"),
        pytest.param("merge_group", GROUP, ("a" * 40, "b" * 40), id="merge group"),
        pytest.param("merge_group", {"merge_group": {}}, ("c" * 40, ""), id="merge group that says nothing"),
        pytest.param("workflow_run", {"workflow_run": {"head_sha": "a" * 40}}, ("a" * 40, ""), id="workflow run"),
        pytest.param("workflow_run", {"workflow_run": {}}, ("", ""), id="workflow run of an unknown commit"),
        pytest.param("issue_comment", {"issue": {"pull_request": {}}}, ("c" * 40, ""), id="comment"),
        pytest.param("repository_dispatch", {"client_payload": {}}, ("c" * 40, ""), id="anything else"),
    ],
)
def test_the_commits_that_a_report_speaks_of(
    fake: FakeRunner, name: str, payload: dict[str, Any], commits: tuple[str, str]
) -> None:
    """Head and base, though the runner checks out another commit on pull requests and comments."""
    event = read_event(fake.environ(name, payload, **RUN))
    assert (event.head, event.base) == commits
    assert event.sha == "c" * 40


def test_pull_request(fake: FakeRunner) -> None:
    """What a payload tells of a pull request."""
    event = read_event(fake.environ("pull_request", {"action": "synchronize", "pull_request": PULL}))
    assert event.pull == PullRequest(7, "a" * 40, "acme/shop", "b" * 40, "main", "octocat", draft=True)
    assert event.action == "synchronize"
    closed = read_event(fake.environ("pull_request", {"pull_request": PULL | {"state": "closed"}}))
    assert closed.pull is not None
    assert closed.pull.closed


@pytest.mark.parametrize(
    ("ref", "pull"),
    [
        pytest.param("refs/heads/gh-readonly-queue/main/pr-104-" + "a" * 40, PullRequest(104), id="of a queue"),
        pytest.param("refs/heads/main", None, id="of anything else"),
    ],
)
def test_merge_group_names_its_pull_request(fake: FakeRunner, ref: str, pull: PullRequest | None) -> None:
    """The payload holds none; the branch of the queue is named after it."""
    event = read_event(fake.environ("merge_group", GROUP, GITHUB_REF=ref))
    assert event.pull == pull
    assert not event.foreign


@pytest.mark.parametrize(
    ("issue", "comment", "read"),
    [
        pytest.param(
            {"number": 7, "pull_request": {"url": "x"}},
            {"id": 1, "body": "/recon diff", "user": {"login": "octocat", "type": "User"}},
            Comment(1, "/recon diff", "octocat", is_bot=False, issue=7, on_pull_request=True),
            id="on a pull request",
        ),
        pytest.param(
            {"number": 8},
            {"id": 2, "body": None, "user": None},
            Comment(2, "", "", is_bot=True, issue=8, on_pull_request=False),
            id="of an account that is gone",
        ),
        pytest.param(
            {"number": True},
            {"id": "x", "body": "hi", "user": {"login": "app[bot]", "type": "Bot"}},
            Comment(0, "hi", "app[bot]", is_bot=True, issue=0, on_pull_request=False),
            id="of an app, with odd numbers",
        ),
        pytest.param(None, {"id": 2}, None, id="on a commit"),
    ],
)
def test_comment(fake: FakeRunner, issue: object, comment: object, read: Comment | None) -> None:
    """Who wrote what, and where."""
    assert read_event(fake.environ("issue_comment", {"issue": issue, "comment": comment})).comment == read


def test_the_run_that_made_this_one(fake: FakeRunner) -> None:
    """A workflow run of a fork names its commit and its repository, and no pull request."""
    run = {"id": 5, "event": "pull_request", "head_sha": "a" * 40, "conclusion": "success", "pull_requests": []}
    payload = {"workflow_run": run | {"head_repository": {"full_name": "mallory/shop"}}}
    source = read_event(fake.environ("workflow_run", payload)).source
    assert source == Source(5, "pull_request", "a" * 40, "mallory/shop", "success")
    gone = read_event(fake.environ("workflow_run", {"workflow_run": run | {"head_repository": None}})).source
    assert gone is not None
    assert gone.head_repository == ""
