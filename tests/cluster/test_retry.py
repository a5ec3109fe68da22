"""How long a request is tried, and when it is not."""

import logging

import pytest

from recon_action.cluster import RequestError
from recon_action.cluster.failure import Passing
from recon_action.cluster.retry import Patience
from recon_action.model import Problem, Trouble

_ANSWER = "answer"
_FAULT = Problem(Trouble.UNAVAILABLE, "restarting", status=503)
_SILENCE = Problem(Trouble.UNREACHABLE, "no answer")


class _Clock:
    """Time passes only in pauses, and as long as a request takes; after `stop_after` pauses the run is to end."""

    def __init__(self, stop_after: int = 1000) -> None:
        self.now = 1000.0
        self.pauses: list[float] = []
        self._stop_after = stop_after

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> bool:
        self.pauses.append(seconds)
        self.now += seconds
        return len(self.pauses) > self._stop_after


class _Script:
    """Fails as it is told, then answers."""

    def __init__(self, clock: _Clock, *errors: RequestError | None, takes: float = 0) -> None:
        self.sent = 0
        self._clock = clock
        self._errors = list(errors)
        self._takes = takes

    def __call__(self) -> str:
        self.sent += 1
        self._clock.now += self._takes
        error = self._errors.pop(0) if len(self._errors) > 1 else self._errors[0]
        if error is None:
            return _ANSWER
        raise RequestError(error.problem, error.passing)


def _passing(problem: Problem = _FAULT, source: str = "server", pause: float | None = None) -> RequestError:
    return RequestError(problem, Passing(source, pause))


@pytest.fixture
def clock() -> _Clock:
    """Its own time."""
    return _Clock()


@pytest.fixture
def patience(clock: _Clock) -> Patience:
    """Of a connection that has been answered before."""
    known = Patience(clock.wait, clock=clock)
    known.insist(lambda: _ANSWER, "get /")
    return known


def test_what_passes_is_sent_again(clock: _Clock, patience: Patience) -> None:
    """At once first, then with pauses that grow; each a little longer than the rule, lest all come at once."""
    script = _Script(clock, *[_passing()] * 5, None)
    assert patience.insist(script, "apply /x") == _ANSWER
    assert script.sent == 6
    assert clock.pauses[0] == 0
    for pause, rule in zip(clock.pauses[1:], (0.5, 1, 2, 4), strict=True):
        assert rule <= pause <= rule + 0.25


def test_what_does_not_pass_is_final(clock: _Clock, patience: Patience) -> None:
    """Asking again would give the same."""
    script = _Script(clock, RequestError(_FAULT))
    with pytest.raises(RequestError, match=r"^restarting$"):
        patience.insist(script, "apply /x")
    assert (script.sent, clock.pauses) == (1, [])


def test_patience_ends_after_half_a_minute(clock: _Clock, patience: Patience) -> None:
    """The last words are the server's, and say how often they were heard."""
    script, began = _Script(clock, _passing()), clock.now
    with pytest.raises(RequestError, match=r"^restarting \(tried 9 times\)$") as caught:
        patience.insist(script, "apply /x")
    assert clock.now - began == pytest.approx(30)
    assert caught.value.tries == script.sent == 9


def test_what_fails_in_another_way_at_last_is_told_as_that(clock: _Clock, patience: Patience) -> None:
    """After a pause the manifest may turn out to be wrong."""
    script = _Script(clock, _passing(), RequestError(Problem(Trouble.CONFLICT, "exists", status=409)))
    with pytest.raises(RequestError, match=r"^exists$") as caught:
        patience.insist(script, "create /x")
    assert caught.value.tries == 2


@pytest.mark.parametrize(
    ("asked", "least", "most"),
    [
        pytest.param(4, 4, 6, id="obeyed"),
        pytest.param(3600, 15, 15, id="capped"),
        pytest.param(0, 0, 0, id="at-once"),
    ],
)
def test_the_server_says_when_to_come_back(
    clock: _Clock, patience: Patience, asked: float, least: float, most: float
) -> None:
    """Within reason; and a little later than that, for it says the same to all."""
    assert patience.insist(_Script(clock, _passing(pause=asked), None), "get /x") == _ANSWER
    assert least <= clock.pauses[0] <= most


