"""Makes the report of a validation, redacted: what is wrong with the manifests, and what a change in Git does to them.

No cluster was asked, so no object is in sync, pending or drifted here. How anything is worded may not live here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from recon_action.errors import ExitCode
from recon_action.model import Amendment, AmendmentKind, Desired, Mode, Position, Problem, Revision
from recon_action.redact import Secrets, is_secret_path, redact_problem
from recon_action.report.build import Facts
from recon_action.report.document import Amended, Counts, Fault, Report
from recon_action.report.outcome import VALID, result_word
from recon_action.report.places import place_of


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of checking the manifests.

    Args:
        desired: what could be read.
        base: the commit that it was compared with; None if it was not.
        faults: what is wrong with the files: where, what, and what to write instead.
        amendments: what differs between the two commits.
        problems: trouble that belongs to no file.
        notes: further sentences for the reader.
        server_version: of the control plane that the manifests were tried on; "" if they were only read.
    """

    desired: Desired
    base: Revision | None = None
    faults: Sequence[tuple[Position, str, str]] = ()
    amendments: Sequence[Amendment] = ()
    problems: Sequence[Problem] = ()
    notes: Sequence[str] = field(default=())
    server_version: str = ""


def validation(target: str, checked: Checked, secrets: Secrets, facts: Facts) -> Report:
    """The report of one validation.

    Args:
        target: its name.
        checked: what was found.
        secrets: every secret value that the run has seen.
        facts: of the run itself.
    """
    desired = checked.desired
    code = ExitCode.DESIRED if checked.faults or checked.problems else ExitCode.OK
    return Report(
        mode=Mode.VALIDATE,
        target=target,
        result=VALID if code is ExitCode.OK else result_word(code, {}),
        exit_code=code,
        counts=Counts(unasked=len(desired.manifests)),
        problems=tuple(redact_problem(None, problem, secrets) for problem in checked.problems),
        faults=tuple(
            Fault(place_of(position, desired.revision), secrets.scrub(message), secrets.scrub(hint))
            for position, message, hint in checked.faults
        ),
        amendments=tuple(_amended(amendment, checked, secrets) for amendment in checked.amendments),
        notes=tuple(secrets.scrub(note) for note in checked.notes),
        # The work tree's folder is of no use elsewhere, and tells of the machine.
        revision=replace(desired.revision, root="") if desired.revision else None,
        files=desired.files,
        skipped_files=len(desired.skipped),
        server_version=checked.server_version,
        started=facts.started,
        seconds=facts.seconds,
        run_url=facts.run_url,
        base=checked.base.commit if checked.base else "",
        version=facts.version,
    )


def _amended(amendment: Amendment, checked: Checked, secrets: Secrets) -> Amended:
    manifest = amendment.manifest
    is_gone = amendment.kind is AmendmentKind.REMOVED
    return Amended(
        ref=manifest.ref,
        kind=amendment.kind,
        paths=tuple(
            (secrets.scrub_all if is_secret_path(manifest.ref, path, secrets.rules) else secrets.scrub)(str(path))
            for path in amendment.paths
        ),
        place=place_of(
            manifest.origin.position, checked.base if is_gone else checked.desired.revision, manifest.origin
        ),
    )
