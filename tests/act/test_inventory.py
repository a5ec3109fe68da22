"""The inventory written back, and what stands in the way."""

import hashlib
from dataclasses import replace

import pytest
from fake_cluster import FakeCluster
from objects import body_of, ref

from recon_action import __version__
from recon_action.act import store
from recon_action.cluster import RequestError
from recon_action.errors import ClusterError
from recon_action.model import Body, Inventory, Member, Problem, Trouble
from recon_action.model.record import encode
from recon_action.observe import read_inventory

_WEB = ref(name="web", namespace="shop")
_INVENTORY = Inventory("shop", "ops", {_WEB: Member(_WEB, "u", "h")})


def test_the_first_write_makes_the_namespace() -> None:
    """And what is stored reads back as it was."""
    cluster = FakeCluster()
    stored = store(cluster.door, _INVENTORY)
    assert [verb for verb, _ in cluster.calls] == ["get", "create", "apply"]
    assert stored == replace(_INVENTORY, resource_version=stored.resource_version)
    assert stored.exists
    assert read_inventory(cluster.door, "shop", "ops") == stored


def test_a_namespace_that_we_make_says_so() -> None:
    """So that whoever removes us can remove it, too."""
    cluster = FakeCluster()
    store(cluster.door, _INVENTORY)
    made = cluster.objects[ref("Namespace", "ops")]
    assert made["metadata"]["annotations"] == {"recon-action.github.io/created": "true"}


def test_a_namespace_that_is_there_is_used() -> None:
    """One request finds it."""
    cluster = FakeCluster(body_of("Namespace", "ops"))
    store(cluster.door, _INVENTORY)
    assert [verb for verb, _ in cluster.calls] == ["get", "apply"]


def test_a_later_write_is_guarded_by_the_version_that_was_read() -> None:
    """Two runs must not overwrite each other's memory."""
    cluster = FakeCluster()
    first = store(cluster.door, _INVENTORY)
    cluster.calls.clear()
    second = store(cluster.door, replace(first, revision="new"))
    assert cluster.sent[-1]["metadata"]["resourceVersion"] == first.resource_version
    assert second.resource_version != first.resource_version
    assert cluster.calls == [("apply", "recon-action-shop")]


def test_another_runs_write_is_a_conflict() -> None:
    """The server refuses the old version; the run stops before it creates anything."""
    cluster = FakeCluster()
    first = store(cluster.door, _INVENTORY)
    cluster.refuse("apply", "recon-action-shop", Trouble.CONFLICT)
    with pytest.raises(ClusterError, match="at the same time"):
        store(cluster.door, replace(first, revision="new"))


def test_a_write_that_meets_itself_is_no_conflict() -> None:
    """Its answer was lost on the way, so it was sent again, with the version that it had replaced."""
    cluster = FakeCluster()
    first = store(cluster.door, _INVENTORY)
    moved = replace(first, revision="new")
    cluster.put(encode(moved, f"recon-action/v{__version__}").parent)
    cluster.refuse("apply", "recon-action-shop", Trouble.CONFLICT)
    assert read_inventory(cluster.door, "shop", "ops") == store(cluster.door, moved)


def test_two_first_runs_may_race_for_the_namespace() -> None:
    """Whoever is second finds it made."""
    cluster = FakeCluster()
    cluster.refuse("create", "ops", Trouble.CONFLICT)
    assert store(cluster.door, _INVENTORY).exists


@pytest.mark.parametrize(
    "call", [("get", "ops"), ("create", "ops"), ("apply", "recon-action-shop")], ids=["look", "make", "write"]
)
def test_a_refusal_stops_the_run(call: tuple[str, str]) -> None:
    """Without an inventory nothing may be created: it would be forgotten."""
    cluster = FakeCluster()
    cluster.refusals[call] = Problem(Trouble.FORBIDDEN, "not you")
    with pytest.raises(RequestError, match="not you"):
        store(cluster.door, _INVENTORY)


class _KilledError(BaseException):
    """What SIGKILL looks like from inside."""


