"""The patch that moves field ownership: one JSON patch, which only applies to the version it was made for."""

from typing import Any

from recon_action.analyze.fieldset import difference, intersection, union
from recon_action.analyze.managers import cause_of
from recon_action.model import Body, Cause, Handover, LiveObject, ManagedEntry
from recon_action.model.live import FIELD_MANAGER

Operation = dict[str, Any]


def handover_patch(live: LiveObject, handover: Handover) -> list[Operation]:
    """The operations that do what `handover` says of `live` as it is now; empty if there is nothing left to do.

    managedFields are written whole. Replacing the resourceVersion by itself makes the server refuse the
    patch with a conflict when the object has moved on.
    """
    metadata = live.body["metadata"]
    before = list(metadata.get("managedFields") or ())
    after = _entries(live, before, handover)
    annotations = metadata.get("annotations") or {}
    dropped = [name for name in handover.drop_annotations if name in annotations]
    if after == before and not dropped:
        return []
    operations: list[Operation] = [
        {"op": "replace", "path": "/metadata/resourceVersion", "value": live.resource_version}
    ]
    if after != before:
        operations.append({"op": "replace", "path": "/metadata/managedFields", "value": after})
    operations += [{"op": "remove", "path": f"/metadata/annotations/{_escaped(name)}"} for name in dropped]
    return operations


def _entries(live: LiveObject, raw: list[Body], handover: Handover) -> list[Body]:
    """All of managedFields after the handover: our entry first, the others less what was theirs."""
    own = live.own_entry
    version = own.version if own else _version(live, handover)
    ours = own.fields if own else {}
    time = own.time if own else ""
    others: list[Body] = []
    is_same = True
    for entry, body in zip(live.entries, raw, strict=True):
        if entry.is_ours:
            continue
        taken = _taken(entry, handover) if entry.version == version else {}
        if not taken:
            others.append(body)
            continue
        is_same = False
        ours, time = union(ours, taken), max(time, entry.time)
        if left := difference(entry.fields, taken):
            others.append(body | {"fieldsV1": left})
    if handover.disown:
        left = difference(ours, handover.disown)
        is_same, ours = is_same and left == ours, left
    if is_same:
        return raw
    if not ours:
        return others
    mine = {"manager": FIELD_MANAGER, "operation": "Apply", "apiVersion": version, "fieldsType": "FieldsV1"}
    return [mine | ({"time": time} if time else {}) | {"fieldsV1": ours}, *others]


def _taken(entry: ManagedEntry, handover: Handover) -> dict[str, Any]:
    if entry.subresource:
        return {}
    if (entry.manager, entry.operation) in handover.managers:
        return difference(entry.fields, handover.spare)
    if not handover.take or entry.manager == FIELD_MANAGER or cause_of(entry) is Cause.CONTROLLER:
        return {}
    return intersection(entry.fields, handover.take)


def _version(live: LiveObject, handover: Handover) -> str:
    """The version that our new entry is written in: an entry holds fields of one version alone."""
    versions = [entry.version for entry in live.entries if _taken(entry, handover)]
    wanted = str(live.body["apiVersion"])
    return wanted if wanted in versions or not versions else versions[0]


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
