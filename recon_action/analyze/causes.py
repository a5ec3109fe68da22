"""Why an object does not become healthy: the telling ones among its pods and its events. Pure.

What is read, and of which objects, is decided by `act`; the words are those of Kubernetes.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from recon_action.analyze.conditions import part_of
from recon_action.analyze.health import health_of
from recon_action.model import Body
from recon_action.model.health import Status

_MOST = 2  # of the causes that are told, of each sort
# They own their pods themselves; others own ReplicaSets.
_OWNERS = frozenset({"DaemonSet", "Job", "ReplicaSet", "ReplicationController", "StatefulSet"})
# Of what the kubelet says in the pod's status, and better.
_ECHO = re.compile(r"Error: \w+")
_BROADER = {"In": "in", "NotIn": "notin"}


def selector_of(body: Body) -> str:
    """The label selector of the pods that `body` makes; "" if it makes none."""
    spec = part_of(body, "spec")
    selector = part_of(spec, "selector")
    if "template" not in spec:
        return ""
    labels = selector if body["kind"] == "ReplicationController" else part_of(selector, "matchLabels")
    terms = [f"{name}={value}" for name, value in labels.items()]
    return ",".join([*terms, *map(_term, selector.get("matchExpressions") or ())])


def has_sets(body: Body) -> bool:
    """Whether the pods of `body` are its ReplicaSets'."""
    return body["kind"] not in _OWNERS


def newest_set(owner: Body, sets: Iterable[Body]) -> Body | None:
    """The ReplicaSet of the latest revision that `owner` made."""
    return max((one for one in sets if is_owned(one, owner)), key=_age, default=None)


def is_owned(body: Body, owner: Body) -> bool:
    """Whether `owner` is the controller of `body`."""
    references = body["metadata"].get("ownerReferences") or ()
    uid = owner["metadata"].get("uid")
    return any(reference.get("controller") and reference.get("uid") == uid for reference in references)


def unhealthy(pods: Iterable[Body]) -> list[tuple[str, Body]]:
    """What is wrong with pods, each trouble once, the most frequent first, with a pod that has it.

    The first pods of a rollout fail before the others are made; that some are merely not ready says the least.
    """
    found: dict[str, list[Body]] = {}
    for pod in pods:
        health = health_of(pod)
        if health.status not in {Status.CURRENT, Status.TERMINATING}:
            found.setdefault(health.message, []).append(pod)
    by_frequency = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    return [(_of_pods(message, those), those[0]) for message, those in by_frequency[:_MOST]]


def warnings(events: Sequence[Body], told: str) -> list[str]:
    """The latest warnings, each reason once; without those that repeat what is `told` already."""
    latest: dict[str, str] = {}
    for event in sorted(events, key=_moment, reverse=True):
        message, reason = str(event.get("message") or "").strip(), str(event.get("reason") or "")
        is_echo = reason == "BackOff" or _ECHO.fullmatch(message) or (message and message in told)
        if event.get("type") == "Warning" and not is_echo:
            latest.setdefault(reason, f"{reason}: {message}" if message else reason)
    return list(latest.values())[:_MOST]


def _term(expression: dict[str, Any]) -> str:
    key, operator = expression["key"], expression["operator"]
    if operator in _BROADER:
        return f"{key} {_BROADER[operator]} ({','.join(expression.get('values') or ())})"
    return str(key) if operator == "Exists" else f"!{key}"


def _age(one: Body) -> tuple[int, str]:
    annotations = one["metadata"].get("annotations") or {}
    revisions = [int(value) for name, value in annotations.items() if name.endswith("/revision") and value.isdecimal()]
    return max(revisions, default=0), str(one["metadata"].get("creationTimestamp", ""))


def _of_pods(message: str, pods: Sequence[Body]) -> str:
    more = f" and {len(pods) - 1} more" if len(pods) > 1 else ""
    return f"Pod {pods[0]['metadata']['name']}{more}: {message}"


def _moment(event: Body) -> str:
    series = part_of(event, "series")
    return str(series.get("lastObservedTime") or event.get("lastTimestamp") or event.get("eventTime") or "")
