"""What has to be on a server before the rest of a set can be judged."""

from objects import body_of, manifest_of

from recon_action.analyze.groundwork import groundwork, presumed
from recon_action.model import Body, Manifest, ObjectRef

_ADMISSION = "admissionregistration.k8s.io/v1"


def _set(*bodies: Body) -> dict[ObjectRef, Manifest]:
    return {one.ref: one for one in map(manifest_of, bodies)}


def test_stages() -> None:
    """Places first, then what limits and what policies read, then policies; the rest is only tried."""
    policy = body_of(
        "ValidatingAdmissionPolicy", "p", api=_ADMISSION, spec={"paramKind": {"apiVersion": "v1", "kind": "Secret"}}
    )
    found = groundwork(
        _set(
            body_of("ValidatingAdmissionPolicyBinding", "b", api=_ADMISSION),
            policy,
            body_of("ConfigMap", "c", namespace="shop"),
            body_of("Secret", "s", namespace="shop"),
            body_of("ResourceQuota", "q", namespace="shop"),
            body_of("PriorityClass", "high", api="scheduling.k8s.io/v1"),
            body_of("Namespace", "shop"),
            body_of("CustomResourceDefinition", "d", api="apiextensions.k8s.io/v1"),
        )
    )
    assert [sorted(ref.name for ref in stage) for stage in found] == [["d", "shop"], ["high", "q", "s"], ["b", "p"]]


def test_parameters_that_are_places() -> None:
    """A policy that reads namespaces does not have them put twice."""
    policy = body_of(
        "ValidatingAdmissionPolicy", "p", api=_ADMISSION, spec={"paramKind": {"apiVersion": "v1", "kind": "Namespace"}}
    )
    first, second, _ = groundwork(_set(policy, body_of("Namespace", "shop")))
    assert ([ref.name for ref in first], second) == (["shop"], ())


def test_presumed() -> None:
    """Namespaces that nobody declares."""
    objects = (body_of(name="a", namespace=space) for space in ("shop", "other", ""))
    assert presumed(_set(body_of("Namespace", "shop"), *objects)) == ["other"]
