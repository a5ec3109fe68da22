"""The deletion of one object, only while it still is what was judged.

Its UID tells that it is the same object; but between judging and deleting lie minutes in which it may have been
edited, or have moved to another target. So the version that was judged is a precondition, too, and if it has moved on
the object is looked at again: most writes are of its status.
"""

from collections.abc import Callable

from recon_action.cluster import Cluster, RequestError
from recon_action.model import Body, LiveObject, Problem, Resource, Trouble

_ROUNDS = 5  # of catching up with an object whose status is written all the time


def delete_as_judged(
    cluster: Cluster,
    resource: Resource,
    live: LiveObject,
    stands: Callable[[LiveObject], bool],
    *,
    foreground: bool = False,
) -> Body | None:
    """Delete `live`; gives what is left of it, None if nothing is.

    Args:
        cluster: where it is.
        resource: its kind.
        live: the object as it was judged.
        stands: whether the judgement holds of the object as it is now.
        foreground: whether it stays until all that it owns is gone.

    Raises:
        RequestError: it is another object by now, the judgement doesn't hold any more, or the server refuses.
    """
    version = live.resource_version
    for _ in range(_ROUNDS):
        try:
            return cluster.delete(resource, live.ref, uid=live.uid, version=version, foreground=foreground)
        except RequestError as error:
            if error.problem.trouble is Trouble.MISSING:
                return None
            if error.problem.trouble is not Trouble.CONFLICT:
                raise
        body = found(cluster, resource, live)
        if body is None:
            return None
        now = LiveObject(live.ref, body)
        if now.uid != live.uid or not stands(now):
            message = "not deleted: it was changed after it had been judged"
            raise RequestError(Problem(Trouble.CONFLICT, message, "run again", "delete"))
        version = now.resource_version
    message = "not deleted: it changes faster than it can be looked at"
    raise RequestError(Problem(Trouble.CONFLICT, message, "run again", "delete"))


def found(cluster: Cluster, resource: Resource, live: LiveObject) -> Body | None:
    """What is there under the name of `live`; None if nothing is."""
    try:
        return cluster.get(resource, live.ref)
    except RequestError as error:
        if error.problem.trouble is Trouble.MISSING:
            return None
        raise
