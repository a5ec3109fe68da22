"""The answer to an order that was given in a comment: what came of it, in Markdown.

Pure. Who may give orders, and what becomes of them, is decided elsewhere.
"""

from dataclasses import dataclass
from typing import Final

from recon_action.errors import ExitCode
from recon_action.model import Mode, ObjectRef
from recon_action.report import markdown, words
from recon_action.report.document import Report
from recon_action.report.escape import anchor, code, link, prose

ROOM: Final = 20_000  # bytes of a report: it stands amid a conversation, and all of it is in the job summary


@dataclass(frozen=True, slots=True)
class Beside:
    """What an answer is about.

    Args:
        line: the order, as it was read.
        author: who gave it.
        comment: where it stands.
        url: of the job, where all of it is; "" outside of a workflow, or if the text has it.
    """

    line: str
    author: str
    comment: str = ""
    url: str = ""


def body(text: str, beside: Beside) -> str:
    """The Markdown `text` as an answer."""
    about = f"{link(beside.line, beside.comment)} of {code(beside.author)}"
    foot = f"\n\n<sub>{anchor('the run', beside.url)}</sub>" if beside.url else ""
    return f"{about}\n\n{text.rstrip()}{foot}\n"


def found(report: Report) -> str:
    """What a run came to, and how to have its plan carried out if that is only a plan so far."""
    text = markdown.render(report, budget=ROOM)
    is_done = report.mode is not Mode.DIFF and (not report.mode.writes or report.exit_code is not ExitCode.REFUSED)
    if is_done or not report.plan or not report.digest:
        return text
    order = f"/recon apply {report.digest}{' --allow-destructive' if words.destructive(report) else ''}"
    return f"{text.rstrip()}\n\nThe order for this plan, and no other: {code(order)}"


def held(ref: ObjectRef, until: str, reason: str) -> str:
    """An object is held."""
    return f"✅ {code(str(ref))} is held until {until}: {prose(reason)}\n\nNo run corrects it until then."


def snoozed(until: str) -> str:
    """The drift issue is silent for a time."""
    return f"✅ No comment is written here until {until}, and a closed issue stays closed; its text stays current."


def misread(what: str) -> str:
    """An order that is none; `what` is wrong with it, in Markdown of our own."""
    return f"That was not understood: {what}.\n\n{usage()}"


def usage() -> str:
    """What can be ordered."""
    rows = (
        ("/recon diff", "drift issue", "compare, and publish the plan"),
        ("/recon diff [COMMIT]", "pull request", "what it changes; of a fork's the full SHA of its head is needed"),
        (
            "/recon apply DIGEST [--allow-destructive]",
            "drift issue",
            "carry out the plan with this digest on the default branch",
        ),
        (
            "/recon hold KIND/NAME [-n NAMESPACE] 2h REASON",
            "both",
            "leave one object as it is, for a day at most",
        ),
        ("/recon snooze 3d", "drift issue", "no comments on the issue, for 30 days at most"),
    )
    table = [f"| {code(order)} | {where} | {what} |" for order, where, what in rows]
    return "\n".join(["| On the first line of a comment | Where | |", "|---|---|---|", *table])
