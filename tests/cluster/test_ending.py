"""A connection whose run is to end: what is not sent any more, what is cut off, and what is sent all the same."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from local_server import Answer, Asked, LocalServer, local_server, status

from recon_action.cluster import Cluster, NotSent, RequestError, client, connect
from recon_action.model import Access, Problem, Resource, Trouble

_DEPLOYMENT = Resource("apps", "v1", "Deployment", "deployments", namespaced=True)
_BODY = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"}}
_WHY = Problem(Trouble.INTERRUPTED, "the run was interrupted", "run again")


class _Slow(LocalServer):
    """Keeps back its answers until it may go on."""

    def __init__(self) -> None:
        super().__init__()
        self.may_answer = threading.Event()
        self.answers = [Answer(_BODY)]

    def next(self, request: Asked) -> Answer:
        answer = super().next(request)
        self.may_answer.wait(20)
        return answer


@pytest.fixture
def slow() -> Iterator[_Slow]:
    """A server that does not answer yet."""
    script = _Slow()
    with local_server(script):
        yield script
        script.may_answer.set()


@pytest.fixture
def waiting(slow: _Slow, kubeconfig: Callable[..., str]) -> Cluster:
    """A connection to it."""
    return connect(Access(kubeconfig(slow.url)), concurrency=4)


def test_nothing_more_is_sent(server: LocalServer, cluster: Cluster) -> None:
    """It is no failure of what was to be sent."""
    cluster.stop.ask(_WHY)
    with pytest.raises(NotSent) as caught:
        cluster.apply(_DEPLOYMENT, _BODY)
    assert caught.value.problem == Problem(Trouble.INTERRUPTED, "not begun", verb="apply")
    assert server.asked == []


def test_of_many_calls_each_finds_out(server: LocalServer, cluster: Cluster) -> None:
    """What was done stays known."""
    server.answers = [Answer(_BODY)]

    def call(number: int) -> str:
        if number == 1:
            cluster.stop.ask(_WHY)
        try:
            return str(cluster.apply(_DEPLOYMENT, _BODY)["kind"])
        except NotSent as error:
            return error.problem.trouble

    results = cluster.each(call, range(50))
    assert len(results) == 50
    assert results.count("interrupted") >= 40
    assert len(server.asked) == results.count("Deployment")


def test_what_is_under_way_has_a_moment(slow: _Slow, waiting: Cluster) -> None:
    """An answer that comes soon counts."""
    with _sending(waiting, slow) as answer:
        waiting.stop.ask(_WHY)
        slow.may_answer.set()
        assert answer.result(10) == _BODY


def test_then_it_is_cut_off(slow: _Slow, waiting: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may have been done all the same, and nobody sends it again."""
    monkeypatch.setattr(client, "_GRACE", 0.1)
    with _sending(waiting, slow) as answer:
        begun = time.monotonic()
        waiting.stop.ask(_WHY)
        with pytest.raises(RequestError) as caught:
            answer.result(10)
        assert time.monotonic() - begun < 5
    assert not isinstance(caught.value, NotSent)
    assert caught.value.problem.trouble is Trouble.INTERRUPTED
    assert "no answer yet when the run was interrupted" in caught.value.problem.message
    assert len(slow.asked) == 1


def test_what_has_to_be_settled_is_sent(slow: _Slow, waiting: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is still under way then is cut off at once; what is sent after that isn't."""
    monkeypatch.setattr(client, "_GRACE", 0.3)
    with _sending(waiting, slow) as answer:
        waiting.stop.ask(_WHY)
        settling = waiting.settling()
        with pytest.raises(RequestError):
            answer.result(0.25)
        threading.Timer(0.6, slow.may_answer.set).start()
        assert settling.apply(_DEPLOYMENT, _BODY) == _BODY
    assert len(slow.asked) == 2


def test_settling_is_tried_once_and_briefly(slow: _Slow, waiting: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no time for more."""
    monkeypatch.setattr(client, "_SETTLING", 0.2)
    waiting.stop.ask(_WHY)
    begun = time.monotonic()
    with pytest.raises(RequestError) as caught:
        waiting.settling().apply(_DEPLOYMENT, _BODY)
    assert time.monotonic() - begun < 5
    assert caught.value.problem.trouble is Trouble.UNREACHABLE
    assert len(slow.asked) == 1


def test_without_an_end_there_is_nothing_to_settle(cluster: Cluster) -> None:
    """The ordinary connection is patient."""
    assert cluster.settling() is cluster


def test_a_brief_connection_tries_once(server: LocalServer, cluster: Cluster) -> None:
    """And ends with the run, as any other."""
    server.answers = [status(503)]
    brief = cluster.brief(5)
    with pytest.raises(RequestError):
        brief.apply(_DEPLOYMENT, _BODY)
    assert len(server.asked) == 1
    cluster.stop.ask(_WHY)
    with pytest.raises(NotSent):
        brief.apply(_DEPLOYMENT, _BODY)


@contextmanager
def _sending(cluster: Cluster, server: LocalServer) -> Iterator[Future[Any]]:
    """A request that has reached the server, in a thread of its own."""
    with ThreadPoolExecutor(1) as threads:
        answer = threads.submit(cluster.apply, _DEPLOYMENT, _BODY)
        end = time.monotonic() + 10
        while not server.asked:
            assert time.monotonic() < end
            time.sleep(0.01)
        yield answer
