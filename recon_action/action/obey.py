"""An order carried out: on the default branch as it is, or a pull request looked at.

Nothing is fetched or checked out for it, so of a pull request only data is read, from git's objects. An apply carries
out the plan that was published for the default branch's head, and no other: that a digest stands in the order proves
nothing.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol, assert_never

from recon_action.action.end import End, answered, reported
from recon_action.action.hearing import begin
from recon_action.action.inputs import settings_of, target_of
from recon_action.action.log import Log
from recon_action.analyze.digest import is_approved
from recon_action.config.file import read_config, with_file
from recon_action.desired import commit_of, revision_of
from recon_action.errors import DesiredError, FailOn, RefusedError, UsageError
from recon_action.github.check import published_digest
from recon_action.github.denied import Denied
from recon_action.github.event import EventContext, PullRequest
from recon_action.github.hearing import Asked, default_head, unsure
from recon_action.github.inputs import read_input
from recon_action.github.issue import snooze
from recon_action.github.order import Apply, Diff, Help, Hold, Misread, Snooze
from recon_action.github.publish import Publisher
from recon_action.github.runner import Runner
from recon_action.model import Access, Approved, Inventory, Mode, ObjectRef, Settings
from recon_action.model.digest import Digest
from recon_action.report import reply
from recon_action.report.document import Report


class PutHold(Protocol):
    """One object left as it is for a time; `hold.hold`."""

    def __call__(
        self, access: Access, named: str, until: datetime, reason: str, *, namespace: str, inventory: Inventory | None
    ) -> ObjectRef:
        """Put the hold; whose it is."""


@dataclass(frozen=True, slots=True)
class Deeds:
    """What a run can do; each is told clock and stop already.

    Args:
        reconcile: the loop, once.
        preview: what a pull request would change.
        hold: one object left as it is.
        now: the clock.
    """

    reconcile: Callable[..., Report]
    preview: Callable[..., Report]
    hold: PutHold
    now: Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Run:
    """What an order is carried out with."""

    environ: Mapping[str, str]
    runner: Runner
    fail_on: FailOn
    publisher: Publisher
    deeds: Deeds

    @property
    def event(self) -> EventContext:
        """What made it run."""
        return self.publisher.event

    @property
    def target(self) -> str:
        """Its target."""
        return target_of(self.environ, self.event)

    @contextmanager
    def settings(self, what: str) -> Iterator[Settings]:
        """The run's settings, and the log of what is done with them."""
        config = read_config(read_input(self.environ, "config"))
        with (
            settings_of(self.environ, self.runner, self.fail_on, config) as chosen,
            self.runner.group(f"recon-action {what}: progress"),
        ):
            yield chosen


def obey(run: Run, asked: Asked) -> End:
    """Carry an order out, and tell the runner of it; who gave it is answered elsewhere.

    Raises:
        ReconError: it was refused, or could not be done.
    """
    if asked.refusal is not None:
        raise asked.refusal
    match asked.order:
        case Help():
            return answered(run.runner, reply.usage())
        case Misread(what):
            raise UsageError(f"the comment was not understood: {what}", hint="`/recon help` tells what can be ordered")
        case Snooze() as order:
            begin(run.runner, run.publisher, asked)
            return _snooze(run, asked, order)
        case Hold() as order:
            begin(run.runner, run.publisher, asked)
            return _hold(run, asked, order)
        case Diff() | Apply() as order:
            begin(run.runner, run.publisher, asked)
            return _compare(run, order) if asked.pull is None else _preview(run, asked.pull)
        case _ as never:
            assert_never(never)


def _snooze(run: Run, asked: Asked, order: Snooze) -> End:
    until = run.deeds.now() + order.period
    if not snooze(run.publisher.client, asked.comment.issue, run.target, int(until.timestamp())):
        raise RefusedError("the drift issue is gone by now", hint="the next run with drift opens another one")
    return answered(run.runner, reply.snoozed(_moment(until)))


