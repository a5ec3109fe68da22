"""One stage applied: a result for every object, whatever happens to the others."""

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


def _action(body: Body, kind: ActionKind = ActionKind.CREATE, *, version: str = "", served: bool = True) -> Action:
    live = live_of(body, version=version) if version else None
    verdict = Verdict(ref_of(body), Bucket.PENDING, live=live)
    return Action(kind, resource_of(served=served), verdict)


def _apply(cluster: FakeCluster, *actions: Action) -> tuple[dict[str, Result], list[float]]:
    slept: list[float] = []
    payloads = {ref_of(body): body for body in (_WEB, _API)}
    results, stored = apply_stage(cluster.door, Stage("workloads", actions), payloads, Quiet(), sleep=slept.append)
    assert stored == {ref: cluster.objects[ref] for ref in stored}
    assert stored.keys() == {result.ref for result in results if result.outcome is not Outcome.FAILED}
    return {result.ref.name: result for result in results}, slept


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
    results, _ = _apply(FakeCluster(), _action(_WEB, kind, version=version))
    assert results["web"] == Result(ref_of(_WEB), outcome, uid="uid-web")


def test_an_apply_that_changes_nothing_says_so() -> None:
    """The resourceVersion stayed: someone else was faster."""
    cluster = FakeCluster(_WEB)
    version = cluster.objects[ref_of(_WEB)]["metadata"]["resourceVersion"]
    results, _ = _apply(cluster, _action(_WEB, ActionKind.CONFIGURE, version=version))
    assert results["web"].outcome is Outcome.UNCHANGED


def test_one_failure_is_one_objects() -> None:
    """The others of the stage are applied."""
    cluster = FakeCluster()
    cluster.refuse("apply", "web", Trouble.INVALID)
    results, slept = _apply(cluster, _action(_WEB), _action(_API))
    assert results["web"].problem is not None
    assert (results["web"].outcome, results["web"].problem.trouble) == (Outcome.FAILED, Trouble.INVALID)
    assert results["api"].outcome is Outcome.CREATED
    assert not slept


def test_a_new_kind_is_waited_for() -> None:
    """A server serves it a moment after its CRD says so."""
    cluster = FakeCluster()
    answers = iter([Problem(Trouble.MISSING, "no such kind")] * 3)
    cluster.refusals["apply", "web"] = lambda: next(answers, None)
    results, slept = _apply(cluster, _action(_WEB, served=False))
    assert results["web"].outcome is Outcome.CREATED
    assert len(slept) == 3


@pytest.mark.parametrize(
    ("served", "trouble", "waits"),
    [
        pytest.param(False, Trouble.MISSING, True, id="never-served"),
        pytest.param(True, Trouble.MISSING, False, id="a-known-kind"),
        pytest.param(False, Trouble.FORBIDDEN, False, id="another-trouble"),
    ],
)
def test_waiting_for_a_new_kind_ends(*, served: bool, trouble: Trouble, waits: bool) -> None:
    """After some ten seconds; what is known, or fails otherwise, isn't waited for."""
    cluster = FakeCluster()
    cluster.refuse("apply", "web", trouble)
    results, slept = _apply(cluster, _action(_WEB, served=served))
    assert results["web"].outcome is Outcome.FAILED
    assert bool(slept) is waits
    assert sum(slept) < 15


def _handed_over(cluster: FakeCluster, *, guarded: bool = False) -> tuple[Result, str]:
    """Apply an object that helm's entry still holds; gives the result, and the version before the apply."""
    helm = entry_of({"f:data": {"f:b": {}}}, "helm", "Update")
    stored = cluster.put(_WEB | {"metadata": _WEB["metadata"] | {"managedFields": [helm]}})
    live = LiveObject(ref_of(stored), stored)
    verdict = Verdict(live.ref, Bucket.PENDING, live=live, handover=Handover(frozenset({("helm", "Update")})))
    guard = {"resourceVersion": live.resource_version} if guarded else {}
    payload = _WEB | {"metadata": _WEB["metadata"] | guard}
    action = Action(ActionKind.CONFIGURE, resource_of(), verdict)
    (result,), _ = apply_stage(cluster.door, Stage("workloads", (action,)), {live.ref: payload}, Quiet())
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
