"""The one drift issue of a target: opened, kept current and closed, and never two of them open.

Decides which issue it is, which of two runs may write it, and what becomes of one too many. Several runs may write at
once, and GitHub knows no conditional edit; so each write follows a look, and another look follows it, until nothing is
left to do. When the issue is opened and closed is `upkeep`'s to say, what it says `report.issue`'s.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import takewhile
from typing import Final

from recon_action.github.client import Client
from recon_action.github.comment import Told, about
from recon_action.github.conversation import Conversation
from recon_action.github.denied import Denied, Reason, unchanged
from recon_action.github.hidden import hide, reveal
from recon_action.github.marker import DUPLICATE, ISSUE, ISSUE_NEWS, Marker, on_the_same, read
from recon_action.github.tracker import SNOOZE, WRITE, Filed, Form, Tracker
from recon_action.github.upkeep import Act, Found, News, Scan, Step, decide
from recon_action.model.memory import Memory
from recon_action.report.drift import Measure
from recon_action.report.issue import duplicate, missed

_TAG = "recon:memory"
_ROUNDS = 8  # looks; more than that means that somebody else writes as fast as we do
_EDITS = 2  # of one issue with one text, before it counts as refused
_CLOSED = {Act.CLOSE: ("closed", "completed"), Act.REOPEN: ("open", "reopened")}
_DONE: Final = {Act.EDIT: "updated", Act.CLOSE: "closed", Act.REOPEN: "opened again"}


@dataclass(frozen=True, slots=True)
class Draft:
    """What a run would have the issue say.

    Args:
        marker: whose it is, and how new.
        scan: what the run has found.
        form: what the issue is given if it has to be opened.
        write: the text for a step, given the one that stands there, "" if none does.
        news: the short comment for a step, given what the issue remembered before.
    """

    marker: Marker
    scan: Scan
    form: Form
    write: Callable[[Step, str], str]
    news: Callable[[Step, Memory], str] = lambda _step, _before: ""


@dataclass(frozen=True, slots=True)
class Standing:
    """An issue of ours about the target."""

    filed: Filed
    marker: Marker

    @property
    def memory(self) -> Memory | None:
        """What it remembers; None if somebody has damaged that."""
        return read_memory(self.filed.body)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done next.

    Args:
        body: to be written; "" if there is none to write.
        to: the issue that it goes to; None for a new one.
        step: what it comes from; None if it is only another run's words.
        fold: the issue that is one too many.
    """

    body: str = ""
    to: Standing | None = None
    step: Step | None = None
    fold: Standing | None = None


def publish(tracker: Tracker, draft: Draft) -> Told:
    """Have the issue say what `draft` says, unless a newer run has spoken.

    Raises:
        Denied: GitHub did not let us, or did not do it.
    """
    tracker.identify()
    return _Writing(tracker, draft).settle()


def any_drift_issue(client: Client, number: int) -> Standing | None:
    """Issue `number` if it is, or was, the drift issue of a target, and we opened it; else None.

    Raises:
        Denied: it can't be read.
    """
    tracker = Tracker(client)
    tracker.identify()
    filed = tracker.get(number)
    marker = read(filed.body) if filed and tracker.is_ours(filed) else None
    return Standing(filed, marker) if filed and marker and marker.kind == ISSUE else None


def drift_issue(client: Client, number: int, target: str) -> Standing | None:
    """The same, of `target` alone."""
    standing = any_drift_issue(client, number)
    return standing if standing and standing.marker.target == target else None


def snooze(client: Client, number: int, target: str, until: int) -> bool:
    """Have the drift issue `number` silent until then; whether there is one.

    Raises:
        Denied: GitHub did not let us, or did not do it.
    """
    tries = size = 0
    for _ in range(_ROUNDS):
        standing = drift_issue(client, number, target)
        if standing is None:
            return False
        memory = standing.memory or Memory()
        if memory.snoozed == until:
            return True
        body = _whole(standing.marker, replace(memory, snoozed=until), _text(standing.filed.body))
        size = len(body.encode())
        try:
            Tracker(client).edit(standing.filed, body)
        except Denied as denied:
            tries += 1
            client.pause(denied, tries)
    raise unchanged(WRITE, size)


