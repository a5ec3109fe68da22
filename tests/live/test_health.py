"""Health has a rule for each kind that a server serves, or a reason to do without."""

from recon_action.analyze.health import _RULES
from recon_action.cluster import connect, discover
from recon_action.lab import Lab
from recon_action.model import Access

# Why an object of such a kind is current as soon as it is stored.
_WITHOUT_A_RULE = {
    "it is data, which others read": """
        ConfigMap ControllerRevision LimitRange PodTemplate Secret DeviceClass ResourceClaimTemplate ClusterTrustBundle
        CSIDriver IngressClass PriorityClass RuntimeClass StorageClass VolumeAttributesClass
        PriorityLevelConfiguration MutatingWebhookConfiguration ValidatingWebhookConfiguration""",
    "the API server itself obeys it at once": """
        ClusterRole ClusterRoleBinding Role RoleBinding ServiceAccount MutatingAdmissionPolicy
        MutatingAdmissionPolicyBinding ValidatingAdmissionPolicyBinding""",
    "its generation is all that its status has to say": "ValidatingAdmissionPolicy",
    "its conditions, if there are any, are read as a custom resource's": "ServiceCIDR DeviceTaintRule",
    "it runs now and then; whether that ends well is no question of the object": "CronJob",
    "its controller may keep to itself whether it obeys": "Ingress NetworkPolicy",
    "it is allocated only once a pod uses it": "ResourceClaim",
    "a controller or a node writes it, and nobody else": """
        CSINode CSIStorageCapacity Endpoints EndpointSlice Event IPAddress Lease LeaseCandidate ResourceSlice
        ResourcePoolStatusRequest StorageVersion VolumeAttachment""",
}


def test_every_kind_has_a_rule_or_a_reason(lab: Lab) -> None:
    """A new version of Kubernetes brings kinds that nobody has thought of here: they are named."""
    served = discover(connect(Access(str(lab.kubeconfig)), concurrency=4)).resources
    reasoned = {kind for kinds in _WITHOUT_A_RULE.values() for kind in kinds.split()}
    kept = {key for key, versions in served.items() if versions[0].built_in and "patch" in versions[0].verbs}
    assert {kind for group, kind in kept if (group, kind) not in _RULES} <= reasoned
    assert not reasoned & {kind for _, kind in _RULES}
    assert len(kept) > 50
