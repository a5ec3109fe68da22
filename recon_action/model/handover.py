"""Field ownership that has to move before an apply does what Git means."""

from dataclasses import dataclass, field
from typing import Any

# FieldsV1, the server's own form of a set of fields.
Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Handover:
    """A change of managedFields, made in one guarded patch just before the object's apply.

    An apply removes exactly those fields that our entry owns and the payload lacks. So what is to go must
    be ours first, and what is to be left to others must no longer be.

    Args:
        managers: (manager, operation) of predecessors whose entries become ours whole.
        take: fields that become ours, out of whichever entry (no subresource, no controller) holds them.
        disown: fields that leave our entry.
        spare: fields that stay in whichever entry holds them, whatever else is taken from it.
        drop_annotations: annotations that a predecessor left behind and that would mislead it or others.
    """

    managers: frozenset[tuple[str, str]] = frozenset()
    take: Fields = field(default_factory=dict)
    disown: Fields = field(default_factory=dict)
    spare: Fields = field(default_factory=dict)
    drop_annotations: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether there is anything to do."""
        return bool(self.managers or self.take or self.disown or self.drop_annotations)
