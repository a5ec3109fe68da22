"""What predecessors left: what would go, what changes hands, and what never does."""

import json
from typing import Any

import pytest
from objects import body_of, entry_of, live_of

from recon_action.analyze.surplus import Filling
from recon_action.analyze.takeover import TakeOver, is_predecessor, take_over
from recon_action.model import Body, Cause, Handover, LiveObject

_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_GIT = body_of(data={"a": "1"})
_FIELDS = {"f:data": {"f:a": {}, "f:b": {}}}
_COPY_FIELD = {"f:metadata": {"f:annotations": {".": {}, f"f:{_LAST_APPLIED}": {}}}}
_CLIENT_SIDE = ("kubectl-client-side-apply", "Update")
_OURS = entry_of({"f:data": {"f:a": {}}})


def _live(*entries: Body, annotations: dict[str, str] | None = None, **more: Any) -> LiveObject:
    metadata: Body = {"name": "web"} | ({"annotations": annotations} if annotations else {})
    return live_of(body_of(metadata=metadata, data={"a": "1", "b": "2"}, **more), *entries)


def _found(live: LiveObject, *allowed: str, remembered: bool = False, git: Body = _GIT) -> TakeOver:
    return take_over(git, live, allowed=frozenset(allowed), remembered=remembered, filling=Filling())


def _told(found: TakeOver) -> dict[str, tuple[Any, Cause, str, str]]:
    return {str(change.path): (change.live, change.cause, change.tool, change.since) for change in found.changes}


@pytest.mark.parametrize(
    ("manager", "operation", "more", "predecessor"),
    [
        ("kubectl-client-side-apply", "Update", {}, True),
        ("kubectl", "Apply", {}, True),
        ("kubectl", "Update", {}, False),
        ("kubectl-edit", "Update", {}, False),
        ("helm", "Update", {}, True),
        ("Helm", "Apply", {}, True),
        ("argocd-controller", "Apply", {}, True),
        ("kustomize-controller", "Apply", {}, True),
        ("kapp", "Update", {}, True),
        ("HashiCorp", "Update", {}, True),
        ("helm", "Update", {"subresource": "status"}, False),
        ("before-first-apply", "Update", {}, False),
        ("recon-action", "Apply", {}, False),
        ("deployer", "Update", {"fieldsV1": _COPY_FIELD}, True),
        ("deployer", "Apply", {"fieldsV1": _COPY_FIELD}, False),
        ("some-controller", "Update", {"fieldsV1": _COPY_FIELD}, False),
    ],
)
def test_who_is_a_predecessor(manager: str, operation: str, more: Body, predecessor: bool) -> None:
    """Known appliers, and whoever keeps last-applied; never a subresource, the server's own entry, or we."""
    (entry,) = _live(entry_of(_FIELDS, manager, operation) | more).entries
    assert is_predecessor(entry) is predecessor


def test_at_first_contact_the_difference_is_gits() -> None:
    """The object is new in Git; its old applier's entry and copy go."""
    entry = entry_of(_FIELDS, *_CLIENT_SIDE, time="2026-01-01T00:00:00Z")
    found = _found(_live(entry, annotations={_LAST_APPLIED: json.dumps(body_of(data={"a": "1", "b": "2"}))}))
    assert _told(found) == {"data.b": ("2", Cause.GIT, "kubectl-client-side-apply", "2026-01-01T00:00:00Z")}
    assert found.handover == Handover(frozenset({_CLIENT_SIDE}), drop_annotations=(_LAST_APPLIED,))
    assert found.active == ()
    assert not found.changes[0].additive


def test_later_it_is_the_tools() -> None:
    """And the tool is still active."""
    found = _found(_live(_OURS, entry_of(_FIELDS, *_CLIENT_SIDE)), remembered=True)
    assert [(path, told[1]) for path, told in _told(found).items()] == [("data.b", Cause.MANUAL)]
    assert [entry.manager for entry in found.active] == ["kubectl-client-side-apply"]


def test_a_copy_tells_fields_from_defaults() -> None:
    """What a plain write owns beyond the copy was filled in; an unreadable copy tells nothing."""
    entry = entry_of(_FIELDS, *_CLIENT_SIDE)
    assert _told(_found(_live(entry, annotations={_LAST_APPLIED: json.dumps(_GIT)}))) == {}
    for broken in ("{", "[]"):
        found = _found(_live(entry, annotations={_LAST_APPLIED: broken}))
        assert list(_told(found)) == ["data.b"]
        assert found.handover is not None
        assert found.handover.drop_annotations == (_LAST_APPLIED,)
    kapp = entry_of(_FIELDS, "kapp", "Update")
    assert _told(_found(_live(kapp, annotations={"kapp.k14s.io/original": json.dumps(_GIT)}))) == {}


def test_a_copy_that_git_declares_is_git_s() -> None:
    """An annotation in the manifest is not dropped."""
    git = body_of(metadata={"name": "web", "annotations": {_LAST_APPLIED: "x"}}, data={"a": "1"})
    found = _found(_live(entry_of(_FIELDS, *_CLIENT_SIDE), annotations={_LAST_APPLIED: "x"}), git=git)
    assert found.handover == Handover(frozenset({_CLIENT_SIDE}))


