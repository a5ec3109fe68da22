"""Report: what was seen, decided and done, with the places in Git of what differs."""

from recon_action.analyze.notes import notes
from recon_action.analyze.verdict import strays
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
    stray = strays(seen.snapshot.objects, seen.inventory, seen.resolved.manifests)
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
        problems=[*seen.problems, *done.problems, *(decided.refused if mode is Mode.APPLY else ())],
        notes=[
            *notes(mode, decided.verdicts, decided.refused, strays=stray),
            *seen.others.notes(seen.lefts, decided.verdicts),
        ],
        positions=locate(seen.desired, changed),
    )
