"""What others hold and Git does not mention: what of it would go, and what has to change hands for that."""

from typing import Any

import pytest
from objects import body_of, entry_of, live_of

from recon_action.analyze.surplus import Filling, mentioned, surplus
from recon_action.model import Body, LiveObject

_ANNOTATIONS = {"f:metadata": {"f:annotations": {".": {}, "f:mine": {}, "f:theirs": {}}}}
_SIDE, _WEB = 'k:{"name":"side"}', 'k:{"name":"web"}'


def _object(**fields: Any) -> Body:
    return body_of(**fields)


def _found(fields: Body, kept: Body, payload: Body, live: LiveObject, *, built_in: bool = True) -> dict[str, Any]:
    one = surplus(fields, kept, payload, live, Filling(built_in))
    return {str(path): value for path, value in one.found}


@pytest.mark.parametrize(
    ("fields", "kept", "payload", "stored", "found", "moving"),
    [
        pytest.param({"f:data": {"f:a": {}}}, {}, {"data": {"a": "1"}}, {"data": {"a": "1"}}, {}, {}, id="mentioned"),
        pytest.param(
            {"f:data": {".": {}, "f:a": {}, "f:b": {}}},
            {},
            {"data": {"a": "1"}},
            {"data": {"a": "1", "b": "2"}},
            {"data.b": "2"},
            {"f:data": {"f:b": {}}},
            id="a-key-of-a-map",
        ),
        pytest.param(
            {"f:data": {".": {}, "f:b": {}}},
            {},
            {},
            {"data": {"b": "2"}},
            {"data.b": "2"},
            {"f:data": {".": {}, "f:b": {}}},
            id="a-map-with-the-map-itself",
        ),
        pytest.param(
            {"f:data": {".": {}, "f:b": {}, "f:c": {}}},
            {"f:data": {"f:c": {}}},
            {},
            {"data": {"b": "2", "c": "3"}},
            {"data.b": "2"},
            {"f:data": {".": {}, "f:b": {}}},
            id="another-keeps-a-part",
        ),
        pytest.param({"f:data": {"f:b": {}}}, {"f:data": {}}, {}, {"data": {"b": "2"}}, {}, {}, id="another-keeps-all"),
        pytest.param({"f:data": {"f:b": {}}}, {}, {}, {"data": {}}, {}, {}, id="gone-by-now"),
        pytest.param({"f:data": {}}, {"f:data": {"f:b": {}}}, {}, {"data": {"b": "2"}}, {}, {}, id="bare-container"),
        pytest.param(
            {"f:immutable": {}}, {"f:immutable": {"f:x": {}}}, {}, {"immutable": True}, {}, {}, id="kept-in-part"
        ),
        pytest.param(
            {"f:spec": {"f:containers": {_SIDE: {".": {}, "f:name": {}, "f:image": {}}, _WEB: {"f:image": {}}}}},
            {},
            {"spec": {"containers": [{"name": "web", "image": "1"}]}},
            {"spec": {"containers": [{"name": "web", "image": "1"}, {"name": "side", "image": "2"}]}},
            {"spec.containers[name=side]": {"name": "side", "image": "2"}},
            {"f:spec": {"f:containers": {_SIDE: {".": {}, "f:name": {}, "f:image": {}}}}},
            id="an-item-whole",
        ),
        pytest.param(
            {"f:spec": {"f:containers": {_SIDE: {".": {}, "f:name": {}, "f:image": {}, "f:tty": {}}}}},
            {"f:spec": {"f:containers": {_SIDE: {"f:image": {}}}}},
            {},
            {"spec": {"containers": [{"name": "side", "image": "2", "tty": True}]}},
            {"spec.containers[name=side].name": "side", "spec.containers[name=side].tty": True},
            {"f:spec": {"f:containers": {_SIDE: {".": {}, "f:name": {}, "f:tty": {}}}}},
            id="an-item-that-another-keeps-in-part",
        ),
        pytest.param(
            {"f:metadata": {"f:finalizers": {".": {}, 'v:"x"': {}}}},
            {},
            {},
            {"metadata": {"name": "web", "finalizers": ["x"]}},
            {"metadata.finalizers[=x]": "x"},
            {"f:metadata": {"f:finalizers": {".": {}, 'v:"x"': {}}}},
            id="an-item-of-a-set",
        ),
        pytest.param({"f:status": {"f:x": {}}}, {}, {}, {"status": {"x": 1}}, {}, {}, id="status"),
    ],
)
def test_what_git_lacks(
    fields: Body, kept: Body, payload: Body, stored: Body, found: dict[str, Any], moving: Body
) -> None:
    """Only what would really go is told; what moves is that, with what makes no sense without it."""
    live = live_of(_object(**stored), entry_of(fields, "kubectl-edit", "Update"), entry_of(kept, "some-controller"))
    body = _object(**{"metadata": {"name": "web"}, **payload})
    one = surplus(fields, kept, body, live, Filling())
    assert {str(path): value for path, value in one.found} == found
    assert one.fields == moving


@pytest.mark.parametrize("built_in", [True, False])
def test_a_default_is_told_of_custom_resources_only(built_in: bool) -> None:
    """Of built-in kinds it is known that the server fills it in again; it moves along with its neighbours."""
    fields = {"f:spec": {".": {}, "f:protocol": {}, "f:x": {}}}
    live = live_of(_object(spec={"protocol": "TCP", "x": 1}), entry_of(fields, "kubectl-edit", "Update"))
    one = surplus(fields, {}, _object(), live, Filling(built_in))
    assert {str(path) for path, _ in one.found} == ({"spec.x"} if built_in else {"spec.protocol", "spec.x"})
    assert one.fields == fields
    alone = {"f:spec": {"f:protocol": {}}}
    assert (surplus(alone, {}, _object(), live, Filling(built_in)).fields == {}) is built_in


def test_bookkeeping_is_nobody_s_difference() -> None:
    """Copies of appliers, our label and annotations, and the mark of a restart stay where they are."""
    copies = "kubectl.kubernetes.io/last-applied-configuration"
    annotations = {copies: "{}", "recon-action.github.io/hold": "x", "mine": "1"}
    restarted = {"kubectl.kubernetes.io/restartedAt": "now", "x": "1"}
    body = _object(
        metadata={"name": "web", "labels": {"applyset.kubernetes.io/part-of": "a"}, "annotations": annotations},
        spec={"template": {"metadata": {"annotations": restarted}}},
    )
    template = {"f:template": {"f:metadata": {"f:annotations": {".": {}, **{f"f:{name}": {} for name in restarted}}}}}
    own = {"f:labels": {"f:applyset.kubernetes.io/part-of": {}}}
    fields = {
        "f:metadata": own | {"f:annotations": {".": {}, **{f"f:{name}": {} for name in annotations}}},
        "f:spec": template,
    }
    live = live_of(body, entry_of(fields, "kubectl-edit", "Update"))
    one = surplus(fields, {}, _object(), live, Filling())
    assert {str(path) for path, _ in one.found} == {"metadata.annotations.mine", "spec.template.metadata.annotations.x"}
    assert one.fields == {
        "f:metadata": {"f:annotations": {".": {}, "f:mine": {}}},
        "f:spec": {"f:template": {"f:metadata": {"f:annotations": {".": {}, "f:x": {}}}}},
    }


def test_what_a_body_mentions() -> None:
    """The other half of what it lacks."""
    assert mentioned(_ANNOTATIONS, {"metadata": {"annotations": {"mine": "1"}}}) == {
        "f:metadata": {"f:annotations": {".": {}, "f:mine": {}}}
    }
