"""The lock of a target: a Lease beside its inventory, which one run holds at a time.

Who holds it says so again and again. One that has said nothing for as long as its Lease states is dead, and its lock
is taken over; that is judged by this machine's monotonic clock, from when a version was first seen, so it doesn't
matter whose clock is wrong. Every write names the version that it replaces. A run that can't keep its lock is told
to end by its `Stop`.
"""

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from recon_action.act.lease import RENEWALS, Claim, Held
from recon_action.cluster import Cluster, RequestError
from recon_action.errors import LockedError
from recon_action.model import Inventory, ObjectRef, Problem, Progress, Settings, Trouble
from recon_action.model.capabilities import LEASE

_TRUST = 0.75  # of the time for which a lock counts; then we no longer believe that it is ours, and nobody has it yet
_RETRY = 2.0  # seconds until a renewal that failed is tried again
_LOOK = 2.0  # seconds between two looks at another's lock
_HINT = "let that run finish, or allow more time by lock-timeout; a run that was killed loses its lock after {:.0f} s"


def own_name(run_url: str) -> str:
    """Whom this run's lock names: the workflow run, else the process; the last part tells it from any other."""
    return f"{run_url or f'{socket.gethostname()}:{os.getpid()}'}#{os.urandom(4).hex()}"


@contextmanager
def locked(
    cluster: Cluster,
    inventory: Inventory,
    holder: str,
    settings: Settings,
    progress: Progress,
    *,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[None]:
    """Inside, no other run of the target of `inventory` acts; if one does, it is waited for.

    Args:
        cluster: where the target is. Its `stop` is asked should the lock get lost.
        inventory: names the lock, and says where it lies; read or not.
        holder: who we are, as others will read it; no two runs may be called the same.
        settings: how long to wait for another run, and how long our lock counts should we be killed.
        progress: told whom we wait for.
        clock: monotonic seconds.

    Raises:
        LockedError: another run still holds it.
        RequestError: the server refuses.
    """
    ref = ObjectRef(LEASE.group, LEASE.kind, inventory.namespace, inventory.name)
    lock = Claim(cluster, ref, holder, settings.lock_duration)
    taken = _acquire(lock, _Waiting(inventory.target, settings.lock_timeout, progress, clock), clock)
    over = threading.Event()
    renewal = threading.Thread(target=_keep, args=(lock, taken, over, clock), name="lock", daemon=True)
    _trust(lock, taken)
    renewal.start()
    try:
        yield
    finally:
        over.set()
        cluster.stop.ask_no_more()
        lock.release(progress)


class _Waiting:
    """Waiting for another run: until when, and which of its signs of life was the last."""

    def __init__(self, target: str, seconds: float, progress: Progress, clock: Callable[[], float]) -> None:
        self._target = target
        self._progress = progress
        self._clock = clock
        self._end = clock() + seconds
        self._seen, self._at = "", 0.0
        self._told = ""

    def is_free(self, held: Held) -> bool:
        """Whether nobody alive holds the lock."""
        if held.version != self._seen:
            self._seen, self._at = held.version, self._clock()
        return not held.holder or self._left(held) <= 0

    def wait(self, lock: Claim, held: Held) -> None:
        """Wait a little.

        Raises:
            LockedError: for long enough.
            ReconError: the run is to end.
        """
        left = self._end - self._clock()
        if left <= 0:
            message = f"another run holds the lock of target {self._target}: {held}"
            raise LockedError(message, hint=_HINT.format(held.duration))
        if held.holder != self._told:
            self._progress.note(f"waiting for another run that holds the lock of target {self._target}: {held}")
            self._told = held.holder
        lock.cluster.stop.wait(min(left, self._left(held), _LOOK))
        lock.cluster.stop.check()

    def _left(self, held: Held) -> float:
        """Seconds for which `held` counts as alive."""
        return self._at + held.duration - self._clock()


def _acquire(lock: Claim, patience: _Waiting, clock: Callable[[], float]) -> float:
    """Take the lock; gives the monotonic time from which it counts."""
    while True:
        begun = clock()
        if lock.create():
            return begun
        held = lock.read(lock.cluster)
        while held is not None and held.holder != lock.holder and not patience.is_free(held):
            patience.wait(lock, held)
            held = lock.read(lock.cluster)
        begun = clock()
        if held is not None and lock.take(held):
            return begun


def _keep(lock: Claim, written: float, over: threading.Event, clock: Callable[[], float]) -> None:
    """Renew the lock until `over`; have the run end if it is lost."""
    pause = lock.duration / RENEWALS
    while not over.wait(pause):
        begun = clock()
        try:
            kept = lock.renew()
        except RequestError as error:
            _trust(lock, written, f"it could not be renewed: {error.message}")
            pause = _RETRY
            continue
        if over.is_set():
            return
        if not kept:
            lock.cluster.stop.ask(_lost("another run has taken it, or somebody deleted it"))
            return
        written, pause = begun, lock.duration / RENEWALS
        _trust(lock, written)


def _trust(lock: Claim, since: float, why: str = "it was not renewed in time") -> None:
    """Believe in the lock, written at `since` of the monotonic clock, for so long; then end because of `why`."""
    lock.cluster.stop.ask_at(since + lock.duration * _TRUST, _lost(why))


def _lost(why: str) -> Problem:
    return Problem(Trouble.LOCKED, f"the lock was lost: {why}", "run again; what is not done yet is done then")
