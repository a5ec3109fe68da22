"""The health of pods, and of what makes pods, by the rules of kstatus. Pure.

Stricter than kstatus where it calls current what nobody would call healthy: a pod that failed, a Job that still runs,
pods of a StatefulSet that are replaced by hand. Gentler where it calls failed what heals: a pod that finds no node yet,
or that crashes until its database is there.
"""

from collections.abc import Iterator

from recon_action.analyze.conditions import Parts, conditions_of, is_true, part_of, why
from recon_action.model.health import Health, Status

OK = Health(Status.CURRENT)
UNSEEN = Health(Status.IN_PROGRESS, "its controller has not seen it yet")

_Counts = tuple[tuple[str, str], ...]

# What a container waits for as a matter of course.
_ORDINARY = frozenset({"", "ContainerCreating", "PodInitializing"})


def deployment(spec: Parts, status: Parts) -> Health:
    """Every replica is of the latest template, ready and available; a rollout beyond its deadline has failed."""
    if "observedGeneration" not in status:
        return UNSEEN
    conditions = conditions_of(status)
    if is_beyond_deadline(conditions):
        return Health(Status.FAILED, why(conditions["Progressing"]))
    if spec.get("paused"):
        return Health(Status.CURRENT, "the rollout is paused")
    counts = (
        ("replicas", "created"),
        ("updatedReplicas", "updated"),
        ("readyReplicas", "ready"),
        ("availableReplicas", "available"),
    )
    wanted = spec.get("replicas", 1)
    return _short(status, wanted, counts) or _surplus(status, wanted) or OK


def is_beyond_deadline(conditions: dict[str, Parts]) -> bool:
    """Whether a rollout has made no progress for as long as it may."""
    return conditions.get("Progressing", {}).get("reason") == "ProgressDeadlineExceeded"


def stateful_set(spec: Parts, status: Parts) -> Health:
    """Every replica is there and ready, and so many of the latest revision as the update strategy replaces."""
    if "observedGeneration" not in status:
        return UNSEEN
    strategy, wanted = part_of(spec, "updateStrategy"), spec.get("replicas", 1)
    counts = (("replicas", "created"), ("readyReplicas", "ready"), ("availableReplicas", "available"))
    # Servers before 1.22 don't count what is available.
    behind = _short({"availableReplicas": wanted} | status, wanted, counts) or _surplus(status, wanted)
    if behind:
        return behind
    replaced = max(0, wanted - part_of(strategy, "rollingUpdate").get("partition", 0))
    updated = status.get("updatedReplicas", 0)
    if updated >= replaced or status.get("currentRevision") == status.get("updateRevision"):
        return OK
    if strategy.get("type") == "OnDelete":
        return Health(
            Status.CURRENT, f"{updated} of {wanted} pods are of the latest revision, until others are deleted"
        )
    return Health(Status.IN_PROGRESS, f"{updated} of {replaced} replicas updated")


def daemon_set(spec: Parts, status: Parts) -> Health:
    """There is a pod on every node that wants one, updated (unless that is left to people) and available."""
    if "observedGeneration" not in status:
        return UNSEEN
    by_hand = part_of(spec, "updateStrategy").get("type") == "OnDelete"
    counts: _Counts = (
        ("currentNumberScheduled", "created"),
        *(() if by_hand else (("updatedNumberScheduled", "updated"),)),
        ("numberReady", "ready"),
        ("numberAvailable", "available"),
    )
    return _short(status, status.get("desiredNumberScheduled", 0), counts, "pods") or OK


def replica_set(spec: Parts, status: Parts) -> Health:
    """Every replica is there, ready and available."""
    wanted = spec.get("replicas", 1)
    counts = (("replicas", "created"), ("readyReplicas", "ready"), ("availableReplicas", "available"))
    return _short(status, wanted, counts) or _surplus(status, wanted) or OK


