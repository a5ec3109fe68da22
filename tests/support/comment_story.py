"""What can happen to a pull request and to its comment, drawn from a seed.

Pushes, runs again, hands that delete, edit and copy, other tools, siblings of a matrix, two runs at once, and a GitHub
that refuses, loses answers, is slow and forgets. What must hold after each run is checked by what the story knows, not
by the code's own idea of what is newer.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from fake_github import BOT, Comment, FakeGitHub, Fault
from local_server import Asked

from recon_action.github.client import Access, Client
from recon_action.github.comment import WRITE, Draft, publish
from recon_action.github.conversation import Conversation
from recon_action.github.denied import Denied
from recon_action.github.marker import Marker
from recon_action.github.patience import Patience

STEPS = 25
PULL = 7
COMMENTS = f"/issues/{PULL}/comments"
TOKEN = "planted-token"
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
    lambda: Fault("", COMMENTS, latency=0.01, times=3),
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


class CommentStory:
    """What happens to a pull request.

    Attributes:
        refused: what runs were told that did not come through.
    """

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
        self.refused: list[str] = []
        fake.state.add_pull(PULL)

    def step(self) -> None:
        """The next thing happens."""
        events = (
            *(self.push, self.push, self.again, self.finish, self.finish, self.finish, self.delete, self.edit),
            *(self.copy, self.other_tool, self.sibling, self.trouble, self.at_once),
        )
        self.now += 1
        self.random.choice(events)()

    def end(self) -> None:
        """Every run ends that still goes on."""
        while self.begun:
            self.finish()

    def play(self) -> None:
        """All of it, alone."""
        for _ in range(STEPS):
            self.step()
        self.fake.faults.clear()
        self.end()

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
        assert live[0].splitlines()[1] == self._right().text
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
            assert live[0].splitlines()[1] == self._right().text
        self._untouched()

    def delete(self) -> None:
        """A person deletes what we wrote: nothing stands any more."""
        for one in self._ours():
            del self.fake.state.comments[one.id]
        self.spoken.clear()

    def edit(self) -> None:
        """A person writes into it, and the web page turns its line ends."""
        for one in self._ours():
            one.body = "\r\n".join([*one.body.splitlines(), "my own words"])

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
        self.foreign[self.fake.state.add_comment(PULL, author, body).id] = body

    def _publish(self, run: Run) -> bool:
        access = Access(TOKEN, self.fake.api, write_pause=0)
        client = Client(access, "acme/shop", Patience(lambda _: False, limit=1e9))
        try:
            told = publish(Conversation(client, PULL, WRITE), Draft(run.marker, run.text))
        except Denied as denied:
            self.refused.append(f"{denied.message} {denied.hint}")
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
        return [one.body for one in self._ours() if not one.minimized]

    def _ours(self) -> list[Comment]:
        comments = self.fake.state.comments.values()
        return [one for one in comments if one.number == PULL and one.id not in self.foreign]

    def _written(self) -> int:
        return self.fake.state.written - len(self.foreign)

    def _untouched(self) -> None:
        there = {one.id: one.body for one in self.fake.state.comments.values() if not one.minimized}
        assert {number: there.get(number) for number in self.foreign} == self.foreign, "somebody else's was touched"
