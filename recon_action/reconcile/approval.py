"""The plan that somebody has looked at, from the option that names it."""

from pathlib import Path

from recon_action.errors import UsageError
from recon_action.model import Approved
from recon_action.model.digest import is_digest
from recon_action.report import from_json

_HINT = "give the digest that `recon-action diff --show-plan` prints, or the file of a JSON report"


def read_approved(plan: str) -> Approved | None:
    """The only plan that may be carried out; None if any may.

    Args:
        plan: a digest, or a file with a report as JSON.

    Raises:
        UsageError: it is neither.
    """
    if not plan:
        return None
    if is_digest(plan):
        return Approved(plan)
    try:
        text = Path(plan).read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError) as error:  # a name may hold what no name can
        reason = error.strerror if isinstance(error, OSError) else "no file has such a name"
        raise UsageError(f"plan {plan!r} is no digest, and can't be read as a file: {reason}", hint=_HINT) from error
    report = from_json(text)
    if not is_digest(report.digest):
        raise UsageError(f"the report {plan!r} holds no plan", hint=_HINT)
    return Approved(report.digest, {line.ref: (line.action, line.fingerprint) for line in report.plan})
