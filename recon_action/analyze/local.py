"""What a server-side apply would make of an object, worked out here: for those who may not ask the server.

The server's own steps, by its own OpenAPI: the payload is merged into the live object, what our entry
owns and the payload lacks goes unless someone else owns it too, and defaults are filled in. The result
takes the place of a dry run's answer. What it can't know: admission, and rules that exist only as the
API server's code beyond `defaults`.
"""

from dataclasses import dataclass
from typing import Any

from recon_action.analyze.defaults import allocated, defaults_of, dependent
from recon_action.analyze.equality import is_dropped, same
from recon_action.analyze.fields import Node, child
from recon_action.analyze.merge_order import merge_order
from recon_action.analyze.ownership import item_key, owned_fields
from recon_action.analyze.schema import Schema
from recon_action.analyze.service import settled_service
from recon_action.analyze.stored import is_omitted, is_stored_as, is_text_entry
from recon_action.model import ABSENT, Body, Item, LiveObject
from recon_action.model.live import FIELD_MANAGER


@dataclass(frozen=True, slots=True)
class _Owners:
    """Who owns something at one place: our last apply (None: nothing), and everyone else who does."""

    ours: Node | None
    others: tuple[Node, ...]

    def below(self, item: Item) -> "_Owners":
        ours = child(self.ours, item) if self.ours else None
        return _Owners(ours, tuple(node for each in self.others if (node := child(each, item)) is not None))


_NOBODY = _Owners(None, ())


def applied(payload: Body, live: LiveObject, schema: Schema) -> Body:
    """The object as it would be stored after an apply of `payload`, with our new managedFields entry."""
    ours = [entry.fields for entry in live.entries if entry.is_ours]
    others = tuple(entry.fields for entry in live.entries if not entry.is_ours)
    body: Body = _merged_map(schema, live.body, payload, _Owners(ours[0] if ours else None, others))
    kept = [
        entry
        for entry, parsed in zip(live.body["metadata"].get("managedFields") or (), live.entries, strict=True)
        if not parsed.is_ours
    ]
    entry = {
        "manager": FIELD_MANAGER,
        "operation": "Apply",
        "apiVersion": payload["apiVersion"],
        "fieldsV1": owned_fields(payload, schema),
    }
    body["metadata"] = {**body["metadata"], "managedFields": [*kept, entry]}
    return body


def _merged(schema: Schema, live: Any, desired: Any, owners: _Owners) -> Any:
    """What becomes of `live` where Git says `desired`."""
    if desired is None:
        return _nulled(schema, live, owners)
    if not _is_merged(schema, desired):
        return _replaced(schema, live, desired)
    if isinstance(desired, dict):
        return _merged_map(schema, live if isinstance(live, dict) else None, desired, owners)
    return _merged_list(schema, live if isinstance(live, list) else [], desired, owners)


def _is_merged(schema: Schema, value: Any) -> bool:
    """Whether `value` is merged with what is there, not put in its place."""
    return not schema.is_atomic_map if isinstance(value, dict) else isinstance(value, list) and schema.keys is not None


def _left(schema: Schema, live: Any, owners: _Owners) -> Any:
    """What remains of `live` where Git says nothing: all that we don't own, or not alone."""
    if owners.ours is None:
        return live
    if not owners.others:
        return ABSENT
    return _merged(schema, live, type(live)(), owners) if _is_merged(schema, live) else live


def _nulled(schema: Schema, live: Any, owners: _Owners) -> Any:
    """Null keeps what others have in a map or list; elsewhere it is nothing, unless null is a value."""
    if live and _is_merged(schema, live):
        return _merged(schema, live, type(live)(), owners)
    return None if schema.is_nullable else ABSENT


def _merged_map(schema: Schema, live: Body | None, desired: Body, owners: _Owners) -> Any:
    """The fields of both; nothing, if all that there were are taken away."""
    merged: Body = {}
    held: Body = live or {}
    for key in [*held, *(key for key in desired if key not in held)]:
        old, below = held.get(key, ABSENT), owners.below(key)
        value: Any
        if key not in desired:
            value = _left(schema.field(key), old, below)
        elif _is_left_out(schema, key, desired[key], old, below):
            value = ABSENT
        else:
            value = _merged(schema.field(key), old, desired[key], below)
        if value is ABSENT and key in desired and desired[key] is None and is_text_entry(schema, key):
            value = ""
        if value is not ABSENT:
            merged[key] = value
    if live and not merged and not desired:
        return ABSENT
    completed = _completed(schema, merged, live)
    return settled_service(completed, live) if live and schema.is_service else completed


