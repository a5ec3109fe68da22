"""The lock: taken, waited for, kept, lost and given back."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from fake_cluster import FakeCluster
from objects import body_of

from recon_action.act.lock import locked, own_name
from recon_action.cluster import RequestError
from recon_action.errors import Interrupted, LockedError
from recon_action.model import Inventory, ObjectRef, Problem, Settings, Trouble

_OURS = Inventory("shop", "ops")
_REF = ObjectRef("coordination.k8s.io", "Lease", "ops", "recon-action-shop")
_NAME = "recon-action-shop"
_SHORT = 0.2  # a duration that a test can wait for


class _Notes:
    """Progress that keeps its notes."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def step(self, title: str, total: int | None = None) -> None:
        pass

    def advance(self, count: int = 1) -> None:
        pass

    def note(self, text: str) -> None:
        self.notes.append(text)


def _lease(holder: str, duration: int = 60, since: str = "2026-11-30T14:02:11.123456Z") -> dict[str, Any]:
    """The lock in another's hands."""
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": _NAME, "namespace": "ops"},
        "spec": {
            "holderIdentity": holder,
            "leaseDurationSeconds": duration,
            "acquireTime": since,
            "leaseTransitions": 3,
        },
    }


class _Hours:
    """A clock that goes on by `pace` seconds whenever it is looked at."""

    def __init__(self, pace: float) -> None:
        self.now = 0.0
        self.pace = pace

    def __call__(self) -> float:
        self.now += self.pace
        return self.now


def _holder(cluster: FakeCluster) -> str:
    return str(cluster.objects[_REF]["spec"]["holderIdentity"])


def _take(cluster: FakeCluster, *, seconds: float = 0, duration: float = 60, **options: Any) -> Any:
    settings = Settings((), lock_timeout=seconds, lock_duration=duration)
    given = {"holder": "me#1", "settings": settings, "progress": _Notes()} | options
    return locked(cluster.door, _OURS, **given)


def test_two_requests_take_it_and_give_it_back() -> None:
    """Nothing else is asked where nobody holds it."""
    cluster = FakeCluster()
    with _take(cluster):
        assert _holder(cluster) == "me#1"
        spec = cluster.objects[_REF]["spec"]
        assert spec["leaseDurationSeconds"] == 60
        assert spec["acquireTime"].startswith("20")
        assert spec["renewTime"] >= spec["acquireTime"]
    assert cluster.objects == {}
    assert cluster.calls == [("create", _NAME), ("delete", _NAME)]
    assert cluster.stop.problem is None


def test_it_is_given_back_whatever_happens() -> None:
    """An exception leaves nothing behind."""
    cluster = FakeCluster()
    with pytest.raises(KeyError), _take(cluster):
        raise KeyError
    assert cluster.objects == {}


def test_the_first_time_its_namespace_is_made() -> None:
    """The server says that it is missing; only then is it looked for."""
    cluster = FakeCluster()
    missing = iter([Problem(Trouble.MISSING, 'namespaces "ops" not found')])
    cluster.refusals["create", _NAME] = lambda: next(missing, None)
    with _take(cluster):
        assert _holder(cluster) == "me#1"
    assert [call for call in cluster.calls if call[1] == "ops"] == [("get", "ops"), ("create", "ops")]


def test_a_holder_is_named() -> None:
    """Who it is, since when, and what can be done; the part that tells runs apart is left out."""
    cluster = FakeCluster(_lease("https://github.com/o/r/actions/runs/7#1f2e"))
    with pytest.raises(LockedError) as caught, _take(cluster):
        pytest.fail("taken")
    expected = "lock of target shop: https://github.com/o/r/actions/runs/7, since 2026-11-30 14:02:11 UTC"
    assert caught.value.message.endswith(expected)
    assert "lock-timeout" in caught.value.hint
    assert "60 s" in caught.value.hint
    assert _holder(cluster).startswith("https")
    assert [verb for verb, _ in cluster.calls] == ["create", "get"]


@pytest.mark.parametrize("holder", ["a\x1b[2Jb", "a\nb"])
def test_what_others_wrote_moves_no_cursor(holder: str) -> None:
    """Whoever may write Leases must not write on a terminal."""
    with pytest.raises(LockedError) as caught, _take(FakeCluster(_lease(holder, since=holder))):
        pytest.fail("taken")
    assert caught.value.message.isprintable()


