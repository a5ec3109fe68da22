"""Patches of objects that something else may write at any time: only ever applied to the version they are made for."""

from collections.abc import Callable, Sequence

from recon_action.cluster import Cluster, RequestError
from recon_action.model import Body, LiveObject, Problem, Resource, Trouble
from recon_action.model.live import FIELD_MANAGER

_ROUNDS = 5  # of catching up with an object that something else writes all the time


def patch_guarded(
    cluster: Cluster,
    resource: Resource,
    live: LiveObject,
    operations_of: Callable[[LiveObject], Sequence[Body]],
    *,
    manager: str = FIELD_MANAGER,
) -> tuple[LiveObject, Body | None]:
    """Patch `live`; what was written since it was read is read again and kept.

    Gives the object that the patch was made for, and the object as it is stored; None if nothing was to be done.

    Args:
        cluster: where it is.
        resource: its kind.
        live: as read.
        operations_of: the JSON patch for the object as it is; it must be refused for any other version. Empty if
            there is nothing to do.
        manager: the field manager that writes.

    Raises:
        RequestError: the server refused; or the object changes too fast, or is another one by now.
    """
    current, rounds = live, _ROUNDS
    while operations := operations_of(current):
        rounds -= 1
        try:
            return current, cluster.patch(resource, live.ref, operations, manager=manager)
        except RequestError as error:
            if error.problem.trouble is not Trouble.CONFLICT or not rounds:
                raise
            current = LiveObject(live.ref, cluster.get(resource, live.ref))
            if current.uid != live.uid:
                message = "someone created the object anew in the meantime"
                raise RequestError(Problem(Trouble.CONFLICT, message, "run again", "apply")) from error
    return current, None
