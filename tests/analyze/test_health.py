"""Health, rule by rule: a status in, a word out. The table is health.yaml."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from recon_action.analyze.health import health_of, health_without
from recon_action.model.health import Status

_APIS = {
    "APIService": "apiregistration.k8s.io/v1",
    "CertificateSigningRequest": "certificates.k8s.io/v1",
    "CronJob": "batch/v1",
    "CustomResourceDefinition": "apiextensions.k8s.io/v1",
    "DaemonSet": "apps/v1",
    "Deployment": "apps/v1",
    "FlowSchema": "flowcontrol.apiserver.k8s.io/v1",
    "HorizontalPodAutoscaler": "autoscaling/v2",
    "Ingress": "networking.k8s.io/v1",
    "Job": "batch/v1",
    "PodCertificateRequest": "certificates.k8s.io/v1beta1",
    "PodDisruptionBudget": "policy/v1",
    "ReplicaSet": "apps/v1",
    "ServiceCIDR": "networking.k8s.io/v1",
    "StatefulSet": "apps/v1",
    "StorageVersionMigration": "storagemigration.k8s.io/v1beta1",
    "ValidatingAdmissionPolicy": "admissionregistration.k8s.io/v1",
    "Widget": "example.com/v1",
}
_LATE = {"late"}  # storage classes that wait for a pod
_RULES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "health.yaml").read_text(encoding="utf-8"))


def _body(kind: str, api: str = "", **parts: Any) -> dict[str, Any]:
    metadata = {"name": "web", "generation": 2} | parts.pop("metadata", {})
    return {"apiVersion": api or _APIS.get(kind, "v1"), "kind": kind, "metadata": metadata, **parts}


@pytest.mark.parametrize(
    "rule", [pytest.param(rule, id="-".join([rule["kind"], rule["word"], rule.get("says", "")])) for rule in _RULES]
)
def test_status_in_word_out(rule: dict[str, Any]) -> None:
    """The object's own status tells its health; what is not Current says why."""
    parts = {name: rule[name] for name in ("api", "metadata", "spec", "status") if name in rule}
    body = _body(rule["kind"], **parts)
    if rule.get("deleted"):
        body["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    health = health_of(body, deferring=_LATE)
    assert (health.status, health.certain) == (Status(rule["word"]), not rule.get("doubtful"))
    assert rule.get("says", "") in health.message
    assert bool(health.message) is ("says" in rule)


def test_an_object_without_a_generation_can_be_current() -> None:
    """What has no generation can't be behind it."""
    body = _body("Widget", status={"observedGeneration": 3})
    del body["metadata"]["generation"]
    assert health_of(body).status is Status.CURRENT


_FAILED = {"conditions": [{"type": "Failed", "status": "True", "reason": "Why"}]}
_COMPLETE = {"conditions": [{"type": "Complete", "status": "True"}]}


@pytest.mark.parametrize(
    ("body", "word", "says"),
    [
        pytest.param(_body("Job", spec={"ttlSecondsAfterFinished": 0}, status=_COMPLETE), "Current", "", id="finished"),
        pytest.param(_body("Job", spec={"ttlSecondsAfterFinished": 0}, status=_FAILED), "Failed", "Why", id="failed"),
        pytest.param(
            _body("Job", spec={"ttlSecondsAfterFinished": 0}, status={}), "Current", "time to live", id="end-unseen"
        ),
        pytest.param(_body("Job", spec={}, status=_COMPLETE), "NotFound", "deleted", id="no-time-to-live"),
        pytest.param(_body("Widget", spec={"ttlSecondsAfterFinished": 0}), "NotFound", "deleted", id="no-job"),
    ],
)
def test_what_is_gone(body: dict[str, Any], word: str, says: str) -> None:
    """A Job with a time to live has done its work when it is gone, unless it was seen to fail; all else is missed."""
    health = health_without(body)
    assert health.status is Status(word)
    assert says in health.message