def test_a_living_holder_is_waited_for_and_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """As soon as it has given the lock back, it is ours."""
    cluster, notes = FakeCluster(_lease("you#2")), _Notes()
    monkeypatch.setattr(cluster.stop, "wait", lambda _: False)
    cluster.refusals["get", _NAME] = _after(3, lambda: cluster.objects.pop(_REF, None))
    with _take(cluster, seconds=600, progress=notes, clock=_Hours(0.001)):
        assert _holder(cluster) == "me#1"
    assert notes.notes == [
        "waiting for another run that holds the lock of target shop: you, since 2026-11-30 14:02:11 UTC"
    ]


def test_waiting_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A holder that says that it is alive, again and again, keeps its lock however long that takes."""
    cluster = FakeCluster(_lease("you#2"))
    cluster.refusals["get", _NAME] = lambda: cluster.put(cluster.objects[_REF]) and None
    monkeypatch.setattr(cluster.stop, "wait", lambda _: False)
    with pytest.raises(LockedError), _take(cluster, seconds=1000, clock=_Hours(10)):
        pytest.fail("taken")
    assert len(cluster.calls) > 20


def test_a_dead_holders_lock_is_taken_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """After as long as its Lease says, by our own clock, since we saw it first; whatever its times say."""
    cluster = FakeCluster(_lease("dead#2", since="2099-01-01T00:00:00Z"))
    waited: list[float] = []
    monkeypatch.setattr(cluster.stop, "wait", lambda seconds: waited.append(seconds) or False)
    with _take(cluster, seconds=300, clock=_Hours(1)):
        assert _holder(cluster) == "me#1"
        assert cluster.objects[_REF]["spec"]["leaseTransitions"] == 4
    assert len(waited) > 10
    assert max(waited) <= 2
    assert cluster.objects == {}


@pytest.mark.parametrize("holder", ["", "me#1"], ids=["nobody", "ourselves"])
def test_what_nobody_else_holds_is_taken_at_once(holder: str) -> None:
    """A Lease that was only emptied; our own creation whose answer was lost."""
    cluster = FakeCluster(_lease(holder))
    with _take(cluster):
        assert _holder(cluster) == "me#1"
    assert cluster.objects == {}


def test_who_takes_it_over_first_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two runs find the same dead holder: the version decides, and the second waits for the first."""
    cluster = FakeCluster(_lease("dead#2", duration=1))
    monkeypatch.setattr(cluster.stop, "wait", lambda _: False)
    rival = _lease("rival#3")
    cluster.refusals["patch", _NAME] = lambda: cluster.put(rival) and None
    with pytest.raises(LockedError, match="rival"), _take(cluster, seconds=30, clock=_Hours(0.5)):
        pytest.fail("taken")
    assert _holder(cluster) == "rival#3"


@pytest.mark.parametrize("verb", ["create", "get"])
def test_a_refusal_stops_the_run(verb: str) -> None:
    """Without the permission there is no lock, and without a lock no apply."""
    cluster = FakeCluster(_lease("you#2"))
    cluster.refuse(verb, _NAME, Trouble.FORBIDDEN)
    with pytest.raises(RequestError, match=verb), _take(cluster):
        pytest.fail("taken")


def test_waiting_can_be_interrupted() -> None:
    """Ctrl-C while another run is waited for."""
    cluster = FakeCluster(_lease("you#2"))
    signal = Problem(Trouble.INTERRUPTED, "the run was interrupted")
    threading.Timer(0.05, cluster.stop.ask, [signal]).start()
    with pytest.raises(Interrupted), _take(cluster, seconds=300):
        pytest.fail("taken")
    assert _holder(cluster) == "you#2"


def test_an_interrupted_run_gives_it_back() -> None:
    """Although nothing else is sent any more."""
    cluster = FakeCluster()
    with _take(cluster):
        cluster.stop.ask(Problem(Trouble.INTERRUPTED, "the run was interrupted"))
    assert cluster.objects == {}


def test_it_is_renewed() -> None:
    """Before it ends, again and again."""
    cluster = FakeCluster()
    with _take(cluster, duration=_SHORT):
        first = cluster.objects[_REF]
        _eventually(lambda: cluster.calls.count(("patch", _NAME)) >= 6)
        assert cluster.objects[_REF]["spec"]["renewTime"] > first["spec"]["renewTime"]
        assert cluster.objects[_REF]["spec"]["acquireTime"] == first["spec"]["acquireTime"]
        assert cluster.stop.problem is None
    assert cluster.objects == {}


