"""A stage applied, and once more what is refused by a schema that this very run has just replaced.

An API server takes a moment until it validates by a CRD that was changed; its status tells nothing of that. Only what
fits the schema in Git, and not the one before, is tried again: nothing that is really wrong is.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from recon_action.act import apply_stage
from recon_action.analyze.definition import definitions_of
from recon_action.analyze.definition_schema import faults
from recon_action.analyze.prerequisites import DEFINITION
from recon_action.cluster import Cluster
from recon_action.model import Body, ObjectRef, Outcome, Progress, Result, Stage, Trouble
from recon_action.reconcile.observing import Seen

_PAUSES = (0.2, 0.5, 1.0, 2.0, 4.0)  # seconds; the last attempt is the last word


def apply_with_schemas(
    cluster: Cluster,
    stage: Stage,
    seen: Seen,
    before: Mapping[ObjectRef, Result],
    progress: Progress,
    seconds: float,
    *,
    pauses: Sequence[float] = _PAUSES,
) -> tuple[list[Result], dict[ObjectRef, Body]]:
    """The results of `stage`, and the objects as the server stored them; `before` are those of earlier stages."""
    results, stored = apply_stage(cluster, stage, seen.payloads, progress, seconds)
    changed = {
        ref
        for ref, result in before.items()
        if (ref.group, ref.kind) == DEFINITION and result.outcome is Outcome.CONFIGURED
    }
    found = {result.ref: result for result in results}
    for pause in pauses if changed else ():
        early = tuple(action for action in stage.actions if _is_early(found.get(action.ref), seen, changed))
        if not early or cluster.stop.wait(pause):
            break
        again, more = apply_stage(cluster, replace(stage, actions=early), seen.payloads, progress, seconds)
        found |= {result.ref: result for result in again}
        stored |= more
    return list(found.values()), stored


def _is_early(result: Result | None, seen: Seen, changed: Collection[ObjectRef]) -> bool:
    """Whether the object is refused by the schema that one of the `changed` CRDs had before."""
    if result is None or result.problem is None or result.problem.trouble is not Trouble.INVALID:
        return False
    key = (result.ref.group, result.ref.kind, seen.resolved.manifests[result.ref].version)
    definition = seen.resolved.definitions.get(key)
    if definition is None or definition.ref not in changed:
        return False
    old = definitions_of(definition.ref, seen.snapshot.objects[definition.ref].body).get(key)
    payload = seen.payloads[result.ref]
    return old is not None and bool(faults(payload, old)) and not faults(payload, definition)
