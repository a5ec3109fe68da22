"""An object deleted and created anew: only that object, only if it would be taken again, and never half unnoticed."""

from collections.abc import Callable

import pytest
from fake_cluster import FakeCluster
from objects import body_of, resource_of

from recon_action.act.recreate import recreate
from recon_action.cluster import NotSent, RequestError
from recon_action.model import Body, LiveObject, ObjectRef, Problem, Resource, Trouble, ref_of

_BODY = body_of("Job", api="batch/v1", namespace="shop", spec={"template": {"image": "web:1"}})
_NEW = body_of("Job", api="batch/v1", namespace="shop", spec={"template": {"image": "web:2"}})
_REF = ref_of(_BODY)
_JOB = resource_of("Job", "batch/v1", "status")


class _Restless(FakeCluster):
    """Something changes the object just before a deletion arrives, so many times."""

    def __init__(self, change: Callable[[Body], Body], times: int) -> None:
        super().__init__(_BODY)
        self._change = change
        self._times = times

    def delete(self, resource: Resource, ref: ObjectRef, **options: object) -> None:
        if self._times:
            self._times -= 1
            self.put(self._change(self.objects[ref]))
        super().delete(resource, ref, **options)  # type: ignore[arg-type]


def _live(cluster: FakeCluster) -> LiveObject:
    return LiveObject(_REF, cluster.objects[_REF])


def _recreate(cluster: FakeCluster, payload: Body = _NEW, seconds: float = 60) -> Body:
    return recreate(cluster.door, _JOB, _live(cluster), payload, seconds)


def _refusal(cluster: FakeCluster, seconds: float = 60) -> Problem:
    with pytest.raises(RequestError) as caught:
        _recreate(cluster, seconds=seconds)
    return caught.value.problem


def test_what_is_gone_is_created_anew() -> None:
    """Asked about, deleted with all that it owns, waited for, applied."""
    cluster = FakeCluster(_BODY)
    assert _recreate(cluster)["spec"] == _NEW["spec"]
    assert [verb for verb, _ in cluster.calls] == ["dry-create", "delete in the foreground", "get", "apply"]


def test_the_new_object_is_bound_to_no_version() -> None:
    """A payload that holds live values names the version that they are of: that one is gone."""
    cluster = FakeCluster(_BODY)
    _recreate(cluster, _NEW | {"metadata": _NEW["metadata"] | {"resourceVersion": "100"}})
    assert all("resourceVersion" not in body["metadata"] for body in cluster.sent)


@pytest.mark.parametrize("trouble", [Trouble.DENIED, Trouble.INVALID, Trouble.FORBIDDEN])
def test_what_would_not_be_taken_again_is_not_deleted(trouble: Trouble) -> None:
    """A quota, a policy, a missing permission: found out before, not after."""
    cluster = FakeCluster(_BODY)
    cluster.refuse("dry-create", "web", trouble)
    problem = _refusal(cluster)
    assert problem.trouble is trouble
    assert problem.message.startswith("not deleted, for it could not be created anew: ")
    assert _REF in cluster.objects


def test_what_it_holds_itself_is_no_reason() -> None:
    """Its own address or port is taken, by itself."""
    cluster = FakeCluster(_BODY)
    words = 'Service "web" is invalid: spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated'
    cluster.refusals["dry-create", "web"] = Problem(Trouble.INVALID, words)
    assert _recreate(cluster)["spec"] == _NEW["spec"]


def test_a_status_that_is_written_meanwhile_changes_nothing() -> None:
    """Controllers write it all the time."""
    cluster = _Restless(lambda body: body | {"status": {"active": 1}}, 2)
    assert _recreate(cluster)["spec"] == _NEW["spec"]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda body: body | {"spec": {"suspend": True}}, id="changed"),
        pytest.param(lambda body: body | {"metadata": body["metadata"] | {"uid": "other"}}, id="created-anew"),
    ],
)
def test_what_is_no_longer_what_was_judged_is_not_deleted(change: Callable[[Body], Body]) -> None:
    """Somebody is at work on it: the next run judges again."""
    cluster = _Restless(change, 1)
    problem = _refusal(cluster)
    assert (problem.trouble, problem.message) == (
        Trouble.CONFLICT,
        "not deleted: it was changed after it had been judged",
    )
    assert _REF in cluster.objects


