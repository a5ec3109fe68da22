"""Deletion of one stage, each object only if it still is the one that was judged."""

from functools import partial

from recon_action.act.deletion import delete_as_judged
from recon_action.analyze.members import has_same_owner
from recon_action.cluster import Cluster, NotSent, RequestError
from recon_action.model import Action, Body, ObjectRef, Outcome, Progress, Result, Stage


def prune_stage(cluster: Cluster, stage: Stage, progress: Progress) -> tuple[list[Result], dict[ObjectRef, Body]]:
    """Delete every object of `stage` that is still ours; gives the results, and what is not gone yet."""
    progress.step(stage.name, len(stage.actions))
    answers = cluster.each(partial(_delete, cluster, progress), stage.actions)
    return [result for result, _ in answers], {result.ref: body for result, body in answers if body is not None}


def _delete(cluster: Cluster, progress: Progress, action: Action) -> tuple[Result, Body | None]:
    live = action.verdict.live
    if live is None:  # gone already is as good as deleted
        return Result(action.ref, Outcome.DELETED), None
    try:
        left = delete_as_judged(cluster, action.resource, live, partial(has_same_owner, live))
    except NotSent as error:
        return Result(action.ref, Outcome.SKIPPED, error.problem, live.uid), None
    except RequestError as error:
        return Result(action.ref, Outcome.FAILED, error.problem, live.uid), None
    finally:
        progress.advance()
    return Result(action.ref, Outcome.DELETED, uid=live.uid), left
