"""Which objects of a set have to be there before others of it can be judged, in which order.

For a server that has nothing of the set yet. Everything else is judged without being there.
"""

from collections.abc import Mapping
from typing import Final

from recon_action.analyze.prerequisites import DEFINITION, NAMESPACE
from recon_action.analyze.references import parameters_of
from recon_action.model import Manifest, ObjectRef

_ADMISSION: Final = "admissionregistration.k8s.io"
_POLICY: Final = (_ADMISSION, "ValidatingAdmissionPolicy")
QUOTA: Final = ("", "ResourceQuota")
POLICIES: Final = frozenset({_POLICY, (_ADMISSION, "ValidatingAdmissionPolicyBinding")})
_PLACES: Final = frozenset({NAMESPACE, DEFINITION})
# A Pod that names one of the classes is refused where it is missing.
_JUDGES: Final = frozenset({QUOTA, ("", "LimitRange"), ("scheduling.k8s.io", "PriorityClass")}) | {
    ("node.k8s.io", "RuntimeClass")
}

Stages = tuple[tuple[ObjectRef, ...], ...]


def groundwork(manifests: Mapping[ObjectRef, Manifest]) -> Stages:
    """Places and kinds; what limits, and the parameters of policies; policies, which judge all the others."""
    policies = (one.body for ref, one in manifests.items() if (ref.group, ref.kind) == _POLICY)
    parameters = {parameters_of(body) for body in policies} - _PLACES - POLICIES
    return tuple(
        tuple(ref for ref in manifests if (ref.group, ref.kind) in kinds)
        for kinds in (_PLACES, _JUDGES | parameters, POLICIES)
    )


def presumed(manifests: Mapping[ObjectRef, Manifest]) -> list[str]:
    """The namespaces that objects lie in and the set does not declare."""
    declared = {ref.name for ref in manifests if (ref.group, ref.kind) == NAMESPACE}
    return sorted({ref.namespace for ref in manifests} - declared - {""})
