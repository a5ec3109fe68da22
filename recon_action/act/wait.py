"""Waiting for health, by watch: one stream a kind, until all is Current, one has failed, or time is up."""

import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from recon_action.analyze.health import Health, Status, health_of
from recon_action.cluster import Cluster, RequestError
from recon_action.model import Body, ObjectRef, Problem, Progress, Resource, Trouble, ref_of
from recon_action.model.inventory import PART_OF

_PAUSE = 1.0  # between two looks, where a stream breaks or may not be had
_STREAM = 60.0  # the longest a stream lives; a fresh one sees what a proxy may have swallowed

# What a stream learns: an object, or why it learns nothing.
_Events = queue.SimpleQueue[Body | Problem]


@dataclass(frozen=True, slots=True)
class Waited:
    """What waiting came to.

    Args:
        health: of every object that was looked at.
        problem: why nothing more could be learnt, if time ran out over it.
    """

    health: Mapping[ObjectRef, Health]
    problem: Problem | None = None


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
    waiting = _Waiting({ref: health_of(body) for ref, body in bodies.items()}, progress)
    if waiting.is_over() or seconds <= 0:
        return Waited(waiting.health)
    progress.step("waiting for health", len(waiting.pending))
    deadline = clock() + seconds
    events: _Events = queue.SimpleQueue()
    over = threading.Event()
    scopes: dict[Resource, set[str]] = {}
    for ref in waiting.pending:
        scopes.setdefault(resources[ref], set()).add(ref.namespace)
    for resource, namespaces in scopes.items():
        stream = _Stream(cluster, resource, sorted(namespaces), f"{PART_OF}={applyset}", lambda: deadline - clock())
        threading.Thread(target=stream.run, args=(events, over), daemon=True).start()
    try:
        while not waiting.is_over() and (left := deadline - clock()) > 0:
            waiting.learn(events, min(left, _PAUSE))
    finally:
        over.set()
    return Waited(waiting.health, None if waiting.is_over() else waiting.problem)


class _Waiting:
    """What is known, and what is still waited for."""

    def __init__(self, health: dict[ObjectRef, Health], progress: Progress) -> None:
        self.health = health
        self.pending = {ref for ref, state in health.items() if state.status is not Status.CURRENT}
        self.problem: Problem | None = None
        self._progress = progress

    def is_over(self) -> bool:
        """Whether there is nothing more to wait for: all is well, or something can't heal."""
        return not self.pending or any(self.health[ref].status is Status.FAILED for ref in self.pending)

    def learn(self, events: _Events, seconds: float) -> None:
        """Learn from one event, if one comes within `seconds`."""
        try:
            event = events.get(timeout=seconds)
        except queue.Empty:
            return
        if isinstance(event, Problem):
            self.problem = event
            return
        ref, state = ref_of(event), health_of(event)
        if ref not in self.health:
            return
        if state.status is Status.CURRENT:
            if ref in self.pending:
                self.pending.remove(ref)
                self._progress.advance()
        else:
            self.pending.add(ref)
            if state != self.health[ref]:
                self._progress.note(f"{ref}: {state.message or state.status}")
        self.health[ref] = state


class _Stream:
    """One kind, listed and then watched, again and again until told to stop.

    Where watching the whole cluster is forbidden, each namespace is listed every second instead.
    """

    def __init__(
        self, cluster: Cluster, resource: Resource, namespaces: list[str], selector: str, left: Callable[[], float]
    ) -> None:
        self._cluster = cluster
        self._resource = resource
        self._namespaces = namespaces
        self._selector = selector
        self._left = left
        self._may_watch = True

    def run(self, events: _Events, over: threading.Event) -> None:
        """Put every object that is seen into `events`."""
        while not over.is_set() and self._left() > 0:
            try:
                for body in self._watched() if self._may_watch else self._listed():
                    events.put(body)
                    if over.is_set():
                        return
            except RequestError as error:
                if error.problem.trouble is Trouble.FORBIDDEN and self._may_watch:
                    self._may_watch = False
                    continue
                events.put(error.problem)
            over.wait(_PAUSE)

    def _watched(self) -> Iterator[Body]:
        namespace = self._namespaces[0] if len(self._namespaces) == 1 else ""
        items, version = self._cluster.list_all(self._resource, namespace=namespace, selector=self._selector)
        yield from items
        for kind, body in self._cluster.watch(
            self._resource,
            namespace=namespace,
            selector=self._selector,
            resource_version=version,
            seconds=min(_STREAM, max(1.0, self._left())),
        ):
            if kind in {"ADDED", "MODIFIED"}:
                yield body

    def _listed(self) -> Iterator[Body]:
        for namespace in self._namespaces:
            yield from self._cluster.list_all(self._resource, namespace=namespace, selector=self._selector)[0]
