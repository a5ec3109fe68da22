"""Holds put on, and taken off, a cluster in memory."""

import pytest
from fake_cluster import FakeCluster
from objects import body_of, resource_of

from recon_action.act.hold import set_hold
from recon_action.analyze.hold import HOLD
from recon_action.cluster import RequestError
from recon_action.model import Body, LiveObject, Trouble, ref_of

_BODY = body_of(metadata={"annotations": {"a": "b"}})
_REF = ref_of(_BODY)


def _cluster(body: Body = _BODY) -> tuple[FakeCluster, LiveObject]:
    cluster = FakeCluster(body)
    return cluster, LiveObject(_REF, cluster.objects[_REF])


def _annotations(cluster: FakeCluster) -> Body:
    annotations: Body = cluster.objects[_REF]["metadata"]["annotations"]
    return annotations


def test_on_and_off() -> None:
    """One patch each; what is so already costs none."""
    cluster, live = _cluster()
    assert set_hold(cluster.door, resource_of(), live, "x")
    assert _annotations(cluster) == {"a": "b", HOLD: "x"}
    held = LiveObject(_REF, cluster.objects[_REF])
    assert not set_hold(cluster.door, resource_of(), held, "x")
    assert set_hold(cluster.door, resource_of(), held, "")
    assert _annotations(cluster) == {"a": "b"}
    assert cluster.calls == [("patch", "web")] * 2


def test_an_object_without_annotations() -> None:
    """The hold is its first one."""
    cluster, live = _cluster(body_of())
    set_hold(cluster.door, resource_of(), live, "x")
    assert _annotations(cluster) == {HOLD: "x"}


def test_what_is_written_in_between_is_kept() -> None:
    """The patch is made anew for the object as it is by then."""
    cluster, live = _cluster()
    cluster.put(body_of(metadata={"annotations": {"a": "c"}}))
    set_hold(cluster.door, resource_of(), live, "x")
    assert _annotations(cluster) == {"a": "c", HOLD: "x"}


def test_another_object_of_that_name_is_not_held() -> None:
    """Someone made it anew: it is not the one that was meant."""
    cluster, live = _cluster()
    cluster.put(body_of(metadata={"uid": "other"}))
    with pytest.raises(RequestError) as caught:
        set_hold(cluster.door, resource_of(), live, "x")
    assert caught.value.problem.trouble is Trouble.CONFLICT
