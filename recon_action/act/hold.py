"""The annotation that holds an object as it is: put, or taken away."""

from functools import partial

from recon_action.act.guarded import patch_guarded
from recon_action.analyze.hold import HOLDER, hold_patch
from recon_action.cluster import Cluster
from recon_action.model import LiveObject, Resource


def set_hold(cluster: Cluster, resource: Resource, live: LiveObject, text: str) -> bool:
    """Make `text` the hold on `live`, or take it away if that is ""; whether anything was to be done.

    Raises:
        RequestError: the server refused; or the object is another one by now.
    """
    _, stored = patch_guarded(cluster, resource, live, partial(hold_patch, text=text), manager=HOLDER)
    return stored is not None
