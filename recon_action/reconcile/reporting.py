"""Report: what was seen, decided and done, with the places in Git of what differs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from glob import escape

from recon_action import __version__
from recon_action.analyze.contest import remembered
from recon_action.analyze.directives import notes_of_annotations
from recon_action.analyze.members import is_lost
from recon_action.analyze.notes import notes, notes_of_inventory
from recon_action.analyze.patience import misread
from recon_action.desired import locate
from recon_action.model import Body, Desired, Manifest, Match, Mode, RedactRule, Settings
from recon_action.model.check import Check
from recon_action.reconcile.acting import Done
from recon_action.reconcile.deciding import Decided
from recon_action.reconcile.observing import Seen
from recon_action.redact import Secrets
from recon_action.report.build import Facts, build
from recon_action.report.document import Partial, Report


@dataclass(frozen=True, slots=True)
class Run:
    """The run that is reported.

    Args:
        mode: what it was told to do.
        settings: the target and how it was treated.
        server: the API server's address.
        started: when it began.
        ended: when it ended.
        secrets: what must not be shown.
        run_url: the workflow run, "" outside of one.
        base: the commit that a preview compares with.
    """

    mode: Mode
    settings: Settings
    server: str
    started: datetime
    ended: datetime
    secrets: Secrets = field(repr=False)
    run_url: str = ""
    base: str = ""


def secrets_in(seen: Seen, settings: Settings, secrets_of: Callable[[Iterable[Body]], Secrets]) -> Secrets:
    """What must not be shown: what `secrets_of` finds in all objects, what was encrypted, what recon.yaml names."""
    bodies = [manifest.body for manifest in seen.desired.manifests]
    bodies += [live.body for live in seen.snapshot.objects.values()]
    rules = rules_of(seen.desired, settings)
    return secrets_of(bodies) | Secrets.at(rules, bodies) | Secrets(seen.desired.secrets)


def rules_of(desired: Desired, settings: Settings) -> list[RedactRule]:
    """The fields that recon.yaml calls secret, and those that were encrypted."""
    return [*settings.redact, *(_rule(manifest) for manifest in desired.manifests if manifest.secret)]


def _rule(manifest: Manifest) -> RedactRule:
    """What of an object was encrypted, on whichever side it stands now."""
    ref = manifest.ref
    match = Match(*(escape(text) for text in (ref.group, ref.kind, ref.namespace, ref.name)))
    return RedactRule(match, manifest.secret)


def report(run: Run, seen: Seen, decided: Decided, done: Done) -> Report:
    """The report of one run."""
    mode = run.mode
    changed = {
        verdict.ref: [change.path for found in (verdict.drift, verdict.additive) if found for change in found.changes]
        for verdict in decided.verdicts
        if verdict.manifest is not None and (verdict.drift or verdict.additive)
    }
    return build(
        mode=mode,
        target=seen.inventory.target,
        verdicts=[done.verdicts.get(verdict.ref, verdict) for verdict in decided.verdicts],
        desired=seen.desired,
        secrets=run.secrets,
        facts=_facts(run, seen, decided),
        results=done.results,
        health={ref: (health.status.value, health.message) for ref, health in done.health.items()},
        troubles=done.troubles,
        stages=decided.stages,
        digest=decided.digest,
        problems=[*seen.problems, *done.problems, *(decided.refused if mode.writes else ())],
        notes=[
            *done.notes,
            *decided.notes,
            *notes(mode, decided.verdicts, decided.refused),
            *_notes_of_inventory(mode, seen, decided),
            *seen.others.notes(seen.lefts, decided.verdicts),
            *misread(seen.resolved.manifests.values()),
            *notes_of_annotations(seen.asked),
        ],
        corrections=remembered(seen.inventory.corrections, decided.verdicts, done.results, seen.at),
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


def _facts(run: Run, seen: Seen, decided: Decided) -> Facts:
    return Facts(
        server=run.server,
        server_version=seen.capabilities.version,
        cluster_uid=seen.cluster_uid,
        asked=sum(one.check is not Check.SCHEMA for one in seen.predictions.values()),
        show_plan=run.settings.show_plan or bool(run.settings.plan and decided.refused),
        started=run.started.strftime("%Y-%m-%dT%H:%M:%SZ"),
        seconds=round((run.ended - run.started).total_seconds(), 1),
        run_url=run.run_url,
        base=run.base,
        applied=seen.remembered.revision,
        partial=_partial(seen, run.settings),
        version=__version__,
    )


def _partial(seen: Seen, settings: Settings) -> Partial | None:
    """Which part of the target the run was about; None if it was about all of it."""
    if settings.selection.is_all:
        return None
    total = len(seen.declared.keys() | seen.inventory.members.keys())
    return Partial(len(seen.resolved.manifests), total, settings.selection.text)
