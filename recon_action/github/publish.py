"""A run told on GitHub: which channels its event has, and that each of them is served.

What was done to the cluster is over by now, and nothing here can change it. What a channel is given is `drafts`'; what
became of each stands in the `ledger`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache

from recon_action.errors import ExitCode
from recon_action.github import check, ledger
from recon_action.github.client import Access, Client
from recon_action.github.commands import Annotation
from recon_action.github.drafts import check_of, publish_comment, publish_issue
from recon_action.github.event import EventContext
from recon_action.github.found import Found, Wishes
from recon_action.github.patience import Patience
from recon_action.model import Mode
from recon_action.model.settings import IssueOn

_NO_EVENT = EventContext("")
_NO_WISHES = Wishes()


class Channel(StrEnum):
    """Where a run is told of, but for the job itself."""

    COMMENT = "comment"
    CHECK = "check run"
    ISSUE = "drift issue"


@dataclass(frozen=True, slots=True)
class Published:
    """What became of it.

    Args:
        lines: a line each channel.
        annotated: what stands beside the manifests already, so that the runner need not be told.
    """

    lines: tuple[ledger.Line, ...] = ()
    annotated: frozenset[Annotation] = frozenset()


@dataclass(frozen=True, slots=True)
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

    def publish(self, found: Found, mode: Mode | None) -> Published:
        """Tell of a run; `mode` is None if it did not come to one."""
        lines: list[ledger.Line] = []
        annotated: frozenset[Annotation] = frozenset()
        client, ours = cache(self._client), cache(lambda: check_of(self.event, found))
        serve = {
            Channel.COMMENT: lambda: publish_comment(client(), self.event, self.wishes, found),
            Channel.CHECK: lambda: check.publish(client(), ours()),
            Channel.ISSUE: lambda: publish_issue(client(), self.event, self.wishes, found),
        }
        for channel in channels_of(self.event, mode):
            if off := _off(channel, self.event, self.wishes, found):
                lines.append(ledger.Line(channel, ledger.Outcome.OFF, off))
                continue
            line = ledger.enter(channel, serve[channel])
            lines.append(line)
            if channel is Channel.CHECK:
                annotated = frozenset(check.placed(ours().annotations)[: line.count])
        return Published(tuple(lines), annotated)

    def _client(self) -> Client:
        access = Access.of(self.environ, self.wishes.token, self.wishes.verify)
        return Client(replace(access, write_pause=self.write_pause), self.event.repository, Patience(self.wait))


def channels_of(event: EventContext, mode: Mode | None) -> tuple[Channel, ...]:
    """The channels of a run, by its event; `mode` is None if the run did not come to one."""
    match event.name:
        case "pull_request":
            return (Channel.COMMENT, Channel.CHECK)
        case "merge_group":
            return (Channel.CHECK,)
        case "schedule":
            return (Channel.ISSUE, Channel.CHECK)
        case "push" if mode is not None and mode.writes:
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
    }
    reasons = (
        (not wishes.token, "input github-token is empty"),
        (not wanted[channel], "by its input"),
        # A cancelled job has seconds left, and mostly a newer run follows.
        (found.code is ExitCode.INTERRUPTED, "the run was interrupted"),
        # Some runners in Kubernetes mount no payload.
        (is_comment and not (event.pull and event.pull.number), "the event's payload names no pull request"),
        (not event.head, "the event's payload names no commit"),
    )
    return next((reason for is_off, reason in reasons if is_off), "")
