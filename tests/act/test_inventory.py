"""The inventory written back, and what stands in the way."""

from dataclasses import replace

import pytest
from fake_cluster import FakeCluster
from objects import body_of, ref

from recon_action.act import store
from recon_action.cluster import RequestError
from recon_action.errors import ClusterError
from recon_action.model import Inventory, Member, Problem, Trouble
from recon_action.observe import read_inventory

_WEB = ref(name="web", namespace="shop")
_INVENTORY = Inventory("shop", "ops", {_WEB: Member(_WEB, "u", "h")})


def test_the_first_write_makes_the_namespace() -> None:
    """And what is stored reads back as it was."""
    cluster = FakeCluster()
    stored = store(cluster.door, _INVENTORY)
    assert [verb for verb, _ in cluster.calls] == ["get", "create", "apply"]
    assert stored == replace(_INVENTORY, resource_version=stored.resource_version)
    assert stored.exists
    assert read_inventory(cluster.door, "shop", "ops") == stored


def test_a_namespace_that_is_there_is_used() -> None:
    """One request finds it."""
    cluster = FakeCluster(body_of("Namespace", "ops"))
    store(cluster.door, _INVENTORY)
    assert [verb for verb, _ in cluster.calls] == ["get", "apply"]


def test_a_later_write_is_guarded_by_the_version_that_was_read() -> None:
    """Two runs must not overwrite each other's memory."""
    cluster = FakeCluster()
    first = store(cluster.door, _INVENTORY)
    cluster.calls.clear()
    second = store(cluster.door, replace(first, revision="new"))
    assert cluster.sent[-1]["metadata"]["resourceVersion"] == first.resource_version
    assert second.resource_version != first.resource_version
    assert cluster.calls == [("apply", "recon-action-shop")]


def test_another_runs_write_is_a_conflict() -> None:
    """The server refuses the old version; the run stops before it creates anything."""
    cluster = FakeCluster()
    cluster.refuse("apply", "recon-action-shop", Trouble.CONFLICT)
    with pytest.raises(ClusterError, match="at the same time"):
        store(cluster.door, replace(_INVENTORY, resource_version="1"))


def test_two_first_runs_may_race_for_the_namespace() -> None:
    """Whoever is second finds it made."""
    cluster = FakeCluster()
    cluster.refuse("create", "ops", Trouble.CONFLICT)
    assert store(cluster.door, _INVENTORY).exists


@pytest.mark.parametrize(
    "call", [("get", "ops"), ("create", "ops"), ("apply", "recon-action-shop")], ids=["look", "make", "write"]
)
def test_a_refusal_stops_the_run(call: tuple[str, str]) -> None:
    """Without an inventory nothing may be created: it would be forgotten."""
    cluster = FakeCluster()
    cluster.refusals[call] = Problem(Trouble.FORBIDDEN, "not you")
    with pytest.raises(RequestError, match="not you"):
        store(cluster.door, _INVENTORY)
