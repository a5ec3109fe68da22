"""The inventory as it is read, and the cluster's identity."""

import hashlib
from dataclasses import replace

import pytest
from fake_cluster import FakeCluster
from objects import body_of, ref, resource_of

from recon_action.cluster import RequestError
from recon_action.errors import ClusterError
from recon_action.model import Capabilities, Inventory, Member, Quiet, Trouble
from recon_action.model.record import encode, part_name
from recon_action.observe import cluster_uid, read_inventory, read_labelled

_WEB = ref(name="web", namespace="shop")


def test_no_inventory_is_an_empty_one() -> None:
    """The first run of a target."""
    assert read_inventory(FakeCluster().door, "shop", "ops") == Inventory("shop", "ops")


def test_the_inventory_is_read() -> None:
    """With the resourceVersion that guards the next write."""
    cluster = FakeCluster(encode(Inventory("shop", "ops", {_WEB: Member(_WEB, "u", "h")}), "t").parent)
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


def _bulky(seed: str) -> Inventory:
    """An inventory that one ConfigMap has no room for."""
    refs = [ref(name=f"{seed}{number}", namespace="shop") for number in range(250)]
    noise = {one: hashlib.shake_256(one.name.encode()).hexdigest(4_000) for one in refs}
    return Inventory("shop", "ops", {one: Member(one, memo=memo) for one, memo in noise.items()})


def test_members_in_parts_are_read() -> None:
    """One request more for each part."""
    record = encode(_bulky("a"), "t")
    cluster = FakeCluster(record.parent, *record.fresh)
    assert read_inventory(cluster.door, "shop", "ops").members == _bulky("a").members
    assert len(cluster.calls) == 1 + len(record.parts)


def test_an_inventory_without_a_part_is_never_a_smaller_one() -> None:
    """It is read once more, as it may have been written meanwhile, and then it is damaged."""
    cluster = FakeCluster(encode(_bulky("a"), "t").parent)
    with pytest.raises(ClusterError, match="damaged"):
        read_inventory(cluster.door, "shop", "ops")


def test_an_inventory_that_is_written_while_it_is_read_is_read_again() -> None:
    """The writer removes the parts of the old one; a reader that has the old parent begins anew."""
    old, new = encode(_bulky("a"), "t"), encode(_bulky("b"), "t")
    cluster = FakeCluster(old.parent)

    def write() -> None:
        for body in (*new.fresh, new.parent):
            cluster.put(body)

    cluster.refusals["get", part_name(_bulky("a"), old.parts[0])] = write
    assert read_inventory(cluster.door, "shop", "ops").members == _bulky("b").members


def test_an_inventory_that_is_removed_while_it_is_read_is_an_empty_one() -> None:
    """Somebody released the target."""
    old = encode(_bulky("a"), "t")
    cluster = FakeCluster(old.parent)
    cluster.refusals["get", part_name(_bulky("a"), old.parts[0])] = cluster.objects.clear
    assert read_inventory(cluster.door, "shop", "ops") == Inventory("shop", "ops")


def test_a_part_that_may_not_be_read_is_told_as_it_is() -> None:
    """Permission is missing, and nothing is damaged."""
    record = encode(_bulky("a"), "t")
    cluster = FakeCluster(record.parent, *record.fresh)
    cluster.refuse("get", part_name(_bulky("a"), record.parts[0]), Trouble.FORBIDDEN)
    with pytest.raises(RequestError):
        read_inventory(cluster.door, "shop", "ops")


def test_what_carries_the_label_is_found_of_every_kind_that_is_listed() -> None:
    """In the version that the server prefers; a kind that can't be listed is named."""
    applyset = Inventory("shop", "ops").id
    marked = {"labels": {"applyset.kubernetes.io/part-of": applyset}}
    cluster = FakeCluster(
        body_of("ConfigMap", "a", namespace="shop", metadata=marked),
        body_of("ConfigMap", "other", namespace="shop"),
        body_of("Secret", "b", namespace="shop", metadata=marked),
        body_of("Binding", "c", namespace="shop", metadata=marked),
    )
    kinds = [resource_of("ConfigMap"), resource_of("Secret"), replace(resource_of("Binding"), verbs=frozenset({"get"}))]
    capabilities = Capabilities("v1", {("", kind.kind): (kind,) for kind in kinds})
    cluster.refuse("list", "secrets", Trouble.FORBIDDEN)
    found = read_labelled(cluster.door, capabilities, applyset, Quiet())
    assert [live.ref.name for live in found.objects] == ["a"]
    assert found.unlisted == ("Secret (v1)",)
