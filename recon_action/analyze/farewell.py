"""Giving an object back: the patch after which nothing on it is ours.

The fields that we applied go to `kubectl`, as if `kubectl apply --server-side` had applied them: whoever goes on
that way finds no conflict, and what Git drops later is removed.
"""

from recon_action.analyze.fieldset import difference, union
from recon_action.analyze.hold import HOLD, HOLDER
from recon_action.model import Body, LiveObject
from recon_action.model.inventory import PART_OF
from recon_action.model.live import FIELD_MANAGER

HEIR = "kubectl"
_OURS = frozenset({FIELD_MANAGER, HOLDER})
_MARKS: Body = {"f:metadata": {"f:labels": {f"f:{PART_OF}": {}}, "f:annotations": {f"f:{HOLD}": {}}}}


def farewell_patch(live: LiveObject, applyset: str) -> list[Body]:
    """The JSON patch that takes our label, hold and entries off `live`; [] if there are none.

    Another set's label stays. Replacing the resourceVersion by itself makes the server refuse the patch when the
    object has moved on.
    """
    metadata = live.body["metadata"]
    before = list(metadata.get("managedFields") or ())
    after = _entries(before)
    removed = [
        f"/metadata/{part}/{key.replace('/', '~1')}"
        for part, key, is_ours in (
            ("labels", PART_OF, live.applyset == applyset),
            ("annotations", HOLD, HOLD in (metadata.get("annotations") or {})),
        )
        if is_ours
    ]
    if not removed and after == before:
        return []
    operations: list[Body] = [{"op": "replace", "path": "/metadata/resourceVersion", "value": live.resource_version}]
    operations += [{"op": "remove", "path": path} for path in removed]
    if after != before:
        # An empty list would leave managedFields as they are; one empty entry clears them.
        operations.append({"op": "replace", "path": "/metadata/managedFields", "value": after or [{}]})
    return operations


def _entries(entries: list[Body]) -> list[Body]:
    """ManagedFields without our name; each entry of ours is united with the heir's, if it has one."""
    kept = [entry for entry in entries if entry.get("manager") not in _OURS]
    for entry in entries:
        fields = difference(entry.get("fieldsV1") or {}, _MARKS) if entry.get("manager") in _OURS else {}
        if not fields:
            continue
        heir = next((one for one in kept if _is_heir(one, entry)), None)
        if heir is None:
            kept.append(entry | {"manager": HEIR, "fieldsV1": fields})
        else:
            kept[kept.index(heir)] = heir | {"fieldsV1": union(heir.get("fieldsV1") or {}, fields)}
    return kept


def _is_heir(other: Body, entry: Body) -> bool:
    same = ("operation", "apiVersion", "subresource")
    return other.get("manager") == HEIR and all(other.get(key) == entry.get(key) for key in same)
