"""One kind, listed and then watched, again and again until told to stop. Decides nothing of what it sees."""

import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from recon_action.cluster import Cluster, RequestError
from recon_action.model import Body, ObjectRef, Problem, Resource, Trouble, ref_of

PAUSE = 1.0  # seconds between two looks, where a stream breaks or may not be had
_LONGEST = 60.0  # a fresh stream sees what a proxy may have swallowed
_STRAY = 5.0  # and what the label doesn't find, which no stream tells of


@dataclass(frozen=True, slots=True)
class Gone:
    """An object that is not found.

    Args:
        ref: which.
        last: the last that the server said of it; None if it was not there at all.
    """

    ref: ObjectRef
    last: Body | None = None


@dataclass(frozen=True, slots=True)
class Sight:
    """What a stream learns: an object, that one is gone, why it learns nothing, or (None) that it learns again."""

    resource: Resource
    seen: Body | Gone | Problem | None


Sights = queue.SimpleQueue[Sight]


class Stream:
    """The objects of one kind.

    Where watching the whole cluster is forbidden, each namespace is listed every second instead. What the label does
    not find is got by name: it may have lost the label, or be gone.

    Args:
        cluster: where they are.
        resource: their kind.
        refs: which are meant.
        selector: the label that they carry.
        left: seconds that there are left.
    """

    def __init__(
        self,
        cluster: Cluster,
        resource: Resource,
        refs: frozenset[ObjectRef],
        selector: str,
        left: Callable[[], float],
    ) -> None:
        self._cluster = cluster
        self._resource = resource
        self._refs = refs
        self._namespaces = sorted({ref.namespace for ref in refs})
        self._selector = selector
        self._left = left
        self._may_watch = True

    def run(self, sights: Sights, over: threading.Event) -> None:
        """Put whatever is seen into `sights`."""
        while not over.is_set() and self._left() > 0:
            try:
                for seen in self._watched() if self._may_watch else self._listed():
                    sights.put(Sight(self._resource, seen))
                    if over.is_set():
                        return
            except RequestError as error:
                trouble = error.problem.trouble
                if trouble is Trouble.FORBIDDEN and self._may_watch:
                    self._may_watch = False
                    continue
                if trouble is Trouble.MISSING:  # the kind is not served: not yet, or no longer
                    for ref in self._refs:
                        sights.put(Sight(self._resource, Gone(ref)))
                else:
                    sights.put(Sight(self._resource, error.problem))
            over.wait(PAUSE)

    def _watched(self) -> Iterator[Body | Gone | None]:
        namespace = self._namespaces[0] if len(self._namespaces) == 1 else ""
        items, version = self._cluster.list_all(self._resource, namespace=namespace, selector=self._selector)
        yield None
        yield from items
        strays = self._strays(items)
        yield from map(self._look, strays)
        for kind, body in self._cluster.watch(
            self._resource,
            namespace=namespace,
            selector=self._selector,
            resource_version=version,
            seconds=min(_STRAY if strays else _LONGEST, max(1.0, self._left())),
        ):
            if kind in {"ADDED", "MODIFIED"}:
                yield body
            elif kind == "DELETED" and ref_of(body) in self._refs:
                yield self._look(ref_of(body), body)

    def _listed(self) -> Iterator[Body | Gone | None]:
        for namespace in self._namespaces:
            items, _ = self._cluster.list_all(self._resource, namespace=namespace, selector=self._selector)
            yield None
            yield from items
            yield from (self._look(ref) for ref in self._strays(items) if ref.namespace == namespace)

    def _strays(self, items: Iterable[Body]) -> list[ObjectRef]:
        return sorted(self._refs - {ref_of(item) for item in items})

    def _look(self, ref: ObjectRef, last: Body | None = None) -> Body | Gone:
        try:
            return self._cluster.get(self._resource, ref)
        except RequestError as error:
            if error.problem.trouble not in {Trouble.MISSING, Trouble.FORBIDDEN}:
                raise
            return Gone(ref, last)
