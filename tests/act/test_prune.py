"""One stage deleted: only what still is the object that was judged."""

import pytest
from fake_cluster import FakeCluster
from objects import body_of, live_of, resource_of

from recon_action.act import prune_stage
from recon_action.model import (
    Action,
    ActionKind,
    Body,
    Bucket,
    ObjectRef,
    Outcome,
    Quiet,
    Resource,
    Result,
    Stage,
    Trouble,
    Verdict,
    ref_of,
)
from recon_action.model.inventory import PART_OF

_BODY = body_of(namespace="shop")
_REF = ref_of(_BODY)


def _prune(cluster: FakeCluster, *bodies: Body) -> list[Result]:
    verdicts = [
        Verdict(ref_of(body), Bucket.PENDING, live=live_of(body, uid=f"uid-{ref_of(body).name}")) for body in bodies
    ]
    actions = tuple(Action(ActionKind.DELETE, resource_of(), verdict) for verdict in verdicts)
    results, _ = prune_stage(cluster.door, Stage("prune workloads", actions), Quiet())
    return results


def test_an_object_is_deleted_by_its_uid() -> None:
    """And the result names it."""
    cluster = FakeCluster(_BODY)
    assert _prune(cluster, _BODY) == [Result(_REF, Outcome.DELETED, uid="uid-web")]
    assert not cluster.objects


def test_what_is_gone_already_is_deleted() -> None:
    """Someone else was faster."""
    assert _prune(FakeCluster(), _BODY)[0].outcome is Outcome.DELETED


_OWNED = {"ownerReferences": [{"kind": "App", "controller": True}]}


@pytest.mark.parametrize(
    ("change", "outcome"),
    [
        pytest.param({"status": {"phase": "x"}}, Outcome.DELETED, id="status"),
        pytest.param({"data": {"a": "1"}}, Outcome.DELETED, id="content"),
        pytest.param({"metadata": {"labels": {PART_OF: "applyset-other-v1"}}}, Outcome.FAILED, id="another-target-s"),
        pytest.param({"metadata": _OWNED}, Outcome.FAILED, id="a-controller-s"),
    ],
)
def test_what_was_written_after_it_had_been_judged(change: Body, outcome: Outcome) -> None:
    """It is deleted as long as it still is ours: minutes may lie in between."""
    cluster = FakeCluster(_BODY)
    judged = live_of(cluster.objects[_REF], uid="uid-web", version=cluster.objects[_REF]["metadata"]["resourceVersion"])
    metadata = cluster.objects[_REF]["metadata"] | change.get("metadata", {})
    cluster.put(cluster.objects[_REF] | change | {"metadata": metadata})
    action = Action(ActionKind.DELETE, resource_of(), Verdict(_REF, Bucket.PENDING, live=judged))
    ((result,), _) = prune_stage(cluster.door, Stage("prune", (action,)), Quiet())
    assert result.outcome is outcome
    assert (_REF in cluster.objects) is (outcome is Outcome.FAILED)


def test_what_changes_all_the_time_is_left_to_the_next_run() -> None:
    """Each attempt finds another version."""

    class Busy(FakeCluster):
        def get(self, resource: Resource, ref: ObjectRef) -> Body:
            body = super().get(resource, ref)
            self.put(body)
            return body

    cluster = Busy(_BODY)
    (result,) = _prune(cluster, _BODY)
    assert result.problem is not None
    assert "changes faster" in result.problem.message


def test_what_was_made_anew_is_left_alone() -> None:
    """The UID that was judged is not there any more."""
    cluster = FakeCluster(body_of(namespace="shop", metadata={"uid": "uid-new"}))
    (result,) = _prune(cluster, _BODY)
    assert result.problem is not None
    assert (result.outcome, result.problem.trouble) == (Outcome.FAILED, Trouble.CONFLICT)
    assert _REF in cluster.objects


@pytest.mark.parametrize("trouble", [Trouble.FORBIDDEN, Trouble.UNREACHABLE])
def test_one_failure_is_one_objects(trouble: Trouble) -> None:
    """The others of the stage are deleted."""
    other = body_of(name="api", namespace="shop")
    cluster = FakeCluster(_BODY, other)
    cluster.refuse("delete", "web", trouble)
    assert [result.outcome for result in _prune(cluster, _BODY, other)] == [Outcome.FAILED, Outcome.DELETED]
    assert list(cluster.objects) == [_REF]
