"""The loop, for ever: when it calls, what it survives, and when it ends."""

from collections.abc import Iterator
from typing import Any, cast

import pytest

from recon_action.errors import ClusterError, ExitCode, Interrupted, ReconError, UsageError
from recon_action.report.document import Report
from recon_action.watch import Rhythm, pause_after, watch


class _FakeReport:
    """All that the loop reads of a report."""

    def __init__(self, exit_code: ExitCode) -> None:
        self.exit_code = exit_code


class _Day:
    """A clock that only sleeping moves, and a run for each round."""

    def __init__(self, *rounds: ExitCode | Exception) -> None:
        self.now = 0.0
        self.sleeps: list[float] = []
        self.told: list[ExitCode] = []
        self.failed: list[str] = []
        self._rounds: Iterator[Any] = iter(rounds)

    def once(self) -> Report:
        outcome = next(self._rounds)
        if isinstance(outcome, Exception):
            raise outcome
        return cast("Report", _FakeReport(outcome))

    def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.now += seconds

    def watch(self, rhythm: Rhythm) -> ExitCode:
        return watch(
            self.once,
            rhythm,
            told=lambda report: self.told.append(report.exit_code),
            failed=lambda error: self.failed.append(error.message),
            sleep=self.sleep,
            clock=lambda: self.now,
        )


_DOWN = ClusterError("no answer")


def test_a_report_a_round_until_the_time_is_over() -> None:
    """The last round's code is the run's; no sleep reaches beyond the end."""
    day = _Day(ExitCode.DIFFERENT, ExitCode.OK, ExitCode.UNHEALTHY)
    assert day.watch(Rhythm(60, duration=150)) is ExitCode.UNHEALTHY
    assert day.told == [ExitCode.DIFFERENT, ExitCode.OK, ExitCode.UNHEALTHY]
    assert day.sleeps == [60, 60]


def test_a_round_that_fails_is_tried_again_sooner() -> None:
    """A cluster that restarts is back soon; one that is gone is asked less and less often."""
    day = _Day(ExitCode.OK, _DOWN, _DOWN, _DOWN, ExitCode.OK)
    assert day.watch(Rhythm(60, duration=120)) is ExitCode.OK
    assert day.sleeps == [60, 1, 2, 4]
    assert day.failed == ["no answer"] * 3


def test_ending_in_failure_says_so() -> None:
    """The code of the last round, also when it failed."""
    assert _Day(ExitCode.OK, _DOWN).watch(Rhythm(60, duration=60.5)) is ExitCode.CLUSTER


def test_without_an_end_it_goes_on_until_something_stops_it() -> None:
    """What is no `ReconError` leaves the loop."""
    day = _Day(*[ExitCode.OK] * 100, KeyError("a bug"))
    with pytest.raises(KeyError):
        day.watch(Rhythm(60))
    assert len(day.told) == 100


@pytest.mark.parametrize(
    ("rounds", "raised"),
    [
        pytest.param([UsageError("bad path")], UsageError, id="wrong-from-the-start"),
        pytest.param([ExitCode.OK, Interrupted("stop")], Interrupted, id="interrupted"),
    ],
)
def test_some_errors_end_it(rounds: list[Any], raised: type[ReconError]) -> None:
    """A command line that is wrong from the start never gets right by waiting; an interrupt is meant."""
    with pytest.raises(raised):
        _Day(*rounds).watch(Rhythm(60, duration=1000))


def test_a_path_that_vanishes_later_is_survived() -> None:
    """A checkout that replaces the folder is such a moment."""
    day = _Day(ExitCode.OK, UsageError("no such path"), ExitCode.OK)
    assert day.watch(Rhythm(60, duration=100)) is ExitCode.OK
    assert day.failed == ["no such path"]


@pytest.mark.parametrize(
    ("failures", "interval", "pause"),
    [(0, 60, 60), (1, 60, 1), (2, 60, 2), (6, 60, 32), (7, 60, 60), (10_000, 60, 60), (1, 0.5, 0.5)],
)
def test_pauses(failures: int, interval: float, pause: float) -> None:
    """Doubling from a second up to the interval, never beyond it."""
    assert pause_after(failures, interval) == pause