def read_memory(body: str) -> Memory | None:
    """What stands on the second line; None without it, or if no run of ours would have left it so."""
    lines = body.split("\n", 2)
    memory = reveal(_TAG, Memory, lines[1]) if len(lines) > 1 else None
    return memory if memory and memory.is_sound else None


def next_plan(standing: Sequence[Standing], draft: Draft) -> Plan | None:
    """What is to be done about the issues that are ours; None if nothing is.

    Of those that are open the oldest stays, with what the newest run said, and the others are closed. If none is open,
    it is the one that was opened last.
    """
    opened = [one for one in standing if one.filed.is_open]
    if not standing:
        return _planned(None, None, draft)
    keeper, *others = opened or standing[-1:]
    newest = reduce(lambda one, other: other if other.marker.is_newer(one.marker) else one, (keeper, *others))
    plan: Plan | None = None
    if draft.marker.is_newer(newest.marker):
        plan = _planned(keeper, newest, draft)
    elif newest is not keeper and _is_of(newest, draft):
        plan = _planned(keeper, keeper, draft)  # we have opened one while another run did
    elif newest is not keeper:
        plan = Plan(newest.filed.body, keeper)
    return plan or (Plan(fold=others[0], to=keeper) if others else None)


def _planned(keeper: Standing | None, newest: Standing | None, draft: Draft) -> Plan | None:
    """What the run itself would have written."""
    step = _step(keeper, newest, draft.scan)
    if step.act is Act.NOTHING:
        return None
    marker, former = draft.marker, ""
    if newest is not None and step.act is not Act.OPEN:
        marker = draft.marker.after(newest.marker)
        marker = replace(marker, cluster=marker.cluster or newest.marker.cluster)
        if draft.scan.drift.measure is Measure.UNKNOWN:
            marker = replace(marker, digest=newest.marker.digest, drift=newest.marker.drift)
        former = _text(newest.filed.body)
    body = _whole(marker, step.memory, draft.write(step, former))
    return Plan(body, None if step.act is Act.OPEN else keeper, step)


def _step(keeper: Standing | None, newest: Standing | None, scan: Scan) -> Step:
    if keeper is None or newest is None:
        return decide(None, scan)
    filed = keeper.filed
    return decide(Found(filed.is_open, newest.memory, filed.closed_at, SNOOZE in filed.labels), scan)


