"""Somebody who sets a field back again and again, on a real API server."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from target import DEPLOYMENT, Target, config_map, told

from recon_action.errors import ExitCode
from recon_action.lab import Lab
from recon_action.model import Mode, Outcome
from recon_action.model.settings import AdditiveMode
from recon_action.reconcile import reconcile
from recon_action.report.document import Report

_START = datetime.now(UTC)


@pytest.fixture
def target(lab: Lab, namespace: str, tmp_path: Path) -> Target:
    """An empty target in a namespace of its own."""
    return Target(lab, namespace, tmp_path)


def _at(target: Target, mode: Mode, hours: float, **options: object) -> Report:
    return reconcile(target.settings(**options), mode, now=lambda: _START + timedelta(hours=hours))


def _replicas(target: Target) -> int:
    return int(target.get("deployment", "web")["spec"]["replicas"])


def _scale(target: Target) -> None:
    target.kubectl("scale", "deployment/web", "--replicas=7")


def test_scaling_by_hand_again_and_again(target: Target) -> None:
    """Corrected three times; then told, not corrected; a day after the first correction, tried once more."""
    target.write("web.yaml", DEPLOYMENT)
    target.apply()
    for hour in (1, 2, 3):
        _scale(target)
        assert _at(target, Mode.APPLY, hour).exit_code is ExitCode.OK
        assert _replicas(target) == 3
    assert _at(target, Mode.DIFF, 3.5).exit_code is ExitCode.OK
    _scale(target)
    for mode in (Mode.DIFF, Mode.APPLY):
        report = _at(target, mode, 4)
        assert (report.exit_code, report.plan) == (ExitCode.DIFFERENT, ())
        (entry,) = report.entries
        assert told(report) == {f"Deployment {target.namespace}/web": "drifted modified spec.replicas"}
        assert entry.reason == (
            "spec.replicas was set back 3 times in 24 h by kubectl scale: contested, and left as it is"
        )
        assert (entry.changes[0].desired, entry.changes[0].live, entry.outcome) == (3, 7, None)
    assert _replicas(target) == 7
    assert _at(target, Mode.APPLY, 25.5).exit_code is ExitCode.OK
    assert _replicas(target) == 3


def test_the_rest_of_the_object_is_corrected(target: Target) -> None:
    """Whoever fights for one field gets no other; when it agrees with Git, the field is ours again."""
    target.write("web.yaml", DEPLOYMENT)
    target.apply()
    for hour in (1, 2, 3):
        _scale(target)
        _at(target, Mode.APPLY, hour)
    _scale(target)
    target.kubectl("set", "image", "deployment/web", "web=registry.example/web:9")
    report = _at(target, Mode.APPLY, 4)
    assert (report.exit_code, report.entries[0].outcome) == (ExitCode.DIFFERENT, Outcome.CONFIGURED)
    containers = target.get("deployment", "web")["spec"]["template"]["spec"]["containers"]
    assert (_replicas(target), containers[0]["image"]) == (7, "registry.example/web:1")
    target.kubectl("scale", "deployment/web", "--replicas=3")
    assert _at(target, Mode.APPLY, 5).exit_code is ExitCode.OK
    report = _at(target, Mode.DIFF, 6)
    assert (report.exit_code, report.counts.in_sync, report.counts.mended) == (ExitCode.OK, 1, 0)
    own = next(
        e for e in target.get("deployment", "web")["metadata"]["managedFields"] if e["manager"] == "recon-action"
    )
    assert "f:replicas" in own["fieldsV1"]["f:spec"]


def test_a_controller_with_another_opinion(target: Target) -> None:
    """It is named as what set the field back; Git's other changes of the object go on."""
    target.write("a.yaml", config_map("a"))
    target.apply()
    oppose = ("patch", "configmap", "a", "--field-manager=shop-operator", "-p", '{"data": {"a": "operator"}}')
    for hour in (1, 2, 3):
        target.kubectl(*oppose)
        _at(target, Mode.APPLY, hour)
    target.kubectl(*oppose)
    target.write("a.yaml", config_map("a") + '  b: "1"\n')
    report = _at(target, Mode.APPLY, 4)
    assert report.exit_code is ExitCode.DIFFERENT
    assert "set back 3 times in 24 h by shop-operator" in report.entries[0].reason
    assert target.get("configmap", "a")["data"] == {"a": "operator", "b": "1"}


@pytest.mark.parametrize("manager", ["somebody", "kubectl-client-side-apply"])
def test_a_field_that_git_does_not_mention(target: Target, manager: str) -> None:
    """It is to go, and comes back each time: neither a stranger's field nor a predecessor's is taken from it."""
    target.write("a.yaml", config_map("a"))
    target.apply()
    revert = {"additive": AdditiveMode.REVERT}
    bring = ("patch", "configmap", "a", f"--field-manager={manager}", "-p", '{"data": {"x": "1"}}')
    for hour in (1, 2, 3):
        target.kubectl(*bring)
        assert _at(target, Mode.APPLY, hour, **revert).exit_code is ExitCode.OK
        assert target.get("configmap", "a")["data"] == {"a": "1"}
    target.kubectl(*bring)
    target.write("a.yaml", config_map("a").replace('a: "1"', 'a: "2"'))
    report = _at(target, Mode.APPLY, 4, **revert)
    assert (report.exit_code, report.entries[0].outcome) == (ExitCode.DIFFERENT, Outcome.CONFIGURED)
    assert target.get("configmap", "a")["data"] == {"a": "2", "x": "1"}
    report = _at(target, Mode.DIFF, 5, **revert)
    assert (report.exit_code, "data.x was set back 3 times" in report.entries[0].reason) == (ExitCode.DIFFERENT, True)
    assert _at(target, Mode.APPLY, 25.5, **revert).exit_code is ExitCode.OK
    assert target.get("configmap", "a")["data"] == {"a": "2"}


def test_an_object_that_keeps_being_deleted_is_created_each_time(target: Target) -> None:
    """Without it something may not run at all; that it keeps going is told."""
    target.write("a.yaml", config_map("a"))
    target.apply()
    for hour in (1, 2, 3):
        target.kubectl("delete", "configmap", "a")
        report = _at(target, Mode.APPLY, hour)
        assert report.entries[0].reason == ""
    target.kubectl("delete", "configmap", "a")
    report = _at(target, Mode.APPLY, 4)
    assert (report.exit_code, report.entries[0].outcome) == (ExitCode.OK, Outcome.CREATED)
    assert report.entries[0].reason == "deleted 3 times in 24 h, and created again each time"
