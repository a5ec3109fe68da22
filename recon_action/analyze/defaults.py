"""What Kubernetes' own code fills in: defaults that are not in its OpenAPI.

Held by the API servers' defaulting functions alone, hence written down here. A table by type for those
that are always the same; a function by type for those that depend on the fields beside them. What an
alpha feature fills in is left out: a server may have it or not.
"""

from collections.abc import Callable, Mapping
from typing import Any

from recon_action.model import Body

_RBAC = "rbac.authorization.k8s.io"
_PROBE = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}
_WEBHOOK = {
    "failurePolicy": "Fail",
    "matchPolicy": "Equivalent",
    "namespaceSelector": {},
    "objectSelector": {},
    "timeoutSeconds": 10,
}
_ADMITTED = {"matchPolicy": "Equivalent", "namespaceSelector": {}, "objectSelector": {}}
_SCALE_UP = {
    "stabilizationWindowSeconds": 0,
    "selectPolicy": "Max",
    "policies": [
        {"type": "Pods", "value": 4, "periodSeconds": 15},
        {"type": "Percent", "value": 100, "periodSeconds": 15},
    ],
}
_SCALE_DOWN = {"selectPolicy": "Max", "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}]}

# By type, without its version.
_ALWAYS: Mapping[str, Mapping[str, Any]] = {
    "admissionregistration.MatchResources": _ADMITTED,
    "admissionregistration.MutatingAdmissionPolicySpec": {"failurePolicy": "Fail"},
    "admissionregistration.MutatingWebhook": {**_WEBHOOK, "reinvocationPolicy": "Never"},
    "admissionregistration.NamedRuleWithOperations": {"scope": "*"},
    "admissionregistration.RuleWithOperations": {"scope": "*"},
    "admissionregistration.ServiceReference": {"port": 443},
    "admissionregistration.ValidatingAdmissionPolicySpec": {"failurePolicy": "Fail"},
    "admissionregistration.ValidatingWebhook": _WEBHOOK,
    "apiextensions.CustomResourceDefinitionSpec": {"conversion": {"strategy": "None"}},
    "apiextensions.ServiceReference": {"port": 443},
    "apps.DaemonSetSpec": {"revisionHistoryLimit": 10, "updateStrategy": {}},
    "apps.DaemonSetUpdateStrategy": {"type": "RollingUpdate"},
    "apps.DeploymentSpec": {
        "replicas": 1,
        "revisionHistoryLimit": 10,
        "progressDeadlineSeconds": 600,
        "strategy": {},
    },
    "apps.DeploymentStrategy": {"type": "RollingUpdate"},
    "apps.ReplicaSetSpec": {"replicas": 1},
    "apps.RollingUpdateDaemonSet": {"maxUnavailable": 1, "maxSurge": 0},
    "apps.RollingUpdateDeployment": {"maxUnavailable": "25%", "maxSurge": "25%"},
    "apps.RollingUpdateStatefulSetStrategy": {"partition": 0},
    "apps.StatefulSetPersistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Retain"},
    "apps.StatefulSetSpec": {
        "replicas": 1,
        "revisionHistoryLimit": 10,
        "podManagementPolicy": "OrderedReady",
        "persistentVolumeClaimRetentionPolicy": {},
        "updateStrategy": {"rollingUpdate": {}},
    },
    "apps.StatefulSetUpdateStrategy": {"type": "RollingUpdate"},
    "autoscaling.HorizontalPodAutoscalerSpec": {"minReplicas": 1},
    "autoscaling.HorizontalPodAutoscalerBehavior": {"scaleUp": _SCALE_UP, "scaleDown": _SCALE_DOWN},
    "batch.CronJobSpec": {
        "concurrencyPolicy": "Allow",
        "suspend": False,
        "successfulJobsHistoryLimit": 3,
        "failedJobsHistoryLimit": 1,
    },
    "batch.JobSpec": {
        "completionMode": "NonIndexed",
        "suspend": False,
        "manualSelector": False,
    },
    "batch.PodFailurePolicyOnPodConditionsPattern": {"status": "True"},
    "core.ConfigMapVolumeSource": {"defaultMode": 420},
    "core.Container": {"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"},
    "core.ContainerPort": {"protocol": "TCP"},
    "core.DownwardAPIVolumeSource": {"defaultMode": 420},
    "core.EndpointPort": {"protocol": "TCP"},
    "core.HTTPGetAction": {"path": "/", "scheme": "HTTP"},
    "core.HostPathVolumeSource": {"type": ""},
    "core.ObjectFieldSelector": {"apiVersion": "v1"},
    "core.PersistentVolumeClaim": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "status": {}},
    "core.PersistentVolumeClaimSpec": {"volumeMode": "Filesystem"},
    "core.PersistentVolumeClaimStatus": {"phase": "Pending"},
    "core.PersistentVolumeSpec": {"persistentVolumeReclaimPolicy": "Retain", "volumeMode": "Filesystem"},
    "core.PodSpec": {
        "dnsPolicy": "ClusterFirst",
        "restartPolicy": "Always",
        "securityContext": {},
        "terminationGracePeriodSeconds": 30,
        "schedulerName": "default-scheduler",
    },
    "core.Probe": _PROBE,
    "core.ProjectedVolumeSource": {"defaultMode": 420},
    "core.ReplicationControllerSpec": {"replicas": 1},
    "core.ResourceFieldSelector": {"divisor": "0"},
    "core.Secret": {"type": "Opaque"},
    "core.SecretVolumeSource": {"defaultMode": 420},
    "core.ServiceAccountTokenProjection": {"expirationSeconds": 3600},
    "core.ServicePort": {"protocol": "TCP"},
    "core.ServiceSpec": {"sessionAffinity": "None", "type": "ClusterIP"},
    "discovery.EndpointPort": {"name": "", "protocol": "TCP"},
    "flowcontrol.ExemptPriorityLevelConfiguration": {"nominalConcurrencyShares": 0, "lendablePercent": 0},
    "flowcontrol.FlowSchemaSpec": {"matchingPrecedence": 1000},
    "flowcontrol.LimitedPriorityLevelConfiguration": {"nominalConcurrencyShares": 30, "lendablePercent": 0},
    "flowcontrol.QueuingConfiguration": {"handSize": 8, "queues": 64, "queueLengthLimit": 50},
    "networking.IngressClassParametersReference": {"scope": "Cluster"},
    "networking.NetworkPolicyPort": {"protocol": "TCP"},
    "rbac.RoleRef": {"apiGroup": _RBAC},
    "resource.DeviceSubRequest": {"allocationMode": "ExactCount"},
    "resource.ExactDeviceRequest": {"allocationMode": "ExactCount"},
    "scheduling.PriorityClass": {"preemptionPolicy": "PreemptLowerPriority"},
    "storage.CSIDriverSpec": {
        "attachRequired": True,
        "podInfoOnMount": False,
        "storageCapacity": False,
        "fsGroupPolicy": "ReadWriteOnceWithFSType",
        "volumeLifecycleModes": ["Persistent"],
        "requiresRepublish": False,
    },
    "storage.StorageClass": {"reclaimPolicy": "Delete", "volumeBindingMode": "Immediate"},
}
# By type, what is chosen once and then kept.
_ALLOCATED: Mapping[str, tuple[str, ...]] = {
    "core.ServiceSpec": ("clusterIP", "clusterIPs", "healthCheckNodePort"),
}


