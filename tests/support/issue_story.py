"""What can happen to a cluster and to its drift issue, drawn from a seed.

Drift comes, changes and goes, scans that can't tell, hands that close, open, edit, delete and copy, siblings of a
matrix, two runs at once, and a GitHub that refuses, loses answers, is slow and forgets. What must hold after each run
is checked by what the story knows, not by the code's own idea of what is newer.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

from comment_story import PULL, TOKEN
from fake_github import BOT, FakeGitHub, Fault, Issue
from local_server import Asked

from recon_action.github.client import Access, Client
from recon_action.github.denied import Denied
from recon_action.github.issue import Draft, publish
from recon_action.github.marker import ISSUE, Marker, read
from recon_action.github.patience import Patience
from recon_action.github.tracker import LABEL, Form, Tracker
from recon_action.github.upkeep import Scan, Step
from recon_action.model import ObjectRef
from recon_action.model.memory import Memory
from recon_action.report.drift import Drift, Measure, Moved

STEPS = 40
HOUR = 3_600
BEGIN = 1_796_000_000
ISSUES = r"/issues(\?|$)"
FAULTS: tuple[Callable[[], Fault], ...] = (
    lambda: Fault("POST", ISSUES, status=502),
    lambda: Fault("POST", ISSUES, status=502, after=True),
    lambda: Fault("POST", ISSUES, reset=True, after=True),
    lambda: Fault("POST", ISSUES, status=429, headers={"Retry-After": "5"}),
    lambda: Fault("POST", "/comments", status=502, after=True),
    lambda: Fault("POST", "/comments", status=403, message="Resource not accessible by integration"),
    lambda: Fault("GET", ISSUES, status=502),
    lambda: Fault("PATCH", status=502),
    lambda: Fault("PATCH", status=502, after=True),
    lambda: Fault("PATCH", unchanged=True),
    lambda: Fault("PATCH", status=403, message="You have exceeded a secondary rate limit."),
    lambda: Fault("", "/issues", latency=0.01, times=3),
    lambda: Fault("", ISSUES, status=410, message="Issues has been disabled in this repository."),
    lambda: Fault("", "", status=403, message="Resource not accessible by integration", times=3),
    lambda: Fault("", "", status=500, times=20),
)


@dataclass(frozen=True)
class Run:
    """A run that has begun; what it saw is in its text."""

    marker: Marker
    drift: Drift
    at: int

    @property
    def text(self) -> str:
        """What it has to say."""
        of = self.marker
        return f"{of.target} at {of.head}, seen at {of.sequence} by {of.run} #{of.attempt}: {self.drift.measure}"


class IssueStory:
    """What happens to a target.

    Attributes:
        refused: what runs were told that did not come through.
    """

    def __init__(self, fake: FakeGitHub, seed: int) -> None:
        self.fake = fake
        self.random = random.Random(seed)
        self.now = BEGIN
        self.ids = 100
        self.heads = [f"{0:040x}"]
        self.drifted: frozenset[str] = frozenset()
        self.begun: list[Run] = []
        self.all: list[Run] = []
        self.wrote: list[Run] = []  # on the issue, in the order of writing
        self.spoken: list[Run] = []  # those of them whose words may stand
        self.shut_at: Drift | None = None  # what was known when a hand closed it
        self.foreign: dict[int, tuple[str | None, str]] = {}
        self.refused: list[str] = []
        fake.state.add_pull(PULL)

    def step(self) -> None:
        """The next thing happens."""
        events = (
            *(
                self.scan,
                self.scan,
                self.scan,
                self.push,
                self.again,
                self.finish,
                self.finish,
                self.finish,
                self.finish,
            ),
            *(self.meddle, self.heal, self.close, self.reopen, self.edit, self.delete, self.snooze),
            *(self.copy, self.sibling, self.trouble, self.at_once),
        )
        self.now += self.random.choice((1, HOUR, HOUR, 24 * HOUR))
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

    # --- what happens to the cluster

    def meddle(self) -> None:
        """Somebody changes something."""
        self.drifted = frozenset(self.random.sample(("a", "b", "c"), self.random.randint(1, 2)))

    def heal(self) -> None:
        """Somebody puts it right."""
        self.drifted = frozenset()

    def scan(self) -> None:
        """A run looks at the cluster, and now and then can't tell."""
        self.ids += 1
        moved = tuple(Moved(ObjectRef("", "Service", "shop", name), "missing") for name in sorted(self.drifted))
        drift = Drift(Measure.DRIFT, moved, remains=True) if moved else Drift(Measure.CLEAN)
        if self.random.random() < 0.2:
            drift = Drift(self.random.choice((Measure.UNKNOWN, Measure.UNKNOWN, Measure.CORRECTED)))
        cluster = "" if drift.measure is Measure.UNKNOWN and self.random.random() < 0.5 else "uid"
        marker = Marker("shop", ISSUE, cluster=cluster, head=self.heads[-1], run=self.ids, sequence=self.now)
        self._begin(Run(marker, drift, self.now))

    def push(self) -> None:
        """A new commit, and its run."""
        self.heads.append(f"{len(self.heads):040x}")
        self.scan()

    def again(self) -> None:
        """Somebody runs an old run again: its commit is no newer for that."""
        if self.all:
            old = self.random.choice(self.all).marker
            self.scan()
            last = max(run.marker.attempt for run in self.all if run.marker.run == old.run)
            new = self.begun.pop()
            self.all.remove(new)
            marker = replace(new.marker, head=old.head, run=old.run, attempt=last + 1)
            self._begin(replace(new, marker=marker))

    # --- what happens to the issue

    def finish(self) -> None:
        """One of the runs that go on ends, whichever began first."""
        if self.begun:
            run = self.begun.pop(self.random.randrange(len(self.begun)))
            before, opened = self._open(), self._opened()
            is_told = self._publish(run)
            assert self._opened() - opened <= (not before), "opened more often than needed"
            if is_told:
                self._judge(run, before)

    def at_once(self) -> None:
        """Two runs end at the same moment: one of them does all it does between two requests of the other."""
        if len(self.begun) < 2:
            return
        inner, outer = self.begun.pop(), self.begun.pop()
        left, done = self.random.randrange(5), []

        def meanwhile(request: Asked) -> None:
            nonlocal left
            left -= 1
            # Between a look and the edit that follows it there is no help: GitHub knows no conditional edit.
            if left < 0 and request.method != "PATCH":
                self.fake.before = lambda _: None
                done.append(inner)
                self._publish(inner)

        self.fake.before = meanwhile
        is_told = self._publish(outer)
        self.fake.before = lambda _: None
        if not done:
            self.begun.append(inner)
        if is_told:
            self._one_and_current()
        self._untouched()

    def close(self) -> None:
        """A person has had enough of it."""
        for issue in self._open():
            issue.state, issue.closed = "closed", self._time()
            self.shut_at = next((run.drift for run in reversed(self.wrote) if run.drift.moved), Drift(Measure.CLEAN))

    def reopen(self) -> None:
        """A person opens what is closed, if nothing else is open."""
        if not self._open() and (ours := self._ours()):
            ours[-1].state, ours[-1].closed = "open", None
            self.shut_at = None

    def edit(self) -> None:
        """A person writes into it, below the hidden lines, and the web page turns its line ends."""
        for issue in self._open():
            issue.body = "\r\n".join([*(issue.body or "").splitlines(), "", "my own words"])

    def delete(self) -> None:
        """A person deletes what there is, for good."""
        for issue in self._ours():
            del self.fake.state.issues[issue.number]
        self.wrote.clear()
        self.spoken.clear()
        self.shut_at = None

    def snooze(self) -> None:
        """A person silences it, or ends that."""
        for issue in self._ours():
            issue.labels = [LABEL] if "snooze" in issue.labels else [*issue.labels, "snooze"]

    def copy(self) -> None:
        """A person copies our issue, as new as can be."""
        if self.all:
            marker = replace(self.random.choice(self.all).marker, run=10**9, sequence=10**15)
            self._foreign("mallory", f"{marker.line}\nmine", "open")

    def sibling(self) -> None:
        """Another job of the matrix has its own target, and its own issue."""
        marker = Marker("shop-eu", ISSUE, cluster="uid-eu", head="e" * 40, run=self.ids, sequence=self.now)
        self._foreign(BOT, f"{marker.line}\nshop-eu", self.random.choice(("open", "closed")))

    def trouble(self) -> None:
        """GitHub is not at its best."""
        self.fake.faults[:] = [self.random.choice(FAULTS)()]

    # --- how it is told

    def _begin(self, run: Run) -> None:
        self.begun.append(run)
        self.all.append(run)

    def _foreign(self, author: str, body: str, state: str) -> None:
        number = max(self.fake.state.issues) + 1
        self.fake.state.add_issue(number, author=author, body=body, labels=[LABEL], state=state)
        self.foreign[number] = (body, state)

    def _publish(self, run: Run) -> bool:
        """Whether the run was told to the end."""
        client = Client(Access(TOKEN, self.fake.api, write_pause=0), "acme/shop", Patience(lambda _: False, limit=1e9))

        def write(_step: Step, _former: str) -> str:
            return run.text

        def news(step: Step, _before: Memory) -> str:
            return f"{step.news}: {run.drift.fingerprint}"

        draft = Draft(run.marker, Scan(run.drift, run.at, is_scheduled=True), Form("Drift"), write, news)
        stood = any(run.text in (one.body or "") for one in self._ours())
        try:
            told = publish(Tracker(client), draft)
        except Denied as denied:
            self.refused.append(f"{denied.message} {denied.hint}")
            if not stood and any(run.text in (one.body or "") for one in self._ours()):  # refused at last, not at first
                self._spoke(run)
            return False
        if told.what.split(";")[0] in {"opened", "updated", "closed", "opened again", "as it was"}:
            self._spoke(run)
        return True

    def _spoke(self, run: Run) -> None:
        """A run's words were taken: an issue holds those on one commit, and forgets the commit before."""
        self.wrote.append(run)
        self.spoken.append(run)
        head = self._right().marker.head
        self.spoken = [one for one in self.spoken if one.marker.head == head]

    # --- what must hold

    def _judge(self, run: Run, before: list[Issue]) -> None:
        after = self._open()
        self._one_and_current()
        if after and not before:
            assert run.drift.measure is Measure.DRIFT, "opened without drift"
            if self.shut_at is not None and self._since_shut() < 2:
                assert run.drift.fingerprint != self.shut_at.fingerprint, "opened again although a hand had closed it"
            self.shut_at = None
        if before and not after:
            known = [one.drift.measure for one in self.wrote if one.drift.measure is not Measure.UNKNOWN]
            assert run.drift.measure is Measure.CLEAN, "closed by a run that did not find it clean"
            assert known[-2:] == [Measure.CLEAN] * 2, "closed too early"
        self._untouched()

    def _since_shut(self) -> int:
        """Clean scans in a row."""
        count = 0
        for run in reversed(self.wrote[:-1]):
            if run.drift.measure is not Measure.CLEAN:
                break
            count += 1
        return count

    def _one_and_current(self) -> None:
        opened = self._open()
        assert len(opened) <= 1, f"{len(opened)} issues are open"
        for issue in opened:
            assert (issue.body or "").splitlines()[2] == self._right().text
        said = [one.body.partition("\n")[2] for one in self.fake.state.comments.values() if one.number != PULL]
        assert not any(one == other for one, other in pairwise(said)), "told twice"

    def _right(self) -> Run:
        """Of all whose words were taken: the last look at the commit that was pushed last."""

        def key(run: Run) -> tuple[int, int]:
            same = [one.marker for one in self.spoken if one.marker.head == run.marker.head]
            return max(marker.run for marker in same), run.marker.sequence

        return max(self.spoken, key=key)

    def _opened(self) -> int:
        """How many issues there are that we opened, closed doubles among them."""
        return sum(number not in {PULL, *self.foreign} for number in self.fake.state.issues)

    def _ours(self) -> list[Issue]:
        found = [one for one in self.fake.state.issues.values() if one.number not in {PULL, *self.foreign}]
        return [one for one in found if (of := read((one.body or "").replace("\r", ""))) and of.kind == ISSUE]

    def _open(self) -> list[Issue]:
        return [one for one in self._ours() if one.state == "open"]

    def _untouched(self) -> None:
        there = {number: self.fake.state.issues[number] for number in self.foreign}
        assert {number: (one.body, one.state) for number, one in there.items()} == self.foreign, "somebody else's"

    def _time(self) -> str:
        return "2026-12-01T05:00:00Z"
