"""The report as data: everything that any output format may show, already redacted.

All of it survives JSON, so that a report re-renders identically from its file. Times are RFC 3339 in UTC.
"""

from dataclasses import dataclass, field
from typing import Any

from recon_action.errors import ExitCode
from recon_action.model import (
    AmendmentKind,
    Bucket,
    Cause,
    Correction,
    DriftKind,
    Mode,
    ObjectRef,
    Outcome,
    Problem,
    Revision,
    Severity,
)

SCHEMA = "recon-action/report/v1"


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in Git.

    Args:
        file: from the repository's root.
        line: from 1.
        url: links to it, "" where no link can be made.
        source: what made the object of it: "plain" (nothing), "kustomize", "helm", "sops".
        via: of a rendered object: the folder of the kustomization, or of the chart.
    """

    file: str
    line: int
    url: str = ""
    source: str = "plain"
    via: str = ""

    @property
    def is_inside(self) -> bool:
        """Whether the file is one of the repository that was read, if that is one."""
        return self.file not in {"", "-"} and not self.file.startswith(("/", "../"))


@dataclass(frozen=True, slots=True)
class Change:
    """One field that differs.

    Args:
        path: as `FieldPath` prints it.
        cause: which side moved.
        has_desired: False if an apply would remove the field.
        desired: JSON; None if absent or redacted.
        has_live: False if the cluster lacks the field.
        live: JSON; None if absent or redacted.
        redacted: the values are secret: only the path, and which sides have it, may be shown.
        tool: field manager that owns the live value, "" if none is known.
        since: that manager's last write, "" if unknown.
        additive: Git doesn't mention the field.
        place: the field in Git, else the nearest thing above it that Git has; None if unknown.
    """

    path: str
    cause: Cause
    has_desired: bool = True
    desired: Any = None
    has_live: bool = True
    live: Any = None
    redacted: bool = False
    tool: str = ""
    since: str = ""
    additive: bool = False
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One object that the report has something to say about.

    Args:
        ref: the object.
        bucket: where it is counted, as observed, before any correction.
        drift: how it differs; None if it doesn't (failed, skipped, or only acted upon).
        cause: which side moved; None where `drift` is None.
        severity: of the difference, or of what was added.
        changes: field by field, if `drift` is "modified"; then what was added, whatever `drift` is.
        place: where Git has the object; None for an orphan.
        reason: why it was skipped or ignored, or what else is to be known of it.
        problem: why it failed, or did not become healthy; texts redacted.
        managed: False if Git declares it and we never applied it.
        predicted: False if the server was not asked what an apply would do.
        local: compared here, by the server's schema, as the server may not be asked.
        outcome: what an apply did; None in a diff, or where it did nothing.
        health: kstatus word after waiting ("Current", "InProgress", …); "" if not looked at.
        health_message: why it is not Current.
    """

    ref: ObjectRef
    bucket: Bucket
    drift: DriftKind | None = None
    cause: Cause | None = None
    severity: Severity = Severity.METADATA
    changes: tuple[Change, ...] = ()
    place: Place | None = None
    reason: str = ""
    problem: Problem | None = None
    managed: bool = True
    predicted: bool = True
    local: bool = False
    outcome: Outcome | None = None
    health: str = ""
    health_message: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something in the files that keeps them from being read as manifests.

    Args:
        place: where.
        message: what is wrong.
        hint: what to write instead, "" if nothing is known.
    """

    place: Place
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Amended:
    """One object in which two commits differ, by the files alone.

    Args:
        ref: the object, as the files call it.
        kind: how they differ.
        paths: the fields, if it was changed.
        place: where the later commit has it; of one that was removed, the earlier.
    """

    ref: ObjectRef
    kind: AmendmentKind
    paths: tuple[str, ...] = ()
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """How many objects each bucket holds; the buckets, and `unasked`, add up to `total`.

    `unasked` are the objects of a validation: they were read, and no cluster was asked about them.
    `unmanaged` (declared, never applied by us), `mended` (only our label or managedFields entry is to be
    mended), `additive` (a person's tool added fields that Git doesn't mention) and `local` (compared here,
    without asking the server) cut across the buckets.
    """

    in_sync: int = 0
    pending: int = 0
    drifted: int = 0
    ignored: int = 0
    skipped: int = 0
    failed: int = 0
    unmanaged: int = 0
    mended: int = 0
    additive: int = 0
    local: int = 0
    unasked: int = 0

    @property
    def total(self) -> int:
        """All objects of manifests and inventory."""
        judged = self.in_sync + self.pending + self.drifted + self.ignored + self.skipped + self.failed
        return judged + self.unasked


@dataclass(frozen=True, slots=True)
class PlannedAction:
    """One line of the plan: what would be (or was) done to which object.

    Args:
        stage: from 1; those of one stage run side by side.
        action: what is done.
        ref: the object.
        needs: objects whose own action must not have failed before.
        awaits: objects that must be ready before.
        wave: the object's; all of a lower wave comes before, and must be ready.
        fingerprint: a short hash of the object as it is, and as it is to be.
    """

    stage: int
    action: str
    ref: ObjectRef
    needs: tuple[ObjectRef, ...] = ()
    awaits: tuple[ObjectRef, ...] = ()
    wave: int = 0
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class Partial:
    """Which part of a target a run was about; of the rest nothing was read, deleted or forgotten.

    Args:
        selected: how many objects.
        total: of how many, in Git and in the inventory.
        by: what selected them, as it was written.
    """

    selected: int
    total: int
    by: str


@dataclass(frozen=True, slots=True)
class Report:
    """What one run of one target saw and did.

    Args:
        mode: what the run was told to do.
        target: the target's name.
        result: one word for scripts: `in-sync`, `different`, `applied`, `incomplete`, `unhealthy`,
            `refused`, `locked`, `interrupted`, `valid`, `error`.
        exit_code: the run's exit code, before `--fail-on`.
        counts: per bucket.
        entries: objects that differ, failed, were skipped or acted upon; most dangerous first.
        problems: trouble that belongs to no single object (a LIST that was refused).
        faults: of a validation: what is wrong with the files.
        amendments: of a validation: the objects in which its two commits differ, those that are removed first.
        plan: what is to be done, in order; empty if nothing is.
        digest: what identifies the plan: `apply --plan` carries out no other.
        show_plan: whether people are shown every action of it.
        notes: further lines for the reader, each one sentence.
        server: the API server's address.
        server_version: `v1.37.2`.
        cluster_uid: UID of kube-system, "" if it could not be read.
        revision: what Git says of the manifests' folder; None outside of a repository.
        files: how many files were read.
        skipped_files: how many of them hold no Kubernetes object.
        asked: how many objects needed the server's dry run; the others were missing, or proven in sync.
        started: when the run began.
        seconds: how long it took.
        run_url: the workflow run, "" outside of one.
        base: the commit that a preview, or a validation, compares with, "" otherwise.
        applied: the commit that had been applied last when the run began, "" if unknown.
        partial: which part of the target the run was about; None if it was about all of it.
        corrections: what applies set back in the last 24 hours, this run's at `started`; oldest first.
        version: of recon-action.
    """

    mode: Mode
    target: str
    result: str
    exit_code: ExitCode
    counts: Counts = Counts()
    entries: tuple[Entry, ...] = ()
    problems: tuple[Problem, ...] = ()
    faults: tuple[Fault, ...] = ()
    amendments: tuple[Amended, ...] = ()
    plan: tuple[PlannedAction, ...] = ()
    digest: str = ""
    show_plan: bool = False
    notes: tuple[str, ...] = ()
    server: str = ""
    server_version: str = ""
    cluster_uid: str = ""
    revision: Revision | None = None
    files: int = 0
    skipped_files: int = 0
    asked: int = 0
    started: str = ""
    seconds: float = 0.0
    run_url: str = ""
    base: str = ""
    applied: str = ""
    partial: Partial | None = None
    corrections: tuple[Correction, ...] = ()
    version: str = field(default="")
