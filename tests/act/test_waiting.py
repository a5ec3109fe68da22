"""What is known while waiting: whose word counts, for whom time is up, and what it came to."""

from typing import Any

import pytest
from objects import body_of, ref, resource_of

from recon_action.act.streams import Gone, Sight
from recon_action.act.waiting import Waiting
from recon_action.analyze.health import health_of
from recon_action.analyze.patience import TIMEOUT
from recon_action.model import Body, Problem, Trouble, ref_of
from recon_action.model.health import Status

_THING = resource_of("Thing", "g/v1")
_WEB = ref("Thing", "web", group="g")


def _thing(ready: str = "", name: str = "web", timeout: str = "", generation: int = 1, **more: Any) -> Body:
    metadata = {"generation": generation} | ({"annotations": {TIMEOUT: timeout}} if timeout else {})
    condition = {"type": "Ready", "status": ready, "reason": "Why"}
    if ready == "Failed":
        condition = {"type": "Stalled", "status": "True", "reason": "Never"}
    status = {"status": {"conditions": [condition]}} if ready else {}
    return body_of("Thing", name, api="g/v1", metadata=metadata, **status, **more)


def _waiting(*bodies: Body, doubted: bool = False, goal: Status = Status.CURRENT) -> Waiting:
    refs = {ref_of(body): body for body in bodies}
    return Waiting(refs, health_of, goal=goal, doubted=refs if doubted else (), began=100.0, seconds=60.0)


def _see(waiting: Waiting, seen: Body | Gone | Problem | None) -> None:
    waiting.learn(Sight(_THING, seen))


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(_thing(), id="silent"),
        pytest.param(_thing("True", generation=2), id="true-of-an-earlier-generation-perhaps"),
        pytest.param(_thing("Failed", generation=2), id="failed-of-an-earlier-generation-perhaps"),
    ],
)
def test_a_status_that_may_lag_behind_is_doubted_for_a_moment(body: Body) -> None:
    """It is believed once the controller has had the time to say something else; at once, if nothing was changed."""
    waiting = _waiting(body, doubted=True)
    assert not waiting.is_over()
    waiting.tick(104.9)
    assert not waiting.is_over()
    waiting.tick(105.0)
    assert waiting.is_over()
    assert _waiting(body).is_over()


def test_a_status_of_this_generation_is_believed_at_once() -> None:
    """Whenever it comes."""
    waiting = _waiting(_thing(), doubted=True)
    _see(waiting, _thing("True"))
    assert waiting.is_over()


def test_each_object_has_its_own_time() -> None:
    """Waiting goes on for the others, and what heals meanwhile has healed."""
    waiting = _waiting(
        _thing("False", "quick", "10s"), _thing("False", "slow", "5m"), _thing("False"), _thing("False", "late", "20s")
    )
    assert waiting.left == 300.0
    waiting.tick(161.0)
    assert not waiting.is_over()
    _see(waiting, _thing("True", "late"))
    waiting.tick(400.0)
    assert (waiting.is_over(), waiting.left) == (True, 0.0)
    waited = waiting.result({_WEB: "Pod web-1: CrashLoopBackOff"})
    assert {str(one): problem.message for one, problem in waited.troubles.items()} == {
        "Thing quick": "not healthy within 10 s: Why",
        "Thing slow": "not healthy within 300 s: Why",
        "Thing web": "not healthy within 60 s: Why; Pod web-1: CrashLoopBackOff",
    }
    assert {problem.trouble for problem in waited.troubles.values()} == {Trouble.TIMEOUT}
    assert all(TIMEOUT in problem.hint for problem in waited.troubles.values())
    assert waited.health[_WEB].message == "Why; Pod web-1: CrashLoopBackOff"


def test_a_failure_is_told_from_what_it_interrupts() -> None:
    """The others are as they are; nothing is said against them."""
    waiting = _waiting(_thing("False"), _thing("Failed", "api"))
    assert waiting.failed
    waited = waiting.result({})
    (problem,) = waited.troubles.values()
    assert (problem.trouble, problem.message) == (Trouble.UNHEALTHY, "Never")
    assert waited.health[_WEB].status is Status.IN_PROGRESS


def test_what_is_gone_is_waited_for() -> None:
    """Somebody may make it anew; strangers don't count."""
    waiting = _waiting(_thing("False"))
    _see(waiting, Gone(ref("Thing", "stranger", group="g")))
    _see(waiting, _thing("True", "stranger"))
    _see(waiting, Gone(_WEB))
    assert waiting.health[_WEB].status is Status.NOT_FOUND
    assert not waiting.is_over()
    _see(waiting, _thing("True"))
    assert waiting.is_over()


def test_waiting_for_the_end() -> None:
    """What is gone is what was waited for; what stays is named with what holds it."""
    held = _thing(name="held")
    held["metadata"] |= {"deletionTimestamp": "now", "finalizers": ["example.com/keep"]}
    waiting = _waiting(_thing(), held, goal=Status.NOT_FOUND)
    _see(waiting, Gone(_WEB))
    waiting.tick(160.0)
    assert waiting.is_over()
    waited = waiting.result({})
    (problem,) = waited.troubles.values()
    assert problem.message == "not gone within 60 s: it is being deleted, held by its finalizers: example.com/keep"
    assert "finalizers" in problem.hint
    assert waited.health[_WEB].status is Status.NOT_FOUND


def test_a_trouble_of_the_server_passes() -> None:
    """It is told only if it lasts until time is up."""
    waiting = _waiting(_thing("False"))
    problem = Problem(Trouble.UNAVAILABLE, "restarting")
    _see(waiting, problem)
    assert waiting.result({}).problem is problem
    _see(waiting, None)
    assert waiting.result({}).problem is None
