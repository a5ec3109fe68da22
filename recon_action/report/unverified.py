"""A report that a stranger's run has written, made one that may be shown: what it says is kept, and nothing else of it.

What a validation says is text, which every format escapes. What would speak to a reader in our name is not taken over:
links are made anew, counts that nobody has checked are not added up to a verdict, and nothing of a cluster is repeated.
"""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from recon_action.errors import ExitCode, PublishError
from recon_action.model import AmendmentKind, Bucket, Mode, ObjectRef, Problem, Revision
from recon_action.redact import MASK
from recon_action.report.document import Amended, Counts, Entry, Fault, Place, Report
from recon_action.report.outcome import VALID, result_word

UNVERIFIED: Final = (
    "> ⚠️ **Not verified.** The pull request's own run has written this, without credentials: whoever wrote the change "
    "can have made it say anything."
)
_LONGEST = 2_000  # characters of one text
_MOST = 1_000_000  # of whatever is counted
# Credentials by their looks. A comment stays in mails and in its own history, whatever becomes of it.
_CREDENTIAL = re.compile(
    r"\b(?:gh[opsur]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{12,}"
    r"|AIza[\w-]{30,}|eyJ[\w-]{6,}\.[\w-]{6,}\.[\w-]*|(?:sk|rk)_live_\w{16,})"
    r"|-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*",
    re.ASCII | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known without the report.

    Args:
        target: the only one that is published here.
        commit: that the run has looked at.
        base: what it goes into, "" if that is not known.
        page: the repository's web address.
        run_url: the run's.
    """

    target: str
    commit: str
    base: str = ""
    page: str = ""
    run_url: str = ""


def unverified(report: Report, known: Known) -> Report:
    """What may be shown of a report that is not to be trusted.

    Raises:
        PublishError: it is of another target, or no validation.
    """
    if report.mode is not Mode.VALIDATE:
        raise PublishError(
            "the report is not of a validation", hint="only what was made without credentials is published"
        )
    if report.target != known.target:
        raise PublishError(
            f"the report is of another target than {known.target}",
            hint="a step publishes one target: name it by input target, as in the run before",
        )
    entries = tuple(_entry(entry, known) for entry in report.entries if entry.problem is not None)
    faults, problems = tuple(_fault(one, known) for one in report.faults), tuple(map(_problem, report.problems))
    code = ExitCode.DESIRED if faults or entries or problems else ExitCode.OK
    return Report(
        mode=Mode.VALIDATE,
        target=known.target,
        result=VALID if code is ExitCode.OK else result_word(code, {}),
        exit_code=code,
        counts=Counts(unasked=_count(report.counts.unasked), failed=len(entries)),
        entries=entries,
        problems=problems,
        faults=faults,
        amendments=tuple(_amended(one, known) for one in report.amendments),
        notes=tuple(_text(note) for note in report.notes),
        revision=Revision(known.commit),
        files=_count(report.files),
        skipped_files=_count(report.skipped_files),
        run_url=known.run_url,
        base=known.base,
    )


def _entry(entry: Entry, known: Known) -> Entry:
    """An object that the files have wrong."""
    problem = _problem(entry.problem) if entry.problem else None
    return Entry(_ref(entry.ref), Bucket.FAILED, place=_place(entry.place, known.commit, known), problem=problem)


def _fault(fault: Fault, known: Known) -> Fault:
    at = _place(fault.place, known.commit, known) or Place("", 0)
    return Fault(at, _text(fault.message), _text(fault.hint))


def _amended(of: Amended, known: Known) -> Amended:
    commit = known.base if of.kind is AmendmentKind.REMOVED else known.commit
    return Amended(_ref(of.ref), of.kind, tuple(map(_text, of.paths)), _place(of.place, commit, known))


def _problem(problem: Problem) -> Problem:
    return Problem(problem.trouble, _text(problem.message), _text(problem.hint), _text(problem.verb))


def _ref(ref: ObjectRef) -> ObjectRef:
    return ObjectRef(*map(_text, (ref.group, ref.kind, ref.namespace, ref.name)))


def _place(place: Place | None, commit: str, known: Known) -> Place | None:
    """A place by its name and number alone, linked if it is one in the repository."""
    if place is None:
        return None
    file, line = _text(place.file), _count(place.line)
    is_plain = not {"", ".", ".."} & set(file.split("/")) and "\\" not in file
    if not (is_plain and commit and known.page and line):
        return Place(file, line)
    return Place(file, line, f"{known.page}/blob/{commit}/{quote(file)}#L{line}")


def _text(text: str) -> str:
    return _CREDENTIAL.sub(MASK, text[:_LONGEST])


def _count(number: int) -> int:
    return min(max(number, 0), _MOST)