def _is_left_out(schema: Schema, key: str, desired: Any, live: Any, owners: _Owners) -> bool:
    """Whether Git's value is empty and a built-in kind stores nothing for it."""
    if live is ABSENT:
        return is_omitted(schema, key, desired, is_owned=owners.ours is not None)
    if live is None or _is_merged(schema.field(key), desired):
        return False
    return desired is not None and is_omitted(schema, key, desired, is_owned=False) and not same(desired, live)


def _merged_list(schema: Schema, live: list[Any], desired: list[Any], owners: _Owners) -> Any:
    """The items of both, in the server's order; nothing, if all that there were are taken away."""
    old = {item_key(schema, item): item for item in live}
    new = {item_key(schema, item): item for item in desired}
    merged = []
    for key in merge_order(list(old), list(new)):
        below = owners.below(key)
        if key in new:
            value = _merged(schema.item, old.get(key, ABSENT), new[key], below)
        else:
            value = _left(schema.item, old[key], below)
        if value is not ABSENT:
            merged.append(value)
    return merged if merged or not live else ABSENT


def _replaced(schema: Schema, live: Any, desired: Any) -> Any:
    """A value that is replaced as a whole, in the form in which the server would store it."""
    if live is None and schema.is_built_in and is_dropped(desired):
        return live  # Go writes null for a list that has to be there and is empty
    if isinstance(desired, dict):
        return _replaced_map(schema, live if isinstance(live, dict) else {}, desired)
    if isinstance(desired, list):
        old = live if isinstance(live, list) and len(live) == len(desired) else [ABSENT] * len(desired)
        return [_replaced(schema.item, *pair) for pair in zip(old, desired, strict=True)]
    if desired is None and schema.is_built_in:  # in a list: elsewhere null has been left out
        return {"string": "", "object": {}}.get(schema.type)
    return live if is_stored_as(schema, desired, live) else desired


def _replaced_map(schema: Schema, live: Body, desired: Body) -> Body:
    replaced = {
        key: _replaced(schema.field(key), live.get(key, ABSENT), value)
        for key, value in desired.items()
        if (value is not None or schema.field(key).is_nullable)
        and not (is_omitted(schema, key, value, is_owned=False) and not same(value, live.get(key, ABSENT)))
        and not (schema.is_lenient and key not in schema.declared)
    }
    if schema.is_built_in:  # what Go always writes, be it empty
        replaced |= {
            key: value
            for key, value in live.items()
            if key not in replaced and (value is None or (is_dropped(value) and key in schema.defaults))
        }
    return _completed(schema, replaced, None)


def _completed(schema: Schema, value: Body, live: Body | None) -> Body:
    """`value` with the defaults that it lacks.

    What a built-in kind's live object lacks as well, this server doesn't fill in; a custom resource's
    defaults are all known.
    """
    found: Body = {}
    for key, default in schema.defaults.items():
        if key not in value:
            is_sure = not schema.is_built_in or (default and live is None)
            if is_sure or (live is not None and key in live):
                found[key] = default
    if schema.is_built_in:
        found |= {key: held for key, held in allocated(schema.name, live or {}).items() if not value.get(key)}
        for key, default in defaults_of(schema.name).items():
            if key not in value and (live is None or key in live):
                found[key] = default
        before = dependent(schema.name, live) if live is not None else {}
        found |= {
            key: default
            for key, default in dependent(schema.name, value | found).items()
            if live is None or key in live or key not in before
        }
    if not found:
        return value
    return value | {key: _filled(schema.field(key), default, (live or {}).get(key)) for key, default in found.items()}


def _filled(schema: Schema, default: Any, live: Any) -> Any:
    if not isinstance(default, dict):
        return default
    return _completed(schema, dict(default), live if isinstance(live, dict) else None)
