"""What a pull request would change: its head beside the cluster, less what differs from its base already.

Both commits are read from git's objects; the checkout is not touched. One snapshot and one prediction, of the head.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, partial

from recon_action.analyze.guard import require_cluster, require_manifests
from recon_action.analyze.payload import normalised
from recon_action.analyze.resolve import Resolved, resolve
from recon_action.cluster import connect
from recon_action.desired import commit_of, laid_out, merge_base
from recon_action.model import Body, Mode, ObjectRef, Progress, Quiet, Settings
from recon_action.observe import cluster_uid
from recon_action.reconcile.acting import Done
from recon_action.reconcile.commits import configured, desired_in, repository_of, secrets_of_commits, values_of
from recon_action.reconcile.deciding import decide
from recon_action.reconcile.observing import is_older, observe
from recon_action.reconcile.rendering import render_target
from recon_action.reconcile.reporting import Run, report, secrets_in
from recon_action.redact import Secrets
from recon_action.report.document import Report
from recon_action.stop import Stop


def preview(  # noqa: PLR0913 - all that comes from outside comes in here
    settings: Settings,
    base: str,
    head: str,
    *,
    config: str = "",
    progress: Progress | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    run_url: str = "",
    stop: Stop | None = None,
    secrets_of: Callable[[Iterable[Body]], Secrets] = Secrets.of,
) -> Report:
    """Compare two commits beside a cluster, and report what the way from one to the other changes there.

    Args:
        settings: the target and how to treat it; its PATHs are looked up in both commits.
        base: a commit by any name; where the head has left its history counts.
        head: a commit by any name: of a pull request the result of the merge.
        config: the settings file, looked up in the base: a change does not decide how it is judged.
        progress: where to show that the run is alive.
        now: the clock.
        run_url: the workflow run that the report names.
        stop: ends the run early.
        secrets_of: what must not be shown, given every object seen.

    Raises:
        ReconError: what stops the run before there is anything to report.
    """
    progress, stop, started = progress or Quiet(), stop or Stop(), now()
    revision = repository_of(settings)
    after = commit_of(revision.root, head)
    before = merge_base(revision.root, commit_of(revision.root, base), after)
    progress.step("reading two commits")
    settings = configured(settings, revision, before, config)
    also = values_of(settings, revision)
    with (
        stop.idle(),
        laid_out(revision, before, settings.paths, also) as old,
        laid_out(revision, after, settings.paths, also) as new,
    ):
        target = cache(partial(render_target, settings, stop))
        was, will = (desired_in(tree, settings, target) for tree in (old, new))
        require_manifests(will)
        cluster = connect(settings.access, concurrency=settings.concurrency, stop=stop)
        with stop.heeded():
            uid = cluster_uid(cluster)
            require_cluster(settings, uid, will)
            seen = observe(cluster, settings, Mode.PREVIEW, will, uid, progress, started)
            # Where the commit is laid out there is no history to ask.
            seen = replace(seen, is_older=is_older(replace(revision, commit=after), seen.inventory))
            resolved = resolve(was.manifests, seen.capabilities, settings.namespace or cluster.namespace)
            decided = decide(seen, settings, between=(_bodies(resolved), _bodies(seen.resolved)))
        secrets = secrets_in(seen, settings, secrets_of) | secrets_of_commits([was], settings, secrets_of)
        run = Run(Mode.PREVIEW, settings, cluster.server, started, now(), secrets, run_url, before)
        return report(run, seen, decided, Done())


def _bodies(resolved: Resolved) -> dict[ObjectRef, Body]:
    """What a commit says of each object."""
    return {
        ref: normalised(manifest, resolved.resources[ref]) if ref in resolved.resources else manifest.body
        for ref, manifest in resolved.manifests.items()
    }