def test_catching_up_ends() -> None:
    """What is written all the time is a conflict, not an endless loop."""
    cluster = _Restless(lambda body: body | {"status": {"active": 1}}, 1000)
    assert _refusal(cluster).trouble is Trouble.CONFLICT
    assert _REF in cluster.objects


@pytest.mark.parametrize("call", ["delete in the foreground", "get"])
def test_what_someone_else_deletes_is_as_good_as_deleted(call: str) -> None:
    """Before us, or while we look why it changed."""
    cluster = FakeCluster(_BODY)
    live = _live(cluster)
    if call == "get":
        cluster.refuse("delete in the foreground", "web", Trouble.CONFLICT)
    del cluster.objects[_REF]
    assert recreate(cluster.door, _JOB, live, _NEW, 60)["spec"] == _NEW["spec"]


@pytest.mark.parametrize("call", ["delete in the foreground", "get"])
@pytest.mark.parametrize("first", [None, Trouble.CONFLICT])
def test_a_refusal_on_the_way_is_told(call: str, first: Trouble | None) -> None:
    """And nothing is created over what may still be there."""
    cluster = FakeCluster(_BODY)
    if first:
        cluster.refuse("delete in the foreground", "web", first)
    cluster.refuse(call, "web", Trouble.FORBIDDEN)
    assert _refusal(cluster).trouble is Trouble.FORBIDDEN
    assert "apply" not in [verb for verb, _ in cluster.calls]


def test_a_finalizer_that_holds_it_is_named() -> None:
    """Once the time is up; it is not created over what is still there."""
    cluster = FakeCluster(_BODY | {"metadata": _BODY["metadata"] | {"finalizers": ["example.com/held"]}})
    problem = _refusal(cluster, seconds=0)
    assert problem.trouble is Trouble.IMMUTABLE
    assert problem.message == "it is being deleted, but not gone yet, held by example.com/held"
    assert "apply" not in [verb for verb, _ in cluster.calls]


class _Slow(FakeCluster):
    """The object is there for some more looks; then it is gone, or there is another one."""

    def __init__(self, looks: int, *, replaced: bool = False) -> None:
        super().__init__(_BODY | {"metadata": _BODY["metadata"] | {"finalizers": ["foregroundDeletion"]}})
        self._looks = looks
        self._replaced = replaced

    def get(self, resource: Resource, ref: ObjectRef) -> Body:
        self._looks -= 1
        if not self._looks:
            del self.objects[ref]
            if self._replaced:
                self.put(_BODY | {"metadata": _BODY["metadata"] | {"uid": "other"}})
        return super().get(resource, ref)


@pytest.mark.parametrize("replaced", [False, True], ids=["gone", "someone-was-faster"])
def test_its_end_is_waited_for(replaced: bool) -> None:
    """All that it owns goes first; an object of another UID is not the one that was deleted."""
    cluster = _Slow(3, replaced=replaced)
    assert _recreate(cluster)["spec"] == _NEW["spec"]
    assert [verb for verb, _ in cluster.calls].count("get") == 3


class _Ending(FakeCluster):
    """The run is to end as soon as the object is deleted."""

    def delete(self, resource: Resource, ref: ObjectRef, **options: object) -> None:
        super().delete(resource, ref, **options)  # type: ignore[arg-type]
        self.stop.ask(Problem(Trouble.INTERRUPTED, "interrupted"))


def test_a_run_that_is_to_end_says_what_is_left_to_do() -> None:
    """The next one misses the object and creates it."""
    problem = _refusal(_Ending(_BODY))
    assert problem.trouble is Trouble.INTERRUPTED
    assert problem.message == "deleted, and not created anew before the run had to end; the next apply does it"


def test_a_run_that_is_to_end_begins_nothing() -> None:
    """Neither the question nor the deletion."""
    cluster = FakeCluster(_BODY)
    cluster.stop.ask(Problem(Trouble.INTERRUPTED, "interrupted"))
    with pytest.raises(NotSent):
        _recreate(cluster)
    assert _REF in cluster.objects
