"""The one comment of a target on a pull request: kept current, and never two of them.

Decides what has to be done about the comments that are there. Several runs may write at once, and GitHub knows no
conditional edit; so each write follows a look, and another look follows it, until nothing is left to do. What the
comment says is `report.comment`'s.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Final

from recon_action.github.conversation import Conversation, Posted
from recon_action.github.denied import Denied, Need, Reason, unchanged
from recon_action.github.marker import NEWS, Marker, on_the_same, read

WRITE: Final = Need("write the comment", "pull-requests: write")
_ROUNDS = 8  # looks; more than that means that somebody else writes as fast as we do
_EDITS = 2  # of one comment with one text, before it counts as refused


@dataclass(frozen=True, slots=True)
class Draft:
    """What a run would have the comment say.

    Args:
        marker: whose it is, and how new.
        text: below the marker.
        wanted: whether there is to be a comment if there is none.
        knows_state: whether the run came to a report; one that did not leaves open what it would have found.
        news: the short comment on what is new: whether drift is, which destructive actions, and where this one is.
    """

    marker: Marker
    text: str
    wanted: bool = True
    knows_state: bool = True
    news: Callable[[bool, frozenset[str], str], str] = lambda _drift, _destructive, _url: ""


@dataclass(frozen=True, slots=True)
class Told:
    """What became of a draft.

    Args:
        what: in a word or two.
        url: of what stands there now, "" if nothing does.
        count: how many annotations it holds.
    """

    what: str
    url: str = ""
    count: int = 0


@dataclass(frozen=True, slots=True)
class Standing:
    """A comment of ours on the target, and its marker."""

    posted: Posted
    marker: Marker


@dataclass(frozen=True, slots=True)
class Create:
    """A comment is to be written."""

    text: str


@dataclass(frozen=True, slots=True)
class Edit:
    """A comment is to say something else."""

    posted: Posted
    text: str


@dataclass(frozen=True, slots=True)
class Remove:
    """Comments are too many."""

    others: tuple[Posted, ...]


def publish(talk: Conversation, draft: Draft) -> Told:
    """Have the comment say what `draft` says, unless a newer run has spoken.

    Raises:
        Denied: GitHub did not let us, or did not do it.
    """
    talk.identify()
    writing = _Writing(talk, draft)
    everything = writing.settle()
    standing = about(talk, everything, draft.marker)
    if not standing:
        return Told("nothing to tell")
    keeper = standing[0]
    if (keeper.marker.head, keeper.marker.sequence) != (draft.marker.head, draft.marker.sequence):
        return Told("left to a newer run", keeper.posted.url)
    if draft.knows_state:
        _tell(talk, draft, _news(draft.marker, writing.before), keeper.posted.url, everything)
    return Told(writing.done or "as it was", keeper.posted.url)


def next_step(standing: Sequence[Standing], draft: Draft) -> Create | Edit | Remove | None:
    """What is to be done about the comments that are ours; None if nothing is.

    The oldest of them stays, with what the newest run said; all others are too many.
    """
    if not standing:
        return Create(_whole(draft.marker, draft.text)) if draft.wanted else None
    keeper, *others = standing
    text = _current(standing, draft)
    if not _is_same(keeper.posted.body, text):
        return Edit(keeper.posted, text)
    live = tuple(other.posted for other in others if not other.posted.hidden)
    return Remove(live) if live else None


def about(talk: Conversation, everything: Sequence[Posted], marker: Marker) -> list[Standing]:
    """Our own comments on the same target, oldest first; those of others are not looked at."""
    ours = [(posted, of) for posted in everything if (of := read(posted.body)) and talk.is_ours(posted)]
    same = [Standing(posted, of) for posted, of in on_the_same(marker, ours)]
    return sorted(same, key=lambda one: one.posted.id)


class _Writing:
    """One run at the comment.

    Attributes:
        before: what stood there when it began.
        done: what it did, in a word.
    """

    def __init__(self, talk: Conversation, draft: Draft) -> None:
        self.before: Marker | None = None
        self.done = ""
        self._talk = talk
        self._draft = draft
        self._made: Posted | None = None
        self._edits: list[Edit] = []
        self._tries = 0

    def settle(self) -> list[Posted]:
        """Look and do, until nothing is to be done; all comments as they are then."""
        for number in range(_ROUNDS):
            everything = self._look()
            standing = about(self._talk, everything, self._draft.marker)
            if number == 0 and standing:
                self.before = _newest(standing).marker
            step = next_step(standing, self._draft)
            if step is None:
                return everything
            if isinstance(step, Edit) and self._edits.count(step) >= _EDITS:
                break
            self._try(step)
        raise unchanged(WRITE, len(self._draft.text.encode()))

    def _look(self) -> list[Posted]:
        everything = self._talk.all()
        if self._made is not None and self._made.id not in {posted.id for posted in everything}:
            everything.append(self._made)  # what has just been written may be listed late
        return everything

    def _try(self, step: Create | Edit | Remove) -> None:
        try:
            self._do(step)
        except Denied as denied:
            self._tries += 1
            if denied.reason is not Reason.ABSENT or self._tries > 1:  # else somebody has just deleted it
                self._talk.pause(denied, self._tries)

    def _do(self, step: Create | Edit | Remove) -> None:
        match step:
            case Create(text):
                self._made, self.done = self._talk.write(text), "written"
            case Edit(posted, text):
                self._talk.edit(posted, text)
                self._edits.append(step)
                self.done = self.done or "updated"
            case Remove(others):
                for posted in others:
                    self._talk.remove(posted)
                self._made = None


def _newest(standing: Sequence[Standing]) -> Standing:
    return reduce(lambda one, other: other if other.marker.is_newer(one.marker) else one, standing)


def _current(standing: Sequence[Standing], draft: Draft) -> str:
    """What the comment has to say: what the newest of its runs said, this one among them."""
    newest = _newest(standing)
    if not draft.marker.is_newer(newest.marker):
        return newest.posted.body
    marker = draft.marker.after(newest.marker)
    marker = replace(marker, cluster=marker.cluster or newest.marker.cluster)
    if not draft.knows_state:
        marker = replace(marker, drift=newest.marker.drift, destructive=newest.marker.destructive)
    return _whole(marker, draft.text)


def _news(marker: Marker, before: Marker | None) -> Marker | None:
    """What has changed for the worse since `before`; None if nothing has."""
    if before is None:  # a new comment is news enough
        return None
    drift, destructive = marker.drift and not before.drift, set(marker.destructive) - set(before.destructive)
    if not drift and not destructive:
        return None
    return replace(marker, kind=NEWS, drift=drift, destructive=tuple(sorted(destructive)))


def _tell(talk: Conversation, draft: Draft, news: Marker | None, url: str, everything: Sequence[Posted]) -> None:
    """Fold away what is news no more, and write a short comment on what is."""
    for old in about(talk, everything, replace(draft.marker, kind=NEWS)):
        if not old.posted.hidden and (news or not _is_true(old.marker, draft.marker)):
            talk.hide(old.posted)
    if news is not None:
        _write_once(talk, news, _whole(news, draft.news(news.drift, frozenset(news.destructive), url)))


def _is_true(news: Marker, now: Marker) -> bool:
    """Whether what was news still is so."""
    return news.drift <= now.drift and set(news.destructive) <= set(now.destructive)


def _write_once(talk: Conversation, marker: Marker, text: str) -> None:
    """Write a comment that may not come twice: after an end that is not certain, look before trying again."""
    tries = 0
    while True:
        try:
            talk.write(text)
        except Denied as denied:
            tries += 1
            talk.pause(denied, tries)
            if any(read(posted.body) == marker and talk.is_ours(posted) for posted in talk.all()):
                return
        else:
            return


def _whole(marker: Marker, text: str) -> str:
    return f"{marker.line}\n{text}"


def _is_same(one: str, other: str) -> bool:
    """Whether two texts are equal but for what GitHub may do to line ends."""
    return one.replace("\r\n", "\n").rstrip() == other.replace("\r\n", "\n").rstrip()
