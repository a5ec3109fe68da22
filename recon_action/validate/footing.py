"""Puts on a control plane of our own what others are checked against, and waits until it judges.

Never used with a cluster that is somebody's.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from recon_action.analyze.groundwork import QUOTA
from recon_action.analyze.payload import normalised
from recon_action.analyze.resolve import Resolved
from recon_action.analyze.value import as_map
from recon_action.cluster import Cluster, RequestError
from recon_action.errors import ClusterError
from recon_action.model import Body, Capabilities, LiveObject, ObjectRef, Problem, Resource, Trouble
from recon_action.model.capabilities import CONFIG_MAP

_PROBE = "recon-action-probe"
_REASON = "recon-action asks whether policies are in force"
_IN_FORCE = 20.0  # seconds that the server may take until new policies judge
_POLL = 0.1


@dataclass(frozen=True, slots=True)
class Footing:
    """What was put on the server.

    Args:
        objects: what it took.
        problems: why it refused the others.
    """

    objects: Mapping[ObjectRef, LiveObject] = field(default_factory=dict)
    problems: Mapping[ObjectRef, Problem] = field(default_factory=dict)


def stated(resolved: Resolved, refs: Iterable[ObjectRef]) -> dict[ObjectRef, Body]:
    """What is sent of each of `refs`."""
    return {ref: normalised(resolved.manifests[ref], resolved.resources[ref]) for ref in refs}


def put(cluster: Cluster, refs: Sequence[ObjectRef], resolved: Resolved, footing: Footing) -> Footing:
    """`footing` with `refs` as well."""
    payloads = stated(resolved, [ref for ref in refs if not resolved.manifests[ref].withheld])

    def applied(ref: ObjectRef) -> LiveObject | Problem:
        resource = resolved.resources[ref]
        try:
            body = cluster.apply(resource, payloads[ref])
            if (ref.group, ref.kind) == QUOTA:
                body = cluster.apply(resource, _counted(body), subresource="status")
        except RequestError as error:
            return error.problem
        return LiveObject(ref, body)

    found = dict(zip(payloads, cluster.each(applied, list(payloads)), strict=True))
    return Footing(
        {**footing.objects, **{ref: one for ref, one in found.items() if isinstance(one, LiveObject)}},
        {**footing.problems, **{ref: one for ref, one in found.items() if isinstance(one, Problem)}},
    )


def _counted(quota: Body) -> Body:
    """The quota with nothing used: without a controller that counts, the server would refuse everything."""
    hard = as_map(as_map(quota.get("spec")).get("hard"))
    metadata = {key: quota["metadata"][key] for key in ("name", "namespace")}
    status = {"hard": hard, "used": dict.fromkeys(hard, "0")}
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata, "status": status}


def stand_guard(cluster: Cluster, capabilities: Capabilities) -> None:
    """Wait until the policies that are there judge: the server takes them up in order, and one of ours is the last.

    Raises:
        ClusterError: they don't.
    """
    end = time.monotonic() + _IN_FORCE
    for body in _probes():
        group, _, version = body["apiVersion"].partition("/")
        cluster.apply(_known(capabilities, group, body["kind"], version), body)
    while time.monotonic() < end and not cluster.stop.wait(_POLL):
        try:
            cluster.apply(CONFIG_MAP, _config_map(), dry_run=True)
        except RequestError as error:
            if error.problem.trouble is Trouble.DENIED and _REASON in error.message:
                return
            raise
    cluster.stop.check()
    raise ClusterError("the control plane does not put the set's policies in force", hint="run again")


def _known(capabilities: Capabilities, group: str, kind: str, version: str) -> Resource:
    resource = capabilities.find(group, kind, version)
    if resource is None:
        raise ClusterError(f"the control plane has no {kind}", hint="use one of Kubernetes 1.34 or newer")
    return resource


def _config_map() -> Body:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": _PROBE, "namespace": "default"}}


def _probes() -> list[Body]:
    """A policy that refuses one object, which nobody has."""
    group, name = "admissionregistration.k8s.io", {"name": f"{_PROBE}.recon-action.github.io"}
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
    spec = {
        "matchConstraints": {"resourceRules": [rule | {"resourceNames": [_PROBE]}]},
        "validations": [{"expression": "false", "message": _REASON}],
    }
    binding = {"policyName": name["name"], "validationActions": ["Deny"]}
    kinds = (("ValidatingAdmissionPolicy", spec), ("ValidatingAdmissionPolicyBinding", binding))
    return [{"apiVersion": f"{group}/v1", "kind": kind, "metadata": name, "spec": of} for kind, of in kinds]