def test_what_was_refused_together_does_not_come_back_together(patience: Patience, clock: _Clock) -> None:
    """Or all but one would be refused again."""
    for _ in range(10):
        patience.insist(_Script(clock, _passing(pause=1), None), "get /x")
    assert len(set(clock.pauses)) == 10


def test_to_come_back_at_once_is_no_reason_to_hurry(clock: _Clock, patience: Patience) -> None:
    """The pauses grow all the same."""
    with pytest.raises(RequestError):
        patience.insist(script := _Script(clock, _passing(pause=0)), "get /x")
    assert script.sent < 10


@pytest.mark.parametrize("takes", [0.0, 5.0], ids=["refused-at-once", "swallowed"])
def test_a_server_that_never_answered_is_given_up_soon(clock: _Clock, takes: float) -> None:
    """The address may be wrong: two quick attempts more, or none if the first one took long."""
    script, began = _Script(clock, _passing(_SILENCE), takes=takes), clock.now
    with pytest.raises(RequestError):
        Patience(clock.wait, clock=clock).insist(script, "get /version")
    assert script.sent == (1 if takes else 3)
    assert clock.now - began <= 5


def test_a_server_that_is_starting_is_waited_for(clock: _Clock) -> None:
    """It has answered, though only that it can't yet."""
    script = _Script(clock, *[_passing()] * 6, None)
    assert Patience(clock.wait, clock=clock).insist(script, "get /version") == _ANSWER


def test_a_request_that_hung_is_sent_once_more(clock: _Clock, patience: Patience) -> None:
    """A connection may have died unseen; but a server that hangs is not asked for minutes."""
    script = _Script(clock, _passing(_SILENCE), takes=60)
    with pytest.raises(RequestError):
        patience.insist(script, "apply /x")
    assert script.sent == 2


def _exhausted(patience: Patience, clock: _Clock, source: str) -> None:
    with pytest.raises(RequestError):
        patience.insist(_Script(clock, _passing(source=source)), "apply /x")


def test_what_fails_for_all_is_waited_for_once(clock: _Clock, patience: Patience) -> None:
    """A thousand objects behind one webhook that is down don't take half a minute each."""
    _exhausted(patience, clock, "webhook a")
    began = clock.now
    for _ in range(100):
        script = _Script(clock, _passing(source="webhook a"))
        with pytest.raises(RequestError):
            patience.insist(script, "apply /y")
        assert script.sent == 2
    assert clock.now == began


@pytest.mark.parametrize("ends", ["another", "recovered", "long-ago"])
def test_patience_comes_back(clock: _Clock, patience: Patience, ends: str) -> None:
    """For another source; once the same one has let something pass; and with time."""
    _exhausted(patience, clock, "webhook a")
    if ends == "recovered":
        patience.insist(_Script(clock, _passing(source="webhook a"), None), "apply /y")
    if ends == "long-ago":
        clock.now += 31
    began = clock.now
    _exhausted(patience, clock, "webhook b" if ends == "another" else "webhook a")
    assert clock.now - began == pytest.approx(30)


@pytest.mark.parametrize("after", [0, 2])
def test_a_run_that_is_to_end_tries_nothing_any_more(after: int) -> None:
    """Whatever the pause, and with the failure that it had."""
    clock = _Clock(stop_after=after)
    script = _Script(clock, _passing())
    with pytest.raises(RequestError, match="restarting"):
        Patience(clock.wait, clock=clock).insist(script, "apply /x")
    assert script.sent == after + 1


def test_the_log_tells_that_something_fails(
    clock: _Clock, patience: Patience, caplog: pytest.LogCaptureFixture
) -> None:
    """A line for each source, and not for each request; those are in the log of every request."""
    caplog.set_level(logging.DEBUG, "recon_action")
    for _ in range(3):
        patience.insist(_Script(clock, _passing(), _passing(), None), "apply /x")
        patience.insist(_Script(clock, _passing(source="webhook a"), None), "apply /y")
    told = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert told == ["apply /x: restarting; trying again", "apply /y: restarting; trying again"]
    assert len(caplog.records) == 9
