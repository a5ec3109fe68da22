"""Which side moved, with which tool, and when it last wrote.

managedFields name tools, not people, and keep no trace of what was deleted.
"""

from collections.abc import Sequence

from recon_action.analyze.compare import Difference
from recon_action.analyze.fields import owners
from recon_action.analyze.managers import cause_of, tool_of
from recon_action.model import ABSENT, Cause, FieldChange, FieldPath, LiveObject

_VERSION = FieldPath(("apiVersion",))


def blame(differences: Sequence[Difference], live: LiveObject, *, git_moved: bool | None) -> tuple[FieldChange, ...]:
    """Give each difference its cause.

    Args:
        differences: as `compare` gives them.
        live: the object as stored.
        git_moved: whether Git differs from what we last applied; None if nothing is remembered.
    """
    return tuple(_blamed(difference, live, git_moved=git_moved) for difference in differences)


def _blamed(difference: Difference, live: LiveObject, *, git_moved: bool | None) -> FieldChange:
    path, desired, stored = difference
    owning = [] if stored is ABSENT else owners(live.entries, path)
    ours = any(entry.is_ours for entry in owning)
    if isinstance(stored, list) and isinstance(desired, list):
        owning = owners(live.entries, path, whole=True)  # the order of merged items leaves no entry: no tool to name
    other = next((entry for entry in owning if not entry.is_ours), None)
    if path == _VERSION or (git_moved is None and live.own_entry is None):
        # The server has an object in every version; of one that we never applied, all is new in Git.
        cause = Cause.GIT
    elif git_moved is not False and (ours or stored is ABSENT):
        cause = Cause.GIT
    else:
        cause = cause_of(other) if other else Cause.UNKNOWN
    tool, since = (tool_of(other), other.time) if other else ("", "")
    return FieldChange(path, desired, stored, cause, tool, since)


def overall(causes: Sequence[Cause]) -> Cause:
    """One cause for an object: a person's hand outweighs a controller's, and any of them Git."""
    for cause in (Cause.MANUAL, Cause.CONTROLLER, Cause.UNKNOWN):
        if cause in causes:
            return cause
    return Cause.GIT
