"""One stage applied: a result for every object, whatever happens to the others."""

from typing import Any

import pytest
from fake_cluster import FakeCluster
from objects import body_of, entry_of, live_of, resource_of

from recon_action.act import apply_stage
from recon_action.model import (
    Action,
    ActionKind,
    Body,
    Bucket,
    Handover,
    LiveObject,
    Outcome,
    Problem,
    Quiet,
    Result,
    Stage,
    Trouble,
    Verdict,
    ref_of,
)

_WEB = body_of(namespace="shop", data={"a": "1"})
_API = body_of(name="api", namespace="shop")


_REFUSAL = Problem(Trouble.IMMUTABLE, "spec.selector: field is immutable", "--recreate", "dry-run", 422)


def _action(body: Body, kind: ActionKind = ActionKind.CREATE, *, version: str = "", **more: Any) -> Action:
    live = live_of(body, uid="uid-web", version=version) if version else None
    verdict = Verdict(ref_of(body), Bucket.PENDING, live=live, **more)
    return Action(kind, resource_of(), verdict)


def _apply(cluster: FakeCluster, *actions: Action) -> dict[str, Result]:
    payloads = {ref_of(body): body for body in (_WEB, _API)}
    results, stored = apply_stage(cluster.door, Stage("workloads", actions), payloads, Quiet(), 60)
    assert stored == {ref: cluster.objects[ref] for ref in stored}
    assert stored.keys() == {result.ref for result in results if result.outcome is not Outcome.FAILED}
    return {result.ref.name: result for result in results}


@pytest.mark.parametrize(
    ("kind", "version", "outcome"),
    [
        pytest.param(ActionKind.CREATE, "", Outcome.CREATED, id="created"),
        pytest.param(ActionKind.CONFIGURE, "1", Outcome.CONFIGURED, id="configured"),
        pytest.param(ActionKind.ADOPT, "1", Outcome.CONFIGURED, id="adopted"),
    ],
)
def test_an_apply_has_an_outcome(kind: ActionKind, version: str, outcome: Outcome) -> None:
    """With the UID that the server gave."""
    results = _apply(FakeCluster(), _action(_WEB, kind, version=version))
    assert results["web"] == Result(ref_of(_WEB), outcome, uid="uid-web")


def test_an_apply_that_changes_nothing_says_so() -> None:
    """The resourceVersion stayed: someone else was faster."""
    cluster = FakeCluster(_WEB)
    version = cluster.objects[ref_of(_WEB)]["metadata"]["resourceVersion"]
    results = _apply(cluster, _action(_WEB, ActionKind.CONFIGURE, version=version))
    assert results["web"].outcome is Outcome.UNCHANGED


def test_what_can_not_be_changed_is_not_sent() -> None:
    """The server has refused it already: its words are the result."""
    cluster = FakeCluster(_WEB)
    results = _apply(cluster, _action(_WEB, ActionKind.LEAVE, version="100", immutable=_REFUSAL))
    assert results["web"] == Result(ref_of(_WEB), Outcome.FAILED, _REFUSAL)
    assert cluster.calls == []


def test_what_may_be_recreated_is() -> None:
    """Deleted as what it was judged to be, and applied anew."""
    cluster = FakeCluster(_WEB)
    action = _action(_WEB, ActionKind.RECREATE, version="100", immutable=_REFUSAL, recreate=True)
    results = _apply(cluster, action)
    assert results["web"] == Result(ref_of(_WEB), Outcome.RECREATED, uid="uid-web")
    assert [verb for verb, _ in cluster.calls] == ["dry-create", "delete in the foreground", "get", "apply"]


def test_one_failure_is_one_objects() -> None:
    """The others of the stage are applied."""
    cluster = FakeCluster()
    cluster.refuse("apply", "web", Trouble.INVALID)
    results = _apply(cluster, _action(_WEB), _action(_API))
    assert results["web"].problem is not None
    assert (results["web"].outcome, results["web"].problem.trouble) == (Outcome.FAILED, Trouble.INVALID)
    assert results["api"].outcome is Outcome.CREATED


def _handed_over(cluster: FakeCluster, *, guarded: bool = False) -> tuple[Result, str]:
    """Apply an object that helm's entry still holds; gives the result, and the version before the apply."""
    helm = entry_of({"f:data": {"f:b": {}}}, "helm", "Update")
    stored = cluster.put(_WEB | {"metadata": _WEB["metadata"] | {"managedFields": [helm]}})
    live = LiveObject(ref_of(stored), stored)
    verdict = Verdict(live.ref, Bucket.PENDING, live=live, handover=Handover(frozenset({("helm", "Update")})))
    guard = {"resourceVersion": live.resource_version} if guarded else {}
    payload = _WEB | {"metadata": _WEB["metadata"] | guard}
    action = Action(ActionKind.CONFIGURE, resource_of(), verdict)
    (result,), _ = apply_stage(cluster.door, Stage("workloads", (action,)), {live.ref: payload}, Quiet(), 60)
    return result, live.resource_version


@pytest.mark.parametrize("guarded", [False, True])
def test_ownership_moves_before_the_apply(guarded: bool) -> None:
    """One patch, one apply; a payload that is good for one version alone follows it through the patch."""
    cluster = FakeCluster()
    result, version = _handed_over(cluster, guarded=guarded)
    assert result.outcome is Outcome.CONFIGURED
    assert cluster.calls == [("patch", "web"), ("apply", "web")]
    (sent,) = cluster.sent
    assert ("resourceVersion" in sent["metadata"]) is guarded
    assert sent["metadata"].get("resourceVersion") != version


def test_what_could_not_be_handed_over_is_not_applied() -> None:
    """Or the apply would leave the predecessor's fields for good."""
    cluster = FakeCluster()
    cluster.refuse("patch", "web", Trouble.FORBIDDEN)
    result, _ = _handed_over(cluster)
    assert (result.outcome, cluster.calls) == (Outcome.FAILED, [("patch", "web")])
