"""The server's own dry run, and the very object that it starts from."""

import pytest
from fake_cluster import FakeCluster
from objects import body_of, live_of, ref, resource_of

from recon_action.model import Body, LiveObject, ObjectRef, Quiet, Resource, Trouble, ref_of
from recon_action.observe import Prediction, predict

_BODY = body_of(namespace="shop", data={"a": "1"})
_REF = ref_of(_BODY)


def _predict(cluster: FakeCluster, live: LiveObject | None) -> Prediction:
    objects = {_REF: live} if live else {}
    return predict(cluster.door, {_REF: _BODY}, {_REF: resource_of()}, objects, Quiet())[_REF]


def test_a_new_object_is_predicted_without_one() -> None:
    """Nothing lives there: the answer has no resourceVersion."""
    prediction = _predict(FakeCluster(), None)
    assert (prediction.live, prediction.problem) == (None, None)
    assert prediction.body == _BODY


def test_a_prediction_from_what_was_seen_costs_one_request() -> None:
    """The answer tells the resourceVersion that it starts from: it is the snapshot's."""
    cluster = FakeCluster(_BODY)
    live = LiveObject(_REF, cluster.objects[_REF])
    prediction = _predict(cluster, live)
    assert (prediction.live, prediction.problem) == (live, None)
    assert cluster.calls == [("dry-run", "web")]


@pytest.mark.parametrize("live", [live_of(_BODY, version="1"), None], ids=["changed", "appeared"])
def test_what_moved_since_the_snapshot_is_read_again(live: LiveObject | None) -> None:
    """Else a controller's write in between would show as a difference."""
    cluster = FakeCluster(_BODY)
    prediction = _predict(cluster, live)
    assert prediction.live == LiveObject(_REF, cluster.objects[_REF])
    assert cluster.calls == [("dry-run", "web"), ("get", "web")]


def test_what_was_deleted_since_the_snapshot_is_missing() -> None:
    """The dry run would create it."""
    prediction = _predict(FakeCluster(), live_of(_BODY))
    assert (prediction.live, prediction.problem) == (None, None)
    assert prediction.body is not None


class _Restless(FakeCluster):
    """Something writes the object between every two requests, so many times."""

    def __init__(self, writes: int) -> None:
        super().__init__(_BODY)
        self._writes = writes

    def get(self, resource: Resource, ref: ObjectRef) -> Body:
        self._write(ref)
        body = super().get(resource, ref)
        self._write(ref)
        return body

    def _write(self, ref: ObjectRef) -> None:
        if self._writes:
            self._writes -= 1
            self.put(self.objects[ref])


def test_catching_up_is_tried_again() -> None:
    """One more write in between is caught up with."""
    cluster = _Restless(3)
    prediction = _predict(cluster, live_of(_BODY, version="1"))
    assert prediction.problem is None
    assert prediction.live == LiveObject(_REF, cluster.objects[_REF])


def test_catching_up_ends() -> None:
    """What is written all the time is a conflict, not an endless loop."""
    cluster = _Restless(1000)
    prediction = _predict(cluster, live_of(_BODY, version="1"))
    assert prediction.body is None
    assert prediction.problem is not None
    assert prediction.problem.trouble is Trouble.CONFLICT
    assert len(cluster.calls) == 6


def test_one_refusal_is_one_objects() -> None:
    """The others are predicted; the refused one keeps what was seen of it."""
    other = body_of(name="api", namespace="shop")
    cluster = FakeCluster(_BODY, other)
    cluster.refuse("dry-run", "web", Trouble.INVALID)
    live = {one: LiveObject(one, body) for one, body in cluster.objects.items()}
    payloads = {_REF: _BODY, ref_of(other): other}
    found = predict(cluster.door, payloads, dict.fromkeys(payloads, resource_of()), live, Quiet())
    assert found[_REF].live is live[_REF]
    assert found[_REF].problem is not None
    assert found[_REF].problem.trouble is Trouble.INVALID
    assert found[ref(name="api", namespace="shop")].problem is None