def _hold(run: Run, asked: Asked, order: Hold) -> End:
    with run.settings("hold") as chosen:
        until = run.deeds.now() + order.period
        held = run.deeds.hold(
            chosen.access,
            order.named,
            until,
            f"{asked.comment.author}: {order.reason}",
            namespace=order.namespace or chosen.namespace,
            inventory=Inventory(run.target, chosen.inventory_namespace),
        )
    return answered(run.runner, reply.held(held, _moment(until), order.reason))


def _compare(run: Run, order: Diff | Apply) -> End:
    """The loop, on the default branch's head."""
    mode = Mode.APPLY if isinstance(order, Apply) else Mode.DIFF
    with run.settings(mode) as chosen:
        ordered = with_file(_ordered(run, chosen, order), read_input(run.environ, "config"))
        report = run.deeds.reconcile(ordered, mode, progress=Log(run.runner), run_url=run.event.run_url)
    return reported(run.environ, run.runner, report, mode)


def _preview(run: Run, pull: PullRequest) -> End:
    """What a pull request changes, read from git's objects; settings are its base's."""
    with run.settings(Mode.PREVIEW) as chosen:
        base = _base(chosen, pull)
        config, log = read_input(run.environ, "config"), Log(run.runner)
        report = run.deeds.preview(chosen, base, pull.head, config=config, progress=log, run_url=run.event.run_url)
    return reported(run.environ, run.runner, report, Mode.PREVIEW)


def _ordered(run: Run, chosen: Settings, order: Diff | Apply) -> Settings:
    """The settings, with the plan that is to be carried out."""
    try:
        head = _checked_out_head(run, chosen)
        if isinstance(order, Diff):
            return chosen
        allowed = chosen.allow_destructive or order.allow_destructive
        return replace(chosen, plan=_published(run, order, head), allow_destructive=allowed)
    except Denied as denied:
        raise unsure(denied) from denied


def _checked_out_head(run: Run, chosen: Settings) -> str:
    """SHA of the default branch's head, which must be what is checked out, and what the run is about."""
    head = default_head(run.publisher.client, run.event)
    revision = revision_of(chosen.paths)
    here = revision.commit if revision else ""
    if {here, run.event.sha} != {head}:
        raise RefusedError(
            f"the head of {run.event.default_branch} is {head}, the run is about {run.event.sha or 'no commit'}, "
            f"and {here or 'no commit'} is checked out",
            hint="give the order again if the branch has moved since; the workflow has to check it out without `ref`",
        )
    return head


def _published(run: Run, order: Apply, head: str) -> str:
    """The digest of the plan that we published for that commit, if it is the one that was ordered."""
    digest = published_digest(run.publisher.client, run.target, head)
    if digest is None:
        raise RefusedError(
            f"no check run of ours tells of a plan for {run.target} at {head}",
            hint="order `/recon diff` first; it needs `checks: write`, and the input check-run not to be off",
        )
    if not is_approved(Approved(order.digest), Digest(digest)):
        raise RefusedError(
            f"{order.digest} is not the plan of the last run, which "
            f"{f'is {digest}' if digest else 'found nothing to do'}",
            hint="look at what would be done now, and order that: `/recon diff` shows it",
        )
    return digest


def _base(chosen: Settings, pull: PullRequest) -> str:
    """The base branch as the clone has it, else as GitHub tells; the head has to be in the clone."""
    revision = revision_of(chosen.paths)
    if revision is None:
        return pull.base  # `preview` says what is wrong
    if not _has(revision.root, pull.head):
        raise DesiredError(
            f"the clone has not got the head of the pull request, {pull.head}",
            hint="check out with `fetch-depth: 0`, and have the workflow run "
            f"`git fetch origin refs/pull/{pull.number}/head` after it: nothing is fetched on somebody's order",
        )
    branch = f"refs/remotes/origin/{pull.base_branch}"
    return branch if _has(revision.root, branch) else pull.base


def _has(root: str, name: str) -> bool:
    try:
        commit_of(root, name)
    except DesiredError:
        return False
    return True


def _moment(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M} UTC"
