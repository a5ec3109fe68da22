"""Whatever happens to a pull request, in whichever order its runs end: one comment, never stale, nobody else's touched.

Each seed is a story: pushes, runs again, hands that delete and copy, other tools, siblings of a matrix, two runs at
once, and a GitHub that refuses, loses answers and forgets. What must hold after each run is checked by what the story
knows, not by the code's own idea of what is newer.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from fake_github import BOT, FakeGitHub, Fault, fake_github
from local_server import Asked

from recon_action.github.client import Access, Client
from recon_action.github.comment import WRITE, Draft, publish
from recon_action.github.conversation import Conversation, Posted
from recon_action.github.denied import Denied
from recon_action.github.marker import Marker
from recon_action.github.patience import Patience

SEEDS = range(50)
STEPS = 25
COMMENTS = "/issues/7/comments"
FAULTS: tuple[Callable[[], Fault], ...] = (
    lambda: Fault("POST", COMMENTS, status=502),
    lambda: Fault("POST", COMMENTS, status=502, after=True),
    lambda: Fault("POST", COMMENTS, status=504, after=True),
    lambda: Fault("POST", COMMENTS, reset=True, after=True),
    lambda: Fault("POST", COMMENTS, status=429, headers={"Retry-After": "5"}),
    lambda: Fault("GET", COMMENTS, status=502),
    lambda: Fault("PATCH", status=502),
    lambda: Fault("PATCH", status=502, after=True),
    lambda: Fault("PATCH", unchanged=True),
    lambda: Fault("PATCH", status=403, message="You have exceeded a secondary rate limit."),
    lambda: Fault("DELETE", status=502, after=True),
    lambda: Fault("POST", "graphql", status=502, times=9),
    lambda: Fault("", COMMENTS, status=403, message="Resource not accessible by integration", times=3),
    lambda: Fault("", COMMENTS, status=500, times=20),
)


@dataclass(frozen=True)
class Run:
    """A run that has begun; what it saw is in its text."""

    marker: Marker

    @property
    def text(self) -> str:
        """What it has to say."""
        of = self.marker
        return f"{of.target} at {of.head}, seen at {of.sequence} by {of.run} #{of.attempt}"


class Story:
    """What happens to a pull request, drawn from a seed."""

    def __init__(self, fake: FakeGitHub, seed: int) -> None:
        self.fake = fake
        self.random = random.Random(seed)
        self.now = 0
        self.ids = 100
        self.heads: list[str] = []
        self.begun: list[Run] = []
        self.all: list[Run] = []
        self.spoken: list[Run] = []  # those that were told that their words stand
        self.foreign: dict[int, str] = {}
        fake.state.add_pull(7)

    def play(self) -> None:
        """All of it, and at the end every run that still goes on."""
        events = (
            *(self.push, self.push, self.again, self.finish, self.finish, self.finish, self.delete),
            *(self.copy, self.other_tool, self.sibling, self.trouble, self.at_once),
        )
        for _ in range(STEPS):
            self.now += 1
            self.random.choice(events)()
        self.fake.faults.clear()
        while self.begun:
            self.finish()

    def push(self) -> None:
        """A new commit, now and then one that was there before."""
        if self.heads and self.random.random() < 0.2:
            self.heads.append(self.random.choice(self.heads))
        else:
            self.heads.append(f"{len(self.heads):040x}")
        self.ids += 100
        self._begin(Marker("shop", cluster="uid", head=self.heads[-1], run=self.ids, sequence=self.now))

    def again(self) -> None:
        """Somebody runs an old run again."""
        if self.all:
            old = self.random.choice(self.all).marker
            last = max(run.marker.attempt for run in self.all if run.marker.run == old.run)
            self._begin(replace(old, attempt=last + 1, sequence=self.now))

    def finish(self) -> None:
        """One of the runs that go on ends, whichever began first."""
        if not self.begun:
            return
        run = self.begun.pop(self.random.randrange(len(self.begun)))
        written, existed = self._written(), bool(self._live())
        if not self._publish(run):
            return
        live = self._live()
        assert len(live) == 1, f"{len(live)} comments"
        assert self._written() - written <= (not existed), "written more often than needed"
        assert live[0].partition("\n")[2] == self._right().text
        self._untouched()

    def at_once(self) -> None:
        """Two runs end at the same moment: one of them does all it does between two requests of the other."""
        if len(self.begun) < 2:
            return
        inner = self.begun.pop()
        left, done = self.random.randrange(4), []

        def meanwhile(request: Asked) -> None:
            nonlocal left
            left -= 1
            # Between a look and the edit that follows it there is no help: GitHub knows no conditional edit.
            if left < 0 and request.method != "PATCH":
                self.fake.before = lambda _: None
                done.append(inner)
                self._publish(inner)

        self.fake.before = meanwhile
        outer = self.begun.pop()
        is_told = self._publish(outer)
        self.fake.before = lambda _: None
        if inner not in done:
            self.begun.append(inner)
        if is_told:
            live = self._live()
            assert len(live) == 1, f"{len(live)} comments"
            assert live[0].partition("\n")[2] == self._right().text
        self._untouched()

    def delete(self) -> None:
        """A person deletes what we wrote: nothing stands any more."""
        for one in [one for one in self.fake.state.comments.values() if one.author == BOT and "shop at" in one.body]:
            del self.fake.state.comments[one.id]
        self.spoken.clear()

    def copy(self) -> None:
        """A person copies our comment, as new as can be."""
        if self.all:
            marker = replace(self.random.choice(self.all).marker, run=10**9, sequence=10**9)
            self._foreign("mallory", f"{marker.line}\n{self.random.choice(['LGTM', 'not ours'])}")

    def other_tool(self) -> None:
        """Another action comments with the same token."""
        self._foreign(BOT, "<!-- Sticky Pull Request Comment -->\ncoverage: 7 %")

    def sibling(self) -> None:
        """Another job of the matrix has its own target."""
        marker = Marker("shop-eu", cluster="uid-eu", head="e" * 40, run=self.ids, sequence=self.now)
        self._foreign(BOT, f"{marker.line}\nshop-eu is in sync")

    def trouble(self) -> None:
        """GitHub is not at its best."""
        self.fake.faults[:] = [self.random.choice(FAULTS)()]

    def _begin(self, marker: Marker) -> None:
        self.begun.append(Run(marker))
        self.all.append(self.begun[-1])

    def _foreign(self, author: str, body: str) -> None:
        self.foreign[self.fake.state.add_comment(7, author, body).id] = body

    def _publish(self, run: Run) -> bool:
        access = Access("t", self.fake.api, write_pause=0)
        client = Client(access, "acme/shop", Patience(lambda _: False, limit=1e9))
        try:
            told = publish(Conversation(client, 7, WRITE), Draft(run.marker, run.text))
        except Denied:
            if any(run.text in body for body in self._live()):  # refused at last, but not at first
                self._spoke(run)
            return False
        if told.what != "left to a newer run":
            self._spoke(run)
        return True

    def _spoke(self, run: Run) -> None:
        """A run's words were taken: one comment holds those on one commit, and forgets the commit before."""
        self.spoken.append(run)
        head = self._right().marker.head
        self.spoken = [one for one in self.spoken if one.marker.head == head]

    def _right(self) -> Run:
        """Of all whose words were taken: the last look at the commit that was pushed last."""

        def key(run: Run) -> tuple[int, int]:
            same = [one.marker for one in self.spoken if one.marker.head == run.marker.head]
            return max(marker.run for marker in same), run.marker.sequence

        return max(self.spoken, key=key)

    def _live(self) -> list[str]:
        comments = self.fake.state.comments.values()
        return [one.body for one in comments if one.id not in self.foreign and not one.minimized]

    def _written(self) -> int:
        return self.fake.state.written - len(self.foreign)

    def _untouched(self) -> None:
        there = {one.id: one.body for one in self.fake.state.comments.values() if not one.minimized}
        assert {number: there.get(number) for number in self.foreign} == self.foreign, "somebody else's was touched"


@pytest.mark.parametrize("seed", SEEDS)
def test_one_comment_and_never_a_stale_one(seed: int) -> None:
    """Fifty stories, each reproducible by its seed."""
    with fake_github() as fake:
        Story(fake, seed).play()


def _no_author_check(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Conversation, "is_ours", lambda *_: True)


def _post_retried(patch: pytest.MonkeyPatch) -> None:
    write = Conversation.write

    def insist(talk: Conversation, text: str) -> Posted:
        return talk._client.insist(lambda: write(talk, text))

    patch.setattr(Conversation, "write", insist)


def _older_run_wins(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Marker, "is_newer", lambda one, other: one != other)


@pytest.mark.parametrize("break_it", [_no_author_check, _post_retried, _older_run_wins])
def test_broken_variants_are_caught(monkeypatch: pytest.MonkeyPatch, break_it: Callable[[Any], None]) -> None:
    """The stories can fail: what each of the rules is for goes wrong without it."""
    break_it(monkeypatch)

    def play_all() -> None:
        for seed in SEEDS:
            with fake_github() as fake:
                Story(fake, seed).play()

    with pytest.raises(AssertionError):
        play_all()
