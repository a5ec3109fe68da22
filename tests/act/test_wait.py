"""Waiting for health: what ends it, and what it makes of a stream that breaks."""

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from fake_cluster import FakeCluster
from objects import body_of, resource_of

from recon_action.act.wait import Waited, wait, wait_gone
from recon_action.analyze.patience import TIMEOUT
from recon_action.model import Body, Problem, Quiet, Trouble, ref_of
from recon_action.model.inventory import PART_OF

_SET = "applyset-x"


def _thing(ready: str, name: str = "web", namespace: str = "shop", timeout: str = "") -> Body:
    """An object that is Ready, isn't, or has Failed."""
    condition = {"type": "Ready", "status": ready}
    if ready == "Failed":
        condition = {"type": "Stalled", "status": "True", "message": "no way"}
    metadata = {"labels": {PART_OF: _SET}} | ({"annotations": {TIMEOUT: timeout}} if timeout else {})
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
    """One has failed: the others don't matter any more. The server is asked why, and no more."""
    cluster = FakeCluster()
    waited = _wait(cluster, _thing("Failed"), _thing("False", "api"))
    assert (_words(waited), waited.problem) == (["Failed", "InProgress"], None)
    assert {verb for verb, _ in cluster.calls} == {"read"}


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
    cluster = FakeCluster(_thing("True"), _thing("False", "api"))
    waited = _wait(cluster, _thing("False"), _thing("True", "api"), seconds=6, clock=_ticking())
    assert _words(waited) == ["Current", "InProgress"]


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
    assert [problem.trouble for problem in waited.troubles.values()] == [Trouble.TIMEOUT]


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


def test_what_is_not_to_be_waited_for_is_left_out() -> None:
    """An annotation says so: nobody will ever give that load balancer an address."""
    cluster = FakeCluster()
    waited = _wait(cluster, _thing("False", timeout="0s"), _thing("True", "api"))
    assert [str(ref) for ref in waited.health] == ["Thing shop/api"]
    assert not cluster.calls


def test_time_of_its_own() -> None:
    """An object may take longer than the others, or less long, down to no time for all others."""
    waited = _wait(FakeCluster(_thing("True")), _thing("False", timeout="1h"), seconds=0)
    assert _words(waited) == ["Current"]


def _custom(ready: str = "") -> Body:
    """A custom resource that its controller has said something of, or nothing yet."""
    return _thing(ready) if ready else {key: value for key, value in _thing("").items() if key != "status"}


@pytest.mark.parametrize(
    ("subresource", "fresh", "asked"),
    [
        pytest.param(("status",), None, True, id="new"),
        pytest.param(("status",), (), False, id="known-from-before"),
        pytest.param((), None, False, id="nobody-writes-a-status"),
    ],
)
def test_a_controller_is_given_the_time_to_speak(
    subresource: tuple[str, ...], fresh: tuple[()] | None, *, asked: bool
) -> None:
    """No status yet is no good news, unless it has been so for long or nobody writes one."""
    cluster = FakeCluster(_custom("True"))
    body = _custom()
    resources = {ref_of(body): resource_of("Thing", "g/v1", *subresource)}
    waited = wait(cluster.door, {ref_of(body): body}, resources, _SET, 60, Quiet(), fresh=fresh)
    assert _words(waited) == ["Current"]
    assert bool(cluster.calls) is asked


def _claim(storage_class: str) -> Body:
    metadata = {"labels": {PART_OF: _SET}}
    status = {"phase": "Pending"}
    spec = {"storageClassName": storage_class}
    return body_of("PersistentVolumeClaim", "data", namespace="shop", metadata=metadata, spec=spec, status=status)


@pytest.mark.parametrize(("name", "word"), [("late", "Current"), ("other", "InProgress")])
def test_a_claim_that_waits_for_a_pod_is_not_waited_for(name: str, word: str) -> None:
    """Its storage class says so; the pod may well come in a later stage."""
    mode = {"volumeBindingMode": "WaitForFirstConsumer"}
    cluster = FakeCluster(_claim(name), body_of("StorageClass", "late", api="storage.k8s.io/v1", **mode))
    body = _claim(name)
    resources = {ref_of(body): resource_of("PersistentVolumeClaim")}
    waited = wait(cluster.door, {ref_of(body): body}, resources, _SET, 6, Quiet(), clock=_ticking())
    assert _words(waited) == [word]


