"""What is read, with how many requests, and what is said of what can't be."""

import pytest
from fake_cluster import FakeCluster
from objects import body_of, ref, resource_of

from recon_action.model import Body, ObjectRef, Quiet, Resource, Trouble
from recon_action.model.inventory import PART_OF
from recon_action.observe import Snapshot, snapshot

_SET = "applyset-x"


def _labelled(name: str, namespace: str = "shop", **more: str) -> Body:
    return body_of(name=name, namespace=namespace, metadata={"labels": {PART_OF: _SET}}, **more)


def _wanted(*refs: ObjectRef, served: bool = True) -> dict[ObjectRef, Resource]:
    return {one: resource_of(one.kind, f"{one.group}/v1" if one.group else "v1", served=served) for one in refs}


def _snapshot(cluster: FakeCluster, wanted: dict[ObjectRef, Resource]) -> Snapshot:
    return snapshot(cluster.door, wanted, _SET, Quiet())


_WEB, _API = ref(name="web", namespace="shop"), ref(name="api", namespace="shop")


def test_one_list_finds_what_carries_the_label() -> None:
    """No request for an object that the list has; what else carries the label comes along."""
    cluster = FakeCluster(_labelled("web"), _labelled("stray"), body_of(name="foreign", namespace="shop"))
    found = _snapshot(cluster, _wanted(_WEB))
    assert {one.name for one in found.objects} == {"web", "stray"}
    assert cluster.calls == [("list", "configmaps")]


def test_what_lost_its_label_is_looked_up_by_name() -> None:
    """Label stripped, or never ours: one GET finds it; what isn't there is missing, not a problem."""
    cluster = FakeCluster(body_of(name="web", namespace="shop"))
    found = _snapshot(cluster, _wanted(_WEB, _API))
    assert list(found.objects) == [_WEB]
    assert not found.problems
    assert cluster.calls == [("list", "configmaps"), ("get", "web"), ("get", "api")]


@pytest.mark.parametrize(
    ("count", "calls"), [(20, [("get", f"n{number}") for number in range(20)]), (21, [("list", "configmaps shop")])]
)
def test_many_of_one_namespace_are_listed(count: int, calls: list[tuple[str, str]]) -> None:
    """Beyond 20 of a kind and namespace, one LIST is cheaper; it keeps only what was asked for."""
    names = [f"n{number}" for number in range(count)]
    cluster = FakeCluster(*(body_of(name=name, namespace="shop") for name in [*names, "foreign"]))
    wanted = _wanted(*(ref(name=name, namespace="shop") for name in names))
    assert _snapshot(cluster, wanted).objects.keys() == wanted.keys()
    assert cluster.calls == [("list", "configmaps"), *calls]


def test_nothing_is_looked_up_in_a_namespace_that_is_missing() -> None:
    """A new namespace's members are missing without a request each."""
    shop = ref("Namespace", "shop")
    cluster = FakeCluster()
    assert not _snapshot(cluster, _wanted(_WEB, shop)).objects
    assert ("get", "web") not in cluster.calls
    assert ("get", "shop") in cluster.calls


def test_a_namespace_that_can_not_be_read_hides_nothing() -> None:
    """Its members are looked up all the same."""
    cluster = FakeCluster(body_of(name="web", namespace="shop"))
    cluster.refuse("get", "shop", Trouble.FORBIDDEN)
    found = _snapshot(cluster, _wanted(_WEB, ref("Namespace", "shop")))
    assert _WEB in found.objects


def test_a_kind_that_is_not_served_yet_costs_nothing() -> None:
    """A CRD of the same set only announces it."""
    cluster = FakeCluster()
    assert _snapshot(cluster, _wanted(_WEB, served=False)) == Snapshot()
    assert not cluster.calls


def test_where_the_cluster_may_not_be_listed_its_namespaces_are() -> None:
    """One namespace that stays forbidden fails alone."""
    blog = ref(name="web", namespace="blog")
    cluster = FakeCluster(_labelled("web"), _labelled("web", "blog"))
    cluster.refuse("list", "configmaps", Trouble.FORBIDDEN)
    cluster.refuse("list", "configmaps blog", Trouble.FORBIDDEN)
    found = _snapshot(cluster, _wanted(_WEB, blog))
    assert list(found.objects) == [_WEB]
    assert {one: problem.trouble for one, problem in found.problems.items()} == {blog: Trouble.FORBIDDEN}
    assert cluster.calls == [("list", "configmaps"), ("list", "configmaps blog"), ("list", "configmaps shop")]


@pytest.mark.parametrize(
    ("one", "trouble"),
    [
        pytest.param(_WEB, Trouble.UNAVAILABLE, id="another-trouble"),
        pytest.param(ref("ClusterRole"), Trouble.FORBIDDEN, id="cluster-scoped"),
    ],
)
def test_a_list_that_fails_is_the_failure_of_its_objects(one: ObjectRef, trouble: Trouble) -> None:
    """What was not read is never taken for missing, and not asked for again."""
    cluster = FakeCluster()
    cluster.refuse("list", f"{one.kind.lower()}s", trouble)
    found = _snapshot(cluster, _wanted(one))
    assert found.problems[one].trouble is trouble
    assert len(cluster.calls) == 1


@pytest.mark.parametrize("many", [False, True], ids=["get", "list"])
def test_a_look_up_that_fails_is_the_failure_of_its_objects(*, many: bool) -> None:
    """The others go on."""
    names = [f"n{number}" for number in range(21 if many else 2)]
    cluster = FakeCluster(*(body_of(name=name, namespace="shop") for name in names))
    cluster.refuse(*("list", "configmaps shop") if many else ("get", "n0"), Trouble.FORBIDDEN)
    found = _snapshot(cluster, _wanted(*(ref(name=name, namespace="shop") for name in names)))
    assert len(found.problems) == (21 if many else 1)
    assert len(found.objects) == len(names) - len(found.problems)


def test_a_kind_in_two_versions_is_read_in_the_manifests() -> None:
    """Both lists hold every object; each is kept in the version that its manifest has."""
    old, new = resource_of("Thing", "g/v1"), resource_of("Thing", "g/v2")
    one, two = ref("Thing", "one", "shop", "g"), ref("Thing", "two", "shop", "g")

    class TwoVersions(FakeCluster):
        def list_all(self, resource: Resource, **_: str) -> tuple[list[Body], str]:
            names = [body_of("Thing", name, api=resource.api_version, namespace="shop") for name in ("one", "two")]
            return names, "7"

    found = _snapshot(TwoVersions(), {one: old, two: new})
    assert {live.ref.name: live.body["apiVersion"] for live in found.objects.values()} == {"one": "g/v1", "two": "g/v2"}
