"""What an object's own status says of its health: the words of kstatus, a rule for each kind. Pure.

Where the rules differ from those of kstatus (kubernetes-sigs/cli-utils) they say why.
"""

from collections.abc import Callable, Container

from recon_action.analyze import health_resources as resources
from recon_action.analyze import health_workloads as workloads
from recon_action.analyze.conditions import Parts, conditions_of, is_true, part_of, why
from recon_action.analyze.health_custom import by_conditions, is_behind
from recon_action.model import Body, Resource
from recon_action.model.health import Health, Status

_RULES: dict[tuple[str, str], Callable[[Parts, Parts], Health]] = {
    ("", "Namespace"): resources.namespace,
    ("", "Node"): resources.node,
    ("", "PersistentVolume"): resources.volume,
    ("", "PersistentVolumeClaim"): resources.claim,
    ("", "Pod"): workloads.pod,
    ("", "ReplicationController"): workloads.replica_set,
    ("", "ResourceQuota"): resources.quota,
    ("", "Service"): resources.service,
    ("apiextensions.k8s.io", "CustomResourceDefinition"): resources.definition,
    ("apiregistration.k8s.io", "APIService"): resources.api_service,
    ("apps", "DaemonSet"): workloads.daemon_set,
    ("apps", "Deployment"): workloads.deployment,
    ("apps", "ReplicaSet"): workloads.replica_set,
    ("apps", "StatefulSet"): workloads.stateful_set,
    ("autoscaling", "HorizontalPodAutoscaler"): resources.pod_autoscaler,
    ("batch", "Job"): workloads.job,
    ("certificates.k8s.io", "CertificateSigningRequest"): resources.signing_request,
    ("certificates.k8s.io", "PodCertificateRequest"): resources.signing_request,
    ("flowcontrol.apiserver.k8s.io", "FlowSchema"): resources.flow_schema,
    ("policy", "PodDisruptionBudget"): resources.disruption_budget,
    ("storagemigration.k8s.io", "StorageVersionMigration"): resources.migration,
}
_JOB = ("batch", "Job")
_CLAIM = ("", "PersistentVolumeClaim")
# Only a Namespace has these: what is left in it.
_LEFT = ("NamespaceDeletionContentFailure", "NamespaceContentRemaining", "NamespaceFinalizersRemaining")


def health_of(body: Body, *, deferring: Container[str] = ()) -> Health:
    """The health that `body`'s own status tells.

    Args:
        body: the object.
        deferring: names of the storage classes that bind a claim only once a pod uses it.
    """
    metadata, spec, status = body["metadata"], part_of(body, "spec"), part_of(body, "status")
    kind = _kind(body)
    if metadata.get("deletionTimestamp") and not (kind == _JOB and workloads.is_finished(status)):
        return Health(Status.TERMINATING, _terminating(metadata, spec, status))
    generation = metadata.get("generation")
    if is_behind(status.get("observedGeneration"), generation):
        return Health(Status.IN_PROGRESS, "its controller has not seen the latest change")
    if kind == _CLAIM and status.get("phase") == "Pending" and spec.get("storageClassName") in deferring:
        return Health(Status.CURRENT, "it is bound as soon as a pod uses it")
    rule = _RULES.get(kind)
    return rule(spec, status) if rule else by_conditions(status, generation)


def has_health(resource: Resource) -> bool:
    """Whether objects of this kind may take their time to become healthy."""
    return not resource.built_in or (resource.group, resource.kind) in _RULES


def health_without(last: Body) -> Health:
    """The health of an object that is not found, and that was last seen as `last`.

    A Job with a time to live goes when it has finished; that is as good as its being there.
    """
    if _kind(last) == _JOB and "ttlSecondsAfterFinished" in part_of(last, "spec"):
        status = part_of(last, "status")
        if workloads.is_finished(status):
            return workloads.job({}, status)
        return Health(Status.CURRENT, "it is gone, as a Job with a time to live is when it has finished")
    return Health(Status.NOT_FOUND, "it was deleted meanwhile")


def _kind(body: Body) -> tuple[str, str]:
    return str(body["apiVersion"]).rpartition("/")[0], str(body["kind"])


def _terminating(metadata: Parts, spec: Parts, status: Parts) -> str:
    """That the object is being deleted, and what has to let go of it."""
    conditions = conditions_of(status)
    if left := [why(conditions[kind]) for kind in _LEFT if is_true(conditions, kind)]:
        return f"it is being deleted: {'; '.join(left)}"
    finalizers = [*(metadata.get("finalizers") or ()), *(spec.get("finalizers") or ())]
    held = f", held by its finalizers: {', '.join(map(str, finalizers))}" if finalizers else ""
    return f"it is being deleted{held}"
