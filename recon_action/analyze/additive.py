"""Additive drift: fields that a person's tool holds and Git does not mention.

A server-side apply can't see them: they are nobody's business but their owner's. What a controller holds,
or a subresource such as `scale`, is its own and never counted. Fields that Git dropped and someone else
holds as well show up here too.
"""

from dataclasses import dataclass, field

from recon_action.analyze.fields import Node
from recon_action.analyze.fieldset import union
from recon_action.analyze.managers import cause_of, tool_of
from recon_action.analyze.surplus import Filling, first_of_each, surplus
from recon_action.analyze.takeover import BEFORE, is_predecessor
from recon_action.model import ABSENT, Body, Cause, FieldChange, FieldPath, LiveObject, ManagedEntry
from recon_action.model.live import FIELD_MANAGER


@dataclass(frozen=True, slots=True)
class Additive:
    """What was added to an object.

    Args:
        changes: field by field.
        fields: what has to become ours so that an apply removes them.
    """

    changes: tuple[FieldChange, ...] = ()
    fields: Node = field(default_factory=dict)


def additive(payload: Body, live: LiveObject, filling: Filling) -> Additive:
    """The fields of `live` that no controller and no predecessor holds, and that the payload lacks.

    Args:
        payload: what we would send.
        live: the object as stored.
        filling: what the server fills in by itself.
    """
    holders = [entry for entry in live.entries if _is_counted(entry, live)]
    if not holders:
        return Additive()
    kept = union(*(entry.fields for entry in live.entries if _is_kept(entry)))
    known: set[FieldPath] = set()
    changes: list[FieldChange] = []
    moving: list[Node] = []
    for entry in sorted(holders, key=lambda entry: entry.time, reverse=True):
        one = surplus(entry.fields, kept, payload, live, filling)
        moving.append(one.fields)
        changes += [
            FieldChange(path, ABSENT, value, cause_of(entry), tool_of(entry), entry.time, additive=True)
            for path, value in first_of_each(one.found, known)
        ]
    return Additive(tuple(changes), union(*moving))


def _is_counted(entry: ManagedEntry, live: LiveObject) -> bool:
    return (
        not entry.subresource
        and entry.manager not in {FIELD_MANAGER, BEFORE}
        and entry.version == live.body["apiVersion"]
        and not is_predecessor(entry)
        and cause_of(entry) is not Cause.CONTROLLER
    )


def _is_kept(entry: ManagedEntry) -> bool:
    """Whether what the entry holds would stay, whatever a person's tool gives up."""
    if entry.is_ours or is_predecessor(entry):
        return False
    # What admission adds to our own apply is an Update of ours.
    return bool(entry.subresource) or entry.manager == FIELD_MANAGER or cause_of(entry) is Cause.CONTROLLER
