"""Which objects the server has to be asked about: those that are neither proven nor remembered to be in sync."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from recon_action.analyze.memo import memo_of
from recon_action.analyze.proof import is_proven
from recon_action.model import Body, Epoch, Inventory, LiveObject, ObjectRef, Resource


@dataclass(frozen=True, slots=True)
class Sifted:
    """The outcome of sifting.

    Args:
        settled: objects that need no question: an apply would change nothing.
        memos: of those that are not proven: what to remember if the server finds them the same.
    """

    settled: frozenset[ObjectRef] = frozenset()
    memos: Mapping[ObjectRef, str] = field(default_factory=dict)


def sift(
    payloads: Mapping[ObjectRef, Body],
    objects: Mapping[ObjectRef, LiveObject],
    resources: Mapping[ObjectRef, Resource],
    inventory: Inventory,
    epoch: Epoch | None,
) -> Sifted:
    """Part `payloads` into settled objects and suspects.

    Without an epoch, or in another one than the inventory remembers, everything is a suspect: admission
    or a schema may have changed what an apply would do.
    """
    digest = epoch.digest if epoch else ""
    settled: set[ObjectRef] = set()
    memos: dict[ObjectRef, str] = {}
    for ref, payload in payloads.items():
        live = objects.get(ref)
        if live is None:
            continue
        known = bool(digest) and digest == inventory.epoch
        if known and is_proven(payload, live.body, built_in=resources[ref].built_in):
            settled.add(ref)
            continue
        memo = memo_of(payload, live, digest)
        memos[ref] = memo
        member = inventory.members.get(ref)
        if memo and member is not None and member.memo == memo:
            settled.add(ref)
    return Sifted(frozenset(settled), memos)
