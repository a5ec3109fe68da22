"""Server-side apply of one stage, its objects side by side."""

import time
from collections.abc import Callable, Mapping
from functools import partial

from recon_action.act.handover import hand_over
from recon_action.cluster import Cluster, RequestError
from recon_action.model import (
    Action,
    ActionKind,
    Body,
    ObjectRef,
    Outcome,
    Progress,
    Resource,
    Result,
    Stage,
    Trouble,
)

# An API server serves a new kind a moment after its CRD says so.
_NEW_KIND_SECONDS = 10.0


def apply_stage(
    cluster: Cluster,
    stage: Stage,
    payloads: Mapping[ObjectRef, Body],
    progress: Progress,
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> tuple[list[Result], dict[ObjectRef, Body]]:
    """Apply every object of `stage`; gives the results, and the objects as the server stored them."""
    progress.step(f"applying {stage.name}", len(stage.actions))
    answers = cluster.each(partial(_apply, cluster, payloads, progress, sleep), stage.actions)
    return [result for result, _ in answers], {result.ref: body for result, body in answers if body is not None}


def _apply(
    cluster: Cluster,
    payloads: Mapping[ObjectRef, Body],
    progress: Progress,
    sleep: Callable[[float], None],
    action: Action,
) -> tuple[Result, Body | None]:
    verdict, payload = action.verdict, payloads[action.ref]
    try:
        if verdict.handover and verdict.live:
            version = hand_over(cluster, action.resource, verdict.live, verdict.handover)
            payload = _guarded(payload, version)
        body = _send(cluster, action.resource, payload, sleep)
    except RequestError as error:
        return Result(action.ref, Outcome.FAILED, error.problem), None
    finally:
        progress.advance()
    return Result(action.ref, _outcome(action, body), uid=body["metadata"].get("uid", "")), body


def _guarded(payload: Body, version: str) -> Body:
    """`payload`, if it holds live values and must not meet another version, with the one that they are of now."""
    if "resourceVersion" not in payload["metadata"]:
        return payload
    return payload | {"metadata": payload["metadata"] | {"resourceVersion": version}}


def _send(cluster: Cluster, resource: Resource, payload: Body, sleep: Callable[[float], None]) -> Body:
    waited, pause = 0.0, 0.2
    while True:
        try:
            return cluster.apply(resource, payload)
        except RequestError as error:
            new = not resource.served and error.problem.trouble is Trouble.MISSING
            if not new or waited >= _NEW_KIND_SECONDS:
                raise
        sleep(pause)
        waited, pause = waited + pause, min(pause * 2, 2.0)


def _outcome(action: Action, body: Body) -> Outcome:
    if action.kind is ActionKind.CREATE:
        return Outcome.CREATED
    live = action.verdict.live
    if live is not None and live.resource_version == body["metadata"].get("resourceVersion"):
        return Outcome.UNCHANGED
    return Outcome.CONFIGURED
