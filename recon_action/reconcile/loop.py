"""One run from its settings to its report."""

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from typing import BinaryIO

from recon_action.act import locked, own_name
from recon_action.analyze.guard import require_cluster, require_manifests
from recon_action.cluster import connect
from recon_action.desired import load
from recon_action.errors import UsageError
from recon_action.model import Body, Inventory, Mode, Progress, Quiet, Settings
from recon_action.observe import cluster_uid
from recon_action.reconcile.acting import Done, act
from recon_action.reconcile.approval import read_approved
from recon_action.reconcile.deciding import decide
from recon_action.reconcile.discretion import Discreet
from recon_action.reconcile.observing import observe, target_of
from recon_action.reconcile.rendering import render_target
from recon_action.reconcile.reporting import Run, report, secrets_in
from recon_action.redact import Secrets
from recon_action.report.document import Report
from recon_action.stop import Stop


def reconcile(  # noqa: PLR0913 - all that comes from outside comes in here
    settings: Settings,
    mode: Mode,
    *,
    progress: Progress | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    stdin: BinaryIO | None = None,
    run_url: str = "",
    stop: Stop | None = None,
    own_name: Callable[[str], str] = own_name,
    secrets_of: Callable[[Iterable[Body]], Secrets] = Secrets.of,
) -> Report:
    """Compare one target with its cluster, correct it if `mode` says so, and report.

    Args:
        settings: the target and how to treat it.
        mode: only look, or act as well.
        progress: where to show that the run is alive.
        now: the clock.
        stdin: what the PATH `-` reads.
        run_url: the workflow run that the report and the lock name.
        stop: ends the run early: an apply that has begun is settled and reported, anything else is given up.
        own_name: whom the lock names, given `run_url`.
        secrets_of: what must not be shown, given every object seen; tests disclose it to see a leak.

    Raises:
        ReconError: what stops the run before there is anything to report.
    """
    progress, stop = progress or Quiet(), stop or Stop()
    if settings.read_only and mode is Mode.APPLY:
        raise UsageError("an apply writes, and read-only forbids it", hint="run a diff, or leave read-only out")
    approved = read_approved(settings.plan)
    started = now()
    progress.step("reading manifests")
    with stop.idle():
        desired = load(
            settings.paths,
            stdin=stdin,
            progress=progress,
            max_size=settings.max_file_size,
            settings=settings.sources,
            target=partial(render_target, settings, stop),
        )
    require_manifests(desired)
    this_run, done = Stop(), Done()  # what ends this run alone, a lost lock, must not end the next one
    with stop.following(this_run.ask), ExitStack() as stack:
        cluster = connect(settings.access, concurrency=settings.concurrency, stop=this_run)
        with this_run.heeded():
            uid = cluster_uid(cluster)
            if mode is Mode.APPLY:
                require_cluster(settings, uid, desired)
                own = Inventory(target_of(settings, desired), settings.inventory_namespace)
                stack.enter_context(locked(cluster, own, own_name(run_url), settings, progress))
            seen = observe(cluster, settings, mode, desired, uid, progress, started)
            decided = decide(seen, settings, approved)
        secrets = secrets_in(seen, settings, secrets_of)
        if mode is Mode.APPLY and not decided.refused:
            done = act(cluster, settings, seen, decided, Discreet(progress, secrets))
    run = Run(mode, settings, cluster.server, started, now(), secrets, run_url)
    return report(run, seen, decided, done)
