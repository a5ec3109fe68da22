"""What a run came to, and what its workflow wants to be told of it: all that the channels on GitHub are given."""

from dataclasses import dataclass, field
from datetime import datetime

from recon_action.errors import ExitCode, FailOn, ReconError
from recon_action.github.upkeep import CLOSE_AFTER
from recon_action.model.settings import CommentOn, IssueOn
from recon_action.report.document import Report


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a workflow wants to be published, and how GitHub is reached.

    Args:
        token: of the job, an app or a person; "" turns all channels off.
        comment: whether pull requests get a comment.
        comment_on: when.
        check_run: whether commits get a check run.
        issue: when the target gets a drift issue.
        close_after: full scans without drift, after which it is closed.
        labels: that it is given beside our own.
        assignees: whom it is given to.
        verify: whether GitHub's certificate is checked: `true`, `false`, or the file with its authority.
    """

    token: str = field(default="", repr=False)
    comment: bool = True
    comment_on: CommentOn = CommentOn.ALWAYS
    check_run: bool = True
    issue: IssueOn = IssueOn.AUTO
    close_after: int = CLOSE_AFTER
    labels: tuple[str, ...] = ()
    assignees: tuple[str, ...] = ()
    verify: str = "true"


@dataclass(frozen=True, slots=True)
class Found:
    """What a run came to.

    Args:
        target: its name.
        outcome: the report, or what stopped the run before there was one.
        fail_on: what makes it fail.
        began: when it began to look.
        unverified: whether somebody else's run has found it, so that the report may say anything.
    """

    target: str
    outcome: Report | ReconError
    fail_on: FailOn
    began: datetime
    unverified: bool = False

    @property
    def code(self) -> ExitCode:
        """What it came to."""
        return self.outcome.exit_code

    @property
    def report(self) -> Report | None:
        """The report, if there is one."""
        return self.outcome if isinstance(self.outcome, Report) else None
