"""Which pull request a run of a fork was about: by commit, branch and repository, and by nothing that the run says."""

from dataclasses import replace
from typing import Any

import pytest
from fake_github import FakeGitHub, Fault

from recon_action.github.client import Client
from recon_action.github.denied import Denied
from recon_action.github.event import EventContext, PullRequest, Source
from recon_action.github.proposed import Unknown, _is_of, about, find_pull, why_silent

HEAD, FORK = "a" * 40, "mallory/shop"
SOURCE = Source(5, "pull_request", HEAD, FORK, "success", "patch-1", attempt=2)
RUN = "https://github.com/acme/shop/actions/runs/123"
EVENT = EventContext("workflow_run", repository="acme/shop", head=HEAD, source=SOURCE, run=123, run_url=RUN)


@pytest.fixture
def fork(fake: FakeGitHub) -> FakeGitHub:
    """A GitHub with a fork's pull request, number 9, beside one of the repository itself."""
    fake.state.add_pull(9, head=HEAD, head_repository=FORK, branch="patch-1")
    return fake


def test_found(fork: FakeGitHub, client: Client) -> None:
    """The open one whose head is that commit, of that repository."""
    found = find_pull(client, SOURCE)
    assert isinstance(found, PullRequest)
    assert (found.number, found.head, found.head_repository, found.base_branch) == (9, HEAD, FORK, "main")
    (asked,) = fork.asked
    assert "head=mallory%3Apatch-1" in str(asked)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        pytest.param({"head": "c" * 40}, "moved on: its head is ccccccc", id="a push came after"),
        pytest.param({"state": "closed"}, "no open pull request", id="closed"),
        pytest.param({"head_repository": "eve/shop"}, "no open pull request", id="of another fork"),
        pytest.param({"head_repository": None}, "no open pull request", id="of a fork that is gone"),
        pytest.param({"branch": "patch-2"}, "no open pull request", id="of another branch"),
    ],
)
def test_not_found(fork: FakeGitHub, client: Client, change: dict[str, Any], why: str) -> None:
    """Nothing is guessed."""
    for name, value in change.items():
        setattr(fork.state.pulls[9], name, value)
    found = find_pull(client, SOURCE)
    assert isinstance(found, Unknown)
    assert why in found.reason


def test_two_with_one_head(fork: FakeGitHub, client: Client) -> None:
    """One branch may be proposed to two: which one the run was about can't be told."""
    fork.state.add_pull(10, head=HEAD, head_repository=FORK, branch="patch-1", base_branch="release")
    found = find_pull(client, SOURCE)
    assert found == Unknown("2 open pull requests have this head: it can't be told which one is meant")


def test_a_filter_that_is_not_heeded(fork: FakeGitHub, client: Client) -> None:
    """An odd branch name makes GitHub list everything: only what is the run's counts."""
    fork.state.pulls[9].branch = "odd"
    for pull in fork.state.pulls.values():
        pull.branch = SOURCE.branch
    fork.state.pulls[7].head_repository = "mallory/other"
    found = find_pull(client, SOURCE)
    assert isinstance(found, PullRequest)
    assert found.number == 9


@pytest.mark.parametrize("pull", [PullRequest(0, HEAD, FORK), PullRequest(9, HEAD, FORK, closed=True)], ids=str)
def test_what_a_list_of_open_ones_has_no_business_to_hold(pull: PullRequest) -> None:
    """One that is closed, or has no number."""
    assert not _is_of(pull, SOURCE)


def test_refused(fork: FakeGitHub, client: Client) -> None:
    """GitHub's refusal names the permission."""
    fork.faults.append(Fault(status=403, message="Resource not accessible by integration"))
    with pytest.raises(Denied) as caught:
        find_pull(client, SOURCE)
    assert "pull-requests: read" in caught.value.hint


@pytest.mark.parametrize(
    ("source", "why"),
    [
        pytest.param(SOURCE, "", id="fine"),
        pytest.param(replace(SOURCE, conclusion="failure"), "", id="failed: the manifests may be bad"),
        pytest.param(None, "no workflow run is known", id="none"),
        pytest.param(replace(SOURCE, event="push"), "made by push", id="of a push"),
        pytest.param(replace(SOURCE, event="pull_request_target"), "made by pull_request_target", id="with secrets"),
        pytest.param(replace(SOURCE, event=""), "made by something", id="of nobody knows what"),
        pytest.param(replace(SOURCE, conclusion="cancelled"), "no report: cancelled", id="cancelled"),
        pytest.param(replace(SOURCE, conclusion="action_required"), "action_required", id="not approved"),
        pytest.param(replace(SOURCE, conclusion=""), "it goes on", id="not over"),
        pytest.param(replace(SOURCE, head_repository=""), "is gone", id="fork gone"),
        pytest.param(replace(SOURCE, branch=""), "is gone", id="branch gone"),
        pytest.param(replace(SOURCE, head=""), "is gone", id="commit unknown"),
    ],
)
def test_what_is_told_at_all(source: Source | None, why: str) -> None:
    """Only runs of pull requests that came to an end."""
    reason = why_silent(source)
    assert why in reason
    assert bool(reason) == bool(why)


def test_the_run_before_takes_the_place_of_this_one() -> None:
    """What is told, and how new it is, is of the run that looked."""
    pull = PullRequest(9, HEAD, FORK, "b" * 40, "main")
    event = about(replace(EVENT, dependabot=True), SOURCE, pull)
    assert (event.name, event.pull, event.head, event.base) == ("pull_request", pull, HEAD, "b" * 40)
    assert (event.run, event.attempt, event.run_url) == (5, 2, RUN.replace("123", "5"))
    assert not event.dependabot
