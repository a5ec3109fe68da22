"""kstatus: what an object's own status says of its health. Pure: object in, word and reason out.

The words and rules are those of kstatus (kubernetes-sigs/cli-utils); where it is known to be too kind
(an unschedulable Pod, a paused rollout) the reason says more.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from recon_action.model import Body


class Status(StrEnum):
    """The words of kstatus."""

    CURRENT = "Current"
    IN_PROGRESS = "InProgress"
    FAILED = "Failed"
    TERMINATING = "Terminating"
    NOT_FOUND = "NotFound"
    UNKNOWN = "Unknown"


@dataclass(frozen=True, slots=True)
class Health:
    """An object's health, and why it is not Current."""

    status: Status
    message: str = ""


_OK = Health(Status.CURRENT)


def health_of(body: Body) -> Health:
    """The health that `body`'s own status tells."""
    metadata, spec, status = body["metadata"], _part(body, "spec"), _part(body, "status")
    if metadata.get("deletionTimestamp"):
        return Health(Status.TERMINATING, "it is being deleted")
    observed = status.get("observedGeneration")
    # Some controllers keep a text there, a hash for example: only a number can be behind the generation.
    if isinstance(observed, int) and observed != metadata.get("generation", observed):
        return Health(Status.IN_PROGRESS, "its controller has not seen the latest change")
    group = str(body["apiVersion"]).rpartition("/")[0]
    rule = _RULES.get((group, body["kind"]), _by_conditions)
    return rule(spec, status)


_Parts = dict[str, Any]
_Rule = Callable[[_Parts, _Parts], Health]


def _by_conditions(_spec: _Parts, status: _Parts) -> Health:
    conditions = _conditions(status)
    if (stalled := conditions.get("Stalled")) and stalled["status"] == "True":
        return Health(Status.FAILED, _why(stalled))
    if (moving := conditions.get("Reconciling")) and moving["status"] == "True":
        return Health(Status.IN_PROGRESS, _why(moving))
    if (ready := conditions.get("Ready")) and ready["status"] != "True":
        return Health(Status.IN_PROGRESS, _why(ready))
    return _OK


def _deployment(spec: _Parts, status: _Parts) -> Health:
    if "observedGeneration" not in status:
        return Health(Status.IN_PROGRESS, "its controller has not seen it yet")
    conditions = _conditions(status)
    progressing = conditions.get("Progressing")
    if progressing and progressing.get("reason") == "ProgressDeadlineExceeded":
        return Health(Status.FAILED, _why(progressing))
    wanted = spec.get("replicas", 1)
    if spec.get("paused"):
        return Health(Status.CURRENT, "the rollout is paused")
    counts = (
        ("replicas", "created"),
        ("updatedReplicas", "updated"),
        ("readyReplicas", "ready"),
        ("availableReplicas", "available"),
    )
    for field, word in counts:
        if status.get(field, 0) < wanted:
            return Health(Status.IN_PROGRESS, f"{status.get(field, 0)} of {wanted} replicas {word}")
    if status.get("replicas", 0) > wanted:
        return Health(Status.IN_PROGRESS, f"{status['replicas'] - wanted} surplus replicas still run")
    return _OK


def _stateful_set(spec: _Parts, status: _Parts) -> Health:
    if (spec.get("updateStrategy") or {}).get("type") == "OnDelete":
        return _OK
    if "observedGeneration" not in status:
        return Health(Status.IN_PROGRESS, "its controller has not seen it yet")
    wanted = spec.get("replicas", 1)
    for field, word in (("replicas", "created"), ("readyReplicas", "ready")):
        if status.get(field, 0) < wanted:
            return Health(Status.IN_PROGRESS, f"{status.get(field, 0)} of {wanted} replicas {word}")
    if status.get("replicas", 0) > wanted:
        return Health(Status.IN_PROGRESS, f"{status['replicas'] - wanted} replicas still to be removed")
    partition = ((spec.get("updateStrategy") or {}).get("rollingUpdate") or {}).get("partition", 0)
    updated = status.get("updatedReplicas", 0)
    if updated < max(0, wanted - partition) and status.get("currentRevision") != status.get("updateRevision"):
        return Health(Status.IN_PROGRESS, f"{updated} of {max(0, wanted - partition)} replicas updated")
    return _OK


def _daemon_set(_spec: _Parts, status: _Parts) -> Health:
    if "observedGeneration" not in status:
        return Health(Status.IN_PROGRESS, "its controller has not seen it yet")
    wanted = status.get("desiredNumberScheduled", 0)
    counts = (("updatedNumberScheduled", "updated"), ("numberAvailable", "available"), ("numberReady", "ready"))
    for field, word in counts:
        if status.get(field, 0) < wanted:
            return Health(Status.IN_PROGRESS, f"{status.get(field, 0)} of {wanted} pods {word}")
    return _OK


