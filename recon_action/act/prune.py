"""Deletion of one stage, each object only if it still is the one that was judged."""

from functools import partial

from recon_action.cluster import Cluster, NotSent, RequestError
from recon_action.model import Action, Body, ObjectRef, Outcome, Progress, Result, Stage, Trouble


def prune_stage(cluster: Cluster, stage: Stage, progress: Progress) -> tuple[list[Result], dict[ObjectRef, Body]]:
    """Delete every object of `stage`, with its UID as the precondition; gives the results, and what is not gone yet."""
    progress.step(stage.name, len(stage.actions))
    answers = cluster.each(partial(_delete, cluster, progress), stage.actions)
    return [result for result, _ in answers], {result.ref: body for result, body in answers if body is not None}


def _delete(cluster: Cluster, progress: Progress, action: Action) -> tuple[Result, Body | None]:
    live = action.verdict.live
    uid = live.uid if live else ""
    left = None
    try:
        left = cluster.delete(action.resource, action.ref, uid=uid)
    except NotSent as error:
        return Result(action.ref, Outcome.SKIPPED, error.problem, uid), None
    except RequestError as error:
        if error.problem.trouble is not Trouble.MISSING:  # gone already is as good as deleted
            return Result(action.ref, Outcome.FAILED, error.problem, uid), None
    finally:
        progress.advance()
    return Result(action.ref, Outcome.DELETED, uid=uid), left
