"""The health of Kubernetes' own kinds that make no pods. Pure.

A kind without a rule here or in `health_workloads` is current as soon as it is stored: nothing has to come of it, or
nobody writes down what came of it (an Ingress, whose controller may keep its address to itself; a CronJob).
"""

from recon_action.analyze.conditions import Parts, conditions_of, is_false, is_true, part_of, why
from recon_action.analyze.health_workloads import OK, UNSEEN
from recon_action.model.health import Health, Status


def api_service(_spec: Parts, status: Parts) -> Health:
    """The server behind it answers."""
    return _holds(status, "Available", "it is not available")


def claim(_spec: Parts, status: Parts) -> Health:
    """It is bound to a volume."""
    phase = status.get("phase")
    if phase == "Lost":
        return Health(Status.FAILED, "its volume is lost")
    return OK if phase == "Bound" else Health(Status.IN_PROGRESS, f"the claim is {phase or 'not bound'}")


def definition(_spec: Parts, status: Parts) -> Health:
    """The API server serves it."""
    conditions = conditions_of(status)
    if is_false(conditions, "NamesAccepted"):
        return Health(Status.FAILED, why(conditions["NamesAccepted"]))
    if is_true(conditions, "Established"):
        return OK
    return Health(Status.IN_PROGRESS, "the API server has not established it")


def disruption_budget(_spec: Parts, status: Parts) -> Health:
    """Its controller has counted its pods; that it allows no disruption just now is its business."""
    conditions = conditions_of(status)
    allowed = conditions.get("DisruptionAllowed", {})
    if allowed.get("reason") == "SyncFailed":
        return Health(Status.IN_PROGRESS, why(allowed))
    return OK if "observedGeneration" in status else UNSEEN


def flow_schema(_spec: Parts, status: Parts) -> Health:
    """The priority level that it names exists."""
    conditions = conditions_of(status)
    return Health(Status.IN_PROGRESS, why(conditions["Dangling"])) if is_true(conditions, "Dangling") else OK


def migration(_spec: Parts, status: Parts) -> Health:
    """What is stored is of the latest version."""
    conditions = conditions_of(status)
    if is_true(conditions, "Failed"):
        return Health(Status.FAILED, why(conditions["Failed"]))
    return OK if is_true(conditions, "Succeeded") else Health(Status.IN_PROGRESS, "it has not ended")


def namespace(_spec: Parts, status: Parts) -> Health:
    """It is active."""
    phase = status.get("phase")
    return OK if phase == "Active" else Health(Status.IN_PROGRESS, f"the namespace is {phase or 'not active'}")


def node(_spec: Parts, status: Parts) -> Health:
    """Its kubelet says that it is ready."""
    return _holds(status, "Ready", "no kubelet has spoken for it")


def pod_autoscaler(_spec: Parts, status: Parts) -> Health:
    """It can scale its target.

    That there are no metrics yet is normal for a minute after a start, and for ever where there is no metrics server:
    it is told, and not waited for. Its controller takes a quarter of a minute to look at a new one; so is that.
    """
    conditions = conditions_of(status)
    if is_false(conditions, "AbleToScale"):
        return Health(Status.IN_PROGRESS, why(conditions["AbleToScale"]))
    if not is_false(conditions, "ScalingActive"):
        return OK
    active = conditions["ScalingActive"]
    wrong = active.get("reason") in {"InvalidSelector", "AmbiguousSelector", "InvalidMetricSourceType"}
    return Health(Status.IN_PROGRESS if wrong else Status.CURRENT, why(active))


def quota(spec: Parts, status: Parts) -> Health:
    """Its controller has counted what is used: until then the server refuses what it limits."""
    counted = part_of(status, "hard")
    missing = [name for name, limit in part_of(spec, "hard").items() if counted.get(name) != limit]
    return UNSEEN if missing else OK


def service(spec: Parts, status: Parts) -> Health:
    """A load balancer, if it asks for one, has given it an address. kstatus asks for a clusterIP alone."""
    if spec.get("type") != "LoadBalancer" or spec.get("externalIPs"):
        return OK
    if part_of(status, "loadBalancer").get("ingress"):
        return OK
    return Health(Status.IN_PROGRESS, "no load balancer has given it an address")


def signing_request(_spec: Parts, status: Parts) -> Health:
    """Its certificate is issued."""
    conditions = conditions_of(status)
    for kind in ("Denied", "Failed"):
        if is_true(conditions, kind):
            return Health(Status.FAILED, why(conditions[kind]))
    if status.get("certificate") or status.get("certificateChain"):
        return OK
    missing = "signed" if is_true(conditions, "Approved") else "approved"
    return Health(Status.IN_PROGRESS, f"it is not {missing}")


def volume(_spec: Parts, status: Parts) -> Health:
    """It can be claimed, or is."""
    phase = status.get("phase")
    if phase == "Failed":
        return Health(Status.FAILED, status.get("message") or "the volume failed")
    return Health(Status.IN_PROGRESS, "the volume is pending") if phase in {None, "Pending"} else OK


def _holds(status: Parts, kind: str, otherwise: str) -> Health:
    condition = conditions_of(status).get(kind)
    if condition and condition["status"] == "True":
        return OK
    return Health(Status.IN_PROGRESS, why(condition) if condition else otherwise)