def _replica_set(spec: _Parts, status: _Parts) -> Health:
    failure = _conditions(status).get("ReplicaFailure")
    if failure and failure["status"] == "True":
        return Health(Status.IN_PROGRESS, _why(failure))
    wanted = spec.get("replicas", 1)
    for field, word in (("replicas", "created"), ("readyReplicas", "ready"), ("availableReplicas", "available")):
        if status.get(field, 0) < wanted:
            return Health(Status.IN_PROGRESS, f"{status.get(field, 0)} of {wanted} replicas {word}")
    if status.get("replicas", 0) > wanted:
        return Health(Status.IN_PROGRESS, f"{status['replicas'] - wanted} replicas still to be removed")
    return _OK


def _pod(_spec: _Parts, status: _Parts) -> Health:
    conditions = _conditions(status)
    match status.get("phase", ""):
        case "Succeeded":
            return _OK
        case "Failed":
            return Health(Status.FAILED, status.get("message") or "the pod failed")
        case "Running" if (conditions.get("Ready") or {}).get("status") == "True":
            return _OK
    waiting = [
        state["waiting"]
        for container in (*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ()))
        if (state := container.get("state") or {}).get("waiting")
    ]
    if waiting:
        return Health(Status.IN_PROGRESS, f"{waiting[0].get('reason', 'waiting')}: {waiting[0].get('message', '')}")
    scheduled = conditions.get("PodScheduled")
    if scheduled and scheduled["status"] == "False":
        return Health(Status.IN_PROGRESS, _why(scheduled))
    return Health(Status.IN_PROGRESS, "it is not ready")


def _job(spec: _Parts, status: _Parts) -> Health:
    conditions = _conditions(status)
    if (failed := conditions.get("Failed")) and failed["status"] == "True":
        return Health(Status.FAILED, _why(failed))
    if (complete := conditions.get("Complete")) and complete["status"] == "True":
        return _OK
    if spec.get("suspend"):
        return Health(Status.CURRENT, "it is suspended")
    # kstatus calls a running Job current: it was applied and does what it is for.
    return _OK if "startTime" in status else Health(Status.IN_PROGRESS, "it has not started")


def _claim(_spec: _Parts, status: _Parts) -> Health:
    phase = status.get("phase")
    return _OK if phase == "Bound" else Health(Status.IN_PROGRESS, f"the claim is {phase or 'not bound'}")


def _service(spec: _Parts, _status: _Parts) -> Health:
    if spec.get("type") == "LoadBalancer" and not spec.get("clusterIP"):
        return Health(Status.IN_PROGRESS, "it has no clusterIP yet")
    return _OK


def _disruption_budget(_spec: _Parts, status: _Parts) -> Health:
    if "observedGeneration" not in status:
        return Health(Status.IN_PROGRESS, "its controller has not seen it yet")
    return _OK


def _definition(_spec: _Parts, status: _Parts) -> Health:
    conditions = _conditions(status)
    names = conditions.get("NamesAccepted")
    if names and names["status"] == "False":
        return Health(Status.FAILED, _why(names))
    if (conditions.get("Established") or {}).get("status") == "True":
        return _OK
    return Health(Status.IN_PROGRESS, "the API server has not established it")


def _namespace(_spec: _Parts, status: _Parts) -> Health:
    phase = status.get("phase")
    return _OK if phase == "Active" else Health(Status.IN_PROGRESS, f"the namespace is {phase or 'not active'}")


def _api_service(_spec: _Parts, status: _Parts) -> Health:
    available = _conditions(status).get("Available")
    if available and available["status"] == "True":
        return _OK
    return Health(Status.IN_PROGRESS, _why(available) if available else "it is not available")


_RULES: dict[tuple[str, str], _Rule] = {
    ("", "Namespace"): _namespace,
    ("", "PersistentVolumeClaim"): _claim,
    ("", "Pod"): _pod,
    ("", "ReplicationController"): _replica_set,
    ("", "Service"): _service,
    ("apiextensions.k8s.io", "CustomResourceDefinition"): _definition,
    ("apiregistration.k8s.io", "APIService"): _api_service,
    ("apps", "DaemonSet"): _daemon_set,
    ("apps", "Deployment"): _deployment,
    ("apps", "ReplicaSet"): _replica_set,
    ("apps", "StatefulSet"): _stateful_set,
    ("batch", "Job"): _job,
    ("policy", "PodDisruptionBudget"): _disruption_budget,
}


def _part(body: Body, name: str) -> _Parts:
    """`spec` or `status`; a custom resource may hold anything there."""
    part = body.get(name)
    return part if isinstance(part, dict) else {}


def _conditions(status: _Parts) -> dict[str, _Parts]:
    conditions = status.get("conditions")
    return {
        condition["type"]: condition
        for condition in (conditions if isinstance(conditions, list) else ())
        if isinstance(condition, dict) and "type" in condition and "status" in condition
    }


def _why(condition: _Parts) -> str:
    return ": ".join(str(part) for part in (condition.get("reason", ""), condition.get("message", "")) if part)
