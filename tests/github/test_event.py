"""Events as GitHub sends them, and as it sometimes sends them."""

from pathlib import Path
from typing import Any

import pytest
from fake_runner import FakeRunner

from recon_action.errors import UsageError
from recon_action.github.event import Event, read_event

REPOSITORY = {"full_name": "acme/shop", "default_branch": "main"}


def pull(full_name: str | None, login: str = "octocat") -> dict[str, Any]:
    head = {"repo": None if full_name is None else {"full_name": full_name}}
    return {"repository": REPOSITORY, "pull_request": {"head": head, "user": {"login": login}}}


@pytest.fixture
def fake(tmp_path: Path) -> FakeRunner:
    return FakeRunner(tmp_path)


def test_push(fake: FakeRunner) -> None:
    """A push names its branch, the default branch and the run."""
    assert read_event(fake.environ("push", {"repository": REPOSITORY})) == Event(
        name="push",
        ref="refs/heads/main",
        branch="main",
        default_branch="main",
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
        pytest.param({"repository": REPOSITORY}, False, id="no pull request"),
    ],
)
def test_forks(fake: FakeRunner, payload: dict[str, Any], foreign: bool) -> None:
    """A head that isn't known to be ours is a stranger's."""
    assert read_event(fake.environ("pull_request", payload)).foreign is foreign


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
    assert read_event({}) == Event(name="")


def test_broken_payload(fake: FakeRunner) -> None:
    """A payload that is no JSON is an error that names the file."""
    environ = fake.environ("push")
    Path(environ["GITHUB_EVENT_PATH"]).write_text("{")
    with pytest.raises(UsageError, match=r"event\.json can't be read"):
        read_event(environ)
