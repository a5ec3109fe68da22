"""Deletion of one stage, each object only if it still is the one that was judged."""

from functools import partial

from recon_action.cluster import Cluster, NotSent, RequestError
from recon_action.model import Action, Outcome, Progress, Result, Stage, Trouble


def prune_stage(cluster: Cluster, stage: Stage, progress: Progress) -> list[Result]:
    """Delete every object of `stage`, with its UID as the precondition."""
    progress.step(stage.name, len(stage.actions))
    return cluster.each(partial(_delete, cluster, progress), stage.actions)


def _delete(cluster: Cluster, progress: Progress, action: Action) -> Result:
    live = action.verdict.live
    uid = live.uid if live else ""
    try:
        cluster.delete(action.resource, action.ref, uid=uid)
    except NotSent as error:
        return Result(action.ref, Outcome.SKIPPED, error.problem, uid)
    except RequestError as error:
        if error.problem.trouble is not Trouble.MISSING:  # gone already is as good as deleted
            return Result(action.ref, Outcome.FAILED, error.problem, uid)
    finally:
        progress.advance()
    return Result(action.ref, Outcome.DELETED, uid=uid)
