"""The inventory's codec: what is stored comes back, and what can't be read is said."""

import base64
import hashlib
import zlib
from dataclasses import replace
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon_action.errors import ClusterError
from recon_action.model import Body, Correction, Inventory, Member, ObjectRef
from recon_action.model.record import FORMAT, ROOM, decode, encode, part_name

_KEY = "inventory.json.z"
_WEB = ObjectRef("apps", "Deployment", "shop", "web")
_SHOP = ObjectRef("", "Namespace", "", "shop")


def _inventory(*members: Member, **more: Any) -> Inventory:
    return Inventory("shop", "recon-system", {member.ref: member for member in members}, **more)


def _parent(inventory: Inventory) -> Body:
    return encode(inventory, "recon-action/v0").parent


def _stored(record: object) -> Body:
    """A ConfigMap that holds `record` where ours would."""
    body = _parent(_inventory())
    body["binaryData"][_KEY] = base64.b64encode(zlib.compress(orjson.dumps(record))).decode()
    return body


_TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
_REFS = st.builds(ObjectRef, _TEXT, _TEXT, _TEXT, _TEXT)
_CORRECTIONS = st.lists(st.builds(Correction, _TEXT, _REFS, _TEXT, _TEXT), max_size=3)
_MEMBERS = st.lists(st.builds(Member, _REFS, _TEXT, _TEXT), max_size=8, unique_by=lambda member: member.ref)


@given(_MEMBERS, _TEXT, st.lists(_TEXT, max_size=3), _CORRECTIONS, _TEXT)
def test_what_is_stored_comes_back(
    members: list[Member], repository: str, paths: list[str], corrections: list[Correction], cluster_uid: str
) -> None:
    """decode(encode(x)) is x."""
    inventory = _inventory(
        *members, repository=repository, paths=tuple(paths), corrections=tuple(corrections), cluster_uid=cluster_uid
    )
    assert decode(_parent(inventory), "shop") == inventory


def test_the_resource_version_is_the_servers() -> None:
    """Whether an inventory exists is told by the resourceVersion that the server gave."""
    body = _parent(_inventory())
    assert not decode(body, "shop").exists
    body["metadata"]["resourceVersion"] = "7"
    assert decode(body, "shop").exists


def test_the_order_of_members_does_not_show() -> None:
    """The same members give the same bytes, so that an unchanged inventory is not written again."""
    one, two = Member(_WEB, "u1", "h1"), Member(_SHOP, "u2", "h2")
    assert _parent(_inventory(one, two)) == _parent(_inventory(two, one))


def test_is_an_applyset_parent() -> None:
    """Labels and annotations are those of KEP-3659, so that kubectl understands them."""
    members = (Member(_WEB), Member(_SHOP), Member(replace(_WEB, namespace="recon-system")))
    body = encode(_inventory(*members), "tool/v1").parent
    digest = hashlib.sha256(b"recon-action-shop.recon-system.ConfigMap.").digest()
    identity = f"applyset-{base64.urlsafe_b64encode(digest).decode().rstrip('=')}-v1"
    assert len(identity) == 55
    assert body["metadata"] == {
        "name": "recon-action-shop",
        "namespace": "recon-system",
        "labels": {"applyset.kubernetes.io/id": identity},
        "annotations": {
            "applyset.kubernetes.io/tooling": "tool/v1",
            "applyset.kubernetes.io/contains-group-kinds": "Deployment.apps,Namespace",
            "applyset.kubernetes.io/additional-namespaces": "shop",
        },
    }


@pytest.mark.parametrize(
    "other", [Inventory("blog", "recon-system"), Inventory("shop", "other-system")], ids=["target", "namespace"]
)
def test_the_id_tells_targets_apart(other: Inventory) -> None:
    """Name and namespace are both part of a set's identity."""
    assert other.id != _inventory().id


def _many(number: int) -> list[Member]:
    """Members as they come: random UIDs and hashes, which compress badly."""
    return [
        Member(
            ObjectRef("apps", "Deployment", f"team-{index % 97}", f"service-{index}"),
            str(index).rjust(8, "0") + hashlib.md5(str(index).encode()).hexdigest()[8:],
            hashlib.sha256(str(index).encode()).hexdigest(),
        )
        for index in range(number)
    ]


def _size(body: Body) -> int:
    return len(base64.b64decode(body["binaryData"][_KEY]))


def test_ten_thousand_members_fit_into_one() -> None:
    """A large target needs no second ConfigMap."""
    inventory = _inventory(*_many(10_000))
    record = encode(inventory, "t")
    assert (record.fresh, record.parts) == ((), ())
    assert _size(record.parent) < ROOM
    assert decode(record.parent, "shop") == inventory


def test_forty_thousand_members_are_in_parts() -> None:
    """No ConfigMap is too large, each part is named by its hash, and all come back."""
    inventory = _inventory(*_many(40_000))
    record = encode(inventory, "t")
    assert len(record.fresh) == len(record.parts) > 1
    assert all(_size(body) <= ROOM for body in (record.parent, *record.fresh))
    assert [body["metadata"]["name"] for body in record.fresh] == [part_name(inventory, one) for one in record.parts]
    asked: list[Inventory] = []

    def fetch(of: Inventory) -> tuple[Body, ...]:
        asked.append(of)
        return record.fresh

    assert decode(record.parent, "shop", fetch) == replace(inventory, parts=record.parts)
    assert [of.parts for of in asked] == [record.parts]


