"""Plan to cluster: apply, prune, wait, inventory, lock. Decides nothing; a failure is a `Result`."""

from recon_action.act.apply import apply_stage
from recon_action.act.farewell import forget, give_back, remove_namespace
from recon_action.act.inventory import store
from recon_action.act.lock import locked, own_name
from recon_action.act.prune import prune_stage
from recon_action.act.wait import wait, wait_gone
from recon_action.act.waiting import Waited

__all__ = [
    "Waited",
    "apply_stage",
    "forget",
    "give_back",
    "locked",
    "own_name",
    "prune_stage",
    "remove_namespace",
    "store",
    "wait",
    "wait_gone",
]
