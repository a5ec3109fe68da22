"""A report as a comment on a pull request: the Markdown of `markdown`, and what a comment has to say beside it.

Pure. The hidden line above the text, and whether it is written at all, is `github`'s.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from recon_action.model import ObjectRef
from recon_action.report import markdown, words
from recon_action.report.document import Report
from recon_action.report.escape import anchor, code

ROOM: Final = 60_000  # bytes; GitHub takes 65,536 characters, and the hidden line needs some


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands above and below the report.

    Args:
        above: a block of our own Markdown, "" if there is none.
        head: SHA of the pull request's head; the report's own revision may be its trial merge.
        base: SHA of the base.
        url: of the full report, the job's summary; "" outside of a workflow.
        digest: of the plan, "" without one.
    """

    head: str = ""
    base: str = ""
    url: str = ""
    digest: str = ""
    above: str = ""


def body(report: Report, beside: Beside) -> str:
    """The report, cut to what a comment holds."""
    head, foot = _head(beside), _foot(beside)
    return f"{head}{markdown.render(report, budget=ROOM - len(f'{head}{foot}'.encode()) - 2)}\n{foot}"


def stopped(text: str, beside: Beside) -> str:
    """The Markdown `text` of a run that came to no report, in the report's place."""
    return f"{_head(beside)}{text}\n{_foot(beside)}"


def pushed(commit: str, branch: str, *, is_applied: bool) -> str:
    """What stands above the report below a pull request whose merge was not applied, or was in the end."""
    symbol, what = ("✅", "was applied after all") if is_applied else ("❌", "was **not applied in full**")
    return f"> {symbol} Commit {code(commit[:7])} on {code(branch)}, with this pull request in it, {what}."


def news(report: Report, destructive: Sequence[ObjectRef], url: str, *, drift: bool) -> str:
    """A short comment, because nobody hears of the edit of a long one.

    Args:
        report: what has just been found.
        destructive: what would be destroyed, and was not so far.
        url: of the long comment.
        drift: whether there was none so far.
    """
    lines = []
    if drift:
        lines.append(f"⚠️ {code(report.target)}: the cluster has drifted: {', '.join(words.counts(report))}.")
    if destructive:
        lines.append(f"⛔ {code(report.target)}: an apply would now destroy {markdown.named(destructive)}.")
    return "\n\n".join([*lines, f"{anchor('The report', url)} has all of it."])


def _head(beside: Beside) -> str:
    return f"{beside.above}\n\n" if beside.above else ""


def _foot(beside: Beside) -> str:
    named = {"head": beside.head[:7], "base": beside.base[:7], "plan": beside.digest}
    facts = [f"{name} {code(value)}" for name, value in named.items() if value]
    if beside.url:
        facts.append(anchor("full report in the job summary", beside.url))
    return f"<sub>{' · '.join([*facts, 'this comment is updated in place'])}</sub>"
