"""What recon-action itself keeps in the cluster: no manifest may take its place.

An apply would have the server drop what the manifest lacks, for it is sent by the same field manager: a target's
memory, or the lock that it holds.
"""

from recon_action.model import Inventory, LiveObject, ObjectRef, Problem, Trouble
from recon_action.model.inventory import PARENT
from recon_action.model.record import PART_LABEL, TOOLING

_KINDS = frozenset({("", "ConfigMap"), ("coordination.k8s.io", "Lease")})
_PREFIX = "recon-action-"


def reserved(ref: ObjectRef, live: LiveObject | None, inventory: Inventory) -> Problem | None:
    """Why an object that Git declares may not be applied: it is an inventory, or a lock, of ours or another target's.

    Args:
        ref: the object.
        live: the same in the cluster, if it is there.
        inventory: of the target; others' lie beside it, if they are not told to lie elsewhere.
    """
    is_named_so = ref.namespace == inventory.namespace and ref.name.startswith(_PREFIX)
    if (ref.group, ref.kind) not in _KINDS or not (is_named_so or (live and _is_ours(live))):
        return None
    return Problem(
        Trouble.REFUSED,
        "here recon-action keeps what it remembers of a target, or the lock of one",
        "take it out of the manifests, or give it another name or namespace",
    )


def _is_ours(live: LiveObject) -> bool:
    metadata = live.body["metadata"]
    labels, annotations = metadata.get("labels") or {}, metadata.get("annotations") or {}
    is_parent = PARENT in labels and str(annotations.get(TOOLING, "")).startswith("recon-action/")
    return is_parent or PART_LABEL in labels
