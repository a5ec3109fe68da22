"""The report in words: the verdict, the counts, and what is said of an object or a field.

Both text formats use these, so that they say the same. Foreign text comes out of here as it came in:
the format escapes it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from recon_action.errors import ExitCode
from recon_action.model import (
    AmendmentKind,
    Bucket,
    Cause,
    DriftKind,
    Mode,
    ObjectRef,
    Outcome,
    Problem,
    Severity,
    Trouble,
)
from recon_action.report.document import Amended, Change, Entry, Partial, Place, PlannedAction, Report

_CAUSES = {
    Cause.GIT: "Git moved",
    Cause.MANUAL: "changed by a person's tool",
    Cause.CONTROLLER: "changed by a controller",
    Cause.UNKNOWN: "changed in the cluster",
}
_OUTCOMES = {
    Outcome.CREATED: "created",
    Outcome.CONFIGURED: "configured",
    Outcome.RECREATED: "deleted and created anew",
    Outcome.UNCHANGED: "left unchanged by the server",
    Outcome.DELETED: "deleted",
    Outcome.RELEASED: "released",
    Outcome.SKIPPED: "not done",
    Outcome.FAILED: "failed",
}
_TITLES = {
    ExitCode.OK: "In sync",
    ExitCode.USAGE: "Wrong usage",
    ExitCode.DESIRED: "Errors in the manifests",
    ExitCode.CLUSTER: "Not everything could be read",
    ExitCode.INCOMPLETE: "Apply incomplete",
    ExitCode.UNHEALTHY: "Unhealthy",
    ExitCode.LOCKED: "Locked",
    ExitCode.PUBLISH: "Not published",
    ExitCode.REFUSED: "Refused",
    ExitCode.BUG: "Failed",
    ExitCode.INTERRUPTED: "Interrupted",
}
_MADE = {"kustomize": "overlay", "helm": "chart"}
# What a preview calls them, the most dangerous first.
CHANGES = {DriftKind.ORPHANED: "removed", DriftKind.MODIFIED: "changed", DriftKind.MISSING: "new"}
_NAMED = 5  # objects that an action comes after
_PREVIEWS = {ExitCode.OK: "No changes", ExitCode.DIFFERENT: "Changes"}
_READ = (
    "No cluster was asked: the manifests were read and checked, and nothing is known of what runs or of what an apply "
    "would do."
)
_TRIED = (
    "No cluster was asked: each object was tried on an API server that had nothing but these manifests, and nothing is "
    "known of what runs."
)
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z")


@dataclass(frozen=True, slots=True)
class Parts:
    """The entries of a report, by what there is to say of them; each entry is in exactly one."""

    different: tuple[Entry, ...]
    failed: tuple[Entry, ...]
    added: tuple[Entry, ...]  # in sync, with fields that Git doesn't mention
    passed_over: tuple[Entry, ...]  # skipped, ignored
    other: tuple[Entry, ...]  # in sync: mended, adopted, unhealthy


def parts(report: Report) -> Parts:
    """The report's entries, sorted into the sections that people read."""
    different, failed, added, passed_over, other = [], [], [], [], []
    for entry in report.entries:
        if entry.bucket is Bucket.FAILED:
            failed.append(entry)
        elif entry.bucket in {Bucket.SKIPPED, Bucket.IGNORED}:
            passed_over.append(entry)
        elif entry.bucket in {Bucket.PENDING, Bucket.DRIFTED}:
            different.append(entry)
        elif entry.changes:
            added.append(entry)
        else:
            other.append(entry)
    return Parts(*map(tuple, (different, failed, added, passed_over, other)))


def destructive(report: Report) -> list[Entry]:
    """What differs, and an apply would destroy."""
    return [entry for entry in parts(report).different if entry.severity is Severity.DESTRUCTIVE]


def asked(report: Report) -> str:
    """How many verdicts took a question: `4 of 1,020 needed the server`."""
    if report.mode is Mode.VALIDATE:
        return "no cluster was asked"
    return (
        f"{report.asked:,} of {report.counts.total:,} needed the server" if report.asked else "none needed the server"
    )


def validated(report: Report) -> str:
    """What a validation has done, and what it has not."""
    return _TRIED if report.server_version else _READ


def title(report: Report) -> str:
    """The verdict in a word or a few."""
    if report.mode is Mode.PREVIEW and report.exit_code in _PREVIEWS:
        return _PREVIEWS[report.exit_code]
    if report.mode is Mode.VALIDATE and report.exit_code is ExitCode.OK:
        return f"Checked on {report.server_version}" if report.server_version else "Checked without a cluster"
    if report.result == "applied":
        return "Applied"
    if report.exit_code is ExitCode.DIFFERENT:
        held = report.counts
        only_added = held.additive and not held.pending
        return "Drift" if held.drifted else "Fields were added" if only_added else "Pending"
    return _TITLES[report.exit_code]


