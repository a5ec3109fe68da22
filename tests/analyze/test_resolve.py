"""What each manifest means on this server: kind, scope, namespace, identity."""

from dataclasses import replace
from typing import Any

import pytest
from objects import body_of, manifest_of, ref, resource_of

from recon_action.analyze.resolve import Resolved, readable, resolve, unserved
from recon_action.errors import DesiredError
from recon_action.model import Body, Capabilities, Resource, Trouble

_SERVED: dict[tuple[str, str], tuple[Resource, ...]] = {
    ("", "ConfigMap"): (resource_of(),),
    ("", "Namespace"): (resource_of("Namespace"),),
    ("apps", "Deployment"): (resource_of("Deployment", "apps/v1"), resource_of("Deployment", "apps/v1beta1")),
    ("apiextensions.k8s.io", "CustomResourceDefinition"): (
        resource_of("CustomResourceDefinition", "apiextensions.k8s.io/v1"),
    ),
}


def _resolve(*bodies: Body, stale: frozenset[str] = frozenset()) -> Resolved:
    manifests = [manifest_of(body, line=number) for number, body in enumerate(bodies, 1)]
    return resolve(manifests, Capabilities("v1.37.2", _SERVED, stale), "default")


def _crd(**spec: Any) -> Body:
    version = {"name": "v1", "served": True, "subresources": {"status": {}, "scale": {}}}
    names = {"kind": "Widget", "plural": "widgets"}
    body = {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]} | spec
    return body_of("CustomResourceDefinition", "widgets.example.com", api="apiextensions.k8s.io/v1", spec=body)


_WIDGET = body_of("Widget", api="example.com/v1")


@pytest.mark.parametrize(
    ("body", "namespace", "written"),
    [
        pytest.param(body_of(), "default", True, id="filled-in"),
        pytest.param(body_of(namespace="shop"), "shop", True, id="kept"),
        pytest.param(body_of(metadata={"namespace": None}), "default", True, id="null"),
        pytest.param(body_of(metadata={"namespace": ""}), "default", True, id="empty"),
        pytest.param(body_of("Namespace"), "", False, id="cluster-scoped"),
        pytest.param(body_of("Namespace", namespace="shop"), "", False, id="stripped-from-cluster-scoped"),
        pytest.param(body_of("Namespace", metadata={"namespace": None}), "", False, id="null-on-cluster-scoped"),
    ],
)
def test_the_scope_decides_the_namespace(body: Body, namespace: str, *, written: bool) -> None:
    """Filled in for namespaced kinds, stripped from cluster-scoped ones, in identity and body alike."""
    (placed,) = _resolve(body).manifests.values()
    assert placed.ref.namespace == namespace
    assert placed.body["metadata"].get("namespace", "") == namespace
    assert ("namespace" in placed.body["metadata"]) is written


def test_a_release_has_its_own_namespace() -> None:
    """Of what a chart leaves open, before the run's; what names one keeps it."""
    manifests = [manifest_of(body, line=1) for body in (body_of(name="a"), body_of(name="b", namespace="own"))]
    placed = resolve(
        [replace(one, default_namespace="market") for one in manifests], Capabilities("v1.37.2", _SERVED), "default"
    )
    assert {ref.name: ref.namespace for ref in placed.manifests} == {"a": "market", "b": "own"}


def test_a_manifest_that_needs_nothing_is_kept_as_it_is() -> None:
    """No copy of a body that is right already: a set may be large."""
    body = body_of(namespace="shop")
    (placed,) = _resolve(body).manifests.values()
    assert placed.body is body


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(body_of(), body_of(), id="same"),
        pytest.param(body_of(), body_of(namespace="default"), id="default-namespace-written-out"),
        pytest.param(body_of("Namespace"), body_of("Namespace", namespace="x"), id="namespace-on-cluster-scoped"),
        pytest.param(
            body_of("Deployment", api="apps/v1"), body_of("Deployment", api="apps/v1beta1"), id="in-two-versions"
        ),
        pytest.param(_WIDGET, _WIDGET, id="of-an-unknown-kind"),
    ],
)
def test_an_object_declared_twice_is_an_error(first: Body, second: Body) -> None:
    """Both places are named; which of the two is meant can't be known."""
    with pytest.raises(DesiredError, match=r"app\.yaml:2: .* the first is at app\.yaml:1"):
        _resolve(first, second)


def test_every_duplicate_is_named_at_once() -> None:
    """One run shows all of them."""
    with pytest.raises(DesiredError) as caught:
        _resolve(body_of(), body_of(), body_of("Namespace"), body_of("Namespace"))
    assert len(caught.value.message.splitlines()) == 2


