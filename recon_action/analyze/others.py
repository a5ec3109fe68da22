"""Whose the fields are that Git does not decide: recon.yaml's rules, autoscalers and contests, object by object."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from recon_action.analyze.autoscale import told
from recon_action.analyze.ignore import Ignored, ignored_fields, is_ignored, rules_of
from recon_action.analyze.leave import Left, differs, leave
from recon_action.model import Body, Bucket, Handover, IgnoreRule, LiveObject, ObjectRef, Problem, Resource, Verdict


@dataclass(frozen=True, slots=True)
class Others:
    """Everybody but Git.

    Args:
        rules: of recon.yaml.
        scaled: what autoscalers own, by workload.
        unread: why a kind of autoscaler could not be read, by kind.
        contested: what something else keeps setting back, by object; left to it where it differs.
    """

    rules: tuple[IgnoreRule, ...] = ()
    scaled: Mapping[ObjectRef, tuple[IgnoreRule, ...]] = field(default_factory=dict)
    unread: Mapping[str, Problem] = field(default_factory=dict)
    contested: Mapping[ObjectRef, tuple[IgnoreRule, ...]] = field(default_factory=dict)

    def lefts(
        self,
        payloads: Mapping[ObjectRef, Body],
        objects: Mapping[ObjectRef, LiveObject],
        resources: Mapping[ObjectRef, Resource],
    ) -> dict[ObjectRef, Left]:
        """What is left to them of those `payloads` whose objects exist: one that is new starts as Git says."""
        if not self.rules and not self.scaled and not self.contested:
            return {}
        found = (
            (ref, self._left(payload, objects[ref], resources[ref]))
            for ref, payload in payloads.items()
            if ref in objects
        )
        return {ref: left for ref, left in found if left is not None}

    def caught_up(
        self,
        lefts: Mapping[ObjectRef, Left],
        payloads: Mapping[ObjectRef, Body],
        moved: Mapping[ObjectRef, LiveObject | None],
        resources: Mapping[ObjectRef, Resource],
    ) -> dict[ObjectRef, Left]:
        """`lefts`, made anew of what has `moved` since; None is an object that is gone."""
        stay = {ref: left for ref, left in lefts.items() if ref not in moved}
        return stay | self.lefts(payloads, {ref: live for ref, live in moved.items() if live}, resources)

    def _left(self, payload: Body, live: LiveObject, resource: Resource) -> Left | None:
        scaling, rules = self.scaled.get(live.ref, ()), rules_of(live.ref, self.rules)
        scaled, ignored = ({} if not some else ignored_fields(some, payload, live) for some in (scaling, rules))
        fought = self._fought(payload, live, {**scaled, **ignored}, built_in=resource.built_in)
        if not scaled and not ignored and not fought:
            return None
        return leave(payload, live, ignored, scaled, fought, built_in=resource.built_in)

    def _fought(self, payload: Body, live: LiveObject, others: Ignored, *, built_in: bool) -> Ignored:
        """The contested fields that differ, and that are not another's anyway: as Git has them, they are ours."""
        rules = self.contested.get(live.ref)
        return {
            path: reason
            for path, reason in (ignored_fields(rules, payload, live) if rules else {}).items()
            if not is_ignored(path, others) and differs(path, payload, live.body, owned=True, built_in=built_in)
        }

    def notes(self, lefts: Mapping[ObjectRef, Left], verdicts: Iterable[Verdict]) -> list[str]:
        """What a report says of it, in whole sentences."""
        notes = told({ref: self.scaled[ref] for ref, left in lefts.items() if left.scaled})
        hidden = [len(verdict.hidden) for verdict in verdicts if verdict.hidden]
        if hidden:
            notes.append(f"Rules hide {_counted(sum(hidden), 'differing field')} of {_counted(len(hidden), 'object')}.")
        for kind, problem in self.unread.items():
            notes.append(
                f"Of kind {kind} only those in Git are known, for the cluster's can't be read: {problem.message}."
            )
        return notes


def compared(payloads: Mapping[ObjectRef, Body], lefts: Mapping[ObjectRef, Left]) -> dict[ObjectRef, Body]:
    """What an apply makes sure of: `payloads` without what is left to others."""
    return {**payloads, **{ref: left.payload for ref, left in lefts.items()}}


def sent(payloads: Mapping[ObjectRef, Body], lefts: Mapping[ObjectRef, Left]) -> dict[ObjectRef, Body]:
    """The same as it is sent."""
    return {**payloads, **{ref: left.sent for ref, left in lefts.items()}}


def with_left(verdict: Verdict, left: Left | None) -> Verdict:
    """`verdict` with what is left to others, and what must be disowned for it."""
    if left is None:
        return verdict
    handover = verdict.handover
    if left.is_owned or (handover and (left.disown or left.spared)):
        handover = replace(handover or Handover(), disown=left.disown, spare=left.spared)
    in_sync = verdict.bucket is Bucket.IN_SYNC
    bucket = Bucket.IGNORED if in_sync and left.hidden else verdict.bucket
    ignored = "; ".join(_reasons(left))
    if ignored and bucket is not Bucket.IGNORED:
        ignored = f"ignored: {ignored}"
    return replace(
        verdict,
        bucket=bucket,
        mend=verdict.mend or (in_sync and left.is_owned and not verdict.owner),
        reason="; ".join(filter(None, (verdict.reason, ignored))),
        handover=handover,
        hidden=tuple(left.hidden),
    )


def _reasons(left: Left) -> list[str]:
    """The hidden fields, by reason."""
    fields: dict[str, list[str]] = {}
    for path, reason in left.hidden.items():
        fields.setdefault(reason, []).append(str(path))
    return [", ".join(paths) + (f" ({reason})" if reason else "") for reason, paths in fields.items()]


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
