"""How a run is asked to end early: by a signal, or because it lost its lock.

Nothing is thrown into the middle of anything. Whoever is about to send a request, or waits, looks here; what has
begun is brought to an end, and what is known is written down. Who asks, and what is settled, may not live here.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf

from recon_action.errors import ClusterError, Interrupted, LockedError, ReconError
from recon_action.model import Problem, Trouble

_ERRORS: dict[Trouble, type[ReconError]] = {Trouble.INTERRUPTED: Interrupted, Trouble.LOCKED: LockedError}


class Stop:
    """Whether a run is to end, and why; safe to use from several threads, but not from a signal handler.

    Args:
        clock: monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._asked = threading.Event()
        self._lock = threading.Lock()
        self._problem: Problem | None = None
        self._due: tuple[float, Problem | None] = (inf, None)
        self._followers: list[Callable[[Problem], object]] = []
        self._is_idle = False

    @property
    def problem(self) -> Problem | None:
        """Why the run is to end; None while it isn't."""
        at, problem = self._due
        if problem is not None and self._clock() >= at:
            self.ask(problem)
        return self._problem

    @property
    def is_idle(self) -> bool:
        """Whether nothing is at stake just now, so that a KeyboardInterrupt does no harm."""
        return self._is_idle

    def ask(self, problem: Problem) -> None:
        """Have the run end because of `problem`; only the first time counts."""
        with self._lock:
            if self._problem is not None:
                return
            self._problem = problem
            followers = list(self._followers)
        self._asked.set()
        for follower in followers:
            follower(problem)

    def ask_at(self, moment: float, problem: Problem) -> None:
        """Have the run end once the clock shows `moment`, unless another one is named before."""
        self._due = (moment, problem)

    def ask_no_more(self) -> None:
        """Forget the moment that `ask_at` named."""
        self._due = (inf, None)

    def wait(self, seconds: float) -> bool:
        """Wait so long, or until the run is to end; gives whether it is."""
        return self._asked.wait(seconds) or self.problem is not None

    def check(self) -> None:
        """Raise what ends the run, if it is to end."""
        problem = self.problem
        if problem is not None:
            kind = _ERRORS.get(problem.trouble, ClusterError)
            raise kind(problem.message, hint=problem.hint)

    def undone(self, verb: str) -> Problem:
        """The problem of one of many things that are not begun any more; the run's own says why."""
        trouble = self._problem.trouble if self._problem else Trouble.INTERRUPTED
        return Problem(trouble, "not begun", verb=verb)

    def follow(self, follower: Callable[[Problem], object]) -> None:
        """Have `follower` called once the run is to end; at once if it is already."""
        with self._lock:
            self._followers.append(follower)
            problem = self._problem
        if problem is not None:
            follower(problem)

    @contextmanager
    def following(self, follower: Callable[[Problem], object]) -> Iterator[None]:
        """The same, as long as the context lasts."""
        self.follow(follower)
        try:
            yield
        finally:
            with self._lock:
                self._followers.remove(follower)

    @contextmanager
    def heeded(self) -> Iterator[None]:
        """Once the run is to end, it ends here, or inside; whatever fails because of that is not the reason."""
        try:
            yield
        except ReconError:
            self.check()
            raise
        self.check()

    @contextmanager
    def idle(self) -> Iterator[None]:
        """Inside, nothing is at stake: a signal may be a KeyboardInterrupt, at once."""
        self._is_idle = True
        try:
            self.check()
            yield
        finally:
            self._is_idle = False
