"""Whatever happens, in whichever order runs end: one comment, one open issue, never stale, never somebody else's.

Each seed is a story of a pull request and of a cluster with its drift issue, on one GitHub with all its moods; what may
happen, and what must hold after each run, is in `support/comment_story.py` and `support/issue_story.py`.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import comment_story
import issue_story
import pytest
from comment_story import TOKEN, CommentStory
from fake_github import FakeGitHub, fake_github
from issue_story import IssueStory

from recon_action.github import issue as writing
from recon_action.github.client import Client
from recon_action.github.conversation import Conversation, Posted
from recon_action.github.denied import Need
from recon_action.github.marker import Marker
from recon_action.github.tracker import Filed, Tracker
from recon_action.github.upkeep import Scan, Step, decide
from recon_action.model.memory import Memory
from recon_action.report.drift import Drift, Measure

SEEDS = range(50)
STEPS = comment_story.STEPS + issue_story.STEPS

Patch = pytest.MonkeyPatch


@pytest.mark.parametrize("seed", SEEDS)
def test_one_comment_and_one_issue_and_never_a_stale_one(seed: int) -> None:
    """Fifty stories, each reproducible by its seed; and the token is in nothing that anybody can read."""
    turns = random.Random(seed)
    with fake_github() as fake:
        comment, issue = CommentStory(fake, seed), IssueStory(fake, seed)
        for _ in range(STEPS):
            turns.choices((comment, issue), (comment_story.STEPS, issue_story.STEPS))[0].step()
        fake.faults.clear()
        comment.end()
        issue.end()
        sent = [f"{one.path} {one.body!r}" for one in fake.asked]
    assert TOKEN not in "\n".join([*sent, *comment.refused, *issue.refused])


def _comment_without_author(patch: Patch) -> None:
    patch.setattr(Conversation, "is_ours", lambda *_: True)


def _comment_posted_again(patch: Patch) -> None:
    write = Conversation.write

    def insist(talk: Conversation, text: str) -> Posted:
        return talk._client.insist(lambda: write(talk, text))

    patch.setattr(Conversation, "write", insist)


def _issue_without_author(patch: Patch) -> None:
    pages = Client.pages

    def everybodys(client: Client, path: str, need: Need, key: str = "", **more: str | int) -> Iterator[dict[str, Any]]:
        return pages(client, path, need, key, **{name: value for name, value in more.items() if name != "creator"})

    patch.setattr(Tracker, "is_ours", lambda _tracker, filed: not filed.is_pull)
    patch.setattr(Client, "pages", everybodys)


def _issue_posted_again(patch: Patch) -> None:
    post = Tracker._post

    def insist(tracker: Tracker, wanted: dict[str, str], labels: list[str], assignees: list[str]) -> Filed:
        return tracker._client.insist(lambda: post(tracker, wanted, labels, assignees))

    patch.setattr(Tracker, "_post", insist)


def _older_run_wins(patch: Patch) -> None:
    patch.setattr(Marker, "is_newer", lambda one, other: one != other)


def _partial_scan_is_clean(patch: Patch) -> None:
    def careless(found: object, scan: Scan) -> Step:
        if scan.drift.measure is Measure.UNKNOWN:
            scan = replace(scan, drift=Drift(Measure.CLEAN))
        return decide(found, scan)  # type: ignore[arg-type]

    patch.setattr(writing, "decide", careless)


def _never_closed_by_hand(patch: Patch) -> None:
    def pushy(found: object, scan: Scan) -> Step:
        if found is not None and not found.is_open:  # type: ignore[attr-defined]
            found = replace(found, memory=replace(found.memory or Memory(), healed=1))  # type: ignore[type-var,attr-defined]
        return decide(found, scan)  # type: ignore[arg-type]

    patch.setattr(writing, "decide", pushy)


@pytest.mark.parametrize(
    ("story", "break_it"),
    [
        pytest.param(CommentStory, _comment_without_author, id="comment, no author check"),
        pytest.param(CommentStory, _comment_posted_again, id="comment, POST retried"),
        pytest.param(CommentStory, _older_run_wins, id="comment, older run wins"),
        pytest.param(IssueStory, _issue_without_author, id="issue, no author check"),
        pytest.param(IssueStory, _issue_posted_again, id="issue, POST retried"),
        pytest.param(IssueStory, _older_run_wins, id="issue, older run wins"),
        pytest.param(IssueStory, _partial_scan_is_clean, id="issue, a partial scan is clean"),
        pytest.param(IssueStory, _never_closed_by_hand, id="issue, closed by hand does not count"),
    ],
)
def test_broken_variants_are_caught(
    monkeypatch: Patch,
    story: Callable[[FakeGitHub, int], CommentStory | IssueStory],
    break_it: Callable[[Patch], None],
) -> None:
    """The stories can fail: what each of the rules is for goes wrong without it."""
    break_it(monkeypatch)

    def play_all() -> None:
        for seed in SEEDS:
            with fake_github() as fake:
                story(fake, seed).play()

    with pytest.raises(AssertionError):
        play_all()
