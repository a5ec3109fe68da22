"""What is said while something is waited for: what, and why, a line an object, and only when that has changed."""

from collections.abc import Iterable
from functools import partial

from recon_action.act.causes import read_causes
from recon_action.act.waiting import Waiting
from recon_action.cluster import Cluster
from recon_action.model import ObjectRef, Progress
from recon_action.model.health import Health, Status

_FIRST = 3.0  # seconds before anything is said: most is healthy by then
_CALM = 10.0  # seconds between two rounds of news
_LINES = 10  # of one round
_ASKED = 5  # objects of one round whose pods and events are looked at
_BRIEF = 5.0  # seconds for each question
_STALE = 30.0  # seconds after which they are looked at again, though the object says the same as before


class News:
    """Tells a display of what `Waiting` knows, and asks the server why, of what lasts.

    Args:
        title: of the step that waiting is.
        progress: the display.
    """

    def __init__(self, title: str, progress: Progress) -> None:
        self._title = title
        self._progress = progress
        self._total = self._done = 0
        self._due: float | None = None
        self._told: dict[ObjectRef, str] = {}
        self._known: dict[ObjectRef, tuple[Health, float, str]] = {}

    def begin(self, waiting: Waiting) -> None:
        """Waiting begins."""
        self._total = len(waiting.pending)
        self._due = waiting.now + _FIRST
        self._progress.step(self._title, self._total)

    def tell(self, cluster: Cluster, waiting: Waiting) -> None:
        """Say what is new, if it is time to."""
        if (done := self._total - len(waiting.pending)) > self._done:
            self._progress.advance(done - self._done)
            self._done = done
        if waiting.failed:
            failed = [ref for ref in waiting.pending if waiting.health[ref].status is Status.FAILED]
            self._say(sorted(failed), waiting)
        elif self._due is not None and waiting.now >= self._due:
            self._due = waiting.now + _CALM
            self._ask(cluster, waiting)
            for ref in [ref for ref in self._told if ref not in waiting.pending]:
                del self._told[ref]
                self._progress.note(f"{ref}: {waiting.health[ref].status}")
            self._say(sorted(waiting.pending), waiting)

    def causes(self, cluster: Cluster, waiting: Waiting) -> dict[ObjectRef, str]:
        """Why what is not well is not, at the end."""
        if self._due is not None or (waiting.failed and waiting.left > 0):
            self._ask(cluster, waiting)
        return {ref: self._known[ref][2] for ref in waiting.pending if ref in self._known}

    def _say(self, refs: Iterable[ObjectRef], waiting: Waiting) -> None:
        texts = {ref: self._text(ref, waiting) for ref in refs}
        changed = {ref: text for ref, text in texts.items() if self._told.get(ref) != text}
        for ref, text in list(changed.items())[:_LINES]:
            self._progress.note(f"{ref}: {text}")
        if len(changed) > _LINES:
            self._progress.note(f"and {len(changed) - _LINES} more")
        self._told |= changed

    def _text(self, ref: ObjectRef, waiting: Waiting) -> str:
        health = waiting.health[ref]
        cause = self._known[ref][2] if ref in self._known else ""
        return "; ".join(filter(None, (health.message or str(health.status), cause)))

    def _ask(self, cluster: Cluster, waiting: Waiting) -> None:
        """Have the server say more of the first objects of which it has not just done so."""
        if waiting.problem is not None:
            return  # it has other worries
        news = [ref for ref in sorted(waiting.pending, key=partial(_urgency, waiting)) if self._is_news(ref, waiting)]
        asked = news[:_ASKED]
        brief = cluster.brief(_BRIEF)
        found = cluster.each(
            lambda ref: "; ".join(read_causes(brief, waiting.bodies[ref], waiting.health[ref].message)), asked
        )
        for ref, cause in zip(asked, found, strict=True):
            self._known[ref] = waiting.health[ref], waiting.now, cause

    def _is_news(self, ref: ObjectRef, waiting: Waiting) -> bool:
        health, at, _ = self._known.get(ref, (None, 0.0, ""))
        return health != waiting.health[ref] or waiting.now - at >= _STALE


def _urgency(waiting: Waiting, ref: ObjectRef) -> tuple[bool, ObjectRef]:
    return waiting.health[ref].status is not Status.FAILED, ref
