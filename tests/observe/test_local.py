"""Predictions without the right to ask for them."""

from pathlib import Path

import pytest
from fake_cluster import FakeCluster
from objects import body_of, ref, resource_of
from openapi import TYPES

from recon_action.model import Body, LiveObject, ObjectRef, Problem, Quiet, Resource, Trouble, ref_of
from recon_action.observe import Prediction
from recon_action.observe.local import predict_as_allowed, predict_locally

_DEPLOYMENT = resource_of("Deployment", "apps/v1")
_RESOURCES = {resource.kind: resource for resource in (_DEPLOYMENT, resource_of())}


def _deployment(name: str, namespace: str = "shop") -> Body:
    return body_of("Deployment", name, api="apps/v1", namespace=namespace, spec={"replicas": 2})


class _Shop:
    """A cluster, and what is asked of it."""

    def __init__(self, *bodies: Body) -> None:
        self.cluster = FakeCluster(*bodies)
        self.cluster.documents = {
            "/openapi/v3": {"paths": {"apis/apps/v1": {"serverRelativeURL": "/openapi/v3/apis/apps/v1"}}},
            "/openapi/v3/apis/apps/v1": {"components": {"schemas": TYPES}},
        }
        self.payloads = {ref_of(body): body for body in bodies}

    @property
    def resources(self) -> dict[ObjectRef, Resource]:
        return {each: _RESOURCES[each.kind] for each in self.payloads}

    @property
    def objects(self) -> dict[ObjectRef, LiveObject]:
        return {each: LiveObject(each, body) for each, body in self.cluster.objects.items()}

    def predict(self, cache: Path) -> dict[ObjectRef, Prediction]:
        return predict_as_allowed(self.cluster.door, self.payloads, self.resources, self.objects, Quiet(), cache=cache)


def test_where_the_server_answers_nothing_is_local(tmp_path: Path) -> None:
    """With the right to patch there is no other request than the dry runs."""
    shop = _Shop(_deployment("a"), _deployment("b"))
    found = shop.predict(tmp_path)
    assert not any(prediction.local for prediction in found.values())
    assert {verb for verb, _ in shop.cluster.calls} == {"dry-run"}


def test_one_refusal_a_kind_and_namespace(tmp_path: Path) -> None:
    """After the first refusal the others of its kind and namespace are compared here, unasked."""
    shop = _Shop(_deployment("a"), _deployment("b"), _deployment("c", "blog"), body_of(namespace="shop"))
    shop.cluster.refuse("dry-run", "a", Trouble.FORBIDDEN, 403)
    found = shop.predict(tmp_path)
    assert {each.name: prediction.local for each, prediction in found.items()} == {
        "a": True,
        "b": True,
        "c": False,
        "web": False,
    }
    assert [name for verb, name in shop.cluster.calls if verb == "dry-run"] == ["a", "c", "web"]
    predicted = found[ref("Deployment", "b", "shop", "apps")]
    assert predicted.live
    assert predicted.body
    assert predicted.body["spec"]["replicas"] == 2


def test_read_only(tmp_path: Path) -> None:
    """Nothing but reads is sent."""
    shop = _Shop(_deployment("a"))
    found = predict_as_allowed(
        shop.cluster.door, shop.payloads, shop.resources, shop.objects, Quiet(), read_only=True, cache=tmp_path
    )
    assert [prediction.local for prediction in found.values()] == [True]
    assert {verb for verb, _ in shop.cluster.calls} == {"read"}


@pytest.mark.parametrize(
    ("trouble", "status"),
    [
        pytest.param(Trouble.FORBIDDEN, 401, id="bad-credentials"),
        pytest.param(Trouble.DENIED, 403, id="admission"),
        pytest.param(Trouble.INVALID, 422, id="invalid"),
    ],
)
def test_other_refusals_stay_problems(tmp_path: Path, trouble: Trouble, status: int) -> None:
    """What the server has against the object, or the credentials, is not answered here."""
    shop = _Shop(_deployment("a"))
    shop.cluster.refuse("dry-run", "a", trouble, status)
    (prediction,) = shop.predict(tmp_path).values()
    assert not prediction.local
    assert prediction.problem
    assert prediction.problem.trouble is trouble


def test_a_missing_object_needs_no_schema(tmp_path: Path) -> None:
    """That it is missing says all."""
    shop = _Shop(_deployment("a"))
    shop.cluster.objects.clear()
    found = predict_locally(shop.cluster.door, shop.payloads, shop.resources, {}, cache=tmp_path)
    assert list(found.values()) == [Prediction(local=True)]
    assert shop.cluster.calls == []


def test_a_schema_that_can_not_be_read(tmp_path: Path) -> None:
    """Then there is no verdict, and the object has the problem."""
    shop = _Shop(_deployment("a"))
    shop.cluster.refuse("read", "/openapi/v3", Trouble.FORBIDDEN, 403)
    found = predict_locally(shop.cluster.door, shop.payloads, shop.resources, shop.objects, cache=tmp_path)
    (prediction,) = found.values()
    assert prediction.local
    assert prediction.body is None
    assert prediction.problem


_REFUSAL = Problem(Trouble.IMMUTABLE, "spec.replicas: field is immutable", verb="dry-run", status=422)


@pytest.mark.parametrize("insist", [False, True], ids=["diff", "apply"])
def test_a_field_that_can_not_be_changed(tmp_path: Path, insist: bool) -> None:
    """The server refuses to say what an apply would do: it is worked out here, and its refusal is kept."""
    shop = _Shop(_deployment("a"), _deployment("b"))
    first = ref("Deployment", "a", "shop", "apps")
    shop.payloads[first] = _deployment("a") | {"spec": {"replicas": 3}}
    shop.cluster.refusals["dry-run", "a"] = _REFUSAL
    found = predict_as_allowed(
        shop.cluster.door, shop.payloads, shop.resources, shop.objects, Quiet(), insist=insist, cache=tmp_path
    )
    stuck, other = found[first], found[ref("Deployment", "b", "shop", "apps")]
    assert (stuck.problem, stuck.refusal, stuck.local) == (None, _REFUSAL, False)
    assert stuck.body
    assert stuck.body["spec"]["replicas"] == 3
    assert stuck.live == shop.objects[first]
    assert (other.refusal, other.problem) == (None, None)


@pytest.mark.parametrize("missing", ["schema", "object"])
def test_a_refusal_that_can_not_be_worked_out_stays_a_problem(tmp_path: Path, missing: str) -> None:
    """Then the server's words are all that is known."""
    shop = _Shop(_deployment("a"))
    shop.cluster.refusals["dry-run", "a"] = _REFUSAL
    if missing == "schema":
        shop.cluster.refuse("read", "/openapi/v3", Trouble.FORBIDDEN, 403)
    objects = shop.objects if missing == "schema" else {}
    found = predict_as_allowed(shop.cluster.door, shop.payloads, shop.resources, objects, Quiet(), cache=tmp_path)
    assert [(one.problem, one.refusal) for one in found.values()] == [(_REFUSAL, None)]


def test_who_insists_is_not_answered_here(tmp_path: Path) -> None:
    """An apply that may not patch has a problem, not a local verdict."""
    shop = _Shop(_deployment("a"))
    shop.cluster.refuse("dry-run", "a", Trouble.FORBIDDEN, 403)
    (prediction,) = predict_as_allowed(
        shop.cluster.door, shop.payloads, shop.resources, shop.objects, Quiet(), insist=True, cache=tmp_path
    ).values()
    assert prediction.problem
    assert not prediction.local
