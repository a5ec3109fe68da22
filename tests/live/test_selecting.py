"""A run about a part of a target: the rest stays as it is, in the cluster and in the inventory."""

from pathlib import Path

import pytest
from target import Target, config_map, told

from recon_action.cluster import connect
from recon_action.config import settings
from recon_action.errors import ExitCode
from recon_action.lab import Lab
from recon_action.model import Inventory, Member, ObjectRef
from recon_action.observe import read_inventory
from recon_action.report.document import Partial


@pytest.fixture
def target(lab: Lab, namespace: str, tmp_path: Path) -> Target:
    return Target(lab, namespace, tmp_path)


def _selection(**values: str) -> dict[str, object]:
    return {"selection": settings(values, paths=["."]).selection}


def _inventory(target: Target) -> Inventory:
    return read_inventory(connect(target.settings().access, concurrency=1), target.namespace, "recon-system")


def _member(target: Target, name: str) -> Member | None:
    return _inventory(target).members.get(ObjectRef("", "ConfigMap", target.namespace, name))


def test_a_partial_apply_leaves_everything_else_alone(target: Target) -> None:
    """Others that drifted, what Git no longer has, and what the inventory knows of them."""
    for name in ("a", "b", "orphan"):
        target.write(f"{name}.yaml", config_map(name))
    assert target.apply().exit_code is ExitCode.OK
    before = _inventory(target)
    target.remove("orphan.yaml")
    target.write("new.yaml", config_map("new"))
    for name in ("a", "b"):
        target.kubectl("patch", "configmap", name, "-p", '{"data": {"a": "2"}}')

    part = _selection(include="ConfigMap/a,ConfigMap/new")
    seen = target.diff(**part)
    assert seen.partial == Partial(2, 4, "include ConfigMap/a, ConfigMap/new")
    assert (seen.counts.total, seen.counts.drifted, seen.counts.pending) == (2, 1, 1)

    report = target.apply(**part)
    assert report.exit_code is ExitCode.OK
    assert {ref.split("/")[1] for ref in told(report)} == {"a", "new"}
    assert target.get("configmap", "a")["data"]["a"] == "1"
    assert target.get("configmap", "b")["data"]["a"] == "2"
    target.get("configmap", "orphan")
    after = _inventory(target)
    assert set(after.members) == {*before.members, ObjectRef("", "ConfigMap", target.namespace, "new")}
    for name in ("b", "orphan"):
        ref = ObjectRef("", "ConfigMap", target.namespace, name)
        assert after.members[ref] == before.members[ref]
    assert (after.revision, after.epoch) == (before.revision, before.epoch)

    whole = target.apply()
    assert whole.partial is None
    assert whole.exit_code is ExitCode.OK
    assert "orphan" not in target.kubectl("get", "configmap", "-o", "name")
    assert _member(target, "orphan") is None


def test_a_plan_of_a_part_is_no_other_part_s(target: Target) -> None:
    """What was approved is that plan for that part, even where both would do the same."""
    target.write("a.yaml", config_map("a"))
    target.write("b.yaml", config_map("b"))
    assert target.apply().exit_code is ExitCode.OK
    digests = {target.diff(**_selection(include=text)).digest for text in ("", "ConfigMap/*", "ConfigMap/a")}
    assert len(digests) == 3
    seen = target.diff(**_selection(include="ConfigMap/a"))
    refused = target.apply(plan=seen.digest, **_selection(include="ConfigMap/b"))
    assert refused.exit_code is ExitCode.REFUSED
    assert target.apply(plan=seen.digest, **_selection(include="ConfigMap/a")).exit_code is ExitCode.OK


def test_an_autoscaler_that_is_not_selected_still_owns_replicas(target: Target) -> None:
    """What is left out is not acted upon; it is known all the same."""
    target.write(
        "web.yaml",
        """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "registry.example/web:1"}]}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec: {minReplicas: 1, maxReplicas: 9, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
""",
    )
    target.apply(**_selection(selector="app=web"))
    assert "web" not in target.kubectl("get", "hpa", "-o", "name")
    target.kubectl("scale", "deployment", "web", "--replicas=5")
    report = target.apply(**_selection(selector="app=web"))
    assert report.partial == Partial(1, 2, "selector app=web")
    assert told(report) == {}
    assert target.get("deployment", "web")["spec"]["replicas"] == 5
