"""Whether a comment is an order to us, and whether it may be given: by whom, where, and if it still says so.

Decides what is heard, and what is refused before anything of it is done. Nothing that decides comes from the event's
payload alone: comment, issue, pull request and permission are read anew, and what can't be read is a refusal.
"""

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from recon_action.errors import RefusedError
from recon_action.github.client import Client
from recon_action.github.denied import Denied, Need, Reason, senseless
from recon_action.github.event import Comment, EventContext, PullRequest, read_comment, read_pull
from recon_action.github.issue import any_drift_issue
from recon_action.github.order import Apply, Diff, Help, Misread, Order, Snooze, read_order
from recon_action.github.permission import Level, level_of

_COMMENT = Need("show the comment", "issues: read")
_PULL = Need("show the pull request", "pull-requests: read")
_BRANCH = Need("show the default branch", "contents: read")


@dataclass(frozen=True, slots=True)
class Asked:
    """An order that was heard.

    Args:
        order: what is to be done.
        comment: that it stands in.
        pull: the pull request that it was given on; None on the target's drift issue.
        refusal: why nothing is done; None if it may be given.
    """

    order: Order
    comment: Comment
    pull: PullRequest | None = None
    refusal: RefusedError | None = None

    @property
    def is_everyones(self) -> bool:
        """Whether the jobs of all targets come to the same answer, which is to be given once."""
        return self.refusal is not None or isinstance(self.order, Help | Misread)


def order_in(event: EventContext) -> Order | None:
    """The order that a new comment of a person gives; None if it gives none."""
    comment = event.comment
    if comment is None or event.action != "created" or comment.is_bot or not comment.author:
        return None
    return read_order(comment.body)


def hear(client: Client, event: EventContext, order: Order, target: str, least: Level) -> Asked | None:
    """The order of the event's comment, as far as it is for the run of `target`; None if it is for another's.

    Args:
        client: GitHub.
        event: what made the run.
        order: that the comment gives.
        target: the run's.
        least: what somebody has to be to give orders.
    """
    comment = event.comment
    if comment is None:
        return None
    asked = Asked(order, comment)
    try:
        about = any_drift_issue(client, comment.issue)
        if about is not None and about.marker.target != target:
            return None  # the job of that target answers
        if isinstance(order, Help | Misread):
            return asked
        _require_same(client, comment)
        _require_level(client, comment.author, least)
        asked = replace(asked, pull=_pull(client, comment) if about is None else None)
        _require_place(asked, event.repository)
    except Denied as denied:
        return replace(asked, refusal=unsure(denied))
    except RefusedError as refusal:
        return replace(asked, refusal=refusal)
    return asked


def unsure(denied: Denied) -> RefusedError:
    """What it means that something can't be looked up: what is not known is not allowed."""
    return RefusedError(f"it can't be told whether that may be done. {denied.message}", hint=denied.hint)


def default_head(client: Client, event: EventContext) -> str:
    """SHA of the default branch's head, as it is now.

    Raises:
        Denied: it can't be told.
    """
    answer = client.get(f"/branches/{quote(event.default_branch, safe='')}", _BRANCH)
    commit = answer.get("commit") if isinstance(answer, dict) else None
    sha = commit.get("sha") if isinstance(commit, dict) else None
    if not isinstance(sha, str) or not sha:
        raise senseless(_BRANCH)
    return sha


def _require_same(client: Client, comment: Comment) -> None:
    """The comment still is what made the run; an edit makes no event that we heed, and may come before we look."""
    try:
        answer: Any = client.get(f"/issues/comments/{comment.id}", _COMMENT)
    except Denied as denied:
        if denied.reason is not Reason.ABSENT:
            raise
        raise RefusedError("the comment is gone by now", hint="write a new one") from None
    issue: dict[str, Any] = {"number": comment.issue, "pull_request": {} if comment.on_pull_request else None}
    if read_comment(answer, issue) != comment:
        raise RefusedError("the comment has been edited since", hint="write a new one: edited ones order nothing")


def _require_level(client: Client, login: str, least: Level) -> None:
    level = level_of(client, login)
    if level < least:
        raise RefusedError(
            f"{login} has the permission {level.name.lower()!r} here, and orders take {least.name.lower()!r}",
            hint="ask somebody who has it; input command-permission says how much it takes",
        )


def _pull(client: Client, comment: Comment) -> PullRequest:
    number = comment.issue
    if not comment.on_pull_request:
        raise RefusedError(
            "this is neither a drift issue nor a pull request",
            hint="comment on the drift issue of the target, or on the pull request that it is about",
        )
    pull = read_pull(client.get(f"/pulls/{number}", _PULL))
    if pull.number != number or not pull.head or not pull.base:
        raise senseless(_PULL)
    return pull


def _require_place(asked: Asked, repository: str) -> None:
    """Not everything may be ordered everywhere."""
    order, pull = asked.order, asked.pull
    if pull is None:
        if isinstance(order, Diff) and order.commit:
            raise RefusedError("a drift issue is about the default branch alone", hint="comment `/recon diff`")
        return
    if isinstance(order, Apply):
        raise RefusedError(
            "nothing of a pull request is applied before it is merged",
            hint="merge it: the push applies it. A plan is approved on the drift issue of its target",
        )
    if isinstance(order, Snooze):
        raise RefusedError("there is nothing to snooze on a pull request", hint="comment on the drift issue")
    if isinstance(order, Diff):
        _require_head(order, pull, repository)


def _require_head(order: Diff, pull: PullRequest, repository: str) -> None:
    """What a stranger pushes after the order was given was not looked at by who gave it."""
    if order.commit and order.commit != pull.head:
        raise RefusedError(
            f"the head of the pull request is {pull.head} by now", hint="look at what was pushed, and name that commit"
        )
    if not order.commit and pull.head_repository != repository:
        raise RefusedError(
            "the pull request comes from another repository, and the cluster would be asked with our credentials",
            hint=f"look at them, then name the commit that you have seen: `/recon diff {pull.head}`",
        )
