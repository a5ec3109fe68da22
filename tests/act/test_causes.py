"""What is read of the server to tell why something is not healthy: little, and it may fail."""

from typing import Any
from urllib.parse import urlencode

import pytest
from fake_cluster import FakeCluster
from objects import body_of

from recon_action.act.causes import read_causes, read_deferring
from recon_action.model import Body, Trouble

_SELECTOR = {"template": {}, "selector": {"matchLabels": {"app": "web"}}}


def _path(kind: str, **query: str) -> str:
    root = "/apis/apps/v1" if kind == "replicasets" else "/api/v1"
    return f"{root}/namespaces/shop/{kind}?{urlencode(query | {'limit': '100'})}"


def _events(uid: str) -> str:
    return _path("events", fieldSelector=f"involvedObject.uid={uid},type=Warning")


def _made_by(owner: str, name: str, **more: Any) -> Body:
    """A pod or a ReplicaSet as a list states it: without its kind."""
    metadata = {"name": name, "uid": name, "namespace": "shop", "ownerReferences": [{"uid": owner, "controller": True}]}
    return {"metadata": metadata, **more}


def _warning(reason: str, message: str) -> Body:
    return {"items": [{"type": "Warning", "reason": reason, "message": message}]}


_WEB = body_of("Deployment", "web", api="apps/v1", namespace="shop", metadata={"uid": "web"}, spec=_SELECTOR)
_WAITS = {"phase": "Pending", "containerStatuses": [{"state": {"waiting": {"reason": "ContainerCreating"}}}]}


def test_a_deployment_is_explained_by_the_pods_of_its_newest_set() -> None:
    """Through the ReplicaSet that owns them; the pods' events tell what their status doesn't."""
    cluster = FakeCluster()
    cluster.documents = {
        _path("replicasets", labelSelector="app=web"): {"items": [_made_by("web", "web-1"), _made_by("api", "api-1")]},
        _path("pods", labelSelector="app=web"): {
            "items": [_made_by("web-1", "web-1-a", status=_WAITS), _made_by("api-1", "api-1-a", status=_WAITS)]
        },
        _events("web-1-a"): _warning("FailedMount", 'secret "key" not found'),
        _events("web"): {"items": None},
    }
    assert read_causes(cluster.door, _WEB, "0 of 1 replicas ready") == [
        "Pod web-1-a: ContainerCreating",
        'FailedMount: secret "key" not found',
    ]
    assert len(cluster.calls) == 4


def test_a_deployment_without_pods_is_explained_by_its_set() -> None:
    """It is the set that may not make any; what the Deployment says already is not repeated."""
    cluster = FakeCluster()
    cluster.documents = {
        _path("replicasets", labelSelector="app=web"): {"items": [_made_by("web", "web-1")]},
        _path("pods", labelSelector="app=web"): {"items": []},
        _events("web-1"): _warning("FailedCreate", "exceeded quota"),
        _events("web"): {},
    }
    assert read_causes(cluster.door, _WEB, "0 of 1 replicas created") == ["FailedCreate: exceeded quota"]
    assert read_causes(cluster.door, _WEB, "FailedCreate: exceeded quota") == []


def test_others_own_their_pods_themselves() -> None:
    """A StatefulSet's pods carry its own UID; where all of them are well, its own events are left."""
    body = body_of("StatefulSet", "db", api="apps/v1", namespace="shop", metadata={"uid": "db"}, spec=_SELECTOR)
    cluster = FakeCluster()
    cluster.documents = {
        _path("pods", labelSelector="app=web"): {"items": [_made_by("db", "db-0", status={"phase": "Succeeded"})]},
        _events("db"): _warning("FailedCreate", "no"),
    }
    assert read_causes(cluster.door, body, "") == ["FailedCreate: no"]


def test_what_makes_no_pods_has_its_events() -> None:
    """Of what has no namespace they lie in `default`."""
    cluster = FakeCluster()
    query = urlencode({"fieldSelector": "involvedObject.uid=n,type=Warning", "limit": "100"})
    cluster.documents = {f"/api/v1/namespaces/default/events?{query}": _warning("Rebooted", "again")}
    assert read_causes(cluster.door, body_of("Node", "n", metadata={"uid": "n"}), "") == ["Rebooted: again"]


def test_what_may_not_be_read_is_left_out() -> None:
    """It is an aid, and no reason to fail."""
    cluster = FakeCluster()
    cluster.refuse("read", _path("replicasets", labelSelector="app=web"), Trouble.FORBIDDEN)
    assert read_causes(cluster.door, _WEB, "") == []


def _class(name: str, mode: str | None) -> Body:
    more = {"volumeBindingMode": mode} if mode else {}
    return body_of("StorageClass", name, api="storage.k8s.io/v1", **more)


@pytest.mark.parametrize(("refused", "late"), [(False, {"late"}), (True, set())])
def test_storage_classes_that_wait_for_a_pod(*, refused: bool, late: set[str]) -> None:
    """Their claims need not be bound; where they may not be listed, none is known to."""
    cluster = FakeCluster(_class("late", "WaitForFirstConsumer"), _class("now", "Immediate"), _class("old", None))
    if refused:
        cluster.refuse("list", "storageclasses", Trouble.FORBIDDEN)
    assert set(read_deferring(cluster.door)) == late
