"""Waiting for health: what ends it, and what it makes of a stream that breaks."""

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from fake_cluster import FakeCluster
from objects import body_of, resource_of

from recon_action.act.wait import Waited, wait
from recon_action.model import Body, Problem, Quiet, Trouble, ref_of
from recon_action.model.inventory import PART_OF

_SET = "applyset-x"


def _thing(ready: str, name: str = "web", namespace: str = "shop") -> Body:
    """An object that is Ready, isn't, or has Failed."""
    condition = {"type": "Ready", "status": ready}
    if ready == "Failed":
        condition = {"type": "Stalled", "status": "True", "message": "no way"}
    metadata = {"labels": {PART_OF: _SET}}
    status = {"conditions": [condition]}
    return body_of("Thing", name, api="g/v1", namespace=namespace, metadata=metadata, status=status)


class _Notes(Quiet):
    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


def _wait(cluster: FakeCluster, *bodies: Body, seconds: float = 60.0, **more: Any) -> Waited:
    seen = {ref_of(body): body for body in bodies}
    resources = {one: resource_of(one.kind, "g/v1") for one in seen}
    return wait(cluster.door, seen, resources, _SET, seconds, more.pop("progress", Quiet()), **more)


def _words(waited: Waited) -> list[str]:
    return [health.status.value for health in waited.health.values()]


def test_what_is_current_costs_nothing() -> None:
    """No request, no thread."""
    cluster = FakeCluster()
    assert _words(_wait(cluster, _thing("True"))) == ["Current"]
    assert not cluster.calls


@pytest.mark.parametrize(("ready", "word"), [("False", "InProgress"), ("True", "Current"), ("Failed", "Failed")])
def test_no_time_to_wait(ready: str, word: str) -> None:
    """Then what was seen is what counts."""
    cluster = FakeCluster()
    waited = _wait(cluster, _thing(ready), seconds=0)
    assert (_words(waited), waited.problem) == ([word], None)
    assert not cluster.calls


def test_a_failure_that_is_known_is_not_waited_for() -> None:
    """One has failed: the others don't matter any more."""
    cluster = FakeCluster()
    waited = _wait(cluster, _thing("Failed"), _thing("False", "api"))
    assert (_words(waited), waited.problem) == (["Failed", "InProgress"], None)
    assert not cluster.calls


def test_what_became_healthy_before_the_watch_is_listed() -> None:
    """The watch begins where a list ended, so nothing is missed in between; one namespace is listed alone."""
    cluster = FakeCluster(_thing("True"))
    waited = _wait(cluster, _thing("False"))
    assert (_words(waited), waited.problem) == (["Current"], None)
    assert cluster.calls[0] == ("list", "things shop")


def test_two_namespaces_are_listed_as_one_kind() -> None:
    """One stream a kind."""
    bodies = [_thing("False"), _thing("False", namespace="blog")]
    cluster = FakeCluster(_thing("True"), _thing("True", namespace="blog"))
    assert _words(_wait(cluster, *bodies)) == ["Current", "Current"]
    assert cluster.calls[0] == ("list", "things")


def test_events_tell_the_rest() -> None:
    """Other objects and other events are nothing, and a word that stays the same is not noted."""
    cluster = FakeCluster(_thing("False"))
    cluster.events = [
        ("BOOKMARK", {"metadata": {}}),
        ("ADDED", _thing("True", "stranger")),
        ("MODIFIED", _thing("Unknown")),
        ("DELETED", _thing("True")),
        ("MODIFIED", _thing("True")),
    ]
    notes = _Notes()
    assert _words(_wait(cluster, _thing("False"), progress=notes)) == ["Current"]
    assert not notes.notes


def test_a_failure_ends_it() -> None:
    """It is told at once, although another object is still under way."""
    cluster = FakeCluster(_thing("False"), _thing("False", "api"))
    cluster.events = [("MODIFIED", _thing("Failed"))]
    notes = _Notes()
    waited = _wait(cluster, _thing("False"), _thing("False", "api"), progress=notes)
    assert (sorted(_words(waited)), waited.problem) == (["Failed", "InProgress"], None)
    assert notes.notes == ["Thing shop/web: no way"]


def test_health_can_be_lost_again() -> None:
    """What was Current and is not any more is waited for too."""
    cluster = FakeCluster(_thing("False"), _thing("True", "api"))
    cluster.events = [
        ("MODIFIED", _thing("False", "api")),
        ("MODIFIED", _thing("True")),
        ("MODIFIED", _thing("True", "api")),
    ]
    notes = _Notes()
    assert _words(_wait(cluster, _thing("False"), _thing("True", "api"), progress=notes)) == ["Current", "Current"]
    assert notes.notes == ["Thing shop/api: InProgress"]


def _ticking() -> Callable[[], float]:
    """A clock that goes a second further whenever it is looked at."""
    ticks = count()
    return lambda: float(next(ticks))


@pytest.mark.parametrize("trouble", [Trouble.FORBIDDEN, Trouble.UNREACHABLE])
def test_time_runs_out_over_a_problem(trouble: Trouble) -> None:
    """What can't be looked at stays as it was seen last, and the reason is told."""
    cluster = FakeCluster()
    cluster.refuse("list", "things shop", trouble)
    waited = _wait(cluster, _thing("False"), seconds=6, clock=_ticking())
    assert _words(waited) == ["InProgress"]
    assert waited.problem is not None
    assert waited.problem.trouble is trouble


def test_time_runs_out() -> None:
    """Looking was possible, but nothing became of it."""
    waited = _wait(FakeCluster(_thing("Unknown")), _thing("False"), seconds=6, clock=_ticking())
    assert (_words(waited), waited.problem) == (["InProgress"], None)


def test_where_watching_is_forbidden_each_namespace_is_listed() -> None:
    """A role may allow a list of its namespaces and nothing else."""
    cluster = FakeCluster(_thing("True"), _thing("True", namespace="blog"))
    cluster.refuse("list", "things", Trouble.FORBIDDEN)
    assert _words(_wait(cluster, _thing("False"), _thing("False", namespace="blog"))) == ["Current", "Current"]
    assert cluster.calls[:3] == [("list", "things"), ("list", "things blog"), ("list", "things shop")]


def test_a_stream_that_breaks_is_opened_again() -> None:
    """An API server restarts in the middle of a wait; a trouble that is over is no problem any more."""
    cluster = FakeCluster(_thing("True"))
    answers = iter([Problem(Trouble.UNAVAILABLE, "restarting")])
    cluster.refusals["list", "things shop"] = lambda: next(answers, None)
    waited = _wait(cluster, _thing("False"))
    assert (_words(waited), waited.problem) == (["Current"], None)
    assert cluster.calls[:2] == [("list", "things shop"), ("list", "things shop")]
