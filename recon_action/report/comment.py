"""A report as a comment on a pull request: the Markdown of `markdown`, and what a comment has to say beside it.

Pure. The hidden line above the text, and whether it is written at all, is `github`'s.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from recon_action.model import ObjectRef
from recon_action.report import markdown, words
from recon_action.report.document import Report
from recon_action.report.escape import code, link

ROOM: Final = 60_000  # bytes; GitHub takes 65,536 characters, and the hidden line needs some


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands below the report.

    Args:
        head: SHA of the pull request's head; the report's own revision may be its trial merge.
        base: SHA of the base.
        url: of the full report, the job's summary; "" outside of a workflow.
        digest: of the plan, "" without one.
    """

    head: str = ""
    base: str = ""
    url: str = ""
    digest: str = ""


def body(report: Report, beside: Beside) -> str:
    """The report, cut to what a comment holds."""
    foot = _foot(beside)
    return f"{markdown.render(report, budget=ROOM - len(foot.encode()) - 2)}\n{foot}"


def stopped(text: str, beside: Beside) -> str:
    """The Markdown `text` of a run that came to no report, in the report's place."""
    return f"{text}\n{_foot(beside)}"


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
    return "\n\n".join([*lines, f"{link('the report', url)} has all of it."])


def _foot(beside: Beside) -> str:
    named = {"head": beside.head[:7], "base": beside.base[:7], "plan": beside.digest}
    facts = [f"{name} {code(value)}" for name, value in named.items() if value]
    if beside.url:
        facts.append(link("full report in the job summary", beside.url))
    return f"<sub>{' · '.join([*facts, 'this comment is updated in place'])}</sub>"
