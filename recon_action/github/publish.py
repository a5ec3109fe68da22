"""A run told on GitHub: which channels its event has, and that each of them is served.

What was done to the cluster is over by now, and nothing here can change it. What a channel is given is `drafts`'; what
became of each stands in the `ledger`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache, cached_property

from recon_action.errors import ExitCode
from recon_action.github import check, comment, ledger, proposed
from recon_action.github.client import Access, Client
from recon_action.github.commands import Annotation
from recon_action.github.drafts import check_of, is_news, publish_comment, publish_issue, publish_merged
from recon_action.github.event import EventContext, PullRequest
from recon_action.github.found import Found, Wishes
from recon_action.github.patience import Patience
from recon_action.model import Mode
from recon_action.model.settings import IssueOn

_NO_EVENT = EventContext("")
_NO_WISHES = Wishes()
_PAGE = 250  # characters of an address, so that all outputs stay short
_NUMBER = re.compile(r"[0-9]{1,20}\Z")


class Channel(StrEnum):
    """Where a run is told of, but for the job itself."""

    COMMENT = "comment"
    CHECK = "check run"
    ISSUE = "drift issue"
    REPLY = "reply"
    MERGED = "comment on the merged pull request"
    PULL = "pull request"  # that a run before this one was about


_OUTPUTS: Mapping[str, str] = {
    Channel.COMMENT: "comment-url",
    Channel.CHECK: "check-run-url",
    Channel.ISSUE: "issue-url",
    Channel.REPLY: "comment-url",
}


@dataclass(frozen=True, slots=True)
class Published:
    """What became of it.

    Args:
        lines: a line each channel.
        annotated: what stands beside the manifests already, so that the runner need not be told.
    """

    lines: tuple[ledger.Line, ...] = ()
    annotated: frozenset[Annotation] = frozenset()

    @property
    def outputs(self) -> dict[str, str]:
        """Where it stands, for later steps of the job."""
        told = {_OUTPUTS[line.channel]: line.url for line in self.lines if line.channel in _OUTPUTS}
        told = {name: url for name, url in told.items() if 0 < len(url) <= _PAGE}
        numbers = {"comment-id": told.get("comment-url", ""), "issue-number": told.get("issue-url", "")}
        found = {name: _NUMBER.search(url) for name, url in numbers.items()}
        return told | {name: number[0] for name, number in found.items() if number}


@dataclass(frozen=True)  # without slots, for the client
class Publisher:
    """What tells of a run on GitHub; of no event at all, it tells nothing.

    Args:
        environ: says where GitHub is.
        event: what made the run.
        wishes: of the workflow.
        wait: waits so many seconds, and gives whether the run is to end.
        write_pause: seconds between two writes, as GitHub asks for.
    """

    environ: Mapping[str, str] = field(default_factory=dict)
    event: EventContext = _NO_EVENT
    wishes: Wishes = _NO_WISHES
    wait: Callable[[float], bool] = lambda _seconds: False
    write_pause: float = 1.0

    @cached_property
    def client(self) -> Client:
        """GitHub; one client, as pauses and patience are for all that a run sends.

        Raises:
            PublishError: the runner's address of GitHub is none.
        """
        access = Access.of(self.environ, self.wishes.token, self.wishes.verify)
        return Client(replace(access, write_pause=self.write_pause), self.event.repository, Patience(self.wait))

    def publish(self, found: Found, mode: Mode | None) -> Published:
        """Tell of a run; `mode` is None if it did not come to one."""
        lines: list[ledger.Line] = []
        annotated: frozenset[Annotation] = frozenset()
        event, found = self.event, replace(found, unverified=mode is Mode.PUBLISH)
        if found.unverified and self.wishes.token:
            line, event = self._run_before()
            lines.append(line)
        ours = cache(lambda: check_of(event, found))
        serve = {
            Channel.COMMENT: lambda: publish_comment(self.client, event, self.wishes, found),
            Channel.CHECK: lambda: check.publish(self.client, ours()),
            Channel.ISSUE: lambda: publish_issue(self.client, event, self.wishes, found),
            Channel.MERGED: lambda: publish_merged(self.client, event, found),
        }
        for channel in channels_of(event, mode):
            if off := _off(channel, event, self.wishes, found):
                lines.append(ledger.Line(channel, ledger.Outcome.OFF, off))
                continue
            line = ledger.enter(channel, serve[channel])
            lines.append(line)
            if channel is Channel.CHECK:
                annotated = frozenset(check.placed(ours().annotations)[: line.count])
        return Published(tuple(lines), annotated)

    def _run_before(self) -> tuple[ledger.Line, EventContext]:
        """The pull request that the run before was about, and that run in this one's place; no event without it."""
        source, pulls = self.event.source, list[PullRequest]()

        def look() -> comment.Told:
            found = proposed.find_pull(self.client, source) if source else proposed.Unknown("there is no run before")
            if isinstance(found, PullRequest):
                pulls.append(found)
                return comment.Told(f"#{found.number}")
            return comment.Told(found.reason)

        line = ledger.enter(Channel.PULL, look)
        if source and pulls:
            return line, proposed.about(self.event, source, pulls[0])
        is_off = line.outcome is ledger.Outcome.DELIVERED
        return replace(line, outcome=ledger.Outcome.OFF) if is_off else line, _NO_EVENT


def channels_of(event: EventContext, mode: Mode | None) -> tuple[Channel, ...]:
    """The channels of a run, by its event; `mode` is None if the run did not come to one."""
    match event.name:
        case "pull_request" | "workflow_run" if event.is_pull_request or mode is Mode.PUBLISH:
            return (Channel.COMMENT, Channel.CHECK)
        case "merge_group":
            return (Channel.CHECK,)
        case "schedule":
            return (Channel.ISSUE, Channel.CHECK)
        case "push" if mode is not None and mode.writes:
            return (Channel.MERGED, Channel.ISSUE, Channel.CHECK)
        case "issue_comment" if mode in {Mode.DIFF, Mode.APPLY}:  # of the default branch; the answer is told apart
            return (Channel.ISSUE, Channel.CHECK)
        case _:
            return ()


def _off(channel: Channel, event: EventContext, wishes: Wishes, found: Found) -> str:
    """Why nothing is to be sent; "" if something is."""
    is_comment = channel is Channel.COMMENT
    wanted = {
        Channel.COMMENT: wishes.comment,
        Channel.CHECK: wishes.check_run,
        Channel.ISSUE: wishes.issue is not IssueOn.OFF,
        Channel.MERGED: wishes.comment,
    }
    is_partial = found.report is not None and found.report.partial is not None
    is_validated = found.report is not None and found.report.mode is Mode.VALIDATE and not found.unverified
    reasons = (
        (not wishes.token, "input github-token is empty"),
        (not wanted[channel], "by its input"),
        # A cancelled job has seconds left, and mostly a newer run follows.
        (found.code is ExitCode.INTERRUPTED, "the run was interrupted"),
        (channel is Channel.MERGED and not is_news(event, found), "nothing failed"),
        (channel is Channel.ISSUE and is_partial, "the run was about a part of the target"),
        # Their tokens only read.
        (event.foreign or (is_validated and event.dependabot), "told by a workflow that follows it, in mode publish"),
        # Some runners in Kubernetes mount no payload.
        (is_comment and not (event.pull and event.pull.number), "the event's payload names no pull request"),
        (not event.head, "the event's payload names no commit"),
    )
    return next((reason for is_off, reason in reasons if is_off), "")
