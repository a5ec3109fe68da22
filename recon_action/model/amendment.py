"""What a change in Git does to an object, by the files alone."""

from dataclasses import dataclass
from enum import StrEnum

from recon_action.model.manifest import Manifest
from recon_action.model.path import FieldPath


class AmendmentKind(StrEnum):
    """How two commits differ in an object."""

    REMOVED = "removed"
    CHANGED = "changed"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Amendment:
    """One object in which two commits differ.

    Args:
        kind: how.
        manifest: what the later commit says of it; of one that was removed the earlier.
        paths: the fields that differ, if it was changed.
    """

    kind: AmendmentKind
    manifest: Manifest
    paths: tuple[FieldPath, ...] = ()
