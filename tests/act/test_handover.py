"""Ownership moved by a guarded patch: made anew after a conflict, and never on another object."""

import pytest
from fake_cluster import FakeCluster
from objects import body_of, entry_of, resource_of

from recon_action.act.handover import hand_over
from recon_action.cluster import RequestError
from recon_action.model import Body, Handover, LiveObject, Trouble, ref_of

_HELM = entry_of({"f:data": {"f:b": {}}}, "helm", "Update")
_HANDOVER = Handover(frozenset({("helm", "Update")}))


def _body(uid: str = "uid-web") -> Body:
    return body_of(metadata={"name": "web", "uid": uid, "managedFields": [_HELM]}, data={"b": "2"})


def _managers(cluster: FakeCluster) -> list[str]:
    (body,) = cluster.objects.values()
    return [entry["manager"] for entry in body["metadata"]["managedFields"]]


def _hand_over(cluster: FakeCluster, body: Body) -> None:
    hand_over(cluster.door, resource_of(), LiveObject(ref_of(body), body), _HANDOVER)


def test_ownership_moves_in_one_request() -> None:
    """From what was observed, without another look."""
    cluster = FakeCluster()
    _hand_over(cluster, cluster.put(_body()))
    assert cluster.calls == [("patch", "web")]
    assert _managers(cluster) == ["recon-action"]


def test_nothing_to_move_costs_nothing() -> None:
    """An earlier run, which was killed, had done it."""
    cluster = FakeCluster()
    _hand_over(cluster, cluster.put(body_of(data={"b": "2"})))
    assert cluster.calls == []


def test_a_write_in_between_is_kept() -> None:
    """After a conflict the object is read again, and the patch is made of that."""
    cluster = FakeCluster()
    stale = cluster.put(_body())
    edit = entry_of({"f:data": {"f:c": {}}}, "kubectl-edit", "Update")
    newer = _body()
    newer["metadata"]["managedFields"] = [_HELM, edit]
    cluster.put(newer)
    _hand_over(cluster, stale)
    assert cluster.calls == [("patch", "web"), ("get", "web"), ("patch", "web")]
    assert _managers(cluster) == ["recon-action", "kubectl-edit"]


def test_an_object_that_never_rests_is_a_conflict() -> None:
    """The patch is tried a few times, not for ever."""
    cluster = FakeCluster()
    body = cluster.put(_body())
    cluster.refuse("patch", "web", Trouble.CONFLICT)
    with pytest.raises(RequestError) as caught:
        _hand_over(cluster, body)
    assert caught.value.problem.trouble is Trouble.CONFLICT
    assert cluster.calls.count(("patch", "web")) == 5


def test_another_refusal_is_final() -> None:
    """Without the right to patch there is no second try."""
    cluster = FakeCluster()
    body = cluster.put(_body())
    cluster.refuse("patch", "web", Trouble.FORBIDDEN)
    with pytest.raises(RequestError, match="forbidden"):
        _hand_over(cluster, body)
    assert cluster.calls == [("patch", "web")]


def test_an_object_made_anew_is_not_the_one() -> None:
    """It was judged under another UID: the next run looks at it afresh."""
    cluster = FakeCluster()
    stale = cluster.put(_body())
    cluster.put(_body("uid-2"))
    with pytest.raises(RequestError, match="created the object anew"):
        _hand_over(cluster, stale)
    assert _managers(cluster) == ["helm"]
