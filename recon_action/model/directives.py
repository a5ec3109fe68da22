"""What annotations in a manifest, or on a live object, ask for; `analyze.directives` reads them."""

from dataclasses import dataclass

from recon_action.model.ref import ObjectRef


@dataclass(frozen=True, slots=True)
class Directives:
    """What is asked for one object.

    Every text names the annotation that decides, as `argocd.argoproj.io/sync-options: Prune=false`; "" where
    none does. Reports show it.

    Args:
        skip: the object is neither compared nor applied nor deleted.
        keep: it is not deleted when Git no longer has it.
        confirm: it is then deleted only where destructive deletions are allowed.
        detach: `delete` leaves it in the cluster, too.
        create_once: it is created if it is missing, and left alone from then on.
        recreate: where a field can't be changed, the object may be deleted and created anew.
        merge: fields that Git does not mention are others' business.
        wave: objects of a lower wave are applied, and healthy, before.
        depends_on: objects that are applied, and healthy, before.
    """

    skip: str = ""
    keep: str = ""
    confirm: str = ""
    detach: str = ""
    create_once: str = ""
    recreate: str = ""
    merge: str = ""
    wave: int = 0
    depends_on: tuple[ObjectRef, ...] = ()


NO_DIRECTIVES = Directives()
