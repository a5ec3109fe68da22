"""Identity, kinds and positions: how they are found and how they print."""

import pytest
from objects import body_of, manifest_of, resource_of

from recon_action.model import Body, Capabilities, Origin, Position, ref_of


@pytest.mark.parametrize(
    ("body", "text", "group"),
    [
        pytest.param(body_of("Deployment", api="apps/v1", namespace="shop"), "Deployment shop/web", "apps", id="named"),
        pytest.param(body_of("Namespace", "shop"), "Namespace shop", "", id="cluster-scoped"),
        pytest.param(body_of(metadata={"namespace": None}), "ConfigMap web", "", id="null-namespace"),
        pytest.param(body_of(metadata={"name": None}), "ConfigMap ", "", id="null-name"),
    ],
)
def test_an_identity_prints_as_reports_show_it(body: Body, text: str, group: str) -> None:
    """Kind, namespace and name; the version is no part of it."""
    assert (str(ref_of(body)), ref_of(body).group) == (text, group)


@pytest.mark.parametrize(
    ("version", "found"), [("", "apps/v1"), ("v1beta1", "apps/v1beta1"), ("v2", None)], ids=["any", "older", "unknown"]
)
def test_a_kind_is_found_in_a_version(version: str, found: str | None) -> None:
    """Without a version it is the server's preferred one."""
    served = (resource_of("Deployment", "apps/v1"), resource_of("Deployment", "apps/v1beta1"))
    resource = Capabilities("v1.37.2", {("apps", "Deployment"): served}).find("apps", "Deployment", version)
    assert (resource.api_version if resource else None) == found


def test_the_core_group_has_no_prefix() -> None:
    """`v1`, not `/v1`."""
    assert resource_of().api_version == "v1"


@pytest.mark.parametrize(
    ("api", "built_in"),
    [
        ("v1", True),
        ("apps/v1", True),
        ("networking.k8s.io/v1", True),
        ("gateway.networking.k8s.io/v1", False),
        ("example.com/v1", False),
    ],
)
def test_kubernetes_own_kinds_are_known_by_group(api: str, *, built_in: bool) -> None:
    """Others under k8s.io are CRDs all the same."""
    assert resource_of("Thing", api).built_in is built_in


@pytest.mark.parametrize(("api", "version"), [("v1", "v1"), ("apps/v1", "v1"), ("a.b/v1beta2", "v1beta2")])
def test_a_manifest_knows_its_version(api: str, version: str) -> None:
    """The version stands behind the group's slash."""
    assert manifest_of(body_of(api=api)).version == version


def test_a_position_prints_as_editors_read_it() -> None:
    """`file:line`."""
    assert Origin("app.yaml", line=3).position == Position("app.yaml", 3)
    assert str(Position("app.yaml", 3, 7)) == "app.yaml:3"
