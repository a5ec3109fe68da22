"""Differences and verdicts: what `analyze` finds and `report` tells."""

from dataclasses import dataclass, field
from enum import Enum, IntEnum, StrEnum
from typing import Any, Final

from recon_action.model.check import Check
from recon_action.model.directives import NO_DIRECTIVES, Directives
from recon_action.model.handover import Handover
from recon_action.model.live import LiveObject
from recon_action.model.manifest import Manifest
from recon_action.model.path import FieldPath
from recon_action.model.problem import Problem
from recon_action.model.ref import ObjectRef


class Absent(Enum):
    """The value of a field that isn't there; not the same as null."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


class DriftKind(StrEnum):
    """How an object differs."""

    MISSING = "missing"  # Git has it, the cluster doesn't
    MODIFIED = "modified"  # both have it, and differ
    ORPHANED = "orphaned"  # the inventory has it, Git doesn't


class Cause(StrEnum):
    """Which side moved, and by what kind of hand."""

    GIT = "git"
    MANUAL = "manual"
    CONTROLLER = "controller"
    UNKNOWN = "unknown"


class Severity(IntEnum):
    """How dangerous a difference, or mending it, is; reports show the highest first."""

    METADATA = 0
    SPEC = 1
    SECURITY = 2
    DESTRUCTIVE = 3


class Bucket(StrEnum):
    """Where an object is counted: each is in exactly one."""

    IN_SYNC = "in sync"
    PENDING = "pending"
    DRIFTED = "drifted"
    IGNORED = "ignored"
    SKIPPED = "skipped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One difference.

    Args:
        path: the route to it.
        desired: what would stand there after an apply (`ABSENT`: nothing).
        live: what stands there now (`ABSENT`: nothing).
        cause: which side moved.
        tool: the field manager that owns the live value and isn't us; "" if none is known.
        since: that manager's last write, RFC 3339; "" if unknown.
        additive: whether Git doesn't mention the field at all.
    """

    path: FieldPath
    desired: Any = field(repr=False)
    live: Any = field(repr=False)
    cause: Cause = Cause.UNKNOWN
    tool: str = ""
    since: str = ""
    additive: bool = False


@dataclass(frozen=True, slots=True)
class ObjectDrift:
    """How one object differs; `changes` is empty unless `kind` is MODIFIED."""

    ref: ObjectRef
    kind: DriftKind
    cause: Cause
    severity: Severity
    changes: tuple[FieldChange, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one run says of one object.

    Args:
        ref: the object.
        bucket: where it is counted.
        manifest: what Git says; None for an orphan.
        live: what the cluster holds; None if it is missing or could not be read.
        drift: set iff the bucket is PENDING or DRIFTED.
        problem: set iff the bucket is FAILED.
        reason: why it is SKIPPED or IGNORED; of others: what else people have to know.
        managed: False for an object that Git declares and we never applied.
        mend: True if only our own bookkeeping (label, managedFields entry) must be mended.
        predicted: False if the server was not asked what an apply would do.
        local: compared here, by the server's schema, as the server may not be asked.
        check: who has looked at it before.
        memo: what the inventory may remember of an object that the server found the same; "" if nothing.
        handover: ownership that must move before the object is applied; None if none must.
        additive: fields that a person's tool added, whatever the bucket; None if there are none.
        owner: the tool that manages the object and that we were not told to replace: the object is not
            applied; "" if there is none.
        directives: what annotations ask for.
        hidden: fields in which Git and live differ, and which a rule ignores.
        contested: fields of `drift` that something else keeps setting back; no apply corrects them.
        is_reverted: what was added is to go, also where it may not be taken away.
        is_overridden: admission puts other values in the place of Git's; no apply mends that.
        immutable: the server's refusal to change a field of the object; None if it may be changed.
        recreate: where it may not, it may be deleted and created anew.
    """

    ref: ObjectRef
    bucket: Bucket
    manifest: Manifest | None = None
    live: LiveObject | None = None
    drift: ObjectDrift | None = None
    problem: Problem | None = None
    reason: str = ""
    managed: bool = True
    mend: bool = False
    predicted: bool = True
    local: bool = False
    check: Check = Check.SERVER
    memo: str = ""
    handover: Handover | None = None
    additive: ObjectDrift | None = None
    owner: str = ""
    directives: Directives = NO_DIRECTIVES
    hidden: tuple[FieldPath, ...] = ()
    contested: tuple[FieldPath, ...] = ()
    is_reverted: bool = False
    is_overridden: bool = False
    immutable: Problem | None = None
    recreate: bool = False

    @property
    def is_contested(self) -> bool:
        """Whether nothing but contested fields differs."""
        return (
            bool(self.contested)
            and self.drift is not None
            and all(change.path in self.contested for change in self.drift.changes)
        )
