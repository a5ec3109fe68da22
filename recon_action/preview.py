"""What a pull request would change: its head beside the cluster, less what differs from its base already.

Both commits are read from git's objects; the checkout is not touched. One snapshot and one prediction, of the head.
"""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from recon_action.analyze.guard import require_cluster, require_manifests
from recon_action.analyze.payload import normalised
from recon_action.analyze.resolve import Resolved, resolve
from recon_action.cluster import connect
from recon_action.config.file import NAME, with_file
from recon_action.desired import Tree, commit_of, laid_out, load, merge_base, revision_of
from recon_action.errors import UsageError
from recon_action.model import Body, Desired, Mode, ObjectRef, Progress, Quiet, Revision, Settings
from recon_action.observe import cluster_uid
from recon_action.reconcile.acting import Done
from recon_action.reconcile.deciding import decide
from recon_action.reconcile.observing import observe
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
    revision = _revision(settings)
    after = commit_of(revision.root, head)
    before = merge_base(revision.root, commit_of(revision.root, base), after)
    progress.step("reading two commits")
    settings = _configured(settings, revision, before, config)
    with (
        stop.idle(),
        laid_out(revision, before, settings.paths) as old,
        laid_out(revision, after, settings.paths) as new,
    ):
        was, will = (_desired(tree, settings.max_file_size) for tree in (old, new))
        require_manifests(will)
        cluster = connect(settings.access, concurrency=settings.concurrency, stop=stop)
        with stop.heeded():
            uid = cluster_uid(cluster)
            require_cluster(settings, uid, will)
            seen = observe(cluster, settings, Mode.PREVIEW, will, uid, progress, started)
            resolved = resolve(was.manifests, seen.capabilities, settings.namespace or cluster.namespace)
            decided = decide(seen, settings, between=(_bodies(resolved), _bodies(seen.resolved)))
        secrets = secrets_in(seen, settings, secrets_of) | secrets_of(manifest.body for manifest in was.manifests)
        run = Run(Mode.PREVIEW, settings, cluster.server, started, now(), secrets, run_url, before)
        return report(run, seen, decided, Done())


def _revision(settings: Settings) -> Revision:
    revision = revision_of(settings.paths)
    if revision is None:
        raise UsageError(
            f"{settings.paths[0]} lies in no Git repository, and a preview compares two commits of one",
            hint="run diff to compare files with the cluster",
        )
    return revision


def _configured(settings: Settings, revision: Revision, commit: str, config: str) -> Settings:
    """`settings` and what recon.yaml says in a commit; one that the commit lacks says nothing."""
    with laid_out(revision, commit, [config or NAME]) as tree:
        return with_file(settings, tree.paths[0]) if tree.paths else settings


def _desired(tree: Tree, max_size: int) -> Desired:
    """The manifests of a commit; none if it has none of the PATHs."""
    if not tree.paths:
        return Desired((), revision=tree.revision)
    return load(tree.paths, revision=tree.revision, max_size=max_size)


def _bodies(resolved: Resolved) -> dict[ObjectRef, Body]:
    """What a commit says of each object."""
    return {
        ref: normalised(manifest, resolved.resources[ref]) if ref in resolved.resources else manifest.body
        for ref, manifest in resolved.manifests.items()
    }
