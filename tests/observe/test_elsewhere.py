"""Objects tried in another namespace: what is sent, and what the answers say of the objects themselves."""

import pytest
from fake_cluster import FakeCluster
from objects import body_of, resource_of

from recon_action.model import Body, ObjectRef, Quiet, Resource, Trouble, ref_of
from recon_action.model.check import Check
from recon_action.observe import Prediction, answered_elsewhere, predict, sent_elsewhere

_CONFIG = body_of(namespace="shop", data={"a": "1"})
_WIDGET = body_of("Widget", api="example.com/v1", namespace="shop")


def _tried(cluster: FakeCluster, body: Body, resource: Resource) -> Prediction:
    ref = ref_of(body)
    sent = sent_elsewhere({ref: body})
    payloads, resources = {ref: one.payload for ref, one in sent.items()}, {ref: resource}
    answers = predict(cluster.door, payloads, resources, {}, Quiet())
    return answered_elsewhere(cluster.door, sent, resources, answers)[ref]


def _free(body: Body) -> str:
    (one,) = sent_elsewhere({ref_of(body): body}).values()
    name: str = one.payload["metadata"]["name"]
    return name


def test_the_answer_is_the_object_s_own() -> None:
    """One request, in a namespace that every cluster has, under a name that nothing has."""
    cluster = FakeCluster()
    prediction = _tried(cluster, _CONFIG, resource_of())
    assert cluster.calls == [("dry-run", _free(_CONFIG))]
    assert cluster.sent[0]["metadata"]["namespace"] == "default"
    assert prediction == Prediction(_CONFIG, check=Check.STAND_IN)


def test_each_object_has_a_name_of_its_own() -> None:
    """Two of one name in two new namespaces don't meet."""
    assert _free(_CONFIG) != _free(body_of(namespace="other"))


def test_a_refusal_is_the_object_s_own() -> None:
    """In its own name; a built-in kind is not tried again."""
    cluster = FakeCluster()
    cluster.refuse("dry-run", _free(_CONFIG), Trouble.INVALID)
    prediction = _tried(cluster, _CONFIG, resource_of())
    assert prediction.problem
    assert prediction.problem.message == "dry-run web: invalid"
    assert len(cluster.calls) == 1


@pytest.mark.parametrize(
    ("trouble", "taken", "accepted"),
    [
        pytest.param(Trouble.INVALID, False, True, id="its-name-is-asked-for"),
        pytest.param(Trouble.INVALID, True, False, id="its-name-is-taken"),
        pytest.param(Trouble.DENIED, False, False, id="denied"),
    ],
)
def test_a_rule_may_want_one_certain_name(trouble: Trouble, *, taken: bool, accepted: bool) -> None:
    """A custom kind's refusal is asked for again under the object's own name, which says nothing if it is taken."""
    there = _WIDGET | {"metadata": _WIDGET["metadata"] | {"namespace": "default"}}
    cluster = FakeCluster(*([there] if taken else []))
    cluster.refuse("dry-run", _free(_WIDGET), trouble)
    prediction = _tried(cluster, _WIDGET, resource_of("Widget", "example.com/v1"))
    assert (prediction.problem is None) is accepted
    assert (prediction.check is Check.STAND_IN) is accepted
    assert len(cluster.calls) == (2 if trouble is Trouble.INVALID else 1)


def test_a_name_that_is_refused_as_well() -> None:
    """Then it was not the name."""
    cluster = FakeCluster()
    for name in (_free(_WIDGET), "web"):
        cluster.refuse("dry-run", name, Trouble.INVALID)
    prediction = _tried(cluster, _WIDGET, resource_of("Widget", "example.com/v1"))
    assert prediction.problem
    assert prediction.problem.trouble is Trouble.INVALID


def test_what_may_not_be_asked() -> None:
    """A local prediction of a missing object says nothing."""
    ref: ObjectRef = ref_of(_CONFIG)
    sent = sent_elsewhere({ref: _CONFIG})
    answers = {ref: Prediction(local=True)}
    found = answered_elsewhere(FakeCluster().door, sent, {ref: resource_of()}, answers)
    assert found == {ref: Prediction(check=Check.NONE)}
