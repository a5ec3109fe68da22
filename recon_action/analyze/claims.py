"""What others hold of an object that Git declares, and what becomes of it: taken over, reverted, told of, or let be."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from recon_action.analyze.additive import Additive, additive
from recon_action.analyze.compare import Difference
from recon_action.analyze.fieldset import union
from recon_action.analyze.surplus import Filling
from recon_action.analyze.takeover import TakeOver, take_over
from recon_action.model import AdditiveMode, Body, FieldChange, Handover, LiveObject, ObjectRef, Resource


@dataclass(frozen=True, slots=True)
class Policy:
    """What the run was told of others' fields.

    Args:
        take_over: living owners that are to be replaced.
        additive: what is done about fields that Git does not mention.
        may_ask: whether the server may be asked by dry runs.
        merged: objects of which Git does not decide more than it mentions, whoever set the rest.
    """

    take_over: frozenset[str] = frozenset()
    additive: AdditiveMode = AdditiveMode.REPORT
    may_ask: bool = True
    merged: frozenset[ObjectRef] = frozenset()


@dataclass(frozen=True, slots=True)
class Claims:
    """What others hold.

    Args:
        changes: fields that a predecessor set and Git lacks.
        additive: fields that a person's tool added.
        handover: what has to change hands before an apply; None if nothing has to.
        reason: what people have to know of other owners; "" if nothing.
        owner: the tool that manages the object and that we were not told to replace; "" if there is none.
        reverts: what a person's tool added is to go.
    """

    changes: tuple[FieldChange, ...] = ()
    additive: tuple[FieldChange, ...] = ()
    handover: Handover | None = None
    reason: str = ""
    owner: str = ""
    reverts: bool = False
    _taken: TakeOver = field(default_factory=TakeOver)

    @property
    def is_empty(self) -> bool:
        """Whether nobody holds anything, and nothing has to change hands."""
        return not (self.changes or self.additive or self.handover or self.owner or self.reverts)

    @property
    def is_telling(self) -> bool:
        """Whether there are fields to tell of."""
        return bool(self.changes or self.additive)

    def without_tracking(self, differences: Sequence[Difference]) -> list[Difference]:
        """`differences` less the marks by which a living owner tracks the object."""
        owner = self._taken.owner
        hidden = owner.tracking if owner else ()
        return [difference for difference in differences if difference[0] not in hidden]


def claims_on(
    payload: Body,
    live: LiveObject,
    resource: Resource,
    policy: Policy,
    *,
    remembered: bool,
    fresh: Body | None = None,
) -> Claims:
    """The claims of others on one object.

    Args:
        payload: what we would send.
        live: the object as stored.
        resource: its kind.
        policy: what the run was told.
        remembered: whether the inventory knows what we last applied.
        fresh: of a custom resource: the object as the server would make it anew; None if it wasn't asked.
    """
    filling = Filling(resource.built_in, fresh)
    taken = take_over(payload, live, allowed=policy.take_over, remembered=remembered, filling=filling)
    added = Additive()
    if live.ref in policy.merged:
        taken = TakeOver(owner=taken.owner)
    elif policy.additive is not AdditiveMode.IGNORE:
        added = additive(payload, live, filling)
    handover, reverts = taken.handover, policy.additive is AdditiveMode.REVERT
    if reverts and added.fields and taken.owner is None:
        known = handover or Handover()
        handover = replace(known, take=union(known.take, added.fields))
    owner = taken.owner.name if taken.owner else ""
    return Claims(taken.changes, added.changes, handover, _reason(taken), owner, reverts, taken)


def _reason(taken: TakeOver) -> str:
    owner = taken.owner
    if owner is not None:
        return f"{owner.title} manages it ({owner.unit}); not applied without --take-over {owner.name}"
    if not taken.active:
        return ""
    writers = [f"{entry.manager}" + (f" (last wrote {entry.time})" if entry.time else "") for entry in taken.active]
    return f"still applied by {', '.join(writers)}, which recon-action had taken over from"
