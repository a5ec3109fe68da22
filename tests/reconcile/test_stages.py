"""Stages, run one after the other: what is waited for, and whom a failure, or a long wait, concerns."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from fake_cluster import FakeCluster
from objects import body_of, live_of, manifest_of, resource_of

from recon_action.analyze.plan import plan
from recon_action.model import (
    Body,
    Bucket,
    Cause,
    Directives,
    DriftKind,
    Inventory,
    ObjectDrift,
    ObjectRef,
    Outcome,
    Problem,
    Quiet,
    Settings,
    Severity,
    Trouble,
    Verdict,
    ref_of,
)
from recon_action.model.health import Status
from recon_action.model.inventory import PART_OF
from recon_action.reconcile.deciding import Decided
from recon_action.reconcile.observing import Seen
from recon_action.reconcile.stages import Applied, Pruned, apply_stages, prune_stages

_INVENTORY = Inventory("shop", "recon-system")
_SETTINGS = Settings(("manifests",), timeout=0.2)
_API = "g/v1"


def _thing(name: str, ready: str = "True") -> Body:
    """An object that is Ready, isn't, or never will be."""
    condition = {"type": "Ready", "status": ready}
    if ready == "Failed":
        condition = {"type": "Stalled", "status": "True", "message": "no way"}
    labels = {"labels": {PART_OF: _INVENTORY.id}}
    return body_of("Thing", name, api=_API, namespace="shop", metadata=labels, status={"conditions": [condition]})


def _a(name: str) -> ObjectRef:
    return ObjectRef("g", "Thing", "shop", name)


def _new(body: Body, *asked: str, wave: int = 0) -> Verdict:
    drift = ObjectDrift(ref_of(body), DriftKind.MISSING, Cause.GIT, Severity.SPEC)
    directives = Directives(wave=wave, depends_on=tuple(map(_a, asked)))
    return Verdict(ref_of(body), Bucket.PENDING, manifest_of(body), drift=drift, directives=directives)


def _there(body: Body, **more: Any) -> Verdict:
    return Verdict(ref_of(body), Bucket.IN_SYNC, manifest_of(body), live_of(body), **more)


def _orphan(body: Body, *asked: str) -> Verdict:
    drift = ObjectDrift(ref_of(body), DriftKind.ORPHANED, Cause.GIT, Severity.SPEC)
    directives = Directives(depends_on=tuple(map(_a, asked)))
    live = live_of(body, uid=f"uid-{body['metadata']['name']}")
    return Verdict(ref_of(body), Bucket.PENDING, live=live, drift=drift, directives=directives)


def _decided(*verdicts: Verdict) -> Decided:
    resources = {verdict.ref: resource_of(verdict.ref.kind, _api(verdict.ref)) for verdict in verdicts}
    return cast("Decided", SimpleNamespace(verdicts=verdicts, stages=plan(verdicts, resources, prune=True)))


def _api(ref: ObjectRef) -> str:
    return f"{ref.group}/v1" if ref.group else "v1"


def _apply(cluster: FakeCluster, *verdicts: Verdict, settings: Settings = _SETTINGS) -> Applied:
    seen = SimpleNamespace(
        resources={verdict.ref: resource_of(verdict.ref.kind, _api(verdict.ref)) for verdict in verdicts},
        payloads={verdict.ref: verdict.manifest.body for verdict in verdicts if verdict.manifest},
        inventory=_INVENTORY,
    )
    return apply_stages(cluster.door, settings, cast("Seen", seen), _decided(*verdicts), Quiet())


def _prune(cluster: FakeCluster, *verdicts: Verdict, settings: Settings = _SETTINGS) -> Pruned:
    resources = {verdict.ref: resource_of(verdict.ref.kind, _api(verdict.ref)) for verdict in verdicts}
    seen = SimpleNamespace(resources=resources, inventory=_INVENTORY)
    return prune_stages(cluster.door, settings, cast("Seen", seen), _decided(*verdicts), Quiet())


def _outcomes(applied: Applied | Pruned) -> dict[str, Outcome]:
    return {ref.name: result.outcome for ref, result in applied.results.items()}


def _applied(cluster: FakeCluster) -> list[str]:
    return [name for verb, name in cluster.calls if verb == "apply"]


def test_what_is_ready_is_not_waited_for() -> None:
    """Stage follows stage; nothing but the applies is sent."""
    cluster = FakeCluster()
    applied = _apply(cluster, _new(_thing("c"), "b"), _new(_thing("b"), "a"), _new(_thing("a")))
    assert cluster.calls == [("apply", "a"), ("apply", "b"), ("apply", "c")]
    assert applied.unready == {}
    assert applied.bodies == cluster.objects


