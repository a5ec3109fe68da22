"""How a run is asked to end: once, by whoever comes first, and heard by everybody."""

import threading
import time

import pytest

from recon_action.errors import ClusterError, Interrupted, LockedError, ReconError, UsageError
from recon_action.model import Problem, Trouble
from recon_action.stop import Stop

_SIGNAL = Problem(Trouble.INTERRUPTED, "the run was interrupted", "run again")
_LOST = Problem(Trouble.LOCKED, "the lock was lost")


def test_nobody_asks() -> None:
    """Nothing is raised, and who waits waits to the end."""
    stop = Stop()
    stop.check()
    assert not stop.wait(0)
    with stop.heeded(), stop.idle():
        assert stop.is_idle
    assert (stop.problem, stop.is_idle) == (None, False)


def test_the_first_reason_counts() -> None:
    """What comes later is a consequence, or too late."""
    stop = Stop()
    stop.ask(_SIGNAL)
    stop.ask(_LOST)
    assert stop.problem == _SIGNAL


@pytest.mark.parametrize(
    ("trouble", "kind"),
    [
        (Trouble.INTERRUPTED, Interrupted),
        (Trouble.LOCKED, LockedError),
        (Trouble.UNREACHABLE, ClusterError),
    ],
)
def test_each_reason_has_its_error(trouble: Trouble, kind: type[ReconError]) -> None:
    """With its message and hint, and so its exit code."""
    stop = Stop()
    stop.ask(Problem(trouble, "it ends", "do this"))
    with pytest.raises(kind, match="it ends") as caught:
        stop.check()
    assert caught.value.hint == "do this"


def test_who_waits_is_woken() -> None:
    """At once, from another thread."""
    stop = Stop()
    threading.Timer(0.05, stop.ask, [_SIGNAL]).start()
    begun = time.monotonic()
    assert stop.wait(30)
    assert time.monotonic() - begun < 20


def test_a_moment_that_comes_ends_the_run() -> None:
    """Whoever looks after it finds the run asked to end; a later moment takes the place of an earlier one."""
    now = [0.0]
    stop = Stop(clock=lambda: now[0])
    stop.ask_at(10, _LOST)
    now[0] = 9
    stop.ask_at(20, _LOST)
    now[0] = 19
    assert stop.problem is None
    now[0] = 20
    assert stop.problem == _LOST


def test_a_moment_may_be_forgotten() -> None:
    """Nothing happens then."""
    stop = Stop(clock=lambda: 100)
    stop.ask_at(101, _LOST)
    stop.ask_no_more()
    assert not stop.wait(0)


def test_who_waits_finds_out_about_the_moment() -> None:
    """At the end of the waiting, at the latest."""
    stop = Stop(clock=lambda: 100)
    stop.ask_at(100, _LOST)
    assert stop.wait(0)


def test_followers_are_told_once() -> None:
    """At once, if it has happened already; not, if they follow no longer."""
    stop, told = Stop(), list[str]()
    with stop.following(lambda _: told.append("gone")):
        pass
    with stop.following(lambda problem: told.append(problem.message)):
        stop.ask(_SIGNAL)
        stop.ask(_LOST)
    stop.follow(lambda _: told.append("late"))
    assert told == ["the run was interrupted", "late"]


@pytest.mark.parametrize("failure", [None, ClusterError("no answer")], ids=["nothing-failed", "something-failed"])
def test_what_fails_on_the_way_out_is_not_the_reason(failure: ReconError | None) -> None:
    """That requests fail once the run is to end is a consequence."""
    stop = Stop()

    def end() -> None:
        with stop.heeded():
            stop.ask(_SIGNAL)
            if failure:
                raise failure

    with pytest.raises(Interrupted):
        end()


def test_what_fails_by_itself_is_the_reason() -> None:
    """Without anybody asking, an error is an error."""
    with pytest.raises(UsageError), Stop().heeded():
        raise UsageError("wrong")


def test_idleness_ends_before_it_begins() -> None:
    """Who is asked to end doesn't begin what takes long."""
    stop = Stop()
    stop.ask(_SIGNAL)
    with pytest.raises(Interrupted), stop.idle():
        pytest.fail("begun")
    assert not stop.is_idle


@pytest.mark.parametrize("why", [_SIGNAL, _LOST])
def test_what_is_left_undone(why: Problem) -> None:
    """Briefly, as there may be thousands; the whole reason is told once."""
    stop = Stop()
    stop.ask(why)
    assert stop.undone("apply") == Problem(why.trouble, "not begun", "", "apply")
