"""The loop, for ever: a trigger calls `reconcile`, the report tells when to call it next.

The trigger is the clock. A round that fails is told and tried again, sooner at first and then less
and less often, because a cluster that restarts is back soon and one that is gone is not.
"""

from collections.abc import Callable
from dataclasses import dataclass

from recon_action.errors import ExitCode, Interrupted, ReconError, UsageError
from recon_action.report.document import Report

_FIRST_RETRY = 1.0


@dataclass(frozen=True, slots=True)
class Rhythm:
    """When to look again.

    Args:
        interval: seconds between the ends of two rounds.
        duration: seconds after which watching ends; None means never.
    """

    interval: float
    duration: float | None = None


def watch(
    once: Callable[[], Report],
    rhythm: Rhythm,
    *,
    told: Callable[[Report], None],
    failed: Callable[[ReconError], None],
    sleep: Callable[[float], None],
    clock: Callable[[], float],
) -> ExitCode:
    """Call `once` again and again; gives the last round's exit code when the time is over.

    Args:
        once: one round, Git fetched first if that is wanted.
        rhythm: when.
        told: gets every report.
        failed: gets what stopped a round.
        sleep: waits so many seconds.
        clock: monotonic seconds.

    Raises:
        UsageError: the very first round shows that the command line is wrong.
        Interrupted: the round was.
    """
    end = None if rhythm.duration is None else clock() + rhythm.duration
    failures, code, first = 0, ExitCode.OK, True
    while True:
        try:
            report = once()
        except ReconError as error:
            if isinstance(error, Interrupted) or (first and isinstance(error, UsageError)):
                raise
            failed(error)
            failures, code = failures + 1, error.exit_code
        else:
            told(report)
            failures, code = 0, report.exit_code
        first = False
        pause = pause_after(failures, rhythm.interval)
        if end is not None and clock() + pause >= end:
            return code
        sleep(pause)


def pause_after(failures: int, interval: float) -> float:
    """Seconds until the next round, after so many failed ones in a row."""
    return interval if failures == 0 else min(interval, _FIRST_RETRY * 2.0 ** min(failures - 1, 16))
