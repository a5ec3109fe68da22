"""Report: what was seen, decided and done, with the places in Git of what differs."""

from recon_action.analyze.members import is_lost
from recon_action.analyze.notes import notes, notes_of_inventory
from recon_action.desired import locate
from recon_action.model import Mode
from recon_action.reconcile.acting import Done
from recon_action.reconcile.deciding import Decided
from recon_action.reconcile.observing import Seen
from recon_action.redact import Secrets
from recon_action.report.build import Facts, build
from recon_action.report.document import Report


def report(
    mode: Mode,
    seen: Seen,
    decided: Decided,
    done: Done,
    facts: Facts,
    secrets: Secrets,
) -> Report:
    """The report of one run."""
    changed = {
        verdict.ref: [change.path for found in (verdict.drift, verdict.additive) if found for change in found.changes]
        for verdict in decided.verdicts
        if verdict.manifest is not None and (verdict.drift or verdict.additive)
    }
    return build(
        mode=mode,
        target=seen.inventory.target,
        verdicts=decided.verdicts,
        desired=seen.desired,
        secrets=secrets,
        facts=facts,
        results=done.results,
        health={ref: (health.status.value, health.message) for ref, health in done.health.items()},
        stages=decided.stages,
        digest=decided.digest,
        problems=[*seen.problems, *done.problems, *(decided.refused if mode is Mode.APPLY else ())],
        notes=[
            *notes(mode, decided.verdicts, decided.refused),
            *_notes_of_inventory(mode, seen, decided),
            *seen.others.notes(seen.lefts, decided.verdicts),
        ],
        positions=locate(seen.desired, changed),
    )


def _notes_of_inventory(mode: Mode, seen: Seen, decided: Decided) -> list[str]:
    return notes_of_inventory(
        mode,
        decided.stages,
        strays=decided.strays,
        is_lost=not seen.problems and is_lost(seen.snapshot.objects, seen.remembered),
        rebuilt=len(seen.inventory.members) - len(seen.remembered.members),
        unlisted=seen.unlisted,
        unknown_since=seen.inventory.revision if seen.is_older is None else "",
    )
