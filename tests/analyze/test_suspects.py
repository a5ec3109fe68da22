"""Which objects the server is asked about, and what is remembered of its answers."""

from dataclasses import replace
from typing import Any

import pytest
from objects import body_of, entry_of, live_of, resource_of

from recon_action.analyze.memo import memo_of
from recon_action.analyze.suspects import sift
from recon_action.model import Body, Epoch, Inventory, LiveObject, Member, ref_of

_PAYLOAD = body_of(data={"a": "1"})
_REF = ref_of(_PAYLOAD)
_EPOCH = Epoch("v1.37.2")
_PROVEN = live_of(_PAYLOAD, entry_of({"f:data": {"f:a": {}}}))
_SUSPECT = live_of(_PAYLOAD)


def _sift(live: LiveObject | None, epoch: Epoch | None = _EPOCH, known: str = _EPOCH.digest, memo: str = "") -> Any:
    inventory = Inventory("t", "ns", members={_REF: Member(_REF, "uid-1", "", memo)}, epoch=known)
    objects = {_REF: live} if live else {}
    return sift({_REF: _PAYLOAD}, objects, {_REF: resource_of()}, inventory, epoch)


def test_a_proven_object_is_settled() -> None:
    """Under the remembered epoch a proof spares the question."""
    assert _sift(_PROVEN).settled == {_REF}


@pytest.mark.parametrize(
    ("epoch", "known"),
    [(_EPOCH, "another"), (_EPOCH, ""), (None, _EPOCH.digest)],
    ids=["new", "none-yet", "unreadable"],
)
def test_without_the_epoch_nothing_is_settled(epoch: Epoch | None, known: str) -> None:
    """Admission or schemas may have changed: everything is a suspect."""
    assert not _sift(_PROVEN, epoch, known).settled


def test_a_suspect_is_settled_once_remembered() -> None:
    """What the server judged the same is not asked again while nothing of it moves."""
    first = _sift(_SUSPECT)
    assert not first.settled
    assert _sift(_SUSPECT, memo=first.memos[_REF]).settled == {_REF}
    moved = live_of(_PAYLOAD | {"data": {"a": "1", "b": "2"}})
    assert not _sift(moved, memo=first.memos[_REF]).settled


def test_a_missing_object_is_no_suspect() -> None:
    """There is nothing to prove of it."""
    sifted = _sift(None)
    assert (sifted.settled, sifted.memos) == (frozenset(), {})


@pytest.mark.parametrize(
    ("change", "is_same"),
    [
        pytest.param({"status": {"x": 1}}, True, id="status"),
        pytest.param({"data": {"a": "2"}}, False, id="content"),
    ],
)
def test_what_a_memo_rests_on(change: Body, is_same: bool) -> None:
    """A status write leaves the memory standing, a change of content doesn't."""
    changed = LiveObject(_REF, _SUSPECT.body | change)
    assert (memo_of(_PAYLOAD, changed, "e") == memo_of(_PAYLOAD, _SUSPECT, "e")) is is_same


def test_a_memo_rests_on_payload_entry_and_epoch() -> None:
    """Each of them makes another memory."""
    memos = {
        memo_of(_PAYLOAD, _SUSPECT, "e"),
        memo_of(_PAYLOAD | {"data": {}}, _SUSPECT, "e"),
        memo_of(_PAYLOAD, _PROVEN, "e"),
        memo_of(_PAYLOAD, _SUSPECT, "f"),
    }
    assert len(memos) == 4


def test_nothing_is_remembered_of_secrets_or_without_an_epoch() -> None:
    """A hash of a Secret's values would be a guessing oracle."""
    secret = body_of("Secret", data={"a": "MQ=="})
    assert memo_of(secret, live_of(secret), "e") == ""
    assert memo_of(_PAYLOAD, _SUSPECT, "") == ""


def test_epoch() -> None:
    """Its digest moves with version and rows; new CRDs can be taken out of it."""
    row = ("CustomResourceDefinition", "widgets.example.com", "uid", "1")
    webhook = ("MutatingWebhookConfiguration", "w", "uid", "1")
    epoch = Epoch("v1", (row, webhook))
    assert epoch.digest != replace(epoch, version="v2").digest
    assert epoch.digest != Epoch("v1", (webhook,)).digest
    assert epoch.without_definitions({"widgets.example.com", "w"}) == Epoch("v1", (webhook,))
