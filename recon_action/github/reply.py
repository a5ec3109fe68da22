"""The answer to an order: a reaction to its comment, and one comment below, however often its run is run again.

What is said is `report.reply`'s. The answer is kept as the sticky comment is: found by its hidden line and its author,
with the order's comment in the place of a kind, so that a run that is run again writes over its own words.
"""

from dataclasses import dataclass
from typing import Final

from recon_action.errors import ExitCode
from recon_action.github import comment
from recon_action.github.client import Client
from recon_action.github.conversation import Conversation
from recon_action.github.denied import Need
from recon_action.github.hearing import Asked
from recon_action.github.marker import Marker
from recon_action.github.order import Misread
from recon_action.report.reply import Beside, body

BEGUN: Final = "eyes"
_DONE, _MISREAD, _NOT_DONE = "+1", "confused", "-1"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of an order.

    Args:
        asked: the order.
        code: what its run came to.
        text: what is to be said, as Markdown.
        marker: of the run; its kind is left to us.
        url: of the job.
    """

    asked: Asked
    code: ExitCode
    text: str
    marker: Marker
    url: str = ""


def react(client: Client, asked: Asked, content: str) -> comment.Told:
    """React to the order's comment; to do so twice changes nothing.

    Raises:
        Denied: GitHub did not let us.
    """
    path, need = f"/issues/comments/{asked.comment.id}/reactions", _need(asked, "react to the comment")
    client.insist(lambda: client.send("POST", path, need, {"content": content}))
    return comment.Told(content)


def publish(client: Client, answer: Answer) -> comment.Told:
    """Answer an order.

    Raises:
        Denied: GitHub did not let us, or did not do it.
    """
    asked = answer.asked
    talk = Conversation(client, asked.comment.issue, _need(asked, "write the reply"))
    beside = Beside(asked.order.line, asked.comment.author, asked.comment.url, answer.url)
    told = comment.publish(talk, comment.Draft(answer.marker, body(answer.text, beside), knows_state=False))
    react(client, asked, reaction(answer))
    return told


def kind_of(asked: Asked) -> str:
    """The kind of the answer's hidden line."""
    return f"reply:{asked.comment.id}"


def reaction(answer: Answer) -> str:
    """Whether it was done, not understood, or not done."""
    if answer.code in {ExitCode.OK, ExitCode.DIFFERENT}:
        return _DONE
    return _MISREAD if isinstance(answer.asked.order, Misread) else _NOT_DONE


def _need(asked: Asked, what: str) -> Need:
    return Need(what, "pull-requests: write" if asked.comment.on_pull_request else "issues: write")