def test_what_is_not_ready_in_time_holds_up_what_waits_for_it() -> None:
    """And nothing else: its health and what it waits for are told."""
    cluster = FakeCluster()
    applied = _apply(cluster, _new(_thing("slow", "False")), _new(_thing("c"), "slow"), _new(_thing("d")))
    assert _outcomes(applied) == {"slow": Outcome.CREATED, "d": Outcome.CREATED, "c": Outcome.SKIPPED}
    assert {ref.name: health.status for ref, health in applied.unready.items()} == {"slow": Status.IN_PROGRESS}
    assert applied.troubles[_a("slow")].trouble is Trouble.TIMEOUT
    problem = applied.results[_a("c")].problem
    assert problem
    assert problem.message.startswith("Thing shop/slow is not ready")


def test_what_never_gets_ready_ends_nobody_else_s_time() -> None:
    """One has failed for good; the other becomes ready a moment later, and what waits for that goes on."""
    cluster = FakeCluster()
    slow = _there(_thing("slow", "False"))
    broken = _there(_thing("broken", "Failed"))
    cluster.put(_thing("broken", "Failed"))
    cluster.put(_thing("slow"))
    verdicts = [slow, broken, _new(_thing("c"), "slow"), _new(_thing("d"), "broken")]
    applied = _apply(cluster, *verdicts, settings=replace(_SETTINGS, timeout=30.0))
    assert _outcomes(applied) == {"c": Outcome.CREATED, "d": Outcome.SKIPPED}
    assert [ref.name for ref in applied.unready] == ["broken"]
    assert applied.troubles[_a("broken")].trouble is Trouble.UNHEALTHY


def test_without_wait_only_the_server_s_own_are_waited_for() -> None:
    """The order stays; namespaces and definitions have to be there before anything can lie in them."""
    home = body_of("Namespace", "shop", status={"phase": "Terminating"}, metadata={"labels": {PART_OF: _INVENTORY.id}})
    settings = replace(_SETTINGS, wait=False)
    cluster = FakeCluster()
    slow = _apply(cluster, _new(_thing("slow", "False")), _new(_thing("c"), "slow"), settings=settings)
    assert _outcomes(slow) == {"slow": Outcome.CREATED, "c": Outcome.CREATED}
    assert _applied(cluster) == ["slow", "c"]
    inside = _apply(FakeCluster(), _new(home), _new(_thing("c")), settings=settings)
    assert _outcomes(inside) == {"shop": Outcome.CREATED, "c": Outcome.SKIPPED}


def test_what_another_tool_manages_is_not_waited_for() -> None:
    """It carries no label of ours by which it could be seen."""
    theirs = _there(_thing("theirs", "False"), owner="argocd")
    assert _outcomes(_apply(FakeCluster(), theirs, _new(_thing("c"), "theirs"))) == {"c": Outcome.CREATED}


def test_a_failure_is_told_all_along_the_chain() -> None:
    """By the name of what failed; a later wave is part of it."""
    cluster = FakeCluster()
    cluster.refuse("apply", "a", Trouble.INVALID)
    verdicts = [
        _new(_thing("a")),
        _new(_thing("b"), "a"),
        _new(_thing("c"), "b"),
        _new(_thing("d")),
        _new(_thing("e"), wave=1),
    ]
    applied = _apply(cluster, *verdicts)
    skipped = {ref.name: result.problem for ref, result in applied.results.items() if result.outcome is Outcome.SKIPPED}
    assert {name: problem.message for name, problem in skipped.items() if problem} == dict.fromkeys(
        "bce", "Thing shop/a was not applied"
    )
    assert _applied(cluster) == ["a", "d"]


@pytest.mark.parametrize("moment", ["applying", "waiting"])
def test_whoever_asks_for_the_end_ends_it_between_stages(moment: str) -> None:
    """No further stage begins."""
    cluster = FakeCluster()
    end = Problem(Trouble.INTERRUPTED, "stop")
    asked = ("apply", "a") if moment == "applying" else ("list", "things shop")

    def ask() -> None:
        cluster.stop.ask(end)

    cluster.refusals[asked] = ask
    ready = "True" if moment == "applying" else "False"
    applied = _apply(
        cluster, _new(_thing("a", ready)), _new(_thing("b"), "a"), settings=replace(_SETTINGS, timeout=30.0)
    )
    assert _applied(cluster) == ["a"]
    assert _a("b") not in applied.results


