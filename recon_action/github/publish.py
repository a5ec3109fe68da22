"""A run told on GitHub: which channels its event has, and what each of them is given.

What was done to the cluster is over by now, and nothing here can change it. How a channel is written to is `comment`'s
and `check`'s; what became of each stands in the `ledger`.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from functools import cache, partial

from recon_action.errors import ExitCode, FailOn, ReconError
from recon_action.github import check, comment, deliver, ledger
from recon_action.github.client import Access, Client
from recon_action.github.commands import Annotation
from recon_action.github.conversation import Conversation
from recon_action.github.event import EventContext
from recon_action.github.marker import Marker
from recon_action.github.patience import Patience
from recon_action.model import Mode, ObjectRef, Output
from recon_action.model.settings import CommentOn
from recon_action.report import comment as text
from recon_action.report import words
from recon_action.report.document import Report
from recon_action.report.escape import visible
from recon_action.report.render import render

_DESTROYED = 64  # hashes that a marker keeps; it stands in the comment's own room
_STOPPED = 20_000  # bytes of an error in a comment
_NO_EVENT = EventContext("")


class Channel(StrEnum):
    """Where a run is told of, but for the job itself."""

    COMMENT = "comment"
    CHECK = "check run"


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a workflow wants to be published, and how GitHub is reached.

    Args:
        token: of the job, an app or a person; "" turns all channels off.
        comment: whether pull requests get a comment.
        comment_on: when.
        check_run: whether commits get a check run.
        verify: whether GitHub's certificate is checked: `true`, `false`, or the file with its authority.
    """

    token: str = field(default="", repr=False)
    comment: bool = True
    comment_on: CommentOn = CommentOn.ALWAYS
    check_run: bool = True
    verify: str = "true"


@dataclass(frozen=True, slots=True)
class Found:
    """What a run came to.

    Args:
        target: its name.
        outcome: the report, or what stopped the run before there was one.
        fail_on: what makes it fail.
        began: when it began to look.
    """

    target: str
    outcome: Report | ReconError
    fail_on: FailOn
    began: datetime

    @property
    def code(self) -> ExitCode:
        """What it came to."""
        return self.outcome.exit_code

    @property
    def report(self) -> Report | None:
        """The report, if there is one."""
        return self.outcome if isinstance(self.outcome, Report) else None


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
    wishes: Wishes = Wishes()
    wait: Callable[[float], bool] = lambda _seconds: False
    write_pause: float = 1.0

    def publish(self, found: Found, mode: Mode | None) -> Published:
        """Tell of a run; `mode` is None if it did not come to one."""
        lines: list[ledger.Line] = []
        annotated: frozenset[Annotation] = frozenset()
        client = cache(self._client)
        for channel in channels_of(self.event, mode):
            if off := _off(channel, self.event, self.wishes, found):
                lines.append(ledger.Line(channel, ledger.Outcome.OFF, off))
            elif channel is Channel.COMMENT:
                lines.append(ledger.enter(channel, lambda: _comment(client(), self.event, self.wishes, found)))
            else:
                ours = _check(self.event, found)
                line = ledger.enter(channel, partial(_publish_check, client, ours))
                lines.append(line)
                annotated = frozenset(check.placed(ours.annotations)[: line.count])
        return Published(tuple(lines), annotated)

    def _client(self) -> Client:
        access = Access.of(self.environ, self.wishes.token, self.wishes.verify)
        return Client(replace(access, write_pause=self.write_pause), self.event.repository, Patience(self.wait))


def channels_of(event: EventContext, mode: Mode | None) -> tuple[Channel, ...]:
    """The channels of a run, by its event; `mode` is None if the run did not come to one."""
    match event.name:
        case "pull_request":
            return (Channel.COMMENT, Channel.CHECK)
        case "merge_group" | "schedule":
            return (Channel.CHECK,)
        case "push" if mode is not None and mode.writes:
            return (Channel.CHECK,)
        case _:
            return ()


