"""What each channel on GitHub is given of a run: the words of comment and issue, the check run's conclusion.

How a channel is written to is `comment`'s, `check`'s and `issue`'s, and which of them a run has is `publish`'s.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import replace

from recon_action.errors import ExitCode
from recon_action.github import check, comment, deliver, issue, merged
from recon_action.github.client import Client
from recon_action.github.conversation import Conversation
from recon_action.github.event import EventContext
from recon_action.github.found import Found, Wishes
from recon_action.github.marker import ISSUE, PUSH, Marker
from recon_action.github.tracker import Form, Tracker
from recon_action.github.upkeep import News, Scan, Step
from recon_action.model import Mode, ObjectRef, Output
from recon_action.model.memory import Memory
from recon_action.model.settings import CommentOn
from recon_action.report import comment as text
from recon_action.report import issue as page
from recon_action.report import words
from recon_action.report.document import Report
from recon_action.report.drift import Drift, Measure, drift_of
from recon_action.report.escape import visible
from recon_action.report.render import render
from recon_action.report.unverified import UNVERIFIED

_DESTROYED = 64  # hashes that a marker keeps; it stands in the comment's own room
_STOPPED = 20_000  # bytes of an error in a comment
_UNVERIFIED = " (not verified)"  # a check run of that name stands for no other
_APPLIED = frozenset({ExitCode.OK, ExitCode.DIFFERENT})  # of an apply that did all that was to be done


def is_wanted(found: Found, on: CommentOn) -> bool:
    """Whether a pull request that has no comment is to get one."""
    report = found.report
    if report is None or on is CommentOn.ALWAYS:
        return True
    if on is CommentOn.DRIFT:
        return report.exit_code is not ExitCode.OK
    changes = bool(report.counts.pending or report.amendments)
    return changes or report.exit_code not in {ExitCode.OK, ExitCode.DIFFERENT}


def publish_comment(client: Client, event: EventContext, wishes: Wishes, found: Found) -> comment.Told:
    """Have the pull request's comment say what was found.

    Raises:
        Denied: GitHub did not let us.
    """
    report, number = found.report, event.pull.number if event.pull else 0
    need = replace(comment.WRITE, read_only=event.foreign or event.dependabot)
    above = UNVERIFIED if found.unverified else ""
    beside = text.Beside(event.head, event.base, event.attempt_url, report.digest if report else "", above)
    destroyed = {_hash(ref): ref for ref in _destroyed(report)}

    def news(drift: bool, hashes: frozenset[str], url: str) -> str:  # noqa: FBT001 - as `comment` calls it
        named = [ref for key, ref in destroyed.items() if key in hashes]
        return text.news(report, named, url, drift=drift) if report else ""

    draft = comment.Draft(
        marker=replace(
            _marker(event, found),
            drift=bool(report and report.counts.drifted),
            destructive=tuple(sorted(destroyed)[:_DESTROYED]),
        ),
        text=text.body(report, beside) if report else text.stopped(_markdown(found, _STOPPED), beside),
        wanted=is_wanted(found, wishes.comment_on),
        knows_state=report is not None and report.mode is not Mode.VALIDATE and report.partial is None,
        news=news,
    )
    return comment.publish(Conversation(client, number, need), draft)


def check_of(event: EventContext, found: Found) -> check.Check:
    """The check run of the commit that the run is about."""
    report = found.report
    annotations = tuple(deliver.annotations(report)) if report and event.is_pull_request else ()
    conclusion = check.conclusion(found.code, found.fail_on)
    if found.unverified and conclusion == "success":
        conclusion = "neutral"
    return check.Check(
        target=f"{found.target}{_UNVERIFIED}" if found.unverified else found.target,
        head=event.head,
        conclusion=conclusion,
        title=_title(found),
        summary=check.fitting(lambda budget: _markdown(found, budget), text.ROOM),
        digest=report.digest if report else "",
        annotations=annotations,
        url=event.attempt_url,
        need=replace(check.WRITE, read_only=event.foreign or event.dependabot),
    )


def is_news(event: EventContext, found: Found) -> bool:
    """Whether a push is to be told of below what it has merged: it failed, or may have failed before."""
    return found.code not in _APPLIED or event.attempt > 1


def publish_merged(client: Client, event: EventContext, found: Found) -> comment.Told:
    """Have a comment say, below the pull request that was merged, that its push was not applied, or was in the end.

    Raises:
        Denied: GitHub did not let us.
    """
    report, is_applied = found.report, found.code in _APPLIED
    above = text.pushed(event.head, event.branch, is_applied=is_applied)
    beside = text.Beside(event.head, "", event.attempt_url, report.digest if report else "", above)
    draft = comment.Draft(
        marker=replace(_marker(event, found), kind=PUSH),
        text=text.body(report, beside) if report else text.stopped(_markdown(found, _STOPPED), beside),
        wanted=not is_applied,
        knows_state=False,
    )
    return merged.publish(client, event, replace(comment.WRITE, read_only=event.dependabot), draft)


def publish_issue(client: Client, event: EventContext, wishes: Wishes, found: Found) -> comment.Told:
    """Have the target's drift issue say what was found.

    Raises:
        Denied: GitHub did not let us.
    """
    report = found.report
    drift = drift_of(report, wishes.issue) if report else Drift(Measure.UNKNOWN)
    is_applied = report is not None and report.mode is Mode.APPLY and report.exit_code in _APPLIED
    applied = report.revision.commit if report and is_applied and report.revision and not report.revision.dirty else ""
    scan = Scan(
        drift,
        int(found.began.timestamp()),
        is_scheduled=event.name == "schedule",
        applied=applied or (report.applied if report else ""),
        is_applied=bool(applied),
        close_after=wishes.close_after,
    )

    def write(step: Step, former: str) -> str:
        state = page.State(
            step.memory,
            drift,
            scan.at,
            wishes.close_after,
            is_closed=bool(step.memory.healed),
            gap=(step.gap.last, step.gap.usual) if step.gap else None,
            url=event.attempt_url,
        )
        if report is None or drift.measure is Measure.UNKNOWN:
            return page.unsure(_title(found), state, former)
        return page.body(report, state)

    def news(step: Step, before: Memory) -> str:
        match step.news:
            case News.CHANGED:
                return page.changed(drift, before)
            case News.RETURNED:
                return page.returned(drift)
            case _:
                return page.healed(step.memory)

    marker = replace(_marker(event, found), kind=ISSUE, drift=drift.measure is Measure.DRIFT)
    form = Form(page.title(found.target), wishes.labels, wishes.assignees)
    return issue.publish(Tracker(client), issue.Draft(marker, scan, form, write, news))


def _marker(event: EventContext, found: Found) -> Marker:
    """Whose a text of this run is, and how new."""
    report = found.report
    return Marker(
        target=found.target,
        cluster=report.cluster_uid if report else "",
        head=event.head,
        digest=report.digest if report else "",
        run=event.run,
        attempt=event.attempt,
        sequence=int(found.began.timestamp() * 1000),
    )


def _markdown(found: Found, budget: int) -> str:
    if isinstance(found.outcome, Report):
        above = f"{UNVERIFIED}\n\n" if found.unverified else ""
        return above + render(found.outcome, Output.MARKDOWN, budget=budget - len(above.encode()))
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
