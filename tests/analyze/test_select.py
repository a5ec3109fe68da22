"""The part of a target that a run is about."""

import pytest
from objects import body_of, manifest_of, ref, resource_of

from recon_action.analyze.resolve import Resolved, resolve
from recon_action.analyze.select import select
from recon_action.errors import UsageError
from recon_action.model import Body, Capabilities
from recon_action.model.selection import Selection, parse_match, parse_selector

_CRD_API = "apiextensions.k8s.io/v1"
_CRD = body_of(
    "CustomResourceDefinition",
    "widgets.example.com",
    api=_CRD_API,
    spec={
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"kind": "Widget", "plural": "widgets"},
        "versions": [{"name": "v1", "served": True}],
    },
)
_WIDGET = body_of("Widget", "w", api="example.com/v1")
_SERVED = {
    ("", "ConfigMap"): (resource_of(),),
    ("apiextensions.k8s.io", "CustomResourceDefinition"): (resource_of("CustomResourceDefinition", _CRD_API),),
}


def _resolved(*bodies: Body) -> Resolved:
    return resolve([manifest_of(body) for body in bodies], Capabilities("v1.37.2", _SERVED), "shop")


def _select(pattern: str, *bodies: Body) -> Resolved:
    return select(_resolved(*bodies), Selection(include=(parse_match(pattern),), text=f"include {pattern}"))


def test_without_a_selection_nothing_changes() -> None:
    """A run about everything costs nothing more."""
    whole = _resolved(body_of())
    assert select(whole, Selection()) is whole


def test_a_part_has_its_final_namespace() -> None:
    """Objects that name none are selected by the one that they get."""
    part = _select("shop/ConfigMap/a", body_of(name="a"), body_of(name="b"))
    assert set(part.manifests) == set(part.resources) == {ref("ConfigMap", "a", "shop")}


def test_labels_are_those_in_git() -> None:
    """Whatever they are in the cluster."""
    web = body_of(name="a", metadata={"labels": {"app": "web"}})
    part = select(_resolved(web, body_of(name="b")), Selection(labels=parse_selector("app=web")))
    assert [one.name for one in part.manifests] == ["a"]


def test_nothing_selected_is_an_error() -> None:
    """A pattern with a typing error must not say "in sync"."""
    with pytest.raises(UsageError, match="none of 1 objects is selected by include Configmap") as caught:
        _select("Configmap", body_of())
    assert caught.value.hint.endswith("whose kinds are ConfigMap")


def test_many_kinds_are_not_all_named() -> None:
    """The hint stays readable."""
    with pytest.raises(UsageError) as caught:
        _select("Nothing", *(body_of(f"Kind{number}", api="example.com/v1") for number in range(10)))
    assert caught.value.hint.endswith("Kind7 and 2 more")


def test_a_kind_whose_definition_is_left_out_is_unknown() -> None:
    """It can't be applied, as what would bring it isn't."""
    part = _select("Widget", _CRD, _WIDGET)
    (problem,) = part.problems.values()
    assert problem.message == (
        "the server has no kind Widget in example.com, and its CustomResourceDefinition is not selected"
    )
    assert not part.resources
    assert not part.definitions


def test_a_kind_comes_with_its_definition() -> None:
    """As it does in a run about everything."""
    part = _select("[CW]*", _CRD, _WIDGET)
    assert len(part.resources) == len(part.manifests) == 2
    assert part.definitions
    assert not part.problems


def test_a_kind_that_nobody_knows_keeps_its_problem() -> None:
    """As it was found."""
    part = _select("Widget", _WIDGET)
    (problem,) = part.problems.values()
    assert problem.message == "the server has no kind Widget in example.com/v1"
