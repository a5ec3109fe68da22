"""Server-side apply of one stage, its objects side by side."""

from collections.abc import Mapping
from functools import partial

from recon_action.act.handover import hand_over
from recon_action.act.recreate import recreate
from recon_action.cluster import Cluster, NotSent, RequestError
from recon_action.model import (
    Action,
    ActionKind,
    Body,
    ObjectRef,
    Outcome,
    Progress,
    Result,
    Stage,
)


def apply_stage(
    cluster: Cluster,
    stage: Stage,
    payloads: Mapping[ObjectRef, Body],
    progress: Progress,
    seconds: float,
) -> tuple[list[Result], dict[ObjectRef, Body]]:
    """Apply every object of `stage`; gives the results, and the objects as the server stored them.

    Args:
        cluster: where they go.
        stage: what to do.
        payloads: what is sent.
        progress: advances with each object.
        seconds: how long the end of an object is waited for that is to be created anew.
    """
    progress.step(f"applying {stage.name}", len(stage.actions))
    answers = cluster.each(partial(_apply, cluster, payloads, progress, seconds), stage.actions)
    return [result for result, _ in answers], {result.ref: body for result, body in answers if body is not None}


def _apply(
    cluster: Cluster,
    payloads: Mapping[ObjectRef, Body],
    progress: Progress,
    seconds: float,
    action: Action,
) -> tuple[Result, Body | None]:
    try:
        body = _carried_out(cluster, action, payloads[action.ref], seconds)
    except NotSent as error:
        return Result(action.ref, Outcome.SKIPPED, error.problem), None
    except RequestError as error:
        return Result(action.ref, Outcome.FAILED, error.problem), None
    finally:
        progress.advance()
    return Result(action.ref, _outcome(action, body), uid=body["metadata"].get("uid", "")), body


def _carried_out(cluster: Cluster, action: Action, payload: Body, seconds: float) -> Body:
    """The object as it is stored after `action`."""
    verdict, resource = action.verdict, action.resource
    if action.kind is ActionKind.RECREATE and verdict.live:
        return recreate(cluster, resource, verdict.live, payload, seconds)
    if action.kind is ActionKind.LEAVE and verdict.immutable:
        raise RequestError(verdict.immutable)  # the server has said what it would say again
    if verdict.handover and verdict.live:
        version = hand_over(cluster, resource, verdict.live, verdict.handover)
        payload = _guarded(payload, version)
    return cluster.apply(resource, payload)


def _guarded(payload: Body, version: str) -> Body:
    """`payload`, if it holds live values and must not meet another version, with the one that they are of now."""
    if "resourceVersion" not in payload["metadata"]:
        return payload
    return payload | {"metadata": payload["metadata"] | {"resourceVersion": version}}


def _outcome(action: Action, body: Body) -> Outcome:
    if action.kind is ActionKind.CREATE:
        return Outcome.CREATED
    if action.kind is ActionKind.RECREATE:
        return Outcome.RECREATED
    live = action.verdict.live
    if live is not None and live.resource_version == body["metadata"].get("resourceVersion"):
        return Outcome.UNCHANGED
    return Outcome.CONFIGURED
