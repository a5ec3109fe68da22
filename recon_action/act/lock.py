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
from dataclasses import dataclass
from datetime import UTC, datetime

from recon_action.act.inventory import ensure_namespace
from recon_action.cluster import Cluster, RequestError
from recon_action.errors import LockedError
from recon_action.model import Body, Inventory, ObjectRef, Problem, Progress, Settings, Trouble
from recon_action.model.capabilities import LEASE

_RENEWALS = 4  # in the time for which a lock counts; an attempt may take half of the time between two
_TRUST = 0.75  # of that time, after which we no longer believe that we hold it: nobody else has it yet
_RETRY = 2.0  # seconds until a renewal that failed is tried again
_LOOK = 2.0  # seconds between two looks at another's lock
_ATTEMPTS = 3  # at giving it back, if a renewal comes in between
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
    lock = _Lock(cluster, ref, holder, settings.lock_duration)
    taken = _acquire(lock, _Waiting(inventory.target, settings.lock_timeout, progress, clock), clock)
    over = threading.Event()
    renewal = threading.Thread(target=_keep, args=(lock, taken, over, clock), name="lock", daemon=True)
    lock.trust(taken)
    renewal.start()
    try:
        yield
    finally:
        over.set()
        cluster.stop.ask_no_more()
        lock.release(progress)


@dataclass(frozen=True, slots=True)
class _Held:
    """A Lease as it was read.

    Args:
        uid: its UID.
        version: its resourceVersion.
        holder: "" if nobody holds it.
        since: when that one got it, as that one's clock said; RFC 3339.
        duration: seconds that it counts without being renewed.
        transitions: how often it changed hands.
    """

    uid: str
    version: str
    holder: str
    since: str
    duration: float
    transitions: int

    @classmethod
    def of(cls, body: Body) -> "_Held":
        metadata, spec = body["metadata"], body.get("spec") or {}
        return cls(
            uid=metadata["uid"],
            version=metadata["resourceVersion"],
            holder=spec.get("holderIdentity") or "",
            since=spec.get("acquireTime") or "",
            duration=float(spec.get("leaseDurationSeconds") or 0),
            transitions=int(spec.get("leaseTransitions") or 0),
        )

    def __str__(self) -> str:
        """Who, and since when; what others wrote, without characters that would move a cursor."""
        since = self.since.partition(".")[0].replace("T", " ").removesuffix("Z")
        text = self.holder.rpartition("#")[0] or self.holder
        text += f", since {since} UTC" if since else ""
        return "".join(character for character in text if character.isprintable())


