"""What of a report is drift that people are to hear of: what remains, and what was somebody's and has been set back.

Pure. Git's own changes, which an apply has yet to make, are none. Where people are told is not known here.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from recon_action.errors import ExitCode
from recon_action.model import Bucket, Cause, DriftKind, ObjectRef, Outcome
from recon_action.model.memory import OBJECTS
from recon_action.model.settings import IssueOn
from recon_action.report.document import Change, Entry, Report
from recon_action.report.outcome import SETTLED

# How a run ends that has seen everything; what is unhealthy has been seen.
_WHOLE = frozenset({ExitCode.OK, ExitCode.DIFFERENT, ExitCode.UNHEALTHY})
_SET_BACK = frozenset({Outcome.CREATED, Outcome.CONFIGURED, Outcome.RECREATED})


class Measure(StrEnum):
    """What a run says of drift."""

    DRIFT = "drift"  # there is some that people are to hear of
    CORRECTED = "corrected"  # there was some, of which they need not
    CLEAN = "clean"
    UNKNOWN = "unknown"  # something could not be read, predicted or applied, or was not looked at


@dataclass(frozen=True, slots=True)
class Moved:
    """One object that is not, or was not, as Git says.

    Args:
        ref: the object.
        how: it differs, "" if it only has what Git does not mention, or what admission put there.
        paths: of the fields, in their order.
    """

    ref: ObjectRef
    how: str = ""
    paths: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Short, for a text that can't hold all names; values are not in it, or a counter would be news each time."""
        return _hash("\n".join((self.ref.group, str(self.ref), self.how, *self.paths)), 8)


@dataclass(frozen=True, slots=True)
class Drift:
    """What a run found.

    Args:
        measure: in a word.
        moved: what people are to hear of, the most dangerous first; () unless `measure` says that there is some.
        remains: whether some of it is still there.
    """

    measure: Measure
    moved: tuple[Moved, ...] = ()
    remains: bool = False

    @property
    def fingerprint(self) -> str:
        """Equal for the same fields of the same objects; "" without any."""
        return _hash("\n".join(sorted(one.key for one in self.moved)), 16) if self.moved else ""

    @property
    def keys(self) -> tuple[str, ...]:
        """Of the first objects."""
        return tuple(sorted(one.key for one in self.moved)[:OBJECTS])


def drift_of(report: Report, on: IssueOn = IssueOn.AUTO) -> Drift:
    """What `report` has to say of drift."""
    if report.exit_code not in _WHOLE or report.counts.failed or report.partial:
        return Drift(Measure.UNKNOWN)
    corrected = {(one.ref, one.path) for one in report.corrections if one.at == report.started}
    remaining = list(_remaining(report, corrected))
    undone = list(_undone(report, corrected)) if on is IssueOn.AUTO else []
    if remaining or undone:
        return Drift(Measure.DRIFT, tuple(dict.fromkeys([*remaining, *undone])), bool(remaining))
    return Drift(Measure.CORRECTED if corrected or report.counts.drifted else Measure.CLEAN)


_Corrected = set[tuple[ObjectRef, str]]


def _remaining(report: Report, corrected: _Corrected) -> Iterator[Moved]:
    """What is still there when the run ends."""
    if report.exit_code is not ExitCode.DIFFERENT:
        return
    # Without any other difference, what makes one are fields that were added, or that admission keeps.
    told = Bucket.DRIFTED if report.counts.drifted or report.counts.pending else Bucket.IN_SYNC
    for entry in report.entries:
        if entry.bucket is told is Bucket.IN_SYNC:
            yield _moved(entry, entry.changes)
        elif entry.bucket is told and entry.outcome not in SETTLED:
            yield _moved(entry, [change for change in entry.changes if not change.additive])
        elif entry.bucket is told and entry.outcome in _SET_BACK:
            kept = [change for change in entry.changes if _is_left(entry.ref, change, corrected)]  # it is contested
            if kept:
                yield _moved(entry, kept)


def _is_left(ref: ObjectRef, change: Change, corrected: _Corrected) -> bool:
    return not change.additive and change.cause is not Cause.GIT and (ref, change.path) not in corrected


def _undone(report: Report, corrected: _Corrected) -> Iterator[Moved]:
    """What a person's tool had changed, or nobody knows who had deleted, and this run has set back."""
    for entry in report.entries:
        back = [one for one in entry.changes if one.cause is Cause.MANUAL and (entry.ref, one.path) in corrected]
        if back or (entry.drift is DriftKind.MISSING and (entry.ref, "") in corrected):
            yield _moved(entry, back)


def _moved(entry: Entry, changes: "list[Change] | tuple[Change, ...]") -> Moved:
    how = entry.drift.value if entry.drift and entry.bucket is Bucket.DRIFTED else ""
    return Moved(entry.ref, how, tuple(dict.fromkeys(change.path for change in changes)))


def _hash(text: str, length: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:length]
