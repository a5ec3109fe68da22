"""Waiting for health, or for the end, by watch: until all is well, one has failed, or time is up."""

import queue
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial

from recon_action.act.causes import read_deferring
from recon_action.act.news import News
from recon_action.act.streams import PAUSE, Sight, Sights, Stream
from recon_action.act.waiting import Waited, Waiting
from recon_action.analyze.conditions import part_of
from recon_action.analyze.health import health_of
from recon_action.analyze.patience import patience
from recon_action.cluster import Cluster
from recon_action.model import Body, ObjectRef, Progress, Resource, ref_of
from recon_action.model.health import Health, Status
from recon_action.model.inventory import PART_OF


def wait(  # noqa: PLR0913 - where, what, how long, and who is told
    cluster: Cluster,
    bodies: Mapping[ObjectRef, Body],
    resources: Mapping[ObjectRef, Resource],
    applyset: str,
    seconds: float,
    progress: Progress,
    *,
    fresh: Collection[ObjectRef] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Waited:
    """Wait until every object of `bodies` is Current, one has Failed, or time is up.

    Args:
        cluster: where they are.
        bodies: the objects as last seen; those that are Current already cost nothing. One whose own annotation
            says that no time is to be spent on it is left out.
        resources: their kinds.
        applyset: the id that their label carries.
        seconds: how long to wait for an object at most, unless its own annotation says otherwise.
        progress: told what is waited for.
        fresh: those that were changed just now, so that their status may lag behind; None means all.
        clock: monotonic seconds.
    """
    bodies = {ref: body for ref, body in bodies.items() if patience(body) != 0}
    deferring = read_deferring(cluster) if any(map(_is_pending_claim, bodies.values())) else ()
    doubted = {ref for ref in (bodies if fresh is None else fresh) if _has_reporter(resources[ref])}
    waiting = Waiting(
        bodies,
        partial(health_of, deferring=deferring),
        goal=Status.CURRENT,
        doubted=doubted,
        began=clock(),
        seconds=seconds,
    )
    return _wait(cluster, waiting, resources, applyset, News("waiting for health", progress), clock)


def wait_gone(
    cluster: Cluster,
    bodies: Mapping[ObjectRef, Body],
    resources: Mapping[ObjectRef, Resource],
    applyset: str,
    seconds: float,
    progress: Progress,
    *,
    clock: Callable[[], float] = time.monotonic,
) -> Waited:
    """Wait until none of `bodies`, which are being deleted, is there any more; the rest is as for `wait`."""
    uids = {ref: body["metadata"].get("uid") for ref, body in bodies.items()}

    def judge(body: Body) -> Health:
        """Another object of the same name is none of ours."""
        same = uids[ref_of(body)] == body["metadata"].get("uid")
        return health_of(body) if same else Health(Status.NOT_FOUND)

    waiting = Waiting(bodies, judge, goal=Status.NOT_FOUND, doubted=(), began=clock(), seconds=seconds)
    return _wait(cluster, waiting, resources, applyset, News("waiting for deletion", progress), clock)


def _wait(
    cluster: Cluster,
    waiting: Waiting,
    resources: Mapping[ObjectRef, Resource],
    applyset: str,
    news: News,
    clock: Callable[[], float],
) -> Waited:
    if not waiting.is_over() and cluster.stop.problem is None:
        news.begin(waiting)
        over = threading.Event()
        sights = _streams(cluster, waiting, resources, f"{PART_OF}={applyset}", over, clock)
        try:
            while not waiting.is_over() and cluster.stop.problem is None:
                for sight in _arrived(sights, min(waiting.left, PAUSE)):
                    waiting.learn(sight)
                waiting.tick(clock())
                news.tell(cluster, waiting)
        finally:
            over.set()
    waited = waiting.result(news.causes(cluster, waiting))
    return waited if cluster.stop.problem is None else replace(waited, problem=None)  # whoever asked for the end knows


def _streams(
    cluster: Cluster,
    waiting: Waiting,
    resources: Mapping[ObjectRef, Resource],
    selector: str,
    over: threading.Event,
    clock: Callable[[], float],
) -> Sights:
    """One stream a kind, each in a thread of its own."""
    sights: Sights = queue.SimpleQueue()
    scopes: dict[Resource, set[ObjectRef]] = {}
    for ref in waiting.pending:
        scopes.setdefault(resources[ref], set()).add(ref)
    end = clock() + waiting.left
    for resource, refs in scopes.items():
        stream = Stream(cluster, resource, frozenset(refs), selector, lambda: end - clock())
        threading.Thread(target=stream.run, args=(sights, over), daemon=True).start()
    return sights


def _arrived(sights: Sights, seconds: float) -> Iterator[Sight]:
    """What has been seen: what arrives within `seconds`, and all that is there by then."""
    try:
        yield sights.get(timeout=seconds)
        while True:
            yield sights.get_nowait()
    except queue.Empty:
        return


def _is_pending_claim(body: Body) -> bool:
    return body["kind"] == "PersistentVolumeClaim" and part_of(body, "status").get("phase") == "Pending"


def _has_reporter(resource: Resource) -> bool:
    """Whether it is a custom kind whose status somebody is meant to write."""
    return not resource.built_in and "status" in resource.subresources