class _Lock:
    """Our claim on one Lease, and what it was written as last."""

    def __init__(self, cluster: Cluster, ref: ObjectRef, holder: str, duration: float) -> None:
        self.cluster = cluster
        self.holder = holder
        self.duration = duration
        self._ref = ref
        self._since = ""
        self._ours: _Held | None = None

    def create(self) -> bool:
        """Take the lock if there is none; gives whether it is ours."""
        try:
            return self._created()
        except RequestError as error:
            if error.problem.trouble is not Trouble.MISSING:
                raise
        ensure_namespace(self.cluster, self._ref.namespace)
        return self._created()

    def take(self, held: _Held) -> bool:
        """Take the lock out of the hands of `held`; gives whether it is ours."""
        if held.holder == self.holder:  # the answer to our own writing was lost
            self._ours, self._since = held, held.since
            return True
        self._since = _now()
        return self._write(self.cluster, held, held.transitions + 1)

    def renew(self) -> bool:
        """Say that we are alive; gives False if the lock is no longer ours."""
        cluster = self.cluster.brief(self.duration / _RENEWALS / 2)
        held = self._ours
        while held is not None and held.holder == self.holder:
            if self._write(cluster, held, held.transitions):
                return True
            held = self.read(cluster)
        return False

    def release(self, progress: Progress) -> None:
        """Give the lock back, and never another's; one that can't be given back ends by itself."""
        cluster, held = self.cluster.settling(), self._ours
        try:
            for _ in range(_ATTEMPTS):
                if held is None or held.holder != self.holder or self._deleted(cluster, held):
                    return
                held = self.read(cluster)
        except RequestError as error:
            progress.note(f"the lock could not be given back, so it ends in {self.duration:.0f} s: {error.message}")

    def read(self, cluster: Cluster) -> _Held | None:
        """The lock as it is; None if there is none."""
        try:
            return _Held.of(cluster.get(LEASE, self._ref))
        except RequestError as error:
            if error.problem.trouble is Trouble.MISSING:
                return None
            raise

    def trust(self, since: float, why: str = "it was not renewed in time") -> None:
        """Believe in the lock, written at `since` of the monotonic clock, for so long; then end because of `why`."""
        self.cluster.stop.ask_at(since + self.duration * _TRUST, _lost(why))

    def _created(self) -> bool:
        self._since = _now()
        metadata = {"name": self._ref.name, "namespace": self._ref.namespace}
        body = {"apiVersion": LEASE.api_version, "kind": LEASE.kind, "metadata": metadata, "spec": self._spec(0)}
        try:
            self._ours = _Held.of(self.cluster.create(LEASE, body))
        except RequestError as error:
            if error.problem.trouble is Trouble.CONFLICT:
                return False
            raise
        return True

    def _write(self, cluster: Cluster, held: _Held, transitions: int) -> bool:
        """Put our name into the very version `held`; gives whether that was still the one."""
        operations: list[Body] = [
            {"op": "replace", "path": "/metadata/resourceVersion", "value": held.version},
            {"op": "add", "path": "/spec", "value": self._spec(transitions)},
        ]
        try:
            self._ours = _Held.of(cluster.patch(LEASE, self._ref, operations))
        except RequestError as error:
            if error.problem.trouble in {Trouble.CONFLICT, Trouble.MISSING}:
                return False
            raise
        return True

    def _deleted(self, cluster: Cluster, held: _Held) -> bool:
        try:
            cluster.delete(LEASE, self._ref, uid=held.uid, version=held.version)
        except RequestError as error:
            if error.problem.trouble is Trouble.CONFLICT:
                return False
            if error.problem.trouble is not Trouble.MISSING:
                raise
        return True

    def _spec(self, transitions: int) -> Body:
        return {
            "holderIdentity": self.holder,
            "leaseDurationSeconds": max(1, round(self.duration)),
            "acquireTime": self._since,
            "renewTime": _now(),
            "leaseTransitions": transitions,
        }


class _Waiting:
    """Waiting for another run: until when, and which of its signs of life was the last."""

    def __init__(self, target: str, seconds: float, progress: Progress, clock: Callable[[], float]) -> None:
        self._target = target
        self._progress = progress
        self._clock = clock
        self._end = clock() + seconds
        self._seen, self._at = "", 0.0
        self._told = ""

    def is_free(self, held: _Held) -> bool:
        """Whether nobody alive holds the lock."""
        if held.version != self._seen:
            self._seen, self._at = held.version, self._clock()
        return not held.holder or self._left(held) <= 0

    def wait(self, lock: _Lock, held: _Held) -> None:
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

    def _left(self, held: _Held) -> float:
        """Seconds for which `held` counts as alive."""
        return self._at + held.duration - self._clock()


def _acquire(lock: _Lock, patience: _Waiting, clock: Callable[[], float]) -> float:
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


def _keep(lock: _Lock, written: float, over: threading.Event, clock: Callable[[], float]) -> None:
    """Renew the lock until `over`; have the run end if it is lost."""
    pause = lock.duration / _RENEWALS
    while not over.wait(pause):
        begun = clock()
        try:
            kept = lock.renew()
        except RequestError as error:
            lock.trust(written, f"it could not be renewed: {error.message}")
            pause = _RETRY
            continue
        if over.is_set():
            return
        if not kept:
            lock.cluster.stop.ask(_lost("another run has taken it, or somebody deleted it"))
            return
        written, pause = begun, lock.duration / _RENEWALS
        lock.trust(written)


def _lost(why: str) -> Problem:
    return Problem(Trouble.LOCKED, f"the lock was lost: {why}", "run again; what is not done yet is done then")


def _now() -> str:
    """The time as Leases state it: for people alone, nothing is decided by it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
