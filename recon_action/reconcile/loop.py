"""One run from its settings to its report."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import BinaryIO

from recon_action import __version__
from recon_action.analyze.guard import require_manifests
from recon_action.cluster import connect
from recon_action.desired import load
from recon_action.errors import UsageError
from recon_action.model import Body, Mode, Progress, Quiet, Settings
from recon_action.reconcile.acting import Done, act
from recon_action.reconcile.deciding import decide
from recon_action.reconcile.observing import observe
from recon_action.reconcile.reporting import report
from recon_action.redact import Secrets
from recon_action.report.build import Facts
from recon_action.report.document import Report


def reconcile(
    settings: Settings,
    mode: Mode,
    *,
    progress: Progress | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    stdin: BinaryIO | None = None,
    run_url: str = "",
    secrets_of: Callable[[Iterable[Body]], Secrets] = Secrets.of,
) -> Report:
    """Compare one target with its cluster, correct it if `mode` says so, and report.

    Args:
        settings: the target and how to treat it.
        mode: only look, or act as well.
        progress: where to show that the run is alive.
        now: the clock.
        stdin: what the PATH `-` reads.
        run_url: the workflow run that the report names.
        secrets_of: what must not be shown, given every object seen; tests disclose it to see a leak.

    Raises:
        ReconError: what stops the run before there is anything to report.
    """
    progress = progress or Quiet()
    if settings.read_only and mode is Mode.APPLY:
        raise UsageError("an apply writes, and read-only forbids it", hint="run a diff, or leave read-only out")
    started = now()
    progress.step("reading manifests")
    desired = load(settings.paths, stdin=stdin, progress=progress)
    require_manifests(desired)
    cluster = connect(settings.access, concurrency=settings.concurrency)
    seen = observe(cluster, settings, mode, desired, progress)
    decided = decide(seen, settings)
    done = Done()
    if mode is Mode.APPLY and not decided.refused:
        done = act(cluster, settings, seen, decided, progress)
    facts = Facts(
        server=cluster.server,
        server_version=seen.capabilities.version,
        cluster_uid=seen.cluster_uid,
        asked=len(seen.predictions),
        started=started.strftime("%Y-%m-%dT%H:%M:%SZ"),
        seconds=round((now() - started).total_seconds(), 1),
        run_url=run_url,
        version=__version__,
    )
    bodies = [manifest.body for manifest in seen.desired.manifests]
    bodies += [live.body for live in seen.snapshot.objects.values()]
    secrets = secrets_of(bodies) | Secrets.at(settings.redact, bodies)
    return report(mode, seen, decided, done, facts, secrets)
