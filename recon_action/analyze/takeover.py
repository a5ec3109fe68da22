"""Objects that another tool applied before us: what of its fields would go, and what makes them ours.

A server-side apply removes only what its own entry holds. So what a predecessor set and Git lacks would
stay for ever, until its entry becomes ours. Entries of subresources are never taken, nor the server's own
`before-first-apply`, for that one holds what controllers generated as well: of its fields only those go that
a client-side apply is known to have set, or that we applied and Git dropped since.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from recon_action.analyze.fields import Node
from recon_action.analyze.fieldset import difference, intersection, node_at, union
from recon_action.analyze.managers import cause_of, tool_of
from recon_action.analyze.owner import Owner, living_owner
from recon_action.analyze.surplus import COPIES, Filling, Surplus, first_of_each, mentioned, surplus
from recon_action.model import ABSENT, Body, Cause, FieldChange, FieldPath, Handover, LiveObject, ManagedEntry

BEFORE = "before-first-apply"
_UPDATE, _APPLY = "Update", "Apply"
_PREDECESSORS: frozenset[tuple[str, str]] = frozenset(
    {
        ("kubectl-client-side-apply", _UPDATE),
        ("kubectl", _APPLY),
        *(
            (manager, operation)
            for manager in (
                "helm",
                "Helm",
                "argocd-controller",
                "argocd-application-controller",
                "kustomize-controller",
                "helm-controller",
                "flux",
                "flux-client-side-apply",
                "kapp",
                "Terraform",
                "terraform",
                "HashiCorp",
            )
            for operation in (_UPDATE, _APPLY)
        ),
    }
)
_LAST_APPLIED = FieldPath(("metadata", "annotations", COPIES[0]))


@dataclass(frozen=True, slots=True)
class TakeOver:
    """What a predecessor left.

    Args:
        changes: its fields that Git lacks; they would go, or, under a living owner, they stay.
        handover: what makes its fields ours; None where there is nothing to take, or it may not be taken.
        owner: a tool that still manages the object and that we were not told to replace.
        active: predecessors that wrote again after we had taken over.
    """

    changes: tuple[FieldChange, ...] = ()
    handover: Handover | None = None
    owner: Owner | None = None
    active: tuple[ManagedEntry, ...] = ()


def is_predecessor(entry: ManagedEntry) -> bool:
    """Whether an entry is one that a take-over makes ours."""
    if entry.subresource or entry.is_ours or entry.manager == BEFORE:
        return False
    if (entry.manager, entry.operation) in _PREDECESSORS:
        return True
    applied = entry.operation == _UPDATE and node_at(entry.fields, _LAST_APPLIED) is not None
    return applied and cause_of(entry) is not Cause.CONTROLLER


def take_over(
    payload: Body, live: LiveObject, *, allowed: frozenset[str], remembered: bool, filling: Filling
) -> TakeOver:
    """What predecessors hold of an object.

    Args:
        payload: what we would send.
        live: the object as stored.
        allowed: living owners that are to be replaced: `argocd`, `flux`, `helm`.
        remembered: whether the inventory knows what we last applied.
        filling: what the server fills in by itself.
    """
    owner = living_owner(live, payload)
    if owner is not None and owner.name in allowed:
        owner = None
    taken = [entry for entry in live.entries if is_predecessor(entry)]
    before = [entry for entry in live.entries if entry.manager == BEFORE and not entry.subresource]
    if not taken and not before:
        return TakeOver(owner=owner)
    taken = _movable(taken, live)
    copies = _copies(live.body, payload)
    stated = [(entry, _stated(entry, copies)) for entry in taken]
    stated += [(entry, _known(entry, copies, live)) for entry in before]
    # What another holds stays; so does what the server's own entry holds beyond the copy.
    kept = union(
        *(entry.fields for entry in live.entries if not entry.is_ours and entry not in taken and entry not in before),
        *(difference(entry.fields, fields) for entry, fields in stated if entry in before),
    )
    found = [(entry, surplus(fields, kept, payload, live, filling)) for entry, fields in stated]
    is_new = not remembered and live.own_entry is None
    changes = _changes(found, is_new=is_new)
    if owner is not None:
        hidden = owner.tracking
        return TakeOver(tuple(change for change in changes if change.path not in hidden), owner=owner)
    handover = Handover(
        managers=frozenset((entry.manager, entry.operation) for entry in taken),
        take=union(*(one.fields for entry, one in found if entry in before)),
        drop_annotations=tuple(name for name in COPIES if name in copies) if taken or any(copies.values()) else (),
    )
    active = () if live.own_entry is None else tuple(taken)
    return TakeOver(changes, handover or None, active=active)


def _movable(entries: list[ManagedEntry], live: LiveObject) -> list[ManagedEntry]:
    """Those of one version: an entry, ours too, can't hold fields of several."""
    own, versions = live.own_entry, [entry.version for entry in entries]
    wanted = own.version if own else str(live.body["apiVersion"])
    if own is None and versions and wanted not in versions:
        wanted = versions[0]
    return [entry for entry in entries if entry.version == wanted]


def _stated(entry: ManagedEntry, copies: dict[str, Any]) -> Node:
    """The fields that a predecessor set itself: without the defaults that a plain write owns as well."""
    copy = copies.get(COPIES[1] if entry.manager == "kapp" else COPIES[0])
    return mentioned(entry.fields, copy) if copy and entry.operation == _UPDATE else entry.fields


def _known(entry: ManagedEntry, copies: dict[str, Any], live: LiveObject) -> Node:
    """The fields of the server's own entry that an apply had set: a client-side one before it was made, or ours."""
    copy, own = copies.get(COPIES[0]), live.own_entry
    return union(
        mentioned(entry.fields, copy) if copy else {},
        intersection(entry.fields, own.fields) if own else {},
    )


def _copies(live: Body, payload: Body) -> dict[str, Any]:
    """The copies in annotations that Git does not declare, decoded; {} for one that can't be."""
    annotations = live["metadata"].get("annotations") or {}
    declared = payload["metadata"].get("annotations") or {}
    return {name: _decoded(annotations[name]) for name in COPIES if name in annotations and name not in declared}


def _decoded(text: str) -> Body:
    try:
        body = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return body if isinstance(body, dict) else {}


def _changes(found: Sequence[tuple[ManagedEntry, Surplus]], *, is_new: bool) -> tuple[FieldChange, ...]:
    known: set[FieldPath] = set()
    return tuple(
        _change(path, value, entry, is_new=is_new)
        for entry, one in sorted(found, key=lambda pair: pair[0].time, reverse=True)
        for path, value in first_of_each(one.found, known)
    )


def _change(path: FieldPath, value: Any, entry: ManagedEntry, *, is_new: bool) -> FieldChange:
    if entry.manager == BEFORE:  # nobody has written since; and its time is that of our first apply
        return FieldChange(path, ABSENT, value, Cause.GIT, tool_of(entry))
    return FieldChange(path, ABSENT, value, Cause.GIT if is_new else cause_of(entry), tool_of(entry), entry.time)