def counts(report: Report) -> list[str]:
    """`2 drifted`, `1 pending`, `40 in sync`: every bucket that holds something, most urgent first."""
    held, previewed = report.counts, report.mode is Mode.PREVIEW
    if report.mode is Mode.VALIDATE:
        return _validated(report)
    if held.in_sync == held.total:
        return [plural(held.total, "object")]
    kinds = Counter(entry.drift for entry in report.entries if entry.bucket is Bucket.PENDING)
    pending = [(kinds[kind], word) for kind, word in CHANGES.items()] if previewed else [(held.pending, "pending")]
    buckets = (
        (held.drifted, "drifted"),
        *pending,
        (held.failed, "failed"),
        (held.skipped, "skipped"),
        (held.ignored, "ignored"),
        (held.in_sync, "unchanged" if previewed else "in sync"),
    )
    return [f"{number} {word}" for number, word in buckets if number]


def _validated(report: Report) -> list[str]:
    """`12 objects`, `1 removed`, `2 changed`: what was read, and what the change in Git does to it."""
    kinds = Counter(amended.kind for amended in report.amendments)
    read = [plural(report.counts.total, "object")] if report.counts.total else []
    failed = [f"{report.counts.failed} failed"] if report.counts.failed else []
    faults = [plural(len(report.faults), "fault")] if report.faults else []
    return [*faults, *failed, *read, *(f"{kinds[kind]} {kind}" for kind in AmendmentKind if kinds[kind])]


def summary(report: Report, separator: str = ", ") -> str:
    """All counts in one phrase: `2 drifted, 40 in sync`; of an apply, what was found and what was done."""
    text = separator.join(counts(report))
    if across := asides(report):
        text += f" ({', '.join(across)})"
    if did := done(report):
        text = f"found {text}; {separator.join(did)}"
    return text


def asides(report: Report) -> list[str]:
    """Counts that cut across the buckets."""
    held = report.counts
    partial = ["partial"] if report.partial else []
    across = (
        (held.unmanaged, "not yet managed"),
        (held.mended, "to be marked as ours again"),
        (held.additive, "with added fields"),
        (held.local, "by local verdict"),
    )
    return partial + [f"{number} {word}" for number, word in across if number]


def partial(of: Partial) -> str:
    """`partial: 2 of 5 objects, selected by include Deployment; …`."""
    chosen = f"{of.selected} of {plural(of.total, 'object')}, selected by {of.by}"
    return f"partial: {chosen}; nothing else was looked at, and nothing is pruned"


def done(report: Report) -> list[str]:
    """`1 created`, `2 configured`: what an apply did."""
    outcomes = Counter(entry.outcome for entry in report.entries)
    return [f"{outcomes[kind]} {_OUTCOMES[kind]}" for kind in Outcome if outcomes[kind]]


def state(entry: Entry) -> str:
    """How an object differs; "" if it doesn't."""
    added = sum(change.additive for change in entry.changes)
    match entry.drift, entry.bucket:
        case DriftKind.MISSING, Bucket.PENDING:
            return "new in Git"
        case DriftKind.MISSING, _:
            return "missing, deleted from the cluster"
        case DriftKind.ORPHANED, _:
            return "orphaned, no longer in Git"
        case DriftKind.MODIFIED, _:
            fields = plural(len(entry.changes) - added, "field")
            return f"{fields}, {added} added" if added else fields
        case _:
            return f"{plural(added, 'field')} added" if added else ""


def cause(entry: Entry) -> str:
    """Which side moved; "" where `state` has said it already."""
    return _CAUSES[entry.cause] if entry.cause and entry.drift is DriftKind.MODIFIED else ""


def provenance(change: Change, entry: Entry) -> str:
    """Which tool holds the live value and when it last wrote; what else is to be known of the field."""
    remarks = []
    if change.tool:
        remarks.append(change.tool + (f", last wrote {moment(change.since)}" if change.since else ""))
    if change.cause is not entry.cause:
        remarks.append(_CAUSES[change.cause])
    if change.additive:
        remarks.append("Git doesn't mention the field")
    return "; ".join(remarks)


def amended(of: Amended) -> str:
    """`changed: spec.replicas, spec.template and 3 more`; what a change in Git does to an object."""
    more = f" and {len(of.paths) - _NAMED} more" if len(of.paths) > _NAMED else ""
    return f"{of.kind}: {', '.join(of.paths[:_NAMED])}{more}" if of.paths else of.kind.value


def outcome(entry: Entry) -> str:
    """What an apply did to the object; "" if nothing."""
    return _OUTCOMES[entry.outcome] if entry.outcome else ""


