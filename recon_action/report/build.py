"""Makes the report of one run out of what `analyze` found and `act` did, redacted.

Decides which objects the report speaks of, in which order, and where each stands in Git. The exit
code is `outcome`'s. How anything is worded or drawn may not live here.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from recon_action.model import (
    ABSENT,
    Bucket,
    Correction,
    Desired,
    Digest,
    DriftKind,
    FieldChange,
    FieldPath,
    Mode,
    ObjectRef,
    Outcome,
    Position,
    Problem,
    Result,
    Revision,
    Severity,
    Stage,
    Verdict,
)
from recon_action.redact import Secrets, is_secret_path, redact_below, redact_problem
from recon_action.report.document import Change, Counts, Entry, Partial, Place, PlannedAction, Report
from recon_action.report.outcome import exit_code, is_healthy, result_word
from recon_action.report.places import place_of

_KIND_ORDER = (DriftKind.ORPHANED, DriftKind.MISSING, DriftKind.MODIFIED, None)
_MEND = "only our label or managedFields entry is to be mended"

Positions = Mapping[tuple[ObjectRef, FieldPath], Position]
Health = Mapping[ObjectRef, tuple[str, str]]
_NO_DIGEST = Digest("")


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of the run itself.

    Args:
        server: the API server's address.
        server_version: `v1.37.2`.
        cluster_uid: UID of kube-system, "" if it could not be read.
        asked: how many objects needed the server's dry run.
        show_plan: whether people are shown every action of the plan.
        started: when the run began, RFC 3339 in UTC.
        seconds: how long it took.
        run_url: the workflow run, "" outside of one.
        base: the commit that a preview compares with, "" otherwise.
        applied: the commit that had been applied last when the run began, "" if unknown.
        partial: which part of the target the run was about; None if it was about all of it.
        version: of recon-action.
    """

    server: str = ""
    server_version: str = ""
    cluster_uid: str = ""
    asked: int = 0
    show_plan: bool = False
    started: str = ""
    seconds: float = 0.0
    run_url: str = ""
    base: str = ""
    applied: str = ""
    partial: Partial | None = None
    version: str = ""


