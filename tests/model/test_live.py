"""Observed objects: their managedFields, parsed."""

import pytest
from objects import body_of, entry_of, live_of

from recon_action.model import LiveObject, ManagedEntry, ref_of


def test_entries_are_parsed() -> None:
    """Every entry keeps manager, operation, version, time, subresource and fields."""
    raw = entry_of({"f:data": {}}, "kubectl", "Update", time="2026-01-02T03:04:05Z", subresource="scale")
    assert live_of(body_of(), raw).entries == (
        ManagedEntry("kubectl", "Update", "v1", "2026-01-02T03:04:05Z", "scale", {"f:data": {}}),
    )


@pytest.mark.parametrize(
    ("raw", "ours"),
    [
        pytest.param(entry_of({}), True, id="our-apply"),
        pytest.param(entry_of({}, operation="Update"), False, id="our-name-but-an-update"),
        pytest.param(entry_of({}, subresource="status"), False, id="a-subresource"),
        pytest.param(entry_of({}, "kubectl"), False, id="another-manager"),
        pytest.param({"manager": "recon-action"}, False, id="incomplete"),
    ],
)
def test_ours_is_only_our_own_apply(raw: dict[str, object], *, ours: bool) -> None:
    """Our entry has our manager, Apply, and no subresource."""
    assert (live_of(body_of(), raw).own_entry is not None) is ours


def test_an_object_without_managed_fields_or_identity() -> None:
    """A server may send neither; then nothing is owned and nothing is known."""
    body = body_of(metadata={"managedFields": None})
    live = LiveObject(ref_of(body), body)
    assert (live.entries, live.own_entry, live.uid, live.resource_version) == ((), None, "", "")
