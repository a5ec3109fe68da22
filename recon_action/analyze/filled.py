"""What the server fills in beside what someone wrote, known by field and value alone.

Whoever creates an object by a plain write owns the defaults too. Taking a default away changes nothing,
for the server fills it in again; so it is no difference worth a word. Built-in kinds only: what a custom
resource's schema fills in is not known here.
"""

from collections.abc import Callable, Mapping
from typing import Any

from recon_action.analyze.equality import same
from recon_action.analyze.value import value_at
from recon_action.model import ABSENT, Body, FieldPath

# Data that people write, whatever its keys are called.
_FREE = frozenset({"annotations", "binaryData", "data", "labels", "matchLabels", "nodeSelector", "stringData"})
_FREE_ROOTS = _FREE | {"metadata", "parameters"}
_LABELS = ("metadata", "labels")
_NAMESPACE_LABEL = (*_LABELS, "kubernetes.io/metadata.name")
# Kinds that have their Pods' labels where they have none.
_LABELLED_AS_THEIR_PODS = frozenset({"Job", "ReplicationController"})
# By field; or by what holds it (a list's name for a field of its items) and field, which counts first.
_VALUES: Mapping[str, Any] = {
    "allocateLoadBalancerNodePorts": True,
    "attachRequired": True,
    "clientConfig.port": 443,
    "clientIP.timeoutSeconds": 10800,
    "completionMode": "NonIndexed",
    "completions": 1,
    "concurrencyPolicy": "Allow",
    "conversion.strategy": "None",
    "defaultMode": 420,
    "dnsPolicy": "ClusterFirst",
    "enableServiceLinks": True,
    "externalTrafficPolicy": "Cluster",
    "failedJobsHistoryLimit": 1,
    "failureThreshold": 3,
    "failurePolicy": "Fail",
    "fsGroupPolicy": "ReadWriteOnceWithFSType",
    "grpc.service": "",
    "hostPath.type": "",
    "httpGet.path": "/",
    "httpGet.scheme": "HTTP",
    "internalTrafficPolicy": "Cluster",
    "manualSelector": False,
    "matchPolicy": "Equivalent",
    "minReplicas": 1,
    "parallelism": 1,
    "parameters.scope": "Cluster",
    "periodSeconds": 10,
    "persistentVolumeReclaimPolicy": "Retain",
    "podInfoOnMount": False,
    "podManagementPolicy": "OrderedReady",
    "preventPodSchedulingIfMissing": False,
    "preemptionPolicy": "PreemptLowerPriority",
    "progressDeadlineSeconds": 600,
    "protocol": "TCP",
    "reclaimPolicy": "Delete",
    "reinvocationPolicy": "Never",
    "replicas": 1,
    "requiresRepublish": False,
    "resources": {},
    "revisionHistoryLimit": 10,
    "rollingUpdate.partition": 0,
    "scaleDown.policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}],
    "scaleDown.selectPolicy": "Max",
    "scaleUp.policies": [
        {"type": "Pods", "value": 4, "periodSeconds": 15},
        {"type": "Percent", "value": 100, "periodSeconds": 15},
    ],
    "scaleUp.selectPolicy": "Max",
    "scaleUp.stabilizationWindowSeconds": 0,
    "schedulerName": "default-scheduler",
    "seLinuxMount": False,
    "securityContext": {},
    "service.port": 443,
    "sessionAffinity": "None",
    "spec.restartPolicy": "Always",
    "spec.type": "ClusterIP",
    "storageCapacity": False,
    "strategy.type": "RollingUpdate",
    "successThreshold": 1,
    "successfulJobsHistoryLimit": 3,
    "suspend": False,
    "terminationGracePeriodSeconds": 30,
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
    "timeoutSeconds": 1,
    "type": "Opaque",
    "updateStrategy.type": "RollingUpdate",
    "volumeBindingMode": "Immediate",
    "volumeMode": "Filesystem",
    "volumes.emptyDir": {},
    "webhooks.namespaceSelector": {},
    "webhooks.objectSelector": {},
    "webhooks.timeoutSeconds": 10,
    "whenDeleted": "Retain",
    "whenScaled": "Retain",
}


