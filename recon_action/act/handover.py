"""Field ownership moved, just before the apply that makes use of it.

Killed in between, nothing is lost: our entry then holds what Git lacks, and the next run's apply removes it.
"""

from recon_action.analyze.handover import handover_patch
from recon_action.cluster import Cluster, RequestError
from recon_action.model import Handover, LiveObject, Problem, Resource, Trouble

_ROUNDS = 5  # of catching up with an object that something else writes all the time


def hand_over(cluster: Cluster, resource: Resource, live: LiveObject, handover: Handover) -> str:
    """Do what `handover` says; what was written since `live` was read is read again and kept.

    Gives the resourceVersion that `live` has now, but for its managedFields; its old one if it has moved on.

    Raises:
        RequestError: the server refused; or the object changes too fast, or is another one by now.
    """
    current, rounds = live, _ROUNDS
    while operations := handover_patch(current, handover):
        rounds -= 1
        try:
            patched = cluster.patch(resource, live.ref, operations)
        except RequestError as error:
            if error.problem.trouble is not Trouble.CONFLICT or not rounds:
                raise
            current = LiveObject(live.ref, cluster.get(resource, live.ref))
            if current.uid != live.uid:
                message = "someone created the object anew while it was being taken over"
                raise RequestError(Problem(Trouble.CONFLICT, message, "run again", "apply")) from error
        else:
            return str(patched["metadata"]["resourceVersion"]) if current is live else live.resource_version
    return live.resource_version
