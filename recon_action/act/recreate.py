"""Deletion and creation anew of an object of which a field can't be changed.

Killed in between, nothing is lost: the inventory holds the object, so the next run misses it and creates it.
"""

import time
from collections.abc import Callable
from dataclasses import replace

from recon_action.act.deletion import delete_as_judged, found
from recon_action.analyze.compare import compare
from recon_action.cluster import Cluster, NotSent, RequestError
from recon_action.model import Body, LiveObject, Problem, Resource, Trouble

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 1.0
# What the object itself holds, and what its deletion sets free.
_HELD_BY_ITSELF = "already allocated"


def recreate(
    cluster: Cluster,
    resource: Resource,
    live: LiveObject,
    payload: Body,
    seconds: float,
    *,
    clock: Callable[[], float] = time.monotonic,
) -> Body:
    """Delete the object that `live` is, and all that it owns, then apply `payload`; gives the new object.

    Args:
        cluster: where it is.
        resource: its kind.
        live: the object as it was judged; anything else is not deleted.
        payload: what is applied in its place.
        seconds: how long its end is waited for.
        clock: monotonic seconds.

    Raises:
        RequestError: the server would not take it anew, so that it was not deleted; it is not the object that was
            judged; it is not gone in time; or the apply failed.
    """
    metadata = {key: value for key, value in payload["metadata"].items() if key != "resourceVersion"}
    payload = payload | {"metadata": metadata}
    _require_creatable(cluster, resource, payload)
    # What differs in no more than its status is what was judged.
    delete_as_judged(
        cluster, resource, live, lambda now: not compare(now.body, live.body, status=False), foreground=True
    )
    try:
        _await_end(cluster, resource, live, clock() + seconds, clock)
        return cluster.apply(resource, payload)
    except NotSent as error:
        message = "deleted, and not created anew before the run had to end; the next apply does it"
        raise RequestError(replace(error.problem, message=message)) from error


def _require_creatable(cluster: Cluster, resource: Resource, payload: Body) -> None:
    """Ask before the deletion whether the server would take the object, were it not for the one that is there."""
    try:
        cluster.create(resource, payload, dry_run=True)
    except NotSent:
        raise
    except RequestError as error:
        problem = error.problem
        if problem.trouble is Trouble.CONFLICT or _HELD_BY_ITSELF in problem.message:
            return  # that it exists is the last thing that a server looks at
        message = f"not deleted, for it could not be created anew: {problem.message}"
        raise RequestError(replace(problem, message=message)) from error


def _await_end(cluster: Cluster, resource: Resource, live: LiveObject, end: float, clock: Callable[[], float]) -> None:
    """Wait until the object is gone; one of another UID is a new one."""
    pause = _FIRST_PAUSE
    while (body := found(cluster, resource, live)) is not None and body["metadata"]["uid"] == live.uid:
        if clock() >= end:
            raise RequestError(_unfinished(body))
        cluster.stop.wait(pause)
        pause = min(pause * 2, _LONGEST_PAUSE)


def _unfinished(body: Body) -> Problem:
    holders = [str(name) for name in body["metadata"].get("finalizers") or ()]
    held = f", held by {', '.join(holders)}" if holders else ""
    return Problem(
        Trouble.IMMUTABLE,
        f"it is being deleted, but not gone yet{held}",
        "see that whoever set the finalizer removes it; once the object is gone, an apply creates it",
        "delete",
    )
