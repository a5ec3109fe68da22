"""Objects of which nothing is known are never valid."""

from objects import body_of, manifest_of, ref, resource_of

from recon_action.analyze.definition import definitions
from recon_action.analyze.resolve import Resolved
from recon_action.analyze.unjudged import unjudged
from recon_action.model import Manifest, ObjectRef, Problem, Trouble

_NO_KIND = Problem(Trouble.UNKNOWN_KIND, "the server has no kind", "change apiVersion", "resolve")
_REFUSED = Problem(Trouble.DENIED, "no", verb="apply")


def _resolved(known: Manifest, *others: Manifest, served: bool = True) -> Resolved:
    resource = resource_of(known.ref.kind, str(known.body["apiVersion"]), served=served)
    return Resolved(
        {one.ref: one for one in (known, *others)},
        {known.ref: resource},
        {one.ref: _NO_KIND for one in others},
        definitions([_CRD]),
    )


_CRD = manifest_of(
    body_of(
        "CustomResourceDefinition",
        "widgets.example.com",
        api="apiextensions.k8s.io/v1",
        spec={
            "group": "example.com",
            "names": {"kind": "Widget", "plural": "widgets"},
            "versions": [{"name": "v1", "served": True}],
        },
    )
)
_MAP = manifest_of(body_of("ConfigMap", "c", namespace="shop"))
_HOME = ref("Namespace", "shop")


def _told(resolved: Resolved, refused: dict[ObjectRef, Problem]) -> dict[str, str]:
    found = unjudged(resolved, refused, "1.37")
    return {f"{ref.kind} {ref.name}": problem.message for ref, problem in found.items()}


def test_kinds_that_nobody_has() -> None:
    """One of a CRD that isn't there, and one that Kubernetes has no more; each with what to do."""
    gadget = manifest_of(body_of("Gadget", "g", api="example.com/v1"))
    budget = manifest_of(body_of("PodDisruptionBudget", "b", api="policy/v1beta1"))
    assert _told(_resolved(_MAP, gadget, budget), {}) == {
        "Gadget g": "not checked: PATHs hold no CustomResourceDefinition for Gadget in example.com/v1",
        "PodDisruptionBudget b": "Kubernetes 1.37 has no kind PodDisruptionBudget in policy/v1beta1",
    }
    assert unjudged(_resolved(_MAP, budget), {}, "1.37")[budget.ref].hint == "change apiVersion"


def test_a_definition_that_is_refused() -> None:
    """Its objects are not checked; what the server says of the CRD stays."""
    widget = manifest_of(body_of("Widget", "w", api="example.com/v1"))
    assert _told(_resolved(widget, served=False), {_CRD.ref: _REFUSED}) == {
        "CustomResourceDefinition widgets.example.com": "no",
        "Widget w": "not checked: CustomResourceDefinition widgets.example.com is refused",
    }


def test_a_namespace_that_is_refused() -> None:
    """Its objects are not checked, unless the server has something else against them."""
    missing, invalid = Problem(Trouble.MISSING, "no namespace"), Problem(Trouble.INVALID, "odd")
    told = {
        name: _told(_resolved(_MAP), {_HOME: _REFUSED, **more})["ConfigMap c"]
        for name, more in (("missing", {_MAP.ref: missing}), ("invalid", {_MAP.ref: invalid}))
    }
    assert told == {"missing": "not checked: Namespace shop is refused", "invalid": "odd"}
    assert "ConfigMap c" not in _told(_resolved(_MAP), {_HOME: _REFUSED})
    assert _told(_resolved(_MAP), {}) == {}