def test_a_renewal_whose_answer_was_lost_is_found() -> None:
    """The version is another, the holder is us."""
    cluster = FakeCluster()
    with _take(cluster, duration=_SHORT):
        cluster.put(cluster.objects[_REF])
        _eventually(lambda: cluster.calls.count(("patch", _NAME)) >= 4)
        assert cluster.stop.problem is None
    assert cluster.objects == {}


@pytest.mark.parametrize("other", [_lease("rival#3"), None], ids=["taken", "deleted"])
def test_a_lock_that_was_lost_ends_the_run_and_is_left_alone(other: dict[str, Any] | None) -> None:
    """No further write; and the other's lock stays."""
    cluster = FakeCluster()
    with _take(cluster, duration=_SHORT):
        if other:
            cluster.put(other)
        else:
            del cluster.objects[_REF]
        _eventually(lambda: cluster.stop.problem is not None)
        assert cluster.stop.problem
        assert cluster.stop.problem.trouble is Trouble.LOCKED
        with pytest.raises(RequestError, match="not begun"):
            cluster.get(None, _REF)  # type: ignore[arg-type]
    assert [_holder(cluster)] == ["rival#3"] if other else cluster.objects == {}


def test_a_lock_that_can_not_be_renewed_ends_the_run_before_anybody_takes_it() -> None:
    """With the reason; nobody else can have it yet, so it is given back."""
    cluster = FakeCluster()
    cluster.refuse("patch", _NAME, Trouble.UNAVAILABLE)
    with _take(cluster, duration=_SHORT):
        begun = time.monotonic()
        _eventually(lambda: cluster.stop.problem is not None)
        assert time.monotonic() - begun < 10
        assert cluster.stop.problem
        assert "could not be renewed" in cluster.stop.problem.message
    assert cluster.objects == {}


def test_a_process_that_slept_does_not_trust_its_lock() -> None:
    """Whoever was stopped for a minute finds out before it sends anything, not after."""
    cluster, clock = FakeCluster(), _Hours(0)
    cluster.stop._clock = clock
    with _take(cluster, clock=clock):
        clock.now = 44
        cluster.get(None, _REF)  # type: ignore[arg-type]
        clock.now = 46
        with pytest.raises(RequestError, match="not begun"):
            cluster.get(None, _REF)  # type: ignore[arg-type]
    assert cluster.stop.problem
    assert cluster.stop.problem.message == "the lock was lost: it was not renewed in time"


def test_after_it_is_given_back_nothing_ends_the_run() -> None:
    """The report may take its time."""
    cluster, clock = FakeCluster(), _Hours(0)
    cluster.stop._clock = clock
    with _take(cluster, clock=clock):
        pass
    clock.now = 1000
    assert cluster.stop.problem is None


def test_one_that_can_not_be_given_back_is_told() -> None:
    """It is no failure: it ends by itself."""
    cluster, notes = FakeCluster(), _Notes()
    cluster.refuse("delete", _NAME, Trouble.FORBIDDEN)
    with _take(cluster, progress=notes):
        pass
    assert len(notes.notes) == 1
    assert notes.notes[0].startswith("the lock could not be given back, so it ends in 60 s: delete")


def test_a_version_that_moved_on_is_given_back_too() -> None:
    """A renewal was under way."""
    cluster = FakeCluster()
    with _take(cluster):
        cluster.put(cluster.objects[_REF])
    assert cluster.objects == {}


def test_others_locks_are_left_alone() -> None:
    """Whatever else lies beside the lock."""
    other = _lease("you#2") | {"metadata": {"name": "recon-action-blog", "namespace": "ops"}}
    cluster = FakeCluster(body_of("Namespace", "ops"), other)
    with _take(cluster):
        pass
    assert len(cluster.objects) == 2


def test_names_tell_runs_apart() -> None:
    """Two runs of one process, or of one workflow run, are two."""
    assert own_name("") != own_name("")
    assert own_name("https://x/runs/1").startswith("https://x/runs/1#")
    assert ":" in own_name("")


def _after(calls: int, happens: Callable[[], object]) -> Callable[[], None]:
    """Have something happen at a later call."""
    count = iter(range(calls))

    def call() -> None:
        if next(count, None) is None:
            happens()

    return call


def _eventually(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)