def _job(*conditions: str, deleted: bool = False) -> Body:
    metadata = {"labels": {PART_OF: _SET}} | ({"deletionTimestamp": "now"} if deleted else {})
    status = {"startTime": "now", "conditions": [{"type": kind, "status": "True"} for kind in conditions]}
    spec = {"ttlSecondsAfterFinished": 0}
    return body_of("Job", "migrate", api="batch/v1", namespace="shop", metadata=metadata, spec=spec, status=status)


@pytest.mark.parametrize(
    ("events", "word"),
    [
        pytest.param([("DELETED", _job("Complete", deleted=True))], "Current", id="finished"),
        pytest.param([("MODIFIED", _job("Failed")), ("DELETED", _job("Failed", deleted=True))], "Failed", id="failed"),
        pytest.param([("MODIFIED", _job(deleted=True)), ("DELETED", _job(deleted=True))], "Current", id="end-unseen"),
    ],
)
def test_a_job_whose_time_to_live_is_over(events: list[tuple[str, Body]], word: str) -> None:
    """It is gone when it has done its work."""
    cluster = FakeCluster(_job())
    cluster.events = events
    cluster.refuse("get", "migrate", Trouble.MISSING)
    body = _job()
    waited = wait(cluster.door, {ref_of(body): body}, {ref_of(body): resource_of("Job", "batch/v1")}, _SET, 60, Quiet())
    assert _words(waited) == [word]


def test_an_end_that_was_asked_for() -> None:
    """Waiting stops, and nothing is said against what was waited for."""
    cluster = FakeCluster(_thing("False"))
    cluster.stop.ask(Problem(Trouble.INTERRUPTED, "SIGTERM"))
    waited = _wait(cluster, _thing("False"))
    assert (_words(waited), waited.problem, waited.troubles) == (["InProgress"], None, {})
    assert not cluster.calls


def test_an_end_that_is_asked_for_meanwhile() -> None:
    """The same; what the streams could not send any more is no trouble of the server's."""
    cluster = FakeCluster(_thing("False"))
    cluster.refusals["watch", "things"] = lambda: cluster.stop.ask(Problem(Trouble.INTERRUPTED, "SIGTERM"))
    waited = _wait(cluster, _thing("False"))
    assert (_words(waited), waited.problem, waited.troubles) == (["InProgress"], None, {})
    assert ("list", "things shop") in cluster.calls


def _leaving(uid: str = "1", *finalizers: str) -> Body:
    metadata = {"labels": {PART_OF: _SET}, "uid": uid, "deletionTimestamp": "now", "finalizers": list(finalizers)}
    return body_of("Thing", "web", api="g/v1", namespace="shop", metadata=metadata)


@pytest.mark.parametrize(
    ("there", "word"),
    [
        pytest.param(None, "NotFound", id="gone"),
        pytest.param(_leaving("2"), "NotFound", id="another-of-the-same-name"),
        pytest.param(_leaving("1", "example.com/keep"), "Terminating", id="held"),
    ],
)
def test_waiting_for_the_end_of_something(there: Body | None, word: str) -> None:
    """Until it is not there any more; who holds it is named."""
    cluster = FakeCluster(*([there] if there else []))
    body = _leaving()
    resources = {ref_of(body): resource_of("Thing", "g/v1")}
    waited = wait_gone(cluster.door, {ref_of(body): body}, resources, _SET, 6, Quiet(), clock=_ticking())
    assert _words(waited) == [word]
    said = [problem.message for problem in waited.troubles.values()]
    assert said == (
        ["not gone within 6 s: it is being deleted, held by its finalizers: example.com/keep"]
        if word == "Terminating"
        else []
    )