def _short(status: Parts, wanted: int, counts: _Counts, noun: str = "replicas") -> Health | None:
    """How far the first count that falls short of `wanted` has come, and what keeps it from going on."""
    for field, word in counts:
        if (reached := status.get(field, 0)) < wanted:
            conditions = conditions_of(status)
            held = f"; {why(conditions['ReplicaFailure'])}" if is_true(conditions, "ReplicaFailure") else ""
            return Health(Status.IN_PROGRESS, f"{reached} of {wanted} {noun} {word}{held}")
    return None


def _surplus(status: Parts, wanted: int) -> Health | None:
    there = status.get("replicas", 0)
    if there <= wanted:
        return None
    return Health(Status.IN_PROGRESS, f"{there - wanted} of {there} replicas still to be removed")


def job(spec: Parts, status: Parts) -> Health:
    """It has finished. kstatus would be content with a Job that runs, and its failure would come unseen."""
    conditions = conditions_of(status)
    if is_true(conditions, "Failed"):
        return Health(Status.FAILED, why(conditions["Failed"]))
    if is_true(conditions, "Complete"):
        return OK
    if spec.get("suspend"):
        return Health(Status.CURRENT, "it is suspended")
    if "startTime" not in status:
        return Health(Status.IN_PROGRESS, "it has not started")
    if is_true(conditions, "FailureTarget"):  # its pods are still being ended
        return Health(Status.IN_PROGRESS, why(conditions["FailureTarget"]))
    wanted = spec.get("completions", spec.get("parallelism", 1))
    counts = [f"{status.get('succeeded', 0)} of {wanted} pods succeeded", f"{status.get('active', 0)} run"]
    counts += [f"{status['failed']} failed"] if status.get("failed") else []
    return Health(Status.IN_PROGRESS, ", ".join(counts))


def is_finished(status: Parts) -> bool:
    """Whether a Job has ended, well or not."""
    conditions = conditions_of(status)
    return is_true(conditions, "Complete") or is_true(conditions, "Failed")


def pod(_spec: Parts, status: Parts) -> Health:
    """It is ready, or has ended well."""
    phase, conditions = status.get("phase"), conditions_of(status)
    if phase == "Succeeded" or (phase == "Running" and is_true(conditions, "Ready")):
        return OK
    if phase == "Failed":
        return Health(Status.FAILED, _said(status) or _failed_container(status) or "the pod failed")
    waiting = [(container, state) for container in _containers(status) if (state := _state(container, "waiting"))]
    for container, state in waiting:
        if state.get("reason", "") not in _ORDINARY:
            # No other image will ever be looked for: nothing but a change of the pod can mend its name.
            word = Status.FAILED if state["reason"] == "InvalidImageName" else Status.IN_PROGRESS
            return Health(word, _said(state) + _last_end(container))
    scheduled, ready = conditions.get("PodScheduled"), conditions.get("Ready")
    if scheduled and scheduled["status"] == "False":
        message = why(scheduled)
    elif failed := _failed_container(status):
        message = failed
    elif waiting:
        message = _said(waiting[0][1]) or "its containers are being made"
    else:
        message = why(ready) if ready else "it is not ready"
    return Health(Status.IN_PROGRESS, message)


def _containers(status: Parts) -> Iterator[Parts]:
    for field in ("initContainerStatuses", "containerStatuses"):
        yield from status.get(field) or ()


def _state(container: Parts, kind: str, field: str = "state") -> Parts:
    return part_of(part_of(container, field), kind)


def _said(state: Parts) -> str:
    return ": ".join(str(part).strip() for part in (state.get("reason"), state.get("message")) if part)


def _last_end(container: Parts) -> str:
    ended = _state(container, "terminated", "lastState")
    return f"; it last ended with {_exit(ended)}" if ended else ""


def _exit(ended: Parts) -> str:
    reason = f" ({ended['reason']})" if ended.get("reason") else ""
    return f"exit code {ended.get('exitCode', 0)}{reason}"


def _failed_container(status: Parts) -> str:
    for container in _containers(status):
        ended = _state(container, "terminated")
        if ended.get("exitCode"):
            return f"container {container.get('name', '')} ended with {_exit(ended)}"
    return ""