def is_wanted(found: Found, on: CommentOn) -> bool:
    """Whether a pull request that has no comment is to get one."""
    report = found.report
    if report is None or on is CommentOn.ALWAYS:
        return True
    if on is CommentOn.DRIFT:
        return report.exit_code is not ExitCode.OK
    return bool(report.counts.pending) or report.exit_code not in {ExitCode.OK, ExitCode.DIFFERENT}


def _off(channel: Channel, event: EventContext, wishes: Wishes, found: Found) -> str:
    """Why nothing is to be sent; "" if something is."""
    is_comment = channel is Channel.COMMENT
    reasons = (
        (not wishes.token, "input github-token is empty"),
        (not (wishes.comment if is_comment else wishes.check_run), "by its input"),
        # A cancelled job has seconds left, and mostly a newer run follows.
        (found.code is ExitCode.INTERRUPTED, "the run was interrupted"),
        # Some runners in Kubernetes mount no payload.
        (is_comment and not (event.pull and event.pull.number), "the event's payload names no pull request"),
        (not event.head, "the event's payload names no commit"),
    )
    return next((reason for is_off, reason in reasons if is_off), "")


def _comment(client: Client, event: EventContext, wishes: Wishes, found: Found) -> comment.Told:
    report, number = found.report, event.pull.number if event.pull else 0
    need = replace(comment.WRITE, read_only=event.foreign or event.dependabot)
    beside = text.Beside(event.head, event.base, _url(event), report.digest if report else "")
    destroyed = {_hash(ref): ref for ref in _destroyed(report)}

    def news(drift: bool, hashes: frozenset[str], url: str) -> str:  # noqa: FBT001 - as `comment` calls it
        named = [ref for key, ref in destroyed.items() if key in hashes]
        return text.news(report, named, url, drift=drift) if report else ""

    draft = comment.Draft(
        marker=Marker(
            target=found.target,
            cluster=report.cluster_uid if report else "",
            head=event.head,
            digest=beside.digest,
            run=event.run,
            attempt=event.attempt,
            sequence=int(found.began.timestamp() * 1000),
            drift=bool(report and report.counts.drifted),
            destructive=tuple(sorted(destroyed)[:_DESTROYED]),
        ),
        text=text.body(report, beside) if report else text.stopped(_markdown(found, _STOPPED), beside),
        wanted=is_wanted(found, wishes.comment_on),
        knows_state=report is not None,
        news=news,
    )
    return comment.publish(Conversation(client, number, need), draft)


def _check(event: EventContext, found: Found) -> check.Check:
    report = found.report
    annotations = tuple(deliver.annotations(report)) if report and event.is_pull_request else ()
    return check.Check(
        target=found.target,
        head=event.head,
        conclusion=check.conclusion(found.code, found.fail_on),
        title=_title(found),
        summary=check.fitting(lambda budget: _markdown(found, budget), text.ROOM),
        digest=report.digest if report else "",
        annotations=annotations,
        url=_url(event),
        need=replace(check.WRITE, read_only=event.foreign or event.dependabot),
    )


def _publish_check(client: Callable[[], Client], ours: check.Check) -> comment.Told:
    return check.publish(client(), ours)


def _markdown(found: Found, budget: int) -> str:
    if isinstance(found.outcome, Report):
        return render(found.outcome, Output.MARKDOWN, budget=budget)
    return deliver.error_summary(found.outcome, budget)


def _title(found: Found) -> str:
    if isinstance(found.outcome, Report):
        return f"{words.title(found.outcome)}: {words.summary(found.outcome)}"
    return visible(found.outcome.message.split("\n")[0])


def _destroyed(report: Report | None) -> Iterator[ObjectRef]:
    return (entry.ref for entry in words.destructive(report)) if report else iter(())


def _hash(ref: ObjectRef) -> str:
    """Short, so that a marker holds many; of a name alone, which the report shows anyway."""
    return hashlib.sha256(f"{ref.group}/{ref}".encode()).hexdigest()[:8]


def _url(event: EventContext) -> str:
    """The page of this attempt: the address of the run alone shows the last one."""
    return f"{event.run_url}/attempts/{event.attempt}" if event.run_url and event.attempt > 1 else event.run_url
