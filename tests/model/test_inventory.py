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
from recon_action.model.inventory import FORMAT, decode, encode

_KEY = "inventory.json.z"
_WEB = ObjectRef("apps", "Deployment", "shop", "web")
_SHOP = ObjectRef("", "Namespace", "", "shop")


def _inventory(*members: Member, **more: Any) -> Inventory:
    return Inventory("shop", "recon-system", {member.ref: member for member in members}, **more)


def _stored(record: object) -> Body:
    """A ConfigMap that holds `record` where ours would."""
    body = encode(_inventory(), "recon-action/v0")
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
    assert decode(encode(inventory, "recon-action/v0"), "shop") == inventory


def test_the_resource_version_is_the_servers() -> None:
    """Whether an inventory exists is told by the resourceVersion that the server gave."""
    body = encode(_inventory(), "recon-action/v0")
    assert not decode(body, "shop").exists
    body["metadata"]["resourceVersion"] = "7"
    assert decode(body, "shop").exists


def test_the_order_of_members_does_not_show() -> None:
    """The same members give the same bytes, so that an unchanged inventory is not written again."""
    one, two = Member(_WEB, "u1", "h1"), Member(_SHOP, "u2", "h2")
    assert encode(_inventory(one, two), "t") == encode(_inventory(two, one), "t")


def test_is_an_applyset_parent() -> None:
    """Labels and annotations are those of KEP-3659, so that kubectl understands them."""
    body = encode(_inventory(Member(_WEB), Member(_SHOP), Member(replace(_WEB, namespace="recon-system"))), "tool/v1")
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


def test_ten_thousand_members_fit() -> None:
    """A large target stays below the 900 kB that one ConfigMap may hold with room to spare."""
    members = [
        Member(
            ObjectRef("apps", "Deployment", f"team-{number % 97}", f"service-{number}"),
            str(number).rjust(8, "0") + hashlib.md5(str(number).encode()).hexdigest()[8:],
            hashlib.sha256(str(number).encode()).hexdigest(),
        )
        for number in range(10_000)
    ]
    stored = encode(_inventory(*members), "recon-action/v0")
    assert len(stored["binaryData"][_KEY]) < 900_000
    assert len(decode(stored, "shop").members) == 10_000


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
    body = encode(_inventory(), "t") | {"binaryData": binary_data}
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
    body = encode(_inventory(Member(_WEB, "u1", "h1")), "t")
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
    body = encode(_inventory(), "t")
    bomb = zlib.compress(b'{"format":1,"x":"' + b" " * (65 * 1024 * 1024) + b'"}', 9)
    body["binaryData"][_KEY] = base64.b64encode(bomb).decode()
    with pytest.raises(ClusterError, match="damaged"):
        decode(body, "shop")