def remarks(entry: Entry) -> Iterator[str]:
    """What else is to be known of an object."""
    if entry.reason and not _is_told(entry):
        yield entry.reason
    if not entry.managed and entry.drift is not DriftKind.MISSING:
        yield "not applied by recon-action before"
    if entry.local:
        yield "local verdict: the server was not asked"
    gone = entry.health == "NotFound" and entry.outcome is Outcome.DELETED
    is_said = entry.problem is not None and entry.problem.trouble in {Trouble.UNHEALTHY, Trouble.TIMEOUT}
    if entry.health not in {"", "Current"} and not gone and not is_said:
        yield f"health: {entry.health}" + (f", {entry.health_message}" if entry.health_message else "")


def _is_told(entry: Entry) -> bool:
    """Whether the object's problem says what the reason says."""
    return entry.problem is not None and entry.reason.startswith(entry.problem.message)


def trouble(problem: Problem) -> str:
    """The class of trouble and what was tried: `forbidden (403) on list`."""
    status = f" ({problem.status})" if problem.status else ""
    verb = f" on {problem.verb}" if problem.verb else ""
    return f"{problem.trouble.value}{status}{verb}"


def stages(report: Report) -> list[tuple[str, list[PlannedAction]]]:
    """The plan, stage by stage: `1. create 3, configure 1`, and the actions; with its wave, if there are several."""
    by_stage: dict[int, list[PlannedAction]] = {}
    for action in report.plan:
        by_stage.setdefault(action.stage, []).append(action)
    plan, waves = [], has_waves(report)
    for number, actions in sorted(by_stage.items()):
        kinds = Counter(action.action for action in actions)
        did = ", ".join(f"{kind} {count}" for kind, count in kinds.items())
        plan.append((f"{number}. {did}" + (f" (wave {actions[0].wave})" if waves else ""), actions))
    return plan


def by_action(actions: Iterable[PlannedAction]) -> dict[str, list[ObjectRef]]:
    """What is done to which objects, in the order in which it comes up first."""
    done: dict[str, list[ObjectRef]] = {}
    for action in actions:
        done.setdefault(action.action, []).append(action.ref)
    return done


def deeds(actions: Iterable[PlannedAction]) -> str:
    """`create Service shop/web; configure 12: Deployment shop/web, … and 7 more`."""
    said = (
        f"{kind} {f'{len(refs)}: ' if len(refs) > _NAMED else ''}{_named(refs)}"
        for kind, refs in by_action(actions).items()
    )
    return "; ".join(said)


def has_waves(report: Report) -> bool:
    """Whether the plan has several waves, so that it says something to tell them."""
    return len({action.wave for action in report.plan}) > 1


def waits(action: PlannedAction) -> str:
    """What an action comes after: `after Secret shop/db; once Namespace shop is ready`; "" if nothing."""
    said = []
    if needs := [ref for ref in action.needs if ref not in action.awaits]:
        said.append(f"after {_named(needs)}")
    if action.awaits:
        said.append(f"once {_named(action.awaits)} {'is' if len(action.awaits) == 1 else 'are'} ready")
    return "; ".join(said)


def plan_title(report: Report) -> str:
    """The heading of the plan."""
    if any(problem.trouble is Trouble.REFUSED for problem in report.problems):
        return "Plan that was refused"
    if report.exit_code in {ExitCode.INTERRUPTED, ExitCode.LOCKED}:
        return "Plan that was carried out in part"
    return "Plan that was carried out" if report.mode.writes else "An apply would"


def digest(report: Report) -> str:
    """What identifies the plan, to be approved: `Digest of the plan: 9f86d081884c7d65-a1b2c3d4`."""
    nothing = "" if report.plan else "Nothing is to be done. "
    return f"{nothing}Digest of the plan: {report.digest}"


def revision(report: Report) -> str:
    """`9e1c2bf (main, with uncommitted changes)`, "" outside of a repository."""
    of = report.revision
    if of is None or not of.commit:
        return ""
    against = f"against {report.base[:7]}" if report.base else ""
    notes = [note for note in (of.branch, "with uncommitted changes" if of.dirty else "", against) if note]
    return of.commit[:7] + (f" ({', '.join(notes)})" if notes else "")


def moment(time: str) -> str:
    """`2026-11-30 14:02:11 UTC`; anything that is no such time as it is."""
    found = _TIME.fullmatch(time)
    return f"{found[1]} {found[2]} UTC" if found else time


def place(at: Place) -> str:
    """`k8s/web.yaml:12`."""
    return f"{at.file}:{at.line}"


def origin(at: Place) -> str:
    """`base/web.yaml:12, from overlay overlays/prod`: the place, and what was rendered of it."""
    made = _MADE.get(at.source, "")
    return f"{place(at)}, from {made} {at.via}" if made and at.via else place(at)


def _named(refs: Sequence[ObjectRef]) -> str:
    named = ", ".join(map(str, refs[:_NAMED]))
    return f"{named} and {len(refs) - _NAMED} more" if len(refs) > _NAMED else named


def plural(number: int, noun: str) -> str:
    """`1 field`, `2 fields`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
