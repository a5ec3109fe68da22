"""What is sent in an object's place, and what comes back as if it had been its own."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from objects import body_of

from recon_action.analyze.stand_in import StandIn, stand_in, unchecked
from recon_action.model import Problem, Trouble

_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


def _of(name: str = "web", namespace: str = "shop", elsewhere: str = "default") -> StandIn:
    return stand_in(body_of(name=name, namespace=namespace), salt="x", namespace=elsewhere)


def test_what_is_sent() -> None:
    """The payload under a free name in another namespace, at no version; without one it stays where it is."""
    body = body_of(namespace="shop", metadata={"resourceVersion": "7", "labels": {"a": "b"}}, data={"a": "1"})
    sent = stand_in(body, salt="x", namespace="default").payload
    name = sent["metadata"]["name"]
    assert sent == body | {"metadata": {"name": name, "namespace": "default", "labels": {"a": "b"}}}
    assert re.fullmatch("w[0-9a-f]{10}eb", name)
    assert stand_in(body, salt="x").payload["metadata"]["namespace"] == "shop"
    assert stand_in(body, salt="x").payload["metadata"]["name"] == name
    assert stand_in(body, salt="y").payload["metadata"]["name"] != name
    cluster_scoped = stand_in(body_of("Namespace"), salt="x")
    assert (cluster_scoped.namespace, "namespace" in cluster_scoped.payload["metadata"]) == ("", False)


@given(st.text("ab9-.A", min_size=1, max_size=80))
def test_a_name_stays_as_right_or_wrong_as_it_was(name: str) -> None:
    """What is refused for its name still is, and nothing else; only of a long one the middle is not tried."""
    free = _of(name).payload["metadata"]["name"]
    assert free != name
    assert bool(_SUBDOMAIN.fullmatch(free)) == bool(_SUBDOMAIN.fullmatch(name)) or len(name) > 41
    for longest in (52, 63, 253):
        assert (len(free) <= longest) == (len(name) <= longest)
    assert (free[0], free[-1]) == (name[0], name[-1]) or len(name) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('ConfigMap "FREE" is invalid: data', 'ConfigMap "web" is invalid: data'),
        ("failed (default/FREE; v1, Kind=ConfigMap): .x", "failed (shop/web; v1, Kind=ConfigMap): .x"),
        ("looking up service account default/app: not found", "looking up service account shop/app: not found"),
        ('denied in namespace "default"', 'denied in namespace "shop"'),
        ("namespace: default", "namespace: shop"),
        ("the default is registry/default/x and not-default/y", "the default is registry/default/x and not-default/y"),
        ("namespace defaults", "namespace defaults"),
    ],
)
def test_a_message_speaks_of_the_object_itself(text: str, expected: str) -> None:
    """Neither the name nor the namespace that stood in for it is left."""
    one = _of()
    assert one.retold(text.replace("FREE", one.payload["metadata"]["name"])) == expected


def test_what_is_tried_where_it_belongs_keeps_its_namespace() -> None:
    """`default` is its own, then; an object without a namespace has none to restore."""
    one = stand_in(body_of(namespace="default"), salt="x")
    assert one.retold('namespace "default", default/a') == 'namespace "default", default/a'
    assert stand_in(body_of("Namespace"), salt="x").retold("default/a") == "default/a"


def test_an_answer_speaks_of_the_object_itself() -> None:
    """Keys and texts, however deep, and what the server has derived from the name."""
    one = _of()
    free = one.payload["metadata"]["name"]
    answer = {"metadata": {"name": free, "namespace": "default"}, "spec": [{f"job-{free}": [free, 1, None]}]}
    metadata = {"name": "web", "namespace": "shop"}
    assert one.restored(answer) == {"metadata": metadata, "spec": [{"job-web": ["web", 1, None]}]}
    assert stand_in(body_of("Namespace"), salt="x").restored({"metadata": {}}) == {"metadata": {}}


_REFUSES = "could not be checked: its namespace is new too, and in another one the server refuses it: "
_HAS = "could not be checked: its namespace is new too, and the one that it was tried in has "


@pytest.mark.parametrize(
    ("trouble", "message", "expected"),
    [
        pytest.param(Trouble.INVALID, "spec.x: Invalid value", None, id="invalid"),
        pytest.param(Trouble.UNREACHABLE, "no answer", None, id="unreachable"),
        pytest.param(Trouble.UNAVAILABLE, "overloaded", None, id="unavailable"),
        pytest.param(Trouble.FORBIDDEN, 'user "x" cannot patch', "", id="forbidden"),
        pytest.param(Trouble.DENIED, "pods is forbidden: exceeded quota: q", f"{_HAS}a quota", id="quota"),
        pytest.param(Trouble.DENIED, "is forbidden: failed quota: q", f"{_HAS}a quota", id="quota-missing"),
        pytest.param(
            Trouble.DENIED, 'violates PodSecurity "restricted:latest"', f"{_HAS}a pod security level", id="security"
        ),
        pytest.param(
            Trouble.DENIED, "maximum cpu usage per Container is 1, but limit is 2", f"{_HAS}limits", id="limits"
        ),
        pytest.param(Trouble.DENIED, "admission webhook said no", f"{_REFUSES}admission webhook said no", id="webhook"),
        pytest.param(Trouble.MISSING, 'roles "x" not found', f'{_REFUSES}roles "x" not found', id="missing"),
        pytest.param(
            Trouble.UNAVAILABLE, "failed calling webhook x", f"{_REFUSES}failed calling webhook x", id="dead-webhook"
        ),
    ],
)
def test_what_a_refusal_elsewhere_says(trouble: Trouble, message: str, expected: str | None) -> None:
    """What is wrong with the object itself stays wrong; what another namespace has against it says nothing certain."""
    assert unchecked(Problem(trouble, message)) == expected
