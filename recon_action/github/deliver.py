"""A report as the runner shows it: annotations beside the manifests, and the step's outputs.

Decides which objects are worth an annotation and how loud. Values never show here, only paths: the annotation of
a public repository is public.
"""

from collections.abc import Iterator, Mapping

from recon_action.errors import ExitCode, ReconError
from recon_action.github.commands import MAX_ANNOTATIONS, Annotation, Level
from recon_action.model import Bucket, Mode, Outcome
from recon_action.report.document import Entry, Report
from recon_action.report.escape import fence, visible
from recon_action.report.outcome import SETTLED, is_whole
from recon_action.report.render import BUDGET
from recon_action.report.sentences import explained, sentences

OUTPUTS = {
    "result": "One word: in-sync, different, applied, incomplete, unhealthy, refused, locked, interrupted, error, "
    "valid, unverified, answered, or skipped.",
    "exit-code": "The run's exit code, before fail-on is applied.",
    "in-sync": "How many objects are in sync. This and the other counts are empty if no cluster was compared.",
    "pending": "How many objects Git changed and the cluster does not have yet.",
    "drifted": "How many objects the cluster changed.",
    "ignored": "How many objects differ only where a rule says so.",
    "skipped": "How many objects were left out, each with a reason in the report.",
    "failed": "How many objects could not be read, predicted or applied.",
    "digest": "The digest of the plan: `plan` carries out no other.",
    "report-path": "The report as JSON, relative to the workspace; the Markdown lies beside it. Empty without one.",
    "sarif-path": "The report as SARIF, for github/codeql-action/upload-sarif. Empty without one, and if not all "
    "could be read: GitHub takes what a SARIF file does not name for mended.",
    "comment-url": "The page of the pull request's comment, or of the reply. This and what follows may be empty.",
    "comment-id": "Its id.",
    "check-run-url": "The page of the check run.",
    "issue-url": "The page of the drift issue.",
    "issue-number": "Its number.",
}
TITLE = "recon-action"
_FRAME = 200  # bytes around an error's words


def outputs(report: Report, files: Mapping[str, str]) -> dict[str, str]:
    """The outputs of a run that came to a report: short words and numbers, no text that anybody else wrote.

    Args:
        report: what it came to.
        files: the report's, by suffix; {} if they could not be written.
    """
    counts = report.counts
    unapplied = [entry for entry in report.entries if entry.outcome is Outcome.FAILED]
    compared = {
        "in-sync": counts.in_sync,
        "pending": counts.pending,
        "drifted": counts.drifted,
        "ignored": counts.ignored,
        "skipped": counts.skipped,
        "failed": counts.failed + sum(entry.bucket is not Bucket.FAILED for entry in unapplied),
    }
    is_compared = report.mode is not Mode.VALIDATE
    return {
        **dict.fromkeys(OUTPUTS, ""),
        **({name: str(count) for name, count in compared.items()} if is_compared else {}),
        "result": report.result,
        "digest": report.digest,
        "report-path": files.get("json", ""),
        "sarif-path": files.get("sarif", "") if is_whole(report) else "",
    }


def outputs_without_report(result: str) -> dict[str, str]:
    """The outputs of a run without a report; counts are empty, as nothing was counted."""
    return {**dict.fromkeys(OUTPUTS, ""), "result": result}


def annotations(report: Report) -> Iterator[Annotation]:
    """What deserves a look, most dangerous first: failures, differences, and drift that was corrected."""
    for problem in report.problems:
        yield Annotation(Level.ERROR, explained(problem), title=TITLE)
    for fault in report.faults:
        message = _lines(fault.message, fault.hint)
        yield Annotation(Level.ERROR, message, title=TITLE, file=fault.place.file, line=fault.place.line)
    for entry in report.entries:
        level = _level(entry, report.mode)
        if level is not None:
            yield _beside(entry, level)


def _level(entry: Entry, mode: Mode) -> Level | None:
    if entry.problem is not None or entry.bucket is Bucket.FAILED:
        return Level.ERROR
    if entry.drift is None or entry.bucket in {Bucket.IGNORED, Bucket.SKIPPED}:
        return None
    corrected = mode.writes and entry.outcome in SETTLED
    if entry.bucket is Bucket.DRIFTED:
        return Level.NOTICE if corrected else Level.WARNING
    return None if corrected else Level.NOTICE  # pending: an ordinary deployment


def _beside(entry: Entry, level: Level) -> Annotation:
    place = next((change.place for change in entry.changes if change.place is not None), None) or entry.place
    return Annotation(
        level,
        message="\n".join(sentences(entry)),
        title=str(entry.ref),
        file=place.file if place else "",
        line=place.line if place else 0,
    )


def trouble(error: ReconError) -> Annotation:
    """What stopped the run, or a part of it."""
    return Annotation(Level.ERROR, _lines(error.message, error.hint), title=TITLE)


def remark(text: str) -> Annotation:
    """Something worth knowing about the run as a whole."""
    return Annotation(Level.NOTICE, text, title=TITLE)


def error_summary(error: ReconError, budget: int = BUDGET) -> str:
    """The summary of a run that came to no report. The words may be anybody's: they stay in a fence.

    Args:
        error: what stopped the run.
        budget: bytes that the text may take; the last lines of a long message are left out, and counted.
    """
    title = "⛔ recon-action: refused" if error.exit_code is ExitCode.REFUSED else "❌ recon-action: stopped"
    hint = list(map(visible, error.hint.split("\n"))) if error.hint else []
    shown: list[str] = []
    room = budget - _FRAME - sum(map(_size, hint))
    lines = list(map(visible, error.message.split("\n")))
    while len(shown) < len(lines) and (room := room - _size(lines[len(shown)])) >= 0:
        shown.append(lines[len(shown)])
    missing = len(lines) - len(shown)
    more = f"\n**{missing} more lines**, to keep the text within its limit.\n" if missing else ""
    return f"### {title}\n\n{fence([*shown, *hint], 'text')}\n{more}"


def left_out(count: int) -> str:
    """A line for the log where the runner takes no more annotations."""
    return f"{count} more would have an annotation; the runner takes {MAX_ANNOTATIONS} of each level."


def _size(line: str) -> int:
    return len(line.encode()) + 2  # the line's end, and what makes it inert


def _lines(*lines: str) -> str:
    return "\n".join(line for line in lines if line)
