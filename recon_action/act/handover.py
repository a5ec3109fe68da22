"""Field ownership moved, just before the apply that makes use of it.

Killed in between, nothing is lost: our entry then holds what Git lacks, and the next run's apply removes it.
"""

from recon_action.analyze.handover import handover_patch
from recon_action.cluster import Cluster, RequestError
from recon_action.model import Handover, LiveObject, Problem, Resource, Trouble

_ROUNDS = 5  # of catching up with an object that something else writes all the time


def hand_over(cluster: Cluster, resource: Resource, live: LiveObject, handover: Handover) -> None:
    """Do what `handover` says; what was written since `live` was read is read again and kept.

    Raises:
        RequestError: the server refused; or the object changes too fast, or is another one by now.
    """
    uid = live.uid
    for remaining in reversed(range(_ROUNDS)):
        operations = handover_patch(live, handover)
        if not operations:
            return
        try:
            cluster.patch(resource, live.ref, operations)
        except RequestError as error:
            if error.problem.trouble is not Trouble.CONFLICT or not remaining:
                raise
        else:
            return
        live = LiveObject(live.ref, cluster.get(resource, live.ref))
        if live.uid != uid:
            message = "someone created the object anew while it was being taken over"
            raise RequestError(Problem(Trouble.CONFLICT, message, "run again", "apply"))
