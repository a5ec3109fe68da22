"""An object in plain sentences, for what stands beside the manifests: annotations and SARIF.

Values never show here, only paths: whoever sees a public repository sees what stands beside its files. Foreign text
comes out of here as it came in: the format escapes it.
"""

from collections.abc import Iterator, Sequence

from recon_action.model import Cause, DriftKind, Problem
from recon_action.report.document import Change, Entry
from recon_action.report.words import moment

_NAMED_FIELDS = 3


def sentences(entry: Entry) -> Iterator[str]:
    """All that is to be said of an object, trouble first."""
    if entry.problem is not None:
        yield explained(entry.problem)
    yield from difference(entry)
    if entry.outcome is not None and entry.drift is not None:
        yield f"This run: {entry.outcome}."
    if entry.health_message and not (entry.problem and entry.health_message in entry.problem.message):
        yield entry.health_message


def difference(entry: Entry) -> Iterator[str]:
    """How an object differs, and with which tool it was last written."""
    if entry.drift is DriftKind.MISSING:
        yield "Git has it, and the cluster does not."
    elif entry.drift is DriftKind.ORPHANED:
        yield "The cluster still has it, and Git no longer does."
    elif entry.drift is DriftKind.MODIFIED:
        who = "Git changed" if entry.cause is Cause.GIT else "The cluster differs in"
        yield from told(who, entry.changes)


def told(who: str, changes: Sequence[Change]) -> Iterator[str]:
    """`who` and the first few of the fields that changed; then the tools that wrote them."""
    paths = list(dict.fromkeys(change.path for change in changes))
    more = len(paths) - _NAMED_FIELDS
    yield f"{who} {', '.join(paths[:_NAMED_FIELDS])}{f' and {more} more' if more > 0 else ''}."
    tools = dict.fromkeys(_tool(change.tool, change.since) for change in changes if change.tool)
    if tools:
        yield f"Last written by {', '.join(tools)}."


def explained(problem: Problem) -> str:
    """What went wrong, and on a line of its own what to do about it."""
    return "\n".join(filter(None, (problem.message, problem.hint)))


def _tool(tool: str, since: str) -> str:
    return f"{tool} at {moment(since)}" if since else tool