def _bulky(number: int = 1_000) -> list[Member]:
    """Few members that need as much room as many: two parts beside the parent."""
    noise = [hashlib.shake_256(str(index).encode()).hexdigest(2_000) for index in range(number)]
    return [Member(replace(_WEB, name=f"n{index}"), "u", "h", memo) for index, memo in enumerate(noise)]


def test_a_part_is_no_parent_and_no_target_has_its_name() -> None:
    """Other tools must not take it for a set, and target `shop-2` must not meet a part of `shop`."""
    inventory = _inventory(*_bulky())
    part = encode(inventory, "t").fresh[0]
    assert part["metadata"]["labels"] == {"recon-action.github.io/inventory": "shop"}
    assert part["metadata"]["name"].startswith("recon-action-shop.")
    assert part["metadata"]["namespace"] == "recon-system"


def test_a_part_that_has_not_changed_is_not_written_again() -> None:
    """Its name says what it holds."""
    members = _bulky()
    old = encode(_inventory(*members), "t")
    last = max(members, key=lambda member: member.ref)
    moved = [replace(member, uid="new") if member is last else member for member in members]
    new = encode(_inventory(*moved, parts=old.parts), "t")
    assert len(new.fresh) == 1
    assert new.parts[:-1] == old.parts[:-1]
    assert new.parts[-1] != old.parts[-1]


@pytest.mark.parametrize("kept", [slice(0), slice(1, None), slice(None, None, -1)], ids=["none", "fewer", "mixed"])
def test_an_inventory_without_one_of_its_parts_is_damaged(kept: slice) -> None:
    """Whatever is missing must not pass for a smaller inventory."""
    record = encode(_inventory(*_bulky()), "t")
    assert len(record.fresh) > 1
    with pytest.raises(ClusterError, match="damaged"):
        decode(record.parent, "shop", lambda _: record.fresh[kept])


def test_too_many_namespaces_are_not_listed() -> None:
    """Annotations have an end; a hint that is cut would be wrong."""
    members = [Member(ObjectRef("", "ConfigMap", f"namespace-{number:050}", "a")) for number in range(4_000)]
    annotations = _parent(_inventory(*members))["metadata"]["annotations"]
    assert "applyset.kubernetes.io/additional-namespaces" not in annotations
    assert sum(map(len, annotations.values())) < 256 * 1024


def test_one_member_that_is_too_large_is_left_to_the_server() -> None:
    """Splitting comes to an end where there is nothing left to split."""
    noise = "".join(hashlib.sha256(str(number).encode()).hexdigest() for number in range(40_000))
    record = encode(_inventory(Member(_WEB), paths=(noise,)), "t")
    assert not record.fresh
    assert _size(record.parent) > ROOM


@pytest.mark.parametrize(
    "binary_data",
    [
        pytest.param(None, id="no-data"),
        pytest.param({"other": "eA=="}, id="another-key"),
        pytest.param({_KEY: "not base64!"}, id="no-base64"),
        pytest.param({_KEY: base64.b64encode(b"plain").decode()}, id="not-compressed"),
        pytest.param({_KEY: base64.b64encode(zlib.compress(b"{")).decode()}, id="no-json"),
    ],
)
def test_a_damaged_inventory_is_an_error(binary_data: Body | None) -> None:
    """What was not written by us, or is damaged, stops the run and names the ConfigMap."""
    body = _parent(_inventory()) | {"binaryData": binary_data}
    with pytest.raises(ClusterError, match="recon-system/recon-action-shop can't be read"):
        decode(body, "shop")


@pytest.mark.parametrize(
    "record",
    [
        pytest.param([], id="no-mapping"),
        pytest.param({}, id="no-format"),
        pytest.param({"format": "new"}, id="no-number"),
        pytest.param({"format": FORMAT}, id="no-members"),
        pytest.param({"format": FORMAT, "members": [["apps"]]}, id="short-row"),
        pytest.param({"format": FORMAT, "members": 7}, id="members-no-list"),
    ],
)
def test_a_record_of_another_shape_is_an_error(record: object) -> None:
    """Valid JSON that is not our record is damage too, never a crash."""
    with pytest.raises(ClusterError, match="can't be read"):
        decode(_stored(record), "shop")


def test_a_cut_inventory_is_an_error() -> None:
    """Half of the bytes must not pass for a smaller inventory."""
    body = _parent(_inventory(Member(_WEB, "u1", "h1")))
    raw = base64.b64decode(body["binaryData"][_KEY])
    body["binaryData"][_KEY] = base64.b64encode(raw[: len(raw) // 2]).decode()
    with pytest.raises(ClusterError, match="damaged"):
        decode(body, "shop")


def test_a_newer_format_is_refused() -> None:
    """An old program must not trim what a newer one wrote."""
    with pytest.raises(ClusterError, match=f"has format {FORMAT + 1}") as caught:
        decode(_stored({"format": FORMAT + 1, "shape": "unknown"}), "shop")
    assert "newer" in caught.value.hint


def test_a_compressed_bomb_is_an_error() -> None:
    """Unpacking stops at a bound, so that a small ConfigMap can't fill the memory."""
    body = _parent(_inventory())
    bomb = zlib.compress(b'{"format":1,"x":"' + b" " * (65 * 1024 * 1024) + b'"}', 9)
    body["binaryData"][_KEY] = base64.b64encode(bomb).decode()
    with pytest.raises(ClusterError, match="damaged"):
        decode(body, "shop")