def defaults_of(type_name: str) -> Mapping[str, Any]:
    """The fields that are filled in wherever a value of the type lacks them."""
    return _ALWAYS.get(_short(type_name), {})


def dependent(type_name: str, value: Body) -> Body:
    """The fields of `value` that follow from others of it, where they differ from what it says."""
    rule = _DEPENDENT.get(_short(type_name))
    return rule(value) if rule else {}


def allocated(type_name: str, live: Body) -> Body:
    """The fields of `live` that the server keeps where an apply leaves them empty, as it has chosen them itself."""
    return {key: live[key] for key in _ALLOCATED.get(_short(type_name), ()) if key in live}


def _container(value: Body) -> Body:
    image = str(value.get("image", "")).rpartition("@")
    tag = (image[0] or image[2]).rpartition("/")[2].partition(":")[2]
    latest = tag == "latest" or not (tag or image[0])
    return {} if value.get("imagePullPolicy") else {"imagePullPolicy": "Always" if latest else "IfNotPresent"}


def _pod_spec(value: Body) -> Body:
    account = value.get("serviceAccountName") or value.get("serviceAccount")
    if not account or (value.get("serviceAccountName"), value.get("serviceAccount")) == (account, account):
        return {}
    return {"serviceAccountName": account, "serviceAccount": account}  # two names of one field


