"""What is refused by a schema that the run has just replaced is tried again, and nothing else."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

import pytest
from definitions import crd, widget
from fake_cluster import FakeCluster
from objects import live_of, manifest_of, resource_of, verdict_of

from recon_action.analyze.definition import definitions
from recon_action.model import (
    Action,
    ActionKind,
    Body,
    DriftKind,
    ObjectRef,
    Outcome,
    Problem,
    Quiet,
    Result,
    Stage,
    Trouble,
    ref_of,
)
from recon_action.reconcile.late_schemas import apply_with_schemas
from recon_action.reconcile.observing import Seen

_CRD = ref_of(crd())
_PAUSES = (0.0,) * 3
_LATE = widget({"mode": "a"})


def _seen(*bodies: Body) -> Seen:
    """Git has the CRD with every rule, and the cluster one that knows no field but `size`."""
    manifests = [manifest_of(body) for body in (crd(), *bodies)]
    resolved = SimpleNamespace(
        manifests={manifest.ref: manifest for manifest in manifests}, definitions=definitions(manifests)
    )
    fields = {"size": {"type": "integer"}}
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": fields}}}
    live = live_of(crd(schema))
    payloads = {one.ref: one.body for one in manifests}
    found = SimpleNamespace(objects={live.ref: live})
    return cast("Seen", SimpleNamespace(resolved=resolved, payloads=payloads, snapshot=found))


def _stage(*bodies: Body) -> Stage:
    actions = (
        Action(ActionKind.CREATE, resource_of(body["kind"], body["apiVersion"]), verdict_of(body, DriftKind.MISSING))
        for body in bodies
    )
    return Stage("", tuple(actions))


def _late(times: int, trouble: Trouble = Trouble.INVALID) -> Callable[[], Problem | None]:
    """A server that refuses so many times."""
    left = [times]

    def refuse() -> Problem | None:
        left[0] -= 1
        return Problem(trouble, "field not declared in schema") if left[0] >= 0 else None

    return refuse


def _tried(
    body: Body, refusals: int, *, crd_is: Outcome | None = Outcome.CONFIGURED, trouble: Trouble = Trouble.INVALID
) -> tuple[Outcome, int]:
    """What came of one object, and how often it was sent."""
    cluster = FakeCluster()
    name = body["metadata"]["name"]
    cluster.refusals["apply", name] = _late(refusals, trouble)
    before: dict[ObjectRef, Result] = {_CRD: Result(_CRD, crd_is)} if crd_is else {}
    seen = _seen(body)
    results, stored = apply_with_schemas(cluster.door, _stage(body), seen, before, Quiet(), 1.0, pauses=_PAUSES)
    (result,) = results
    assert (result.ref in stored) is (result.outcome is Outcome.CREATED)
    return result.outcome, cluster.calls.count(("apply", name))


def test_a_schema_that_comes_late() -> None:
    """Twice refused, then taken."""
    assert _tried(_LATE, 2) == (Outcome.CREATED, 3)


def test_a_schema_that_never_comes() -> None:
    """The last refusal is the object's."""
    assert _tried(_LATE, 100) == (Outcome.FAILED, 4)


@pytest.mark.parametrize(
    ("body", "crd_is", "trouble"),
    [
        pytest.param(widget({"colour": "red"}), Outcome.CONFIGURED, Trouble.INVALID, id="wrong-by-git-s-schema-too"),
        pytest.param(_LATE, Outcome.CONFIGURED, Trouble.DENIED, id="refused-for-another-reason"),
        pytest.param(widget({}), Outcome.CONFIGURED, Trouble.INVALID, id="right-by-the-old-one"),
        pytest.param(
            widget({"mode": "a"}, api="example.com/v2"), Outcome.CONFIGURED, Trouble.INVALID, id="another-version"
        ),
        pytest.param(_LATE, Outcome.UNCHANGED, Trouble.INVALID, id="crd-unchanged"),
        pytest.param(_LATE, None, Trouble.INVALID, id="crd-not-applied"),
        pytest.param(crd(), Outcome.CONFIGURED, Trouble.INVALID, id="no-custom-resource"),
    ],
)
def test_what_is_not_tried_again(body: Body, crd_is: Outcome | None, trouble: Trouble) -> None:
    """One refusal is enough."""
    assert _tried(body, 100, crd_is=crd_is, trouble=trouble) == (Outcome.FAILED, 1)


def test_a_run_that_is_to_end_does_not_wait() -> None:
    """What was refused stays refused."""
    cluster, body = FakeCluster(), _LATE
    cluster.refusals["apply", "w"] = _late(1)
    cluster.stop.ask(Problem(Trouble.INTERRUPTED, "enough"))
    before = {_CRD: Result(_CRD, Outcome.CONFIGURED)}
    (result,), _ = apply_with_schemas(cluster.door, _stage(body), _seen(body), before, Quiet(), 1.0)
    assert result.outcome in {Outcome.FAILED, Outcome.SKIPPED}
    assert len(cluster.calls) <= 1
