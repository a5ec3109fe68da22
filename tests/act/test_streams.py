"""What a stream sees: objects, and what is not there, or not under its label any more."""

import queue
import threading

import pytest
from fake_cluster import FakeCluster
from objects import body_of, ref, resource_of

from recon_action.act.streams import Gone, Sights, Stream
from recon_action.model import Body, ObjectRef, Trouble
from recon_action.model.inventory import PART_OF

_THING = resource_of("Thing", "g/v1")
_WEB = ref("Thing", "web", "shop", "g")
_API = ref("Thing", "api", "blog", "g")


def _thing(name: str = "web", namespace: str = "shop", *, labelled: bool = True) -> Body:
    metadata = {"labels": {PART_OF: "x"} if labelled else {}, "resourceVersion": "1", "uid": f"uid-{name}"}
    return body_of("Thing", name, api="g/v1", namespace=namespace, metadata=metadata)


class _Hurry(threading.Event):
    """No pause between two looks."""

    def wait(self, timeout: float | None = None) -> bool:  # noqa: ARG002 - an Event's
        return self.is_set()


def _seen(cluster: FakeCluster, *refs: ObjectRef, looks: int = 1) -> list[str]:
    """What so many looks see, in short."""
    sights: Sights = queue.SimpleQueue()
    left = iter([1.0] * looks)
    stream = Stream(cluster.door, _THING, frozenset(refs or (_WEB,)), f"{PART_OF}=x", lambda: next(left, 0.0))
    stream.run(sights, _Hurry())
    told = []
    while not sights.empty():
        seen = sights.get().seen
        if isinstance(seen, dict):
            told.append(seen["metadata"]["name"])
        elif isinstance(seen, Gone):
            told.append(f"gone {seen.ref.name}" + (" as seen last" if seen.last else ""))
        else:
            told.append(seen.trouble.value if seen else "ok")
    return told


def test_what_is_listed_and_what_happens_after() -> None:
    """First all that is there, then what comes."""
    cluster = FakeCluster(_thing())
    cluster.events = [("ADDED", _thing("new")), ("BOOKMARK", {}), ("DELETED", _thing("stranger"))]
    assert _seen(cluster) == ["ok", "web", "new"]


def test_what_the_label_does_not_find_is_got_by_name() -> None:
    """It may have lost the label, or be gone."""
    assert _seen(FakeCluster(_thing(labelled=False))) == ["ok", "web"]
    assert _seen(FakeCluster()) == ["ok", "gone web"]


@pytest.mark.parametrize(("there", "told"), [(False, "gone web as seen last"), (True, "web")])
def test_a_deletion_is_looked_at(*, there: bool, told: str) -> None:
    """The server says that of an object that lost its label, too."""
    cluster = FakeCluster(_thing(labelled=False)) if there else FakeCluster()
    cluster.events = [("DELETED", _thing())]
    assert _seen(cluster)[-1] == told


def test_a_kind_that_is_not_served_has_no_objects() -> None:
    """Not yet, or no longer."""
    cluster = FakeCluster()
    cluster.refuse("list", "things shop", Trouble.MISSING)
    assert _seen(cluster) == ["gone web"]


@pytest.mark.parametrize(
    ("trouble", "told"), [(Trouble.FORBIDDEN, ["ok", "gone web"]), (Trouble.UNAVAILABLE, ["ok", "unavailable"])]
)
def test_a_name_that_may_not_be_asked_for(trouble: Trouble, told: list[str]) -> None:
    """What can be listed, and is not, is gone for all we know; other trouble passes."""
    cluster = FakeCluster()
    cluster.refuse("get", "web", trouble)
    assert _seen(cluster) == told


def test_namespaces_one_by_one() -> None:
    """Where the cluster as a whole may not be listed; each looks for its own."""
    cluster = FakeCluster(_thing())
    cluster.refuse("list", "things", Trouble.FORBIDDEN)
    assert _seen(cluster, _WEB, _API, looks=2) == ["ok", "gone api", "ok", "web"]


def test_nothing_is_said_once_it_is_over() -> None:
    """Whoever waits has left."""
    sights: Sights = queue.SimpleQueue()
    over = threading.Event()
    over.set()
    cluster = FakeCluster(_thing())
    Stream(cluster.door, _THING, frozenset({_WEB}), "", lambda: 1.0).run(sights, over)
    assert sights.empty()
    assert not cluster.calls
