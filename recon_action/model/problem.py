"""Trouble with one object, as data: the rest of the run goes on."""

from dataclasses import dataclass
from enum import StrEnum


class Trouble(StrEnum):
    """The classes of trouble; `report.outcome` gives each its exit code, `cluster` tells them apart."""

    UNKNOWN_KIND = "unknown kind"  # no such kind in the cluster, nor a CRD for it in the set
    INVALID = "invalid"  # the server refuses the object itself: 400, 422
    IMMUTABLE = "immutable"  # 422, and all that is wrong is that a field can't be changed
    FORBIDDEN = "forbidden"  # 401, 403
    CONFLICT = "conflict"  # 409
    MISSING = "not found"  # 404 where something had to be
    DENIED = "denied"  # an admission webhook or policy, a quota
    UNREACHABLE = "unreachable"  # no answer at all
    UNAVAILABLE = "unavailable"  # 429, 5xx, after the retries
    PREREQUISITE = "prerequisite failed"  # what it needs was not applied
    FOREIGN = "belongs to another"  # another ApplySet's label
    REFUSED = "refused"  # the guard does not let the plan run
    UNHEALTHY = "unhealthy"  # applied, but does not become healthy
    TIMEOUT = "timed out"  # applied, not healthy in time
    LOCKED = "locked"  # another run holds the lock
    INTERRUPTED = "interrupted"  # the run was asked to end


@dataclass(frozen=True, slots=True)
class Problem:
    """What went wrong with one object or one request.

    Args:
        trouble: the class.
        message: the server's or our words, one line, redacted when the report is built.
        hint: what to do about it.
        verb: what we tried: get, list, dry-run, apply, delete, watch, wait, resolve.
        status: the HTTP code, 0 where there was none.
    """

    trouble: Trouble
    message: str
    hint: str = ""
    verb: str = ""
    status: int = 0
