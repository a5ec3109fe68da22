"""Why something is not healthy: which pods are whose, and which of what is known is worth a word."""

from typing import Any

import pytest
from objects import body_of

from recon_action.analyze.causes import has_sets, is_owned, newest_set, selector_of, unhealthy, warnings
from recon_action.model import Body

_WEB = {"matchLabels": {"app": "web", "tier": "front"}}
_BROAD = {
    "matchLabels": {"app": "web"},
    "matchExpressions": [
        {"key": "tier", "operator": "In", "values": ["front", "back"]},
        {"key": "env", "operator": "NotIn", "values": ["test"]},
        {"key": "track", "operator": "Exists"},
        {"key": "old", "operator": "DoesNotExist"},
    ],
}


@pytest.mark.parametrize(
    ("kind", "spec", "selector"),
    [
        pytest.param("Deployment", {"template": {}, "selector": _WEB}, "app=web,tier=front", id="labels"),
        pytest.param(
            "Deployment",
            {"template": {}, "selector": _BROAD},
            "app=web,tier in (front,back),env notin (test),track,!old",
            id="expressions",
        ),
        pytest.param("ReplicationController", {"template": {}, "selector": {"app": "web"}}, "app=web", id="controller"),
        pytest.param("PodDisruptionBudget", {"selector": _WEB}, "", id="makes-no-pods"),
        pytest.param("Certificate", {"template": {}}, "", id="selects-nothing"),
    ],
)
def test_selectors(kind: str, spec: Body, selector: str) -> None:
    """As the API server reads them in a query; of what makes pods only."""
    assert selector_of(body_of(kind, spec=spec)) == selector


@pytest.mark.parametrize(("kind", "through_sets"), [("Deployment", True), ("Rollout", True), ("StatefulSet", False)])
def test_who_owns_pods(kind: str, *, through_sets: bool) -> None:
    """Some own their pods, all others own ReplicaSets."""
    assert has_sets(body_of(kind)) is through_sets


def _owned(name: str, owner: str, *, controller: bool = True, **metadata: Any) -> Body:
    references = [{"uid": owner, "controller": controller}]
    return body_of("ReplicaSet", name, metadata={"ownerReferences": references, **metadata})


def test_the_newest_set_is_that_of_the_latest_revision() -> None:
    """A rollback takes an old one up again, so age alone does not tell; another owner's is none."""
    owner = body_of("Deployment", metadata={"uid": "web"})
    sets = [
        _owned("back", "web", annotations={"deployment.kubernetes.io/revision": "3"}, creationTimestamp="2026-01-01"),
        _owned("newer", "web", annotations={"deployment.kubernetes.io/revision": "2"}, creationTimestamp="2026-02-01"),
        _owned("odd", "web", annotations={"example.com/revision": "main", "other": "9"}),
        _owned("other", "api", annotations={"deployment.kubernetes.io/revision": "9"}),
        _owned("seen", "web", controller=False, annotations={"deployment.kubernetes.io/revision": "9"}),
        body_of("ReplicaSet", "free"),
    ]
    newest = newest_set(owner, sets)
    assert newest is not None
    assert newest["metadata"]["name"] == "back"
    assert newest_set(owner, sets[3:]) is None
    assert not is_owned(sets[-1], owner)


def _pod(name: str, reason: str = "", **metadata: Any) -> Body:
    waiting = {"state": {"waiting": {"reason": reason, "message": f"{reason} message"}}}
    status = {"phase": "Pending", "containerStatuses": [waiting]} if reason else {"phase": "Succeeded"}
    return body_of("Pod", name, metadata=metadata, status=status)


def test_pods_are_told_by_what_is_wrong_with_them() -> None:
    """The most frequent trouble first, each once, two at most; what is well or on its way out says nothing."""
    pods = [
        _pod("a", "ErrImagePull"),
        _pod("b", "CrashLoopBackOff"),
        _pod("c", "CrashLoopBackOff"),
        _pod("d", "RunContainerError"),
        _pod("e"),
        _pod("f", "RunContainerError", deletionTimestamp="now"),
    ]
    found = unhealthy(pods)
    assert [text for text, _ in found] == [
        "Pod b and 1 more: CrashLoopBackOff: CrashLoopBackOff message",
        "Pod a: ErrImagePull: ErrImagePull message",
    ]
    assert [pod["metadata"]["name"] for _, pod in found] == ["b", "a"]


def _event(reason: str, message: str | None, time: str = "", kind: str = "Warning", **more: Any) -> Body:
    return {"type": kind, "reason": reason, "message": message, "lastTimestamp": time or None, **more}


def test_warnings_are_the_latest() -> None:
    """Each reason once, two at most, whichever field holds the time; what is said already is not repeated."""
    events = [
        _event("FailedMount", "old", "2026-01-01T00:00:00Z"),
        _event("FailedMount", " no such secret ", "2026-01-01T00:00:09Z"),
        _event("Unhealthy", "probe failed", series={"lastObservedTime": "2026-01-01T00:00:10.000000Z"}),
        _event("FailedScheduling", "no node", "2026-01-01T00:00:20Z"),
        _event("Pulled", "all is well", "2026-01-01T00:00:30Z", "Normal"),
        _event("BackOff", "Back-off restarting failed container", "2026-01-01T00:00:31Z"),
        _event("Failed", "Error: ImagePullBackOff", "2026-01-01T00:00:32Z"),
        _event("Early", None, eventTime="2025-01-01T00:00:00.000000Z"),
    ]
    told = "Unschedulable: no node"
    assert warnings(events, told) == ["Unhealthy: probe failed", "FailedMount: no such secret"]
    assert warnings(events[-1:], told) == ["Early"]
    assert warnings([_event("Odd", None)], told) == ["Odd"]
