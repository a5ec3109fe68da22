"""Objects that are left as they are: as annotated in Git, held in the cluster, or kept though Git gave them up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from recon_action.analyze.claims import Claims
from recon_action.analyze.directives import Asked, directives_of
from recon_action.analyze.hold import HOLD, Hold, HoldState, hold_of
from recon_action.analyze.severity import is_inside
from recon_action.model import (
    NO_DIRECTIVES,
    Bucket,
    Directives,
    Handover,
    Inventory,
    LiveObject,
    Manifest,
    ObjectRef,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class Standing:
    """How an object stands.

    Args:
        directives: what its annotations ask for.
        hold: the hold on it; None if there is none.
    """

    directives: Directives = NO_DIRECTIVES
    hold: Hold | None = None

    @property
    def is_held(self) -> bool:
        """Whether the object is held now."""
        return self.hold is not None and self.hold.stands

    @property
    def remark(self) -> str:
        """What is to be said of a hold that holds nothing."""
        return self.hold.told if self.hold and not self.hold.stands else ""

    @property
    def final(self) -> Directives:
        """The directives; an object that is held is passed over like any other that is."""
        return replace(self.directives, skip=self.hold.told) if self.hold and self.is_held else self.directives

    def why_untouched(self, live: LiveObject | None) -> str:
        """Why an object that Git declares is neither compared nor applied; "" if it is."""
        if self.directives.skip:
            return f"left alone: {self.directives.skip}"
        if self.hold and self.is_held:
            return self.hold.told
        if self.directives.create_once and live is not None:
            return f"created once, and left alone since: {self.directives.create_once}"
        return ""

    def why_kept(self) -> str:
        """Why an object that Git gave up is not deleted; "" if it is."""
        if self.hold and self.is_held:
            return self.hold.told
        if self.directives.skip:
            return f"left alone: {self.directives.skip}"
        return f"kept: {self.directives.keep}" if self.directives.keep else ""


UNMARKED = Standing()


def standings(
    asked: Mapping[ObjectRef, Asked], objects: Mapping[ObjectRef, LiveObject], now: datetime
) -> dict[ObjectRef, Standing]:
    """How objects that Git declares stand, of those that any annotation is about; others are `UNMARKED`.

    Args:
        asked: what Git's annotations ask for: they count, whatever live ones say.
        objects: the live objects, for holds on them.
        now: the time.
    """
    found = {ref: Standing(one.directives) for ref, one in asked.items()}
    for ref, live in objects.items():
        if hold := hold_of(live, now):
            found[ref] = replace(found.get(ref, UNMARKED), hold=hold)
    return found


def standing_orphan(live: LiveObject | None, now: datetime, *, to_the_last: bool = False) -> Standing:
    """How an object that Git gave up stands: its own annotations are the last word that Git left there.

    Args:
        live: the object; None if there is none.
        now: the time.
        to_the_last: whether the whole target is to go: what is only kept from a prune goes then.
    """
    if live is None:
        return UNMARKED
    directives = directives_of(live.body)
    if to_the_last:
        directives = replace(directives, keep=directives.detach)
    return Standing(directives, hold_of(live, now))


def with_homes(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """`verdicts`; a namespace, or a definition, that Git gave up stays for as long as something in it is kept."""
    kept = [one.ref for one in verdicts if one.manifest is None and (one.directives.keep or one.directives.skip)]
    return [_home(verdict, kept) for verdict in verdicts] if kept else list(verdicts)


def _home(verdict: Verdict, kept: Sequence[ObjectRef]) -> Verdict:
    live = verdict.live
    if verdict.manifest or live is None or verdict.bucket is Bucket.SKIPPED:
        return verdict
    inside = next((ref for ref in kept if is_inside(ref, live)), None)
    if inside is None:
        return verdict
    why = f"kept: {inside} is in it"
    return replace(
        verdict, bucket=Bucket.SKIPPED, drift=None, reason=why, directives=replace(verdict.directives, keep=why)
    )


def unobserved(asked: Mapping[ObjectRef, Asked], inventory: Inventory) -> frozenset[ObjectRef]:
    """The objects that nothing has to be known of: passed over, and never ours.

    One that the inventory may hold, under another group perhaps, must be known, or it would be taken for an orphan.
    """
    skipped = [ref for ref, one in asked.items() if one.directives.skip]
    known = {(ref.kind, ref.namespace, ref.name) for ref in inventory.members} if skipped else set()
    return frozenset(ref for ref in skipped if (ref.kind, ref.namespace, ref.name) not in known)


def without_ended_hold(claims: Claims, hold: Hold | None, manifest: Manifest) -> Claims:
    """`claims`, and the annotation of a hold that is over goes with the next apply, unless Git itself has it."""
    declared = manifest.body["metadata"].get("annotations") or {}
    if hold is None or hold.state is not HoldState.OVER or HOLD in declared:
        return claims
    handover = claims.handover or Handover()
    return replace(claims, handover=replace(handover, drop_annotations=(*handover.drop_annotations, HOLD)))
