"""kstatus, rule by rule: a status in, a word out. The table is health.yaml."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from recon_action.analyze.health import Status, health_of

_APIS = {
    "APIService": "apiregistration.k8s.io/v1",
    "CustomResourceDefinition": "apiextensions.k8s.io/v1",
    "DaemonSet": "apps/v1",
    "Deployment": "apps/v1",
    "Job": "batch/v1",
    "PodDisruptionBudget": "policy/v1",
    "ReplicaSet": "apps/v1",
    "StatefulSet": "apps/v1",
    "Widget": "example.com/v1",
}
_RULES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "health.yaml").read_text(encoding="utf-8"))


def _body(kind: str, **parts: Any) -> dict[str, Any]:
    return {"apiVersion": _APIS.get(kind, "v1"), "kind": kind, "metadata": {"name": "web", "generation": 2}, **parts}


@pytest.mark.parametrize(
    "rule", [pytest.param(rule, id="-".join([rule["kind"], rule["word"], rule.get("says", "")])) for rule in _RULES]
)
def test_status_in_word_out(rule: dict[str, Any]) -> None:
    """The object's own status tells its health; what is not Current says why."""
    parts = {name: rule[name] for name in ("spec", "status") if name in rule}
    health = health_of(_body(rule["kind"], **parts))
    assert health.status is Status(rule["word"])
    assert rule.get("says", "") in health.message
    assert bool(health.message) is ("says" in rule)


@pytest.mark.parametrize("kind", ["Deployment", "Pod", "Widget", "Namespace"])
def test_what_is_being_deleted_is_terminating(kind: str) -> None:
    """Whatever its status says."""
    body = _body(kind, status={"phase": "Active", "observedGeneration": 1})
    body["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert health_of(body).status is Status.TERMINATING


def test_the_group_decides_the_rule() -> None:
    """Another group's Service, such as Knative's, is judged by its conditions."""
    body = _body("Service", spec={"type": "LoadBalancer"}) | {"apiVersion": "serving.knative.dev/v1"}
    assert health_of(body).status is Status.CURRENT


def test_an_object_without_a_generation_can_be_current() -> None:
    """What has no generation can't be behind it."""
    body = _body("Widget", status={"observedGeneration": 3})
    del body["metadata"]["generation"]
    assert health_of(body).status is Status.CURRENT
