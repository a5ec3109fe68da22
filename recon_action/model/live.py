"""What the cluster holds: an object and who owns its fields."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from recon_action.model.inventory import PART_OF
from recon_action.model.ref import Body, ObjectRef


@dataclass(frozen=True, slots=True)
class ManagedEntry:
    """One entry of `metadata.managedFields`.

    Args:
        manager: the field manager's name.
        operation: "Apply" or "Update".
        version: the apiVersion that `fields` is written in.
        time: last write, RFC 3339 (UTC), "" if unknown.
        subresource: "" for the object itself, else `status`, `scale`, …
        fields: FieldsV1: nested dicts keyed `f:…`, `k:{…}`, `v:…`, `.`.
    """

    manager: str
    operation: str
    version: str
    time: str
    subresource: str
    fields: dict[str, Any] = field(repr=False)

    @property
    def is_ours(self) -> bool:
        """Whether this is what our own applies left behind."""
        return self.manager == FIELD_MANAGER and self.operation == "Apply" and not self.subresource


FIELD_MANAGER = "recon-action"


@dataclass(frozen=True)
class LiveObject:
    """One observed object; `body` is the server's answer, whole."""

    ref: ObjectRef
    body: Body = field(repr=False)

    @property
    def uid(self) -> str:
        """The object's UID."""
        return str(self.body["metadata"].get("uid", ""))

    @property
    def resource_version(self) -> str:
        """The object's resourceVersion."""
        return str(self.body["metadata"].get("resourceVersion", ""))

    @property
    def is_terminating(self) -> bool:
        """Whether the object is being deleted."""
        return bool(self.body["metadata"].get("deletionTimestamp"))

    @property
    def is_controlled(self) -> bool:
        """Whether a controller owns the object."""
        return any(owner.get("controller") for owner in self.body["metadata"].get("ownerReferences") or ())

    @cached_property
    def entries(self) -> tuple[ManagedEntry, ...]:
        """`metadata.managedFields`, parsed."""
        return tuple(
            ManagedEntry(
                manager=entry.get("manager", ""),
                operation=entry.get("operation", ""),
                version=entry.get("apiVersion", ""),
                time=entry.get("time", ""),
                subresource=entry.get("subresource", ""),
                fields=entry.get("fieldsV1") or {},
            )
            for entry in self.body["metadata"].get("managedFields") or ()
        )

    @property
    def applyset(self) -> str:
        """The id of the set that the object says it belongs to; "" if it says none."""
        return str((self.body["metadata"].get("labels") or {}).get(PART_OF, ""))

    @property
    def own_entry(self) -> ManagedEntry | None:
        """Our Apply entry; None if we never applied the object."""
        return next((entry for entry in self.entries if entry.is_ours), None)
