"""What can go wrong, and the exit code of each.

This is the one place that knows the numbers. An exception is for what stops a run, and
carries a hint that says what to do; trouble with one object is data (`model.Problem`).
Nothing here exits: only `cli` does.
"""

from collections.abc import Iterable
from enum import IntEnum, StrEnum


class ExitCode(IntEnum):
    """The exit codes, a part of the contract (README, docs)."""

    OK = 0
    DIFFERENT = 1
    USAGE = 2
    DESIRED = 3
    CLUSTER = 4
    INCOMPLETE = 5
    UNHEALTHY = 6
    LOCKED = 7
    PUBLISH = 8
    REFUSED = 9
    BUG = 70
    INTERRUPTED = 130


# Several at once: the first of these that occurred is the run's.
PRECEDENCE = (
    ExitCode.INTERRUPTED,
    ExitCode.BUG,
    ExitCode.USAGE,
    ExitCode.CLUSTER,
    ExitCode.DESIRED,
    ExitCode.REFUSED,
    ExitCode.LOCKED,
    ExitCode.INCOMPLETE,
    ExitCode.UNHEALTHY,
    ExitCode.DIFFERENT,
    ExitCode.PUBLISH,
    ExitCode.OK,
)


class FailOn(StrEnum):
    """What makes a run fail: a difference that remains, errors only, or nothing but the run's own end."""

    DRIFT = "drift"
    ERROR = "error"
    NEVER = "never"


_MASKED: dict[FailOn, frozenset[ExitCode]] = {
    FailOn.DRIFT: frozenset(),
    FailOn.ERROR: frozenset({ExitCode.DIFFERENT}),
    FailOn.NEVER: frozenset({ExitCode.DIFFERENT, ExitCode.UNHEALTHY, ExitCode.PUBLISH}),
}


def combine(codes: Iterable[ExitCode], fail_on: FailOn = FailOn.DRIFT) -> ExitCode:
    """The exit code of a run in which all of `codes` occurred, under the policy `fail_on`."""
    occurred = set(codes) - _MASKED[fail_on]
    return next((code for code in PRECEDENCE if code in occurred), ExitCode.OK)


class ReconError(Exception):
    """Something that stops a run: what happened, and what to do about it.

    Args:
        message: what happened, one or more lines, free of secrets.
        hint: what the user can do; shown on a line of its own.
    """

    exit_code = ExitCode.BUG

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(ReconError):
    """A wrong option, input, path, kubeconfig or configuration."""

    exit_code = ExitCode.USAGE


class DesiredError(ReconError):
    """The desired state can't be built: YAML faults, duplicates, zero manifests."""

    exit_code = ExitCode.DESIRED


class ClusterError(ReconError):
    """The cluster is unreachable, refuses our credentials, or hides what we must read."""

    exit_code = ExitCode.CLUSTER


class RefusedError(ReconError):
    """The guard refuses; the message names what would have been done."""

    exit_code = ExitCode.REFUSED


class LockedError(ReconError):
    """Another run holds the target's lock; the message names it."""

    exit_code = ExitCode.LOCKED


class PublishError(ReconError):
    """The report was made, but could not be delivered."""

    exit_code = ExitCode.PUBLISH


class ProgramError(ReconError):
    """An external program is missing, can't be got, or failed."""

    exit_code = ExitCode.USAGE


class Interrupted(ReconError):  # noqa: N818 - it is no error, but it stops a run all the same
    """SIGINT or SIGTERM arrived; what had begun is settled."""

    exit_code = ExitCode.INTERRUPTED
