"""Which pull requests a push has merged."""

from dataclasses import replace
from typing import Any

import pytest
from fake_github import FakeGitHub

from recon_action.github.client import Client
from recon_action.github.event import EventContext
from recon_action.github.merged import merged_by

HEAD = "c" * 40
PUSH = EventContext("push", repository="acme/shop", branch="main", head=HEAD)


def merge(fake: FakeGitHub, number: int, commit: str, **more: Any) -> None:
    fake.state.add_pull(number, merged=True, state="closed", merge_commit=commit, **more)


def test_merged(fake: FakeGitHub, client: Client) -> None:
    """The one that was merged as the pushed commit."""
    merge(fake, 9, HEAD)
    assert merged_by(client, PUSH) == [9]


def test_several_at_once(fake: FakeGitHub, client: Client) -> None:
    """A merge queue pushes several; each is found by its own commit, once."""
    commits = tuple(f"{number}" * 40 for number in range(3))
    for number, commit in enumerate(commits):
        merge(fake, 20 + number, commit)
    merge(fake, 30, HEAD, head="2" * 40)
    assert merged_by(client, replace(PUSH, pushed=(HEAD, *commits))) == [30, 20, 21, 22]


def test_not_more_than_a_few_are_asked_about(fake: FakeGitHub, client: Client) -> None:
    """A push may bring thousands."""
    merged_by(client, replace(PUSH, pushed=tuple(f"{number:040x}" for number in range(300))))
    assert len(fake.asked) == 10


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"merged": False}, id="closed without being merged"),
        pytest.param({"merged": False, "state": "open"}, id="still open"),
        pytest.param({"base_branch": "release"}, id="merged into another branch"),
        pytest.param({"merged": False, "merge_commit": HEAD, "head": HEAD}, id="only proposed"),
    ],
)
def test_not_merged_by_it(fake: FakeGitHub, client: Client, change: dict[str, Any]) -> None:
    """A commit belongs to pull requests that the push has not merged."""
    merge(fake, 9, HEAD)
    fake.state.pulls[9].head = HEAD
    for name, value in change.items():
        setattr(fake.state.pulls[9], name, value)
    assert merged_by(client, PUSH) == []
