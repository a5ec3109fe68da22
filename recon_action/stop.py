"""How a run is asked to end early: by a signal, or because it lost its lock.

Nothing is thrown into the middle of anything. Whoever is about to send a request, or waits, looks here; what has
begun is brought to an end, and what is known is written down. Who asks, and what is settled, may not live here.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from recon_action.errors import ClusterError, Interrupted, LockedError, ReconError
from recon_action.model import Problem, Trouble

_ERRORS: dict[Trouble, type[ReconError]] = {Trouble.INTERRUPTED: Interrupted, Trouble.LOCKED: LockedError}


class Stop:
    """Whether a run is to end, and why; safe to use from several threads, but not from a signal handler."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        self._lock = threading.Lock()
        self._problem: Problem | None = None
        self._followers: list[Callable[[Problem], object]] = []
        self._is_idle = False

    @property
    def problem(self) -> Problem | None:
        """Why the run is to end; None while it isn't."""
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

    def wait(self, seconds: float) -> bool:
        """Wait so long, or until the run is to end; gives whether it is."""
        return self._asked.wait(seconds)

    def check(self) -> None:
        """Raise what ends the run, if it is to end."""
        if self._problem is not None:
            raise _error(self._problem)

    @contextmanager
    def heeded(self) -> Iterator[None]:
        """Inside, and at its end, a run that is to end does; whatever failed because of that is not the reason."""
        try:
            self.check()
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

    @contextmanager
    def following(self, follower: Callable[[Problem], object]) -> Iterator[None]:
        """Inside, `follower` is called once the run is to end; at once if it is already."""
        with self._lock:
            self._followers.append(follower)
            problem = self._problem
        try:
            if problem is not None:
                follower(problem)
            yield
        finally:
            with self._lock:
                self._followers.remove(follower)


def _error(problem: Problem) -> ReconError:
    kind = _ERRORS.get(problem.trouble, ClusterError)
    return kind(problem.message, hint=problem.hint)