def test_the_same_name_elsewhere_is_another_object() -> None:
    """Namespace, kind and name are all part of identity."""
    assert len(_resolve(body_of(), body_of(namespace="shop"), body_of(name="api"), body_of("Namespace")).manifests) == 4


def test_a_crd_of_the_set_announces_its_kind() -> None:
    """A custom resource may come with its definition; it is known, but not served yet."""
    resolved = _resolve(_WIDGET, _crd())
    widget = ref("Widget", namespace="default", group="example.com")
    assert not resolved.problems
    assert resolved.resources[widget] == Resource(
        "example.com",
        "v1",
        "Widget",
        "widgets",
        namespaced=True,
        subresources=frozenset({"status", "scale"}),
        served=False,
    )


def test_an_announced_kind_may_be_cluster_scoped() -> None:
    """The CRD's scope decides, as the server's would."""
    resolved = _resolve(_crd(scope="Cluster"), _WIDGET)
    assert ref("Widget", group="example.com") in resolved.manifests


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({"names": None}, id="no-names"),
        pytest.param({"versions": "v1"}, id="versions-no-list"),
        pytest.param({"versions": ["v1"]}, id="version-no-mapping"),
        pytest.param({"versions": [{"name": "v1", "served": False}]}, id="version-not-served"),
        pytest.param({"versions": [{"name": "v2", "served": True}]}, id="another-version"),
        pytest.param({"group": "example.org"}, id="another-group"),
    ],
)
def test_a_crd_that_does_not_fit_announces_nothing(spec: Body) -> None:
    """Then the kind is unknown, and nothing crashes: the server will say what is wrong with the CRD."""
    resolved = _resolve(_crd(**spec), _WIDGET)
    assert [problem.trouble for problem in resolved.problems.values()] == [Trouble.UNKNOWN_KIND]


@pytest.mark.parametrize("subresources", [None, [{}], "status"], ids=["null", "list", "text"])
def test_odd_subresources_of_a_crd_are_none(subresources: object) -> None:
    """The kind is announced all the same."""
    version = {"name": "v1", "served": True, "subresources": subresources}
    resolved = _resolve(_crd(versions=[version]), _WIDGET)
    assert resolved.resources[ref("Widget", namespace="default", group="example.com")].subresources == frozenset()


def test_a_definition_without_a_spec_is_passed_on() -> None:
    """It announces nothing and is sent as it is."""
    crd = body_of("CustomResourceDefinition", api="apiextensions.k8s.io/v1")
    assert not _resolve(crd).problems


@pytest.mark.parametrize(
    ("body", "stale", "hint"),
    [
        pytest.param(_WIDGET, (), "install its CustomResourceDefinition", id="no-such-kind"),
        pytest.param(body_of("Deployment", api="apps/v1beta2"), (), "apps/v1, apps/v1beta1", id="another-version"),
        pytest.param(_WIDGET, ("example.com",), "does not answer", id="stale-group"),
    ],
)
def test_an_unknown_kind_says_what_to_do(body: Body, stale: tuple[str, ...], hint: str) -> None:
    """The object keeps the identity it was written with, and its problem a hint."""
    resolved = _resolve(body, stale=frozenset(stale))
    (problem,) = resolved.problems.values()
    assert problem.trouble is Trouble.UNKNOWN_KIND
    assert hint in problem.hint
    assert body["apiVersion"] in problem.message
    assert not resolved.resources


def test_what_is_yet_to_be_served_is_read_in_a_version_that_is() -> None:
    """A kind that gains a version has objects already; one that is new has none."""
    old, new = resource_of("Widget", "example.com/v1"), resource_of("Widget", "example.com/v2", served=False)
    gone = resource_of("Gadget", "example.com/v1", served=False)
    capabilities = Capabilities("v1", {("example.com", "Widget"): (old,)})
    resources = {ref("Widget", "a"): new, ref("Widget", "b"): old, ref("Gadget", "c"): gone}
    assert list(readable(resources, capabilities).values()) == [old, old, gone]


def test_a_member_of_a_kind_that_is_not_served() -> None:
    """It is gone with its kind, but not if that only doesn't answer."""
    widget = ref("Widget", group="example.com")
    assert unserved(widget, {}, Capabilities("v1", {})) is None
    silent = Capabilities("v1", {}, frozenset({"example.com"}))
    assert unserved(widget, {widget: resource_of("Widget", "example.com/v1")}, silent) is None
    problem = unserved(widget, {}, silent)
    assert problem is not None
    assert (problem.trouble, problem.verb) == (Trouble.UNAVAILABLE, "list")