def is_filled(path: FieldPath, live: Body, payload: Body) -> bool:
    """Whether the server would give the field at `path` its live value by itself.

    Args:
        path: a field that `live` has.
        live: an object of a built-in kind.
        payload: what we would send.
    """
    if path.items == _NAMESPACE_LABEL:
        return True
    name = path.items[-1]
    if path.items[:2] == _LABELS and live["kind"] in _LABELLED_AS_THEIR_PODS:
        pods = FieldPath(("spec", "template", *path.items))
        return same(value_at(live, path), value_at(live, pods))
    within = next((item for item in reversed(path.items[:-1]) if isinstance(item, str)), "")
    if not isinstance(name, str) or path.items[0] in _FREE_ROOTS or within in _FREE:
        return False
    rule = _RULES.get(f"{within}.{name}") or _RULES.get(name) or _RULES.get(f"{within}.*")
    if rule is not None:
        expected = rule(path, live, payload)
    else:
        expected = _VALUES.get(f"{within}.{name}", _VALUES.get(name, ABSENT))
    return expected is not ABSENT and same(value_at(live, path), expected)


def _beside(path: FieldPath, name: str) -> FieldPath:
    return FieldPath((*path.items[:-1], name))


def _pull_policy(path: FieldPath, live: Body, _payload: Body) -> str:
    image = str(value_at(live, _beside(path, "image")))
    name, _, digest = image.partition("@")
    if "://" in image:
        return "IfNotPresent"  # no image reference at all
    tag = name.rpartition("/")[2].partition(":")[2]
    return "Always" if tag == "latest" or not (tag or digest) else "IfNotPresent"


def _backoff_limit(path: FieldPath, live: Body, _payload: Body) -> int:
    return 6 if value_at(live, _beside(path, "backoffLimitPerIndex")) is ABSENT else 2**31 - 1


def _replacement(path: FieldPath, live: Body, _payload: Body) -> str:
    return "TerminatingOrFailed" if value_at(live, _beside(path, "podFailurePolicy")) is ABSENT else "Failed"


def _selector(_path: FieldPath, live: Body, _payload: Body) -> Any:
    if live["kind"] != "ReplicationController":
        return ABSENT
    return value_at(live, FieldPath(("spec", "template", "metadata", "labels")))


def _policy_types(path: FieldPath, live: Body, _payload: Body) -> list[str]:
    egress = value_at(live, _beside(path, "egress"))
    return ["Ingress"] if egress is ABSENT else ["Ingress", "Egress"]


def _service_account(path: FieldPath, _live: Body, payload: Body) -> Any:
    return value_at(payload, _beside(path, "serviceAccountName"))  # the older of two names of one field


def _target_port(path: FieldPath, live: Body, _payload: Body) -> Any:
    return value_at(live, _beside(path, "port"))


def _request(path: FieldPath, live: Body, _payload: Body) -> Any:
    return value_at(live, FieldPath((*path.items[:-2], "limits", path.items[-1])))


def _rolling(path: FieldPath, live: Body, _payload: Body) -> Any:
    if live["kind"] == "Deployment":
        return "25%"
    return 0 if path.items[-1] == "maxSurge" else 1


def _list_kind(path: FieldPath, live: Body, _payload: Body) -> str:
    return f"{value_at(live, _beside(path, 'kind'))}List"


def _singular(path: FieldPath, live: Body, _payload: Body) -> str:
    return str(value_at(live, _beside(path, "kind"))).lower()


def _aggregated(path: FieldPath, live: Body, payload: Body) -> Any:
    """The rules of a role that is made of others are a controller's, whoever wrote them."""
    return value_at(live, path) if path.items == ("rules",) and payload.get("aggregationRule") else ABSENT


_RULES: Mapping[str, Callable[[FieldPath, Body, Body], Any]] = {
    "backoffLimit": _backoff_limit,
    "imagePullPolicy": _pull_policy,
    "names.listKind": _list_kind,
    "rollingUpdate.maxSurge": _rolling,
    "rollingUpdate.maxUnavailable": _rolling,
    "podReplacementPolicy": _replacement,
    "policyTypes": _policy_types,
    "requests.*": _request,
    "rules": _aggregated,
    "selector": _selector,
    "serviceAccount": _service_account,
    "names.singular": _singular,
    "ports.targetPort": _target_port,
}
