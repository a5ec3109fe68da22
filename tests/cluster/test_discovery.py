"""What the server serves, from its aggregated discovery."""

from typing import Any

import pytest
from local_server import Answer, LocalServer

from recon_action.cluster import Cluster, discover
from recon_action.errors import ClusterError
from recon_action.model import Body, Resource

_KIND = "APIGroupDiscoveryList"


def _entry(kind: str, plural: str, scope: str = "Namespaced", *subresources: str, **more: Any) -> Body:
    return {
        "resource": plural,
        "responseKind": {"group": "", "version": "", "kind": kind},
        "scope": scope,
        "verbs": ["get", "list", "patch"],
        "subresources": [{"subresource": name} for name in subresources],
        "singularResource": kind.lower(),
    } | more


def _group(name: str, **versions: list[Body]) -> Body:
    served = [
        {"version": version, "resources": entries, "freshness": "Current"} for version, entries in versions.items()
    ]
    return {"metadata": {"name": name} if name else {}, "versions": served}


class _Discovery:
    """A server with these groups; the three requests arrive in any order."""

    def __init__(self, server: LocalServer, core: list[Body], named: list[Body], **version: str) -> None:
        self._bodies = {
            "/version": {"gitVersion": "v1.37.2"} | version,
            "/api": {"kind": _KIND, "items": core},
            "/apis": {"kind": _KIND, "items": named},
        }
        server.next = self._next  # type: ignore[method-assign]
        self._server = server

    def _next(self, request: Any) -> Answer:
        self._server.asked.append(request)
        return Answer(self._bodies[request.path])


def test_kinds_are_found_with_all_that_matters(server: LocalServer, cluster: Cluster) -> None:
    """Group, versions in the server's order, plural, scope, verbs and subresources."""
    core = _group("", v1=[_entry("Namespace", "namespaces", "Cluster", "status", "finalize")])
    apps = _group("apps", v1=[_entry("Deployment", "deployments")], v1beta1=[_entry("Deployment", "deployments")])
    _Discovery(server, [core], [apps])
    found = discover(cluster)
    verbs = frozenset({"get", "list", "patch"})
    assert found.find("", "Namespace") == Resource(
        "",
        "v1",
        "Namespace",
        "namespaces",
        namespaced=False,
        verbs=verbs,
        subresources=frozenset({"status", "finalize"}),
    )
    assert found.named("namespace") is found.find("", "Namespace")
    assert [resource.api_version for resource in found.resources["apps", "Deployment"]] == ["apps/v1", "apps/v1beta1"]
    assert (found.version, found.stale) == ("v1.37.2", frozenset())
    assert sorted(asked.path for asked in server.asked) == ["/api", "/apis", "/version"]
    assert all("as=APIGroupDiscoveryList" in asked.headers["Accept"] for asked in server.asked if "api" in asked.path)


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(_entry("Review", "reviews", verbs=["create"]), id="only-created-never-stored"),
        pytest.param(_entry("Odd", "odds", responseKind=None), id="no-kind"),
        pytest.param({"resource": "bare"}, id="bare"),
    ],
)
def test_what_can_not_be_read_is_no_kind(server: LocalServer, cluster: Cluster, entry: Body) -> None:
    """SubjectAccessReview and its like are requests, not objects."""
    _Discovery(server, [], [_group("g", v1=[entry])])
    assert not discover(cluster).resources


def test_a_group_whose_service_does_not_answer_is_stale(server: LocalServer, cluster: Cluster) -> None:
    """Its kinds may be missing: that must not pass for "there are none"."""
    stale = {"metadata": {"name": "metrics.k8s.io"}, "versions": [{"version": "v1", "freshness": "Stale"}]}
    _Discovery(server, [], [stale, _group("apps", v1=[])])
    assert discover(cluster).stale == {"metrics.k8s.io"}


@pytest.mark.parametrize(
    ("version", "text"),
    [
        pytest.param({}, "v1.37.2", id="plain"),
        pytest.param({"emulationMajor": "1", "emulationMinor": "37"}, "v1.37.2", id="emulates-itself"),
        pytest.param(
            {"emulationMajor": "1", "emulationMinor": "34"}, "v1.34 (emulated by v1.37.2)", id="emulates-an-older-one"
        ),
    ],
)
def test_the_version_names_what_is_emulated(
    server: LocalServer, cluster: Cluster, version: dict[str, str], text: str
) -> None:
    """A server that emulates an older one behaves like it."""
    _Discovery(server, [], [], **version)
    assert discover(cluster).version == text


def test_a_server_without_aggregated_discovery_is_too_old(server: LocalServer, cluster: Cluster) -> None:
    """It answers with the old form; the message names its version."""
    server.answers = [Answer({"kind": "APIVersions", "gitVersion": "v1.24.0"})]
    with pytest.raises(ClusterError, match=r"v1\.24\.0") as caught:
        discover(cluster)
    assert "newer" in caught.value.hint
