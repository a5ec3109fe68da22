"""The patch that moves ownership: whole, guarded, and nothing that isn't meant."""

from typing import Any

import pytest
from objects import body_of, entry_of, live_of

from recon_action.analyze.fieldset import union
from recon_action.analyze.handover import handover_patch
from recon_action.model import Body, Handover, LiveObject

_A, _B, _AB = {"f:data": {"f:a": {}}}, {"f:data": {"f:b": {}}}, {"f:data": {"f:a": {}, "f:b": {}}}
_NEW = {"manager": "recon-action", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1"}
_HELM = frozenset({("helm", "Update")})


def _live(*entries: Body, annotations: dict[str, str] | None = None) -> LiveObject:
    metadata: Body = {"name": "web"} | ({"annotations": annotations} if annotations else {})
    return live_of(body_of(metadata=metadata), *entries, version="7")


def _entries(live: LiveObject, handover: Handover) -> list[Body] | None:
    """The managedFields that the patch writes; None if it leaves them."""
    for operation in handover_patch(live, handover):
        if operation["path"] == "/metadata/managedFields":
            written: list[Body] = operation["value"]
            return written
    return None


def test_a_predecessor_s_entry_becomes_ours() -> None:
    """Whole, in one patch that is good for this version alone; its copy goes along."""
    helm = entry_of(_AB, "helm", "Update", time="2026-01-01T00:00:00Z")
    handover = Handover(_HELM, drop_annotations=("a.b/c~d", "gone"))
    assert handover_patch(_live(helm, annotations={"a.b/c~d": "x", "other": "y"}), handover) == [
        {"op": "replace", "path": "/metadata/resourceVersion", "value": "7"},
        {
            "op": "replace",
            "path": "/metadata/managedFields",
            "value": [_NEW | {"time": "2026-01-01T00:00:00Z", "fieldsV1": _AB}],
        },
        {"op": "remove", "path": "/metadata/annotations/a.b~1c~0d"},
    ]


def test_what_is_ours_already_is_joined_with_it() -> None:
    """One entry of ours, with the later time; entries of others stay as they are."""
    ours = entry_of(_A, time="2026-03-01T00:00:00Z")
    status = entry_of({"f:status": {}}, "helm", "Update", subresource="status")
    edit = entry_of(_A, "kubectl-edit", "Update")
    helm = entry_of(_B, "helm", "Update", time="2026-01-01T00:00:00Z")
    assert _entries(_live(status, ours, helm, edit), Handover(_HELM)) == [
        _NEW | {"time": "2026-03-01T00:00:00Z", "fieldsV1": _AB},
        status,
        edit,
    ]


@pytest.mark.parametrize(
    ("holder", "left"),
    [
        pytest.param(entry_of(_AB, "kubectl-edit", "Update"), _A, id="a-part"),
        pytest.param(entry_of(_B, "kubectl-edit", "Update"), None, id="all-that-it-has"),
        pytest.param(entry_of(_AB, "before-first-apply", "Update"), _A, id="the-servers-own-entry"),
        pytest.param(entry_of(_AB, "some-controller", "Update"), _AB, id="a-controller"),
        pytest.param(entry_of(_AB, "kubectl", "Update", subresource="scale"), _AB, id="a-subresource"),
        pytest.param(entry_of(_AB, "recon-action", "Update"), _AB, id="admission-of-our-apply"),
        pytest.param(entry_of(_AB, "kubectl-edit", "Update") | {"apiVersion": "v2"}, _AB, id="another-version"),
    ],
)
def test_chosen_fields_are_taken_from_whoever_may_lose_them(holder: Body, left: Body | None) -> None:
    """And only these."""
    ours = entry_of({"f:data": {"f:c": {}}})
    written = _entries(_live(ours, holder), Handover(take=_B))
    if left == holder["fieldsV1"]:
        assert written is None
        return
    assert written is not None
    mine, *others = written
    assert mine["fieldsV1"] == union(ours["fieldsV1"], _B)
    assert others == ([holder | {"fieldsV1": left}] if left else [])


def test_disowned_fields_leave_our_entry() -> None:
    """Also those that would have been taken just now; an entry of nothing is none."""
    ours = entry_of(_AB)
    assert _entries(_live(ours), Handover(disown=_B)) == [_NEW | {"fieldsV1": _A}]
    assert _entries(_live(ours), Handover(disown=_AB)) == []
    both = Handover(_HELM, disown=_B)
    assert _entries(_live(entry_of(_A), entry_of(_B, "helm", "Update")), both) == [_NEW | {"fieldsV1": _A}]


@pytest.mark.parametrize(
    "handover", [Handover(_HELM), Handover(take=_B), Handover(disown=_B), Handover(drop_annotations=("gone",))]
)
@pytest.mark.parametrize("entries", [(), (entry_of(_A),), (entry_of(_A, "kubectl-edit", "Update"),)])
def test_what_is_done_needs_no_patch(handover: Handover, entries: tuple[Any, ...]) -> None:
    """So a run that was killed just after it goes on with the apply."""
    assert handover_patch(_live(*entries), handover) == []


def test_the_version_of_a_first_entry() -> None:
    """Git's if a predecessor wrote in it, else the predecessor's."""
    old = entry_of(_B, "helm", "Update") | {"apiVersion": "v1beta1"}
    written = _entries(_live(old), Handover(_HELM))
    assert written is not None
    assert written[0]["apiVersion"] == "v1beta1"
    assert _entries(_live(old, entry_of(_A, "helm", "Update")), Handover(_HELM)) == [_NEW | {"fieldsV1": _A}, old]


def test_keys_are_spelt_as_they_were_where_nothing_is_taken() -> None:
    """The server's own spelling of a key is no reason for a patch."""
    spelt = {"f:l": {'k:{"name":"\\u003ca"}': {".": {}}}}
    assert handover_patch(_live(entry_of(spelt)), Handover(_HELM, take=_B)) == []


def test_a_copy_alone_is_dropped() -> None:
    """Without touching ownership."""
    live = _live(entry_of(_A), annotations={"copy": "x"})
    assert handover_patch(live, Handover(drop_annotations=("copy",))) == [
        {"op": "replace", "path": "/metadata/resourceVersion", "value": "7"},
        {"op": "remove", "path": "/metadata/annotations/copy"},
    ]


def test_what_is_contested_stays_in_a_predecessor_s_entry() -> None:
    """All else of it becomes ours."""
    helm = entry_of(_AB, "helm", "Update")
    assert _entries(_live(helm), Handover(_HELM, spare=_B)) == [_NEW | {"fieldsV1": _A}, helm | {"fieldsV1": _B}]
    assert _entries(_live(helm), Handover(_HELM, spare=_AB)) is None
