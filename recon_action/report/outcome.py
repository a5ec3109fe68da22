"""What a run came to: its exit code, and the one word for scripts.

The numbers themselves and their order stand in `errors`. No text for people may live here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from recon_action.errors import ExitCode, combine
from recon_action.model import Bucket, Mode, ObjectRef, Outcome, Problem, Result, Trouble, Verdict
from recon_action.report.document import Report

DIFFERENT = frozenset({Bucket.PENDING, Bucket.DRIFTED})
# An apply that came to one of these left the object as Git says.
SETTLED = frozenset(Outcome) - {Outcome.SKIPPED, Outcome.FAILED}
CHANGED = SETTLED - {Outcome.UNCHANGED}

VALID: Final = "valid"  # the word of a validation that has found nothing wrong
_OF_DESIRED = frozenset({Trouble.INVALID, Trouble.IMMUTABLE, Trouble.DENIED, Trouble.UNKNOWN_KIND})
_OF_GUARD = frozenset({Trouble.REFUSED, Trouble.FOREIGN})
_OF_HEALTH = frozenset({Trouble.UNHEALTHY, Trouble.TIMEOUT})
# After these all was looked at, and something else is the matter.
_SEEING = _OF_GUARD | _OF_HEALTH
_OF_RUN = {Trouble.LOCKED: ExitCode.LOCKED, Trouble.INTERRUPTED: ExitCode.INTERRUPTED}
_WRITES = frozenset({"apply", "dry-run", "delete"})
_WORDS = {
    ExitCode.OK: "in-sync",
    ExitCode.DIFFERENT: "different",
    ExitCode.INCOMPLETE: "incomplete",
    ExitCode.UNHEALTHY: "unhealthy",
    ExitCode.REFUSED: "refused",
    ExitCode.LOCKED: "locked",
    ExitCode.INTERRUPTED: "interrupted",
}


def exit_code(
    mode: Mode,
    verdicts: Sequence[Verdict],
    results: Mapping[ObjectRef, Result],
    health: Mapping[ObjectRef, tuple[str, str]],
    problems: Iterable[Problem],
) -> ExitCode:
    """The run's exit code, before `--fail-on`."""
    codes = {_of_problem(mode, problem) for problem in problems}
    codes.update(_of_verdicts(mode, verdicts, results))
    codes.update(_of_result(result) for result in results.values())
    codes.update(ExitCode.UNHEALTHY for ref, (word, _) in health.items() if not is_healthy(word, results.get(ref)))
    return combine(codes)


def result_word(code: ExitCode, results: Mapping[ObjectRef, Result]) -> str:
    """The word of `Report.result` for that exit code."""
    if code is ExitCode.OK and any(result.outcome in CHANGED for result in results.values()):
        return "applied"
    return _WORDS.get(code, "error")


def is_whole(report: Report) -> bool:
    """Whether every object was judged, so that what the report does not tell of is in sync."""
    unseen = report.counts.failed or report.counts.unasked or report.faults or report.partial
    return not unseen and all(problem.trouble in _SEEING for problem in report.problems)


def is_healthy(word: str, result: Result | None) -> bool:
    """Whether the kstatus `word` is what was waited for: gone, if the object was deleted."""
    deleted = result is not None and result.outcome is Outcome.DELETED
    return word == ("NotFound" if deleted else "Current")


def _of_verdicts(mode: Mode, verdicts: Sequence[Verdict], results: Mapping[ObjectRef, Result]) -> Iterator[ExitCode]:
    for verdict in verdicts:
        if verdict.problem is not None:
            yield _of_problem(mode, verdict.problem)
        result = results.get(verdict.ref)
        differs = verdict.bucket in DIFFERENT or verdict.is_reverted
        settled = result is not None and result.outcome in SETTLED
        if verdict.is_overridden or verdict.contested or (differs and not settled):
            yield ExitCode.DIFFERENT


def _of_problem(mode: Mode, problem: Problem) -> ExitCode:
    if problem.trouble in _OF_RUN:
        return _OF_RUN[problem.trouble]
    if problem.trouble in _OF_HEALTH:
        return ExitCode.UNHEALTHY
    if problem.trouble is Trouble.UNKNOWN_KIND:
        return ExitCode.DESIRED
    if problem.trouble in _OF_GUARD:
        return ExitCode.REFUSED
    if mode.writes and problem.verb in _WRITES:
        return ExitCode.INCOMPLETE
    return ExitCode.DESIRED if problem.trouble in _OF_DESIRED else ExitCode.CLUSTER


def _of_result(result: Result) -> ExitCode:
    if result.problem is not None and result.problem.trouble in _OF_HEALTH:
        return ExitCode.UNHEALTHY
    failed = result.outcome is Outcome.FAILED or result.problem is not None
    return ExitCode.INCOMPLETE if failed else ExitCode.OK
