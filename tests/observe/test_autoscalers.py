"""Reading autoscalers: one LIST a served kind, by namespace where the cluster may not be listed."""

from fake_cluster import FakeCluster
from objects import body_of, ref, resource_of

from recon_action.model import Capabilities, Trouble
from recon_action.observe.autoscalers import read_autoscalers

_HPA = resource_of("HorizontalPodAutoscaler", "autoscaling/v2")
_SERVED = Capabilities("v1", {("autoscaling", "HorizontalPodAutoscaler"): (_HPA,)})
_DEPLOYMENT = resource_of("Deployment", "apps/v1", "scale")
_SHOP = {ref("Deployment", "web", "shop", "apps"): _DEPLOYMENT}
_BOTH = {ref("Deployment", "web", "ops", "apps"): _DEPLOYMENT} | _SHOP
_BODIES = [body_of(_HPA.kind, "h", api="autoscaling/v2", namespace=namespace) for namespace in ("shop", "ops")]


def test_one_list_a_served_kind() -> None:
    """A kind that the server lacks costs nothing."""
    cluster = FakeCluster(*_BODIES)
    bodies, problems = read_autoscalers(cluster.door, _SHOP, _SERVED)
    assert (len(bodies), problems, cluster.calls) == (2, {}, [("list", _HPA.plural)])


def test_nothing_to_scale() -> None:
    """Then nothing is asked."""
    cluster = FakeCluster(*_BODIES)
    assert read_autoscalers(cluster.door, {ref(): resource_of()}, _SERVED) == ([], {})
    assert not cluster.calls


def test_by_namespace_where_that_is_allowed() -> None:
    """A cluster-wide LIST that is forbidden is made up for; a namespace that is closed too is told."""
    cluster = FakeCluster(*_BODIES)
    cluster.refuse("list", _HPA.plural, Trouble.FORBIDDEN)
    bodies, problems = read_autoscalers(cluster.door, _SHOP, _SERVED)
    assert ([body["metadata"]["namespace"] for body in bodies], problems) == (["shop"], {})
    cluster.refuse("list", f"{_HPA.plural} ops", Trouble.FORBIDDEN)
    bodies, problems = read_autoscalers(cluster.door, _BOTH, _SERVED)
    assert [body["metadata"]["namespace"] for body in bodies] == ["shop"]
    assert problems[_HPA.kind].trouble is Trouble.FORBIDDEN


def test_other_trouble_is_told() -> None:
    """It is not taken for an empty list."""
    cluster = FakeCluster(*_BODIES)
    cluster.refuse("list", _HPA.plural, Trouble.UNAVAILABLE)
    bodies, problems = read_autoscalers(cluster.door, _SHOP, _SERVED)
    assert (bodies, problems[_HPA.kind].trouble) == ([], Trouble.UNAVAILABLE)