def test_a_deletion_that_fails_keeps_what_the_object_stands_on() -> None:
    """What depends on others goes first; where it doesn't go, they stay, with its name."""
    cluster = FakeCluster(*map(_thing, "abcd"))
    cluster.refuse("delete", "b", Trouble.DENIED)
    verdicts = [_orphan(_thing("a")), _orphan(_thing("b"), "a"), _orphan(_thing("c"), "b"), _orphan(_thing("d"))]
    pruned = _prune(cluster, *verdicts)
    assert _outcomes(pruned) == {
        "c": Outcome.DELETED,
        "d": Outcome.DELETED,
        "b": Outcome.FAILED,
        "a": Outcome.SKIPPED,
    }
    problem = pruned.results[_a("a")].problem
    assert problem
    assert problem.message == "Thing shop/b was not deleted"
    assert pruned.leaving == {}


def _held(name: str) -> Body:
    """An object that somebody has to let go before it goes."""
    body = _thing(name)
    return body | {"metadata": body["metadata"] | {"finalizers": ["g/clean-up"]}}


_OPERATOR = body_of(
    "Deployment", "operator", api="apps/v1", namespace="shop", metadata={"labels": {PART_OF: _INVENTORY.id}}
)


def _let_go(cluster: FakeCluster, name: str) -> None:
    """Have the object gone as soon as somebody looks for it."""

    def gone() -> None:
        cluster.objects.pop(_a(name), None)

    cluster.refusals["list", "things shop"] = gone


@pytest.mark.parametrize("moment", ["deleted-now", "deleted-before"])
def test_what_lets_an_object_go_goes_after_it(moment: str) -> None:
    """An operator that is gone removes no finalizer any more, so the end of its objects is waited for."""
    cluster = FakeCluster(_held("a"), _OPERATOR)
    _let_go(cluster, "a")
    orphan = _orphan(_held("a"))
    if moment == "deleted-before":
        body = _held("a")
        ending = {"uid": "uid-a", "deletionTimestamp": "2026-01-01T00:00:00Z"}
        live = live_of(body | {"metadata": body["metadata"] | ending}, uid="uid-a")
        orphan = Verdict(live.ref, Bucket.SKIPPED, live=live, reason="it is being deleted")
        cluster.put(live.body)
    pruned = _prune(cluster, orphan, _orphan(_OPERATOR), settings=replace(_SETTINGS, timeout=30.0))
    assert _outcomes(pruned)["operator"] is Outcome.DELETED
    assert cluster.calls[-1] == ("delete", "operator")
    assert ("list", "things shop") in cluster.calls
    assert {ref.name: state.status for ref, state in pruned.health.items()} == (
        {"a": Status.NOT_FOUND} if moment == "deleted-now" else {}
    )


def test_what_is_not_gone_in_time_keeps_what_lets_it_go() -> None:
    """The next run looks again; without --wait nothing is waited for."""
    cluster = FakeCluster(_held("a"), _OPERATOR)
    pruned = _prune(cluster, _orphan(_held("a")), _orphan(_OPERATOR))
    assert _outcomes(pruned) == {"a": Outcome.DELETED, "operator": Outcome.SKIPPED}
    problem = pruned.results[ref_of(_OPERATOR)].problem
    assert problem
    assert problem.message.startswith("Thing shop/a is not gone")
    assert pruned.troubles[_a("a")].trouble is Trouble.TIMEOUT
    assert pruned.leaving == {}
    cluster = FakeCluster(_held("a"), _OPERATOR)
    pruned = _prune(cluster, _orphan(_held("a")), _orphan(_OPERATOR), settings=replace(_SETTINGS, wait=False))
    assert _outcomes(pruned) == {"a": Outcome.DELETED, "operator": Outcome.DELETED}
    assert [ref.name for ref in pruned.leaving] == ["a"]


def test_whoever_asks_for_the_end_ends_a_wait_for_the_end() -> None:
    """No further stage begins."""
    cluster = FakeCluster(_held("a"), _OPERATOR)

    def ask() -> None:
        cluster.stop.ask(Problem(Trouble.INTERRUPTED, "stop"))

    cluster.refusals["list", "things shop"] = ask
    pruned = _prune(cluster, _orphan(_held("a")), _orphan(_OPERATOR), settings=replace(_SETTINGS, timeout=30.0))
    assert _outcomes(pruned) == {"a": Outcome.DELETED}
