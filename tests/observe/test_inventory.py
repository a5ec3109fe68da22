"""The inventory as it is read, and the cluster's identity."""

import pytest
from fake_cluster import FakeCluster
from objects import body_of, ref

from recon_action.cluster import RequestError
from recon_action.errors import ClusterError
from recon_action.model import Inventory, Member, Trouble
from recon_action.model.inventory import encode
from recon_action.observe import cluster_uid, read_inventory

_WEB = ref(name="web", namespace="shop")


def test_no_inventory_is_an_empty_one() -> None:
    """The first run of a target."""
    assert read_inventory(FakeCluster().door, "shop", "ops") == Inventory("shop", "ops")


def test_the_inventory_is_read() -> None:
    """With the resourceVersion that guards the next write."""
    cluster = FakeCluster(encode(Inventory("shop", "ops", {_WEB: Member(_WEB, "u", "h")}), "t"))
    found = read_inventory(cluster.door, "shop", "ops")
    assert found.members == {_WEB: Member(_WEB, "u", "h")}
    assert found.resource_version == "100"


def test_a_config_map_of_that_name_that_is_none_is_an_error() -> None:
    """It is someone else's."""
    with pytest.raises(ClusterError, match="can't be read"):
        read_inventory(FakeCluster(body_of(name="recon-action-shop", namespace="ops")).door, "shop", "ops")


@pytest.mark.parametrize("trouble", [Trouble.FORBIDDEN, Trouble.UNREACHABLE, Trouble.UNAVAILABLE])
def test_an_inventory_that_can_not_be_read_is_never_an_empty_one(trouble: Trouble) -> None:
    """Or everything that it holds would be forgotten."""
    cluster = FakeCluster()
    cluster.refuse("get", "recon-action-shop", trouble)
    with pytest.raises(RequestError):
        read_inventory(cluster.door, "shop", "ops")


def test_the_cluster_is_known_by_kube_systems_uid() -> None:
    """It lives as long as the cluster."""
    assert cluster_uid(FakeCluster(body_of("Namespace", "kube-system")).door) == "uid-kube-system"


@pytest.mark.parametrize("trouble", [Trouble.FORBIDDEN, Trouble.MISSING])
def test_a_cluster_may_hide_its_identity(trouble: Trouble) -> None:
    """Then it is unknown, and the run goes on."""
    cluster = FakeCluster()
    cluster.refuse("get", "kube-system", trouble)
    assert cluster_uid(cluster.door) == ""


def test_a_cluster_that_does_not_answer_is_an_error() -> None:
    """Not one without identity."""
    cluster = FakeCluster()
    cluster.refuse("get", "kube-system", Trouble.UNREACHABLE)
    with pytest.raises(RequestError):
        cluster_uid(cluster.door)