def build(  # noqa: PLR0913 - a report is where everything meets
    *,
    mode: Mode,
    target: str,
    verdicts: Sequence[Verdict],
    desired: Desired,
    secrets: Secrets,
    facts: Facts,
    results: Mapping[ObjectRef, Result] | None = None,
    health: Health | None = None,
    troubles: Mapping[ObjectRef, Problem] | None = None,
    stages: Sequence[Stage] = (),
    digest: Digest = _NO_DIGEST,
    problems: Sequence[Problem] = (),
    notes: Sequence[str] = (),
    corrections: Sequence[Correction] = (),
    positions: Positions | None = None,
) -> Report:
    """The report of one run.

    Args:
        mode: what the run was told to do.
        target: its name.
        verdicts: one per object of manifests and inventory.
        desired: what Git says.
        secrets: every secret value that the run has seen.
        facts: of the run itself.
        results: what an apply did, by object.
        health: kstatus word and message, of the objects that were waited for.
        troubles: why waiting for some of them was in vain.
        stages: the plan.
        digest: its digest.
        problems: trouble that belongs to no single object.
        notes: further sentences for the reader.
        corrections: what applies set back in the last 24 hours, oldest first.
        positions: where changed fields stand in Git.
    """
    results, health, troubles = results or {}, health or {}, troubles or {}
    code = exit_code(mode, verdicts, results, health, problems)
    writer = _Writer(secrets, desired.revision, positions or {}, troubles)
    entries = [
        writer.entry(verdict, results.get(verdict.ref), health.get(verdict.ref))
        for verdict in verdicts
        if _is_told(verdict, results.get(verdict.ref), health.get(verdict.ref))
    ]
    return Report(
        mode=mode,
        target=target,
        result=result_word(code, results),
        exit_code=code,
        counts=_count(verdicts),
        entries=tuple(sorted(entries, key=partial(_danger, deletions_first=mode is Mode.PREVIEW))),
        problems=tuple(redact_problem(None, problem, secrets) for problem in problems),
        plan=tuple(
            PlannedAction(
                number,
                action.kind.value,
                action.ref,
                tuple(sorted(action.needs)),
                tuple(sorted(action.awaits)),
                action.verdict.directives.wave,
                digest.fingerprints.get(action.ref, ""),
            )
            for number, stage in enumerate(stages, 1)
            for action in stage.actions
        ),
        digest=digest.text,
        show_plan=facts.show_plan,
        notes=tuple(secrets.scrub(note) for note in notes),
        server=facts.server,
        server_version=facts.server_version,
        cluster_uid=facts.cluster_uid,
        # The work tree's folder is of no use elsewhere, and tells of the machine.
        revision=replace(desired.revision, root="") if desired.revision else None,
        files=desired.files,
        skipped_files=len(desired.skipped),
        asked=facts.asked,
        started=facts.started,
        seconds=facts.seconds,
        run_url=facts.run_url,
        base=facts.base,
        applied=facts.applied,
        partial=replace(facts.partial, by=secrets.scrub(facts.partial.by)) if facts.partial else None,
        corrections=tuple(writer.correction(one) for one in corrections),
        version=facts.version,
    )


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes entries: everything that passes here comes out redacted."""

    secrets: Secrets = field(repr=False)
    revision: Revision | None
    positions: Positions
    troubles: Mapping[ObjectRef, Problem]

    def entry(self, verdict: Verdict, result: Result | None, health: tuple[str, str] | None) -> Entry:
        drift, origin = verdict.drift, verdict.manifest.origin if verdict.manifest else None
        told = [found for found in (drift, verdict.additive) if found]
        problem = verdict.problem or (result.problem if result else None) or self.troubles.get(verdict.ref)
        word, message = health or ("", "")
        return Entry(
            ref=verdict.ref,
            bucket=verdict.bucket,
            drift=drift.kind if drift else None,
            cause=drift.cause if drift else None,
            severity=max((found.severity for found in told), default=Severity.METADATA),
            changes=tuple(self._change(verdict, change) for found in told for change in found.changes),
            place=place_of(origin.position, self.revision, origin) if origin else None,
            reason=self.secrets.scrub(verdict.reason or (_MEND if verdict.mend else "")),
            problem=redact_problem(verdict.ref, problem, self.secrets) if problem else None,
            managed=verdict.managed,
            predicted=verdict.predicted,
            local=verdict.local,
            outcome=result.outcome if result and _is_act(verdict, result) else None,
            health=word,
            health_message=self.secrets.scrub(message),
        )

    def _change(self, verdict: Verdict, change: FieldChange) -> Change:
        ref, secrets = verdict.ref, self.secrets
        hidden = is_secret_path(ref, change.path, secrets.rules) and not secrets.disclose

        def shown(value: object) -> object:
            if hidden or value is ABSENT:
                return None
            return secrets.scrub_value(
                value if secrets.disclose else redact_below(ref, change.path, value, secrets.rules)
            )

        return Change(
            path=secrets.scrub_all(str(change.path)) if hidden else secrets.scrub(str(change.path)),
            cause=change.cause,
            has_desired=change.desired is not ABSENT,
            desired=shown(change.desired),
            has_live=change.live is not ABSENT,
            live=shown(change.live),
            redacted=hidden,
            tool=secrets.scrub(change.tool),
            since=change.since,
            additive=change.additive,
            place=self._nearest(verdict, change.path),
        )

    def correction(self, of: Correction) -> Correction:
        """Where something was set back; a path may hold a value, as an item of a set does."""
        return replace(of, path=self.secrets.scrub_all(of.path), tool=self.secrets.scrub(of.tool))

    def _nearest(self, verdict: Verdict, path: FieldPath) -> Place | None:
        for length in range(len(path), -1, -1):
            position = self.positions.get((verdict.ref, FieldPath(path.items[:length])))
            if position is not None:
                return place_of(position, self.revision, verdict.manifest.origin if verdict.manifest else None)
        origin = verdict.manifest.origin if verdict.manifest else None
        return place_of(origin.position, self.revision, origin) if origin else None


def _is_act(verdict: Verdict, result: Result) -> bool:
    """Whether the result is worth a word: an object in sync that was left alone isn't."""
    return result.outcome is not Outcome.UNCHANGED or verdict.drift is not None


def _is_told(verdict: Verdict, result: Result | None, health: tuple[str, str] | None) -> bool:
    if verdict.bucket is not Bucket.IN_SYNC or verdict.additive is not None:
        return True
    if result is not None and _is_act(verdict, result):
        return True
    unhealthy = health is not None and not is_healthy(health[0], result)
    # An object that we never applied lacks our label by nature: the count says it.
    return unhealthy or (verdict.mend and verdict.managed) or bool(verdict.reason and not verdict.owner)


def _danger(entry: Entry, *, deletions_first: bool) -> tuple[bool, int, int, ObjectRef]:
    later = deletions_first and entry.drift is not DriftKind.ORPHANED
    return later, -entry.severity, _KIND_ORDER.index(entry.drift), entry.ref


def _count(verdicts: Sequence[Verdict]) -> Counts:
    buckets = Counter(verdict.bucket for verdict in verdicts)
    return Counts(
        in_sync=buckets[Bucket.IN_SYNC],
        pending=buckets[Bucket.PENDING],
        drifted=buckets[Bucket.DRIFTED],
        ignored=buckets[Bucket.IGNORED],
        skipped=buckets[Bucket.SKIPPED],
        failed=buckets[Bucket.FAILED],
        unmanaged=sum(not verdict.managed for verdict in verdicts),
        mended=sum(verdict.mend for verdict in verdicts),
        additive=sum(verdict.additive is not None for verdict in verdicts),
        local=sum(verdict.local for verdict in verdicts),
    )
