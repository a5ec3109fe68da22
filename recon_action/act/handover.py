"""Field ownership moved, just before the apply that makes use of it.

Killed in between, nothing is lost: our entry then holds what Git lacks, and the next run's apply removes it.
"""

from functools import partial

from recon_action.act.guarded import patch_guarded
from recon_action.analyze.handover import handover_patch
from recon_action.cluster import Cluster
from recon_action.model import Handover, LiveObject, Resource


def hand_over(cluster: Cluster, resource: Resource, live: LiveObject, handover: Handover) -> str:
    """Do what `handover` says; what was written since `live` was read is read again and kept.

    Gives the resourceVersion that `live` has now, but for its managedFields; its old one if it has moved on.

    Raises:
        RequestError: the server refused; or the object changes too fast, or is another one by now.
    """
    current, patched = patch_guarded(cluster, resource, live, partial(handover_patch, handover=handover))
    if patched is None or current is not live:
        return live.resource_version
    return str(patched["metadata"]["resourceVersion"])