def test_a_field_of_two_predecessors_is_told_once() -> None:
    """With the tool that wrote last."""
    old = entry_of(_FIELDS, "helm", "Update", time="2026-01-01T00:00:00Z")
    new = entry_of(_FIELDS, "kapp", "Update", time="2026-02-01T00:00:00Z")
    found = _found(_live(old, new))
    assert [told[2] for told in _told(found).values()] == ["kapp"]
    assert found.handover is not None
    assert found.handover.managers == {("helm", "Update"), ("kapp", "Update")}


@pytest.mark.parametrize("keeper", [("some-controller", "Update"), ("kubectl-edit", "Update")])
def test_what_another_keeps_would_not_go(keeper: tuple[str, str]) -> None:
    """A co-owner's field stays whoever gives it up."""
    found = _found(_live(entry_of(_FIELDS, "helm", "Update"), entry_of({"f:data": {"f:b": {}}}, *keeper)))
    assert found.changes == ()
    assert found.handover == Handover(frozenset({("helm", "Update")}))


def test_nothing_to_take() -> None:
    """Only our entry, or none."""
    assert _found(_live()) == _found(_live(_OURS)) == TakeOver()


def test_entries_of_another_version_stay() -> None:
    """An entry holds fields of one version; at first contact that of Git counts, else the first."""
    ours, other = entry_of(_FIELDS, "helm", "Update"), entry_of(_FIELDS, "kapp", "Update") | {"apiVersion": "v1beta1"}
    for entries, taken in (((ours, other), "helm"), ((other,), "kapp"), ((_OURS, other), None)):
        handover = _found(_live(*entries)).handover
        assert ([manager for manager, _ in handover.managers] if handover else [None]) == [taken]


def _argo(*entries: Body) -> LiveObject:
    mark = "argocd.argoproj.io/tracking-id"
    marked = entry_of({"f:metadata": {"f:annotations": {f"f:{mark}": {}}}, **_FIELDS}, "argocd-controller")
    return _live(marked, *entries, annotations={mark: "shop"})


def test_a_living_owner_is_left_alone() -> None:
    """Its fields are told, its marks aren't, and nothing changes hands; unless it is to be replaced."""
    found = _found(_argo())
    assert (list(_told(found)), found.handover, found.owner and found.owner.name) == (["data.b"], None, "argocd")
    taken = _found(_argo(), "argocd")
    assert taken.owner is None
    assert set(_told(taken)) == {"data.b", 'metadata.annotations["argocd.argoproj.io/tracking-id"]'}
    assert taken.handover == Handover(frozenset({("argocd-controller", "Apply")}))


def test_an_owner_without_an_entry() -> None:
    """Its mark is enough."""
    live = _live(annotations={"argocd.argoproj.io/tracking-id": "shop"})
    assert _found(live).owner is not None
    assert _found(live, "argocd") == TakeOver()


def test_before_the_server_tracked_owners() -> None:
    """Of the server's own entry only what last-applied states is taken; without a copy nothing is."""
    before = entry_of(_FIELDS | {"f:kind": {}}, "before-first-apply", "Update")
    copy = {_LAST_APPLIED: json.dumps(body_of(data={"a": "1", "b": "2"}))}
    found = _found(_live(_OURS, before, annotations=copy), remembered=True)
    assert list(_told(found)) == ["data.b"]
    assert found.handover == Handover(take={"f:data": {"f:b": {}}}, drop_annotations=(_LAST_APPLIED,))
    assert _found(_live(_OURS, before), remembered=True) == TakeOver()


def test_what_git_dropped_and_only_the_servers_own_entry_keeps() -> None:
    """We had applied it, so it goes: an apply alone would leave it with that entry. Nobody wrote since."""
    before = entry_of(_FIELDS, "before-first-apply", "Update", time="2026-01-01T00:00:00Z")
    ours = entry_of({"f:data": {"f:b": {}}})
    found = _found(_live(ours, before), remembered=True)
    assert _told(found) == {"data.b": ("2", Cause.GIT, "before-first-apply", "")}
    assert found.handover == Handover(take={"f:data": {"f:b": {}}})
    keeper = entry_of({"f:data": {"f:b": {}}}, "some-controller", "Update")
    assert _found(_live(ours, before, keeper), remembered=True) == TakeOver()


def test_what_a_predecessor_and_the_servers_own_entry_hold() -> None:
    """It goes if the copy states it; else the server's entry keeps it."""
    before, argo = entry_of(_FIELDS, "before-first-apply", "Update"), entry_of(_FIELDS, "kubectl", "Apply")
    copy = {_LAST_APPLIED: json.dumps(body_of(data={"a": "1", "b": "2"}))}
    found = _found(_live(argo, before, annotations=copy))
    assert list(_told(found)) == ["data.b"]
    assert found.handover is not None
    assert found.handover.take == {"f:data": {"f:b": {}}}
    kept = _found(_live(argo, before))
    assert (kept.changes, kept.handover) == ((), Handover(frozenset({("kubectl", "Apply")})))
