"""Ownership moved on a cluster in memory: once, guarded, and tried again where something else writes."""

import pytest
from fake_cluster import FakeCluster
from objects import body_of, entry_of, resource_of

from recon_action.act import apply_stage
from recon_action.act.handover import hand_over
from recon_action.cluster import RequestError
from recon_action.model import (
    Action,
    ActionKind,
    Body,
    Bucket,
    Handover,
    LiveObject,
    Outcome,
    Quiet,
    Stage,
    Trouble,
    Verdict,
    ref_of,
)

_BODY = body_of(data={"a": "1"}, metadata={"managedFields": [entry_of({"f:data": {"f:a": {}, "f:b": {}}})]})
_REF = ref_of(_BODY)
_DISOWN = Handover(disown={"f:data": {"f:b": {}}})


def _cluster() -> tuple[FakeCluster, LiveObject]:
    cluster = FakeCluster(_BODY)
    return cluster, LiveObject(_REF, cluster.objects[_REF])


def _owned(cluster: FakeCluster) -> Body:
    fields: Body = cluster.objects[_REF]["metadata"]["managedFields"][0]["fieldsV1"]
    return fields


def test_one_patch() -> None:
    """It gives the version that the judged object has now."""
    cluster, live = _cluster()
    version = hand_over(cluster.door, resource_of(), live, _DISOWN)
    assert _owned(cluster) == {"f:data": {"f:a": {}}}
    assert version == cluster.objects[_REF]["metadata"]["resourceVersion"] != live.resource_version
    assert cluster.calls == [("patch", "web")]


def test_nothing_to_do() -> None:
    """No request, and the version stays."""
    cluster, live = _cluster()
    assert hand_over(cluster.door, resource_of(), live, Handover(disown={"f:x": {}})) == live.resource_version
    assert not cluster.calls


def test_an_object_that_moved_on() -> None:
    """It is read again; what was judged of it no longer holds, so its old version is given."""
    cluster, live = _cluster()
    cluster.put(cluster.objects[_REF] | {"data": {"a": "2"}})
    assert hand_over(cluster.door, resource_of(), live, _DISOWN) == live.resource_version
    assert _owned(cluster) == {"f:data": {"f:a": {}}}
    assert cluster.calls == [("patch", "web"), ("get", "web"), ("patch", "web")]


def test_an_object_that_someone_made_anew() -> None:
    """It is another one: nothing of it is touched."""
    cluster, live = _cluster()
    cluster.put(_BODY | {"metadata": _BODY["metadata"] | {"uid": "other"}})
    with pytest.raises(RequestError) as caught:
        hand_over(cluster.door, resource_of(), live, _DISOWN)
    assert caught.value.problem.trouble is Trouble.CONFLICT
    assert "anew" in caught.value.problem.message


@pytest.mark.parametrize(("trouble", "patches"), [(Trouble.CONFLICT, 5), (Trouble.FORBIDDEN, 1)])
def test_it_does_not_try_for_ever(trouble: Trouble, patches: int) -> None:
    """Nor again where that can't help."""
    cluster, live = _cluster()
    cluster.refuse("patch", "web", trouble)
    with pytest.raises(RequestError):
        hand_over(cluster.door, resource_of(), live, _DISOWN)
    assert cluster.calls.count(("patch", "web")) == patches


@pytest.mark.parametrize("moved", [False, True], ids=["still", "moved"])
def test_a_payload_with_live_values_is_sent_to_their_version(moved: bool) -> None:
    """After a handover that is the new one, unless the values may be stale."""
    cluster, live = _cluster()
    if moved:
        cluster.put(cluster.objects[_REF])
    payload = body_of(data={"a": "1"}, metadata={"resourceVersion": live.resource_version})
    action = Action(ActionKind.CONFIGURE, resource_of(), Verdict(_REF, Bucket.PENDING, live=live, handover=_DISOWN))
    ((result,), _) = apply_stage(cluster.door, Stage("workloads", (action,)), {_REF: payload}, Quiet(), 60)
    assert result.outcome is Outcome.CONFIGURED
    (sent,) = cluster.sent
    is_old = sent["metadata"]["resourceVersion"] == live.resource_version
    assert is_old is moved


def test_a_write_in_between_is_kept() -> None:
    """The patch is made anew of what the object is then: another's new entry stays, a predecessor's goes."""
    helm = entry_of({"f:data": {"f:b": {}}}, "helm", "Update")
    edit = entry_of({"f:data": {"f:c": {}}}, "kubectl-edit", "Update")
    cluster = FakeCluster()
    stale = cluster.put(body_of(metadata={"managedFields": [helm]}))
    cluster.put(body_of(metadata={"managedFields": [helm, edit]}))
    hand_over(cluster.door, resource_of(), LiveObject(_REF, stale), Handover(frozenset({("helm", "Update")})))
    ours, *others = cluster.objects[_REF]["metadata"]["managedFields"]
    assert (ours["manager"], ours["fieldsV1"], others) == ("recon-action", helm["fieldsV1"], [edit])
