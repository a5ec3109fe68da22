"""What of a report is a finding: something that is not as Git says, under a rule, at a place.

One finding for each object, rule and line, so that no two share a place under one rule: GitHub would take them for one.
What an apply has put right is none. How a finding is written is `sarif`'s.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from recon_action.model import Bucket, Cause, DriftKind, ObjectRef, Problem, Severity, Trouble
from recon_action.report.document import Change, Entry, Place, Report
from recon_action.report.outcome import SETTLED
from recon_action.report.sentences import difference, explained, told


class Level(StrEnum):
    """The levels of a result, most urgent first."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of finding.

    Args:
        id: for ever the same, as alerts are told apart by it.
        level: of its findings, but for those that are more urgent.
        title: what is the case.
        help: what it means, and what to do.
    """

    id: str
    level: Level
    title: str
    help: str


MISSING: Final = Rule(
    "missing",
    Level.ERROR,
    "The cluster lacks an object that Git has",
    "It was applied, and deleted in the cluster since. An apply creates it again; to be rid of it, delete it in Git.",
)
DRIFTED: Final = Rule(
    "drifted",
    Level.WARNING,
    "The cluster differs from Git",
    "The field was changed in the cluster. An apply sets it back. If the cluster is right, write it into Git; "
    "if something else is to decide, add the field to `ignore` in recon.yaml.",
)
FAULT: Final = Rule(
    "fault",
    Level.ERROR,
    "A file can't be read as manifests",
    "The message says what is wrong, and what to write instead, as far as that is known.",
)
FAILED: Final = Rule(
    "failed",
    Level.ERROR,
    "An object could not be read, compared or applied",
    "The message has the server's reason, and what to do about it.",
)
UNHEALTHY: Final = Rule(
    "unhealthy",
    Level.ERROR,
    "An object was applied, and does not become healthy",
    "It is as Git says, and does not work. The message says why, as far as the cluster knows.",
)
ORPHANED: Final = Rule(
    "orphaned",
    Level.NOTE,
    "The cluster has an object that Git no longer has",
    "An apply deletes it, unless `prune` is off.",
)
PENDING: Final = Rule(
    "pending",
    Level.NOTE,
    "The cluster does not have yet what Git says",
    "Git has moved on. An apply brings it to the cluster.",
)
ADDED: Final = Rule(
    "added",
    Level.NOTE,
    "A field was added that Git does not mention",
    "A person's tool wrote it. An apply leaves it, unless `additive` is `revert`.",
)
RULES: Final = (MISSING, DRIFTED, FAULT, FAILED, UNHEALTHY, ORPHANED, PENDING, ADDED)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as Git says.

    Args:
        rule: its kind.
        level: how urgent it is.
        place: where in Git; None if nothing there has it.
        said: of it, in sentences.
        ref: the object; None if a file holds none.
        paths: of the fields that it is about.
    """

    rule: Rule
    level: Level
    place: Place | None
    said: Sequence[str]
    ref: ObjectRef | None = None
    paths: Sequence[str] = field(default=())


def findings(report: Report) -> list[Finding]:
    """All findings, the most urgent first; within a level in the report's order."""
    found = [
        Finding(FAULT, FAULT.level, fault.place, list(filter(None, (fault.message, fault.hint))))
        for fault in report.faults
    ]
    found += [finding for entry in report.entries for finding in _of(entry)]
    return sorted(found, key=lambda finding: list(Level).index(finding.level))


def _of(entry: Entry) -> Iterator[Finding]:
    """What there is to say of an object: nothing of what is left alone, or of what an apply has put right."""
    if entry.problem is not None or entry.bucket is Bucket.FAILED:
        yield _failure(entry)
    if entry.bucket in {Bucket.FAILED, Bucket.IGNORED, Bucket.SKIPPED} or entry.outcome in SETTLED:
        return
    if entry.drift is DriftKind.MISSING:
        rule = MISSING if entry.bucket is Bucket.DRIFTED else PENDING
        yield Finding(rule, rule.level, entry.place, list(difference(entry)), entry.ref)
    elif entry.drift is DriftKind.ORPHANED:
        level = Level.ERROR if entry.severity is Severity.DESTRUCTIVE else ORPHANED.level
        yield Finding(ORPHANED, level, None, list(difference(entry)), entry.ref)
    groups: dict[tuple[Rule, tuple[str, int] | None], list[Change]] = {}
    for change in entry.changes:
        where = (change.place.file, change.place.line) if change.place else None
        groups.setdefault((_rule(change), where), []).append(change)
    for (rule, _), changes in groups.items():
        yield _fields(entry, rule, changes)


def _failure(entry: Entry) -> Finding:
    problem = entry.problem or Problem(Trouble.INVALID, "failed")
    rule = UNHEALTHY if problem.trouble in {Trouble.UNHEALTHY, Trouble.TIMEOUT} else FAILED
    return Finding(rule, rule.level, entry.place, [explained(problem)], entry.ref)


def _rule(change: Change) -> Rule:
    if change.additive:
        return ADDED
    return PENDING if change.cause is Cause.GIT else DRIFTED


def _fields(entry: Entry, rule: Rule, changes: Sequence[Change]) -> Finding:
    who = {ADDED: "Git does not mention", PENDING: "Git changed", DRIFTED: "The cluster differs in"}[rule]
    urgent = rule is DRIFTED and entry.severity >= Severity.SECURITY
    paths = sorted({change.path for change in changes})
    level = Level.ERROR if urgent else rule.level
    return Finding(rule, level, changes[0].place, list(told(who, changes)), entry.ref, paths)