class _Writing:
    """One run at the issue."""

    def __init__(self, tracker: Tracker, draft: Draft) -> None:
        self._tracker = tracker
        self._draft = draft
        self._made: Filed | None = None
        self._edits: list[str] = []
        self._tries = 0
        self._step: Step | None = None  # the last one that was carried out
        self._notes: list[str] = []
        self._is_heard = False  # what is new
        self._unheard: Denied | None = None

    def settle(self) -> Told:
        """Look and do, until nothing is to be done."""
        size = 0
        for _ in range(_ROUNDS):
            standing = self._look()
            plan = next_plan(standing, self._draft)
            if plan is None:
                return self._told(standing)
            size = len(plan.body.encode())
            if self._edits.count(plan.body) >= _EDITS:
                break
            self._try(plan)
        raise unchanged(WRITE, size)

    def _look(self) -> list[Standing]:
        """The issues about the target, the oldest first; closed ones only if none is open."""
        filed = self._tracker.open_ones()
        if self._made is not None and self._made.number not in {one.number for one in filed}:
            filed.append(self._made)  # what has just been written may be listed late
        standing = self._about(filed)
        return standing or self._about(self._tracker.closed_ones())

    def _about(self, filed: Iterable[Filed]) -> list[Standing]:
        marked = [(one, of) for one in filed if (of := read(one.body))]
        same = [Standing(one, of) for one, of in on_the_same(self._draft.marker, marked)]
        return sorted(same, key=lambda one: one.filed.number)

    def _try(self, plan: Plan) -> None:
        try:
            self._do(plan)
        except Denied as denied:
            self._tries += 1
            is_gone = plan.to is not None and denied.reason in {Reason.ABSENT, Reason.GONE}
            if not is_gone or self._tries > 1:  # else somebody has just deleted it
                self._tracker.pause(denied, self._tries)

    def _do(self, plan: Plan) -> None:
        tracker, step = self._tracker, plan.step
        if plan.fold is not None and plan.to is not None:
            marker = replace(plan.fold.marker, kind=DUPLICATE)
            body = f"{marker.line}\n{duplicate(plan.to.filed.number)}"
            tracker.edit(plan.fold.filed, body, "closed", "not_planned")
            if self._made is not None and self._made.number == plan.fold.filed.number:
                self._made = None
        elif plan.to is None:
            self._made, lost = tracker.open(self._draft.form, plan.body)
            self._notes += [lost] if lost else []
            self._step = step
        else:
            if step is not None and step.news is not None and not self._is_heard:
                self._tell(plan.to, step, step.news)
                return  # that takes a while: another look before the edit
            state = _CLOSED.get(step.act, ("", "")) if step else ("", "")
            tracker.edit(plan.to.filed, plan.body, *state)
            self._edits.append(plan.body)
            self._step = step or self._step

    def _tell(self, to: Standing, step: Step, news: News) -> None:
        """Say what is new, before it is written down that it was said; what is in the way keeps nothing else."""
        self._is_heard = True
        marker = replace(self._draft.marker, kind=ISSUE_NEWS, digest=f"{news}:{step.memory.drift}")
        text = f"{marker.line}\n{self._draft.news(step, to.memory or Memory())}"
        talk = self._tracker.talk(to.filed)
        try:
            _say_once(talk, marker, text)
        except Denied as denied:
            self._unheard = denied

    def _told(self, standing: Sequence[Standing]) -> Told:
        if self._unheard is not None:
            raise self._unheard
        draft, step = self._draft, self._step
        if not standing:
            return Told(decide(None, draft.scan).why)
        opened = [one for one in standing if one.filed.is_open]
        keeper = (opened or standing[-1:])[0]
        if step is None and draft.marker.is_newer(keeper.marker):
            step = _step(keeper, keeper, draft.scan)
            return Told(step.why, keeper.filed.url)
        if not _is_of(keeper, draft):
            return Told("left to a newer run", keeper.filed.url)
        done = _DONE.get(step.act, "opened") if step else "as it was"
        late = [missed(step.gap.last)] if step and step.gap else []
        return Told("; ".join((done, *self._notes, *late)), keeper.filed.url)


def _say_once(talk: Conversation, marker: Marker, text: str) -> None:
    """Write a comment unless the last one of its kind says the same; after a doubtful end look before trying again."""
    talk.identify()
    tries, is_written = 0, False
    while True:
        last = about(talk, talk.all(), marker)
        same = list(takewhile(lambda one: one.marker.digest == marker.digest, reversed(last)))
        for double in same[:-1]:
            talk.remove(double.posted)
        if same or is_written:
            return
        try:
            talk.write(text)
            is_written = True
        except Denied as denied:
            tries += 1
            talk.pause(denied, tries)


def _is_of(standing: Standing, draft: Draft) -> bool:
    """Whether it holds what the run itself has written."""
    return (standing.marker.head, standing.marker.sequence) == (draft.marker.head, draft.marker.sequence)


def _whole(marker: Marker, memory: Memory, text: str) -> str:
    return f"{marker.line}\n{hide(_TAG, memory)}\n{text}"


def _text(body: str) -> str:
    """What stands below the hidden lines."""
    return "\n".join(body.split("\n")[2:])
