"""Waiting for health, by watch: one stream a kind, until all is Current, one has failed, or time is up."""

import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from recon_action.analyze.health import Health, Status, health_of
from recon_action.cluster import Cluster, RequestError
from recon_action.model import Body, ObjectRef, Progress, Resource, Trouble, ref_of
from recon_action.model.inventory import PART_OF

_PAUSE = 1.0  # between two attempts at a stream that breaks
_STREAM = 60.0  # the longest a stream lives; a fresh one sees what a proxy may have swallowed


@dataclass(frozen=True, slots=True)
class Waited:
    """What waiting came to.

    Args:
        health: of every object that was looked at.
        timed_out: whether time ran out.
    """

    health: Mapping[ObjectRef, Health]
    timed_out: bool = False


def wait(
    cluster: Cluster,
    bodies: Mapping[ObjectRef, Body],
    resources: Mapping[ObjectRef, Resource],
    applyset: str,
    seconds: float,
    progress: Progress,
    *,
    clock: Callable[[], float] = time.monotonic,
) -> Waited:
    """Wait until every object of `bodies` is Current, one has Failed, or `seconds` are over.

    Args:
        cluster: where they are.
        bodies: the objects as last seen; those that are Current already cost nothing.
        resources: their kinds.
        applyset: the id that their label carries.
        seconds: how long to wait at most.
        progress: told what is waited for.
        clock: monotonic seconds.
    """
    health = {ref: health_of(body) for ref, body in bodies.items()}
    pending = {ref for ref, state in health.items() if state.status is not Status.CURRENT}
    if not pending or seconds <= 0 or _has_failed(health):
        return Waited(health, timed_out=bool(pending) and not _has_failed(health))
    progress.step("waiting for health", len(pending))
    deadline = clock() + seconds
    events: queue.SimpleQueue[Body] = queue.SimpleQueue()
    over = threading.Event()
    for scope in _scopes(pending, resources):
        stream = _Stream(cluster, scope, f"{PART_OF}={applyset}", deadline, clock)
        threading.Thread(target=stream.run, args=(events, over), daemon=True).start()
    try:
        while pending and not _has_failed(health):
            left = deadline - clock()
            if left <= 0:
                return Waited(health, timed_out=True)
            _take(events, min(left, _PAUSE), health, pending, progress)
    finally:
        over.set()
    return Waited(health)


def _take(
    events: "queue.SimpleQueue[Body]",
    seconds: float,
    health: dict[ObjectRef, Health],
    pending: set[ObjectRef],
    progress: Progress,
) -> None:
    """Learn from one event, if one comes within `seconds`."""
    try:
        body = events.get(timeout=seconds)
    except queue.Empty:
        return
    ref = ref_of(body)
    if ref not in health:
        return
    state = health_of(body)
    if state != health[ref] and state.status is not Status.CURRENT:
        progress.note(f"{ref}: {state.message or state.status}")
    health[ref] = state
    if state.status is Status.CURRENT and ref in pending:
        pending.discard(ref)
        progress.advance()
    elif state.status is not Status.CURRENT:
        pending.add(ref)


def _has_failed(health: Mapping[ObjectRef, Health]) -> bool:
    return any(state.status is Status.FAILED for state in health.values())


def _scopes(
    pending: set[ObjectRef], resources: Mapping[ObjectRef, Resource]
) -> Iterator[tuple[Resource, frozenset[str]]]:
    """The kinds to watch, each with the namespaces that matter."""
    by_resource: dict[Resource, set[str]] = {}
    for ref in pending:
        by_resource.setdefault(resources[ref], set()).add(ref.namespace)
    for resource, namespaces in by_resource.items():
        yield resource, frozenset(namespaces)


class _Stream:
    """One kind, listed and then watched, again and again until told to stop."""

    def __init__(
        self,
        cluster: Cluster,
        scope: tuple[Resource, frozenset[str]],
        selector: str,
        deadline: float,
        clock: Callable[[], float],
    ) -> None:
        self._cluster = cluster
        self._resource, self._namespaces = scope
        self._selector = selector
        self._deadline = deadline
        self._clock = clock

    def run(self, events: "queue.SimpleQueue[Body]", over: threading.Event) -> None:
        """Put every object that is seen into `events`."""
        namespace = next(iter(self._namespaces)) if len(self._namespaces) == 1 else ""
        while not over.is_set() and self._clock() < self._deadline:
            try:
                for body in self._seen(namespace):
                    events.put(body)
                    if over.is_set():
                        return
            except RequestError as error:
                if error.problem.trouble is Trouble.FORBIDDEN:
                    return  # the object stays as last seen, and waiting times out with that reason
                over.wait(_PAUSE)

    def _seen(self, namespace: str) -> Iterator[Body]:
        items, version = self._cluster.list_all(self._resource, namespace=namespace, selector=self._selector)
        yield from items
        seconds = min(_STREAM, max(1.0, self._deadline - self._clock()))
        for kind, body in self._cluster.watch(
            self._resource,
            namespace=namespace,
            selector=self._selector,
            resource_version=version,
            seconds=seconds,
        ):
            if kind in {"ADDED", "MODIFIED"}:
                yield body