def _rolling(value: Body) -> Body:
    needed = value.get("type") == "RollingUpdate" and value.get("rollingUpdate") is None
    return {"rollingUpdate": {}} if needed else {}


def _service(value: Body) -> Body:
    found: Body = {}
    kind = value.get("type")
    if kind in {"NodePort", "LoadBalancer"}:
        found["externalTrafficPolicy"] = "Cluster"
    if kind in {"ClusterIP", "NodePort", "LoadBalancer"}:
        found["internalTrafficPolicy"] = "Cluster"
    if kind == "LoadBalancer":
        found["allocateLoadBalancerNodePorts"] = True
    if value.get("sessionAffinity") == "ClientIP":
        found["sessionAffinityConfig"] = {"clientIP": {"timeoutSeconds": 10800}}
    return {key: default for key, default in found.items() if key not in value}


def _service_port(value: Body) -> Body:
    return {} if value.get("targetPort") or "port" not in value else {"targetPort": value["port"]}


def _job(value: Body) -> Body:
    found: Body = {"backoffLimit": 2**31 - 1 if "backoffLimitPerIndex" in value else 6}
    found["podReplacementPolicy"] = "Failed" if "podFailurePolicy" in value else "TerminatingOrFailed"
    if "parallelism" not in value:
        found |= {"parallelism": 1} | ({} if "completions" in value else {"completions": 1})
    return {key: default for key, default in found.items() if key not in value}


def _names(value: Body) -> Body:
    kind = str(value.get("kind", ""))
    found = {"singular": kind.lower(), "listKind": f"{kind}List"}
    return {key: default for key, default in found.items() if not value.get(key)}


def _policy_types(value: Body) -> Body:
    found = ["Ingress", "Egress"] if value.get("egress") else ["Ingress"]
    return {} if value.get("policyTypes") else {"policyTypes": found}


def _subject(value: Body) -> Body:
    return {"apiGroup": _RBAC} if value.get("kind") in {"User", "Group"} and not value.get("apiGroup") else {}


def _devices(value: Body) -> Body:
    return {"count": 1} if value.get("allocationMode") == "ExactCount" and not value.get("count") else {}


def _volume(value: Body) -> Body:
    return {"emptyDir": {}} if value.keys() <= {"name"} else {}


def _scaling(value: Body) -> Body:
    found: Body = {}
    for name, default in (("scaleUp", _SCALE_UP), ("scaleDown", _SCALE_DOWN)):
        rules = value.get(name)
        if isinstance(rules, dict) and not default.keys() <= rules.keys():
            found[name] = {**default, **rules}
    return found


_DEPENDENT: Mapping[str, Callable[[Body], Body]] = {
    "apiextensions.CustomResourceDefinitionNames": _names,
    "apps.DaemonSetUpdateStrategy": _rolling,
    "apps.DeploymentStrategy": _rolling,
    "autoscaling.HorizontalPodAutoscalerBehavior": _scaling,
    "batch.JobSpec": _job,
    "core.Container": _container,
    "core.PodSpec": _pod_spec,
    "core.ServicePort": _service_port,
    "core.ServiceSpec": _service,
    "resource.DeviceSubRequest": _devices,
    "resource.ExactDeviceRequest": _devices,
    "core.Volume": _volume,
    "networking.NetworkPolicySpec": _policy_types,
    "rbac.Subject": _subject,
}


def _short(type_name: str) -> str:
    """`core.PodSpec` of `io.k8s.api.core.v1.PodSpec`."""
    parts = type_name.split(".")
    return f"{parts[-3]}.{parts[-1]}" if len(parts) > 2 else ""