class _DyingCluster(FakeCluster):
    """A cluster that hears no more of us after some calls."""

    def __init__(self, *bodies: Body) -> None:
        super().__init__(*bodies)
        self.left = 1_000

    def _called(self, verb: str, name: str) -> None:
        if not self.left:
            raise _KilledError
        self.left -= 1
        super()._called(verb, name)


def _bulky(letter: str, number: int) -> dict[object, Member]:
    """Members that need several ConfigMaps, if they are many."""
    refs = [ref(name=f"{letter}{index}", namespace="shop") for index in range(number)]
    return {one: Member(one, memo=hashlib.shake_256(one.name.encode()).hexdigest(4_000)) for one in refs}


_SMALL, _LARGE, _LARGER = _bulky("a", 3), _bulky("b", 240), _bulky("b", 460)


def _parts_of(cluster: FakeCluster) -> list[str]:
    return sorted(one.name for one in cluster.objects if "." in one.name)


@pytest.mark.parametrize(
    ("old", "new"),
    [(_SMALL, _LARGE), (_LARGE, _LARGER), (_LARGE, _SMALL)],
    ids=["grows", "grows-on", "shrinks"],
)
def test_no_end_of_a_run_forgets_a_member(old: dict[object, Member], new: dict[object, Member]) -> None:
    """Killed before any of its requests, a write leaves the old inventory or the new one, whole."""
    told, before = set(), FakeCluster(body_of("Namespace", "ops"))
    store(before.door, replace(_INVENTORY, members=old))
    for calls in range(100):
        cluster = _DyingCluster(*before.objects.values())
        was = read_inventory(cluster.door, "shop", "ops")
        cluster.left = calls
        ended = False
        try:
            store(cluster.door, replace(was, members=new))
        except _KilledError:
            ended = True
        cluster.left = 1_000
        found = read_inventory(cluster.door, "shop", "ops")
        assert found.members in (old, new)
        told.add(found.members == new)
        again = found if found.members == new else store(cluster.door, replace(found, members=new))
        assert read_inventory(cluster.door, "shop", "ops") == again
        if not ended:
            assert len(_parts_of(cluster)) == len(again.parts)
            break
    assert told == {False, True}


def test_parts_are_removed_when_they_are_not_needed_any_more() -> None:
    """One ConfigMap is left of several; another target's parts are not ours to remove."""
    cluster = FakeCluster(body_of("Namespace", "ops"))
    other = store(cluster.door, replace(_INVENTORY, target="blog", members=_LARGE))
    large = store(cluster.door, replace(_INVENTORY, members=_LARGER))
    assert len(_parts_of(cluster)) == len(other.parts) + len(large.parts)
    small = store(cluster.door, replace(large, members=_SMALL))
    assert small.parts == ()
    assert _parts_of(cluster) == sorted(f"recon-action-blog.{digest[:16]}" for digest in other.parts)
    assert read_inventory(cluster.door, "blog", "ops") == other


def test_an_inventory_that_holds_nothing_leaves_nothing() -> None:
    """Parts that a killed run had written, and no parent ever named, go with the last member."""
    cluster = FakeCluster(body_of("Namespace", "ops"))
    small = store(cluster.door, replace(_INVENTORY, members=_SMALL))
    for body in encode(replace(_INVENTORY, members=_LARGE), "t").fresh:
        cluster.put(body)
    store(cluster.door, replace(small, members=_SMALL, revision="new"))
    assert _parts_of(cluster)
    store(cluster.door, replace(read_inventory(cluster.door, "shop", "ops"), members={}))
    assert not _parts_of(cluster)


def test_a_part_that_is_refused_stops_the_run_before_the_parent() -> None:
    """The parent must not name what isn't there."""

    class Full(FakeCluster):
        def apply(self, resource: object, body: Body, *, dry_run: bool = False) -> Body:
            if "." in body["metadata"]["name"]:
                raise RequestError(Problem(Trouble.DENIED, "exceeded quota"))
            return super().apply(resource, body, dry_run=dry_run)

    cluster = Full(body_of("Namespace", "ops"))
    with pytest.raises(RequestError, match="quota"):
        store(cluster.door, replace(_INVENTORY, members=_LARGE))
    assert not read_inventory(cluster.door, "shop", "ops").exists
