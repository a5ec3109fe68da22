"""A server's refusal, taken apart."""

import pytest

from recon_action.analyze.refusal import field_path, taken_apart
from recon_action.model.path import ItemKey, ItemValue

_TYPED = "failed to create typed patch object (default/web; apps/v1, Kind=Deployment): "


@pytest.mark.parametrize(
    ("message", "told"),
    [
        pytest.param(
            'Deployment.apps "web" is invalid: spec.template.spec.containers[0].image: Required value; spec.replicas: '
            "Invalid value: -1: must be greater; or equal to 0; metadata.annotations[a.b/c]: Forbidden: no",
            [
                ("spec.template.spec.containers[0].image", "Required value"),
                ("spec.replicas", "Invalid value: -1: must be greater; or equal to 0"),
                ('metadata.annotations["a.b/c"]', "Forbidden: no"),
            ],
            id="invalid",
        ),
        pytest.param(
            'Widget.example.com "w" is invalid: <nil>: Invalid value: too large; spec: Invalid value: odd; spec: '
            "Invalid value: odd",
            [("", "Invalid value: too large"), ("spec", "Invalid value: odd")],
            id="rules",
        ),
        pytest.param(
            f'{_TYPED}errors: .spec.containers[name="web"].imagee: field not declared in schema .spec.replicas: '
            "expected numeric (int or float), got string",
            [
                ("spec.containers[name=web].imagee", "field not declared in schema"),
                ("spec.replicas", "expected numeric (int or float), got string"),
            ],
            id="typed",
        ),
        pytest.param(
            f"{_TYPED}.data.a: expected string, got &value.valueUnstructured{{Value:1}}",
            [("data.a", "expected string, got 1")],
            id="not-text",
        ),
        pytest.param(
            'strict decoding error: unknown field "spec.foo", duplicate field "spec.bar"',
            [("spec.foo", "unknown field"), ("spec.bar", "duplicate field")],
            id="strict",
        ),
        pytest.param(
            "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
            [("spec.replicas", "cannot unmarshal string of type int32")],
            id="decoded",
        ),
        pytest.param(
            'pods "p" is forbidden: violates PodSecurity', [("", 'pods "p" is forbidden: violates PodSecurity')]
        ),
    ],
)
def test_taken_apart(message: str, told: list[tuple[str, str]]) -> None:
    """Each field once, with what is said of it; where none is named, all is said of the object."""
    expected = [(path, f"{path}: {text}" if path else text) for path, text in told]
    assert [(str(one.path), one.text) for one in taken_apart(message)] == expected


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("spec.ports[0].name", ("spec", "ports", 0, "name")),
        (
            '.spec.ports[containerPort=80,protocol="TCP"]',
            ("spec", "ports", ItemKey((("containerPort", 80), ("protocol", "TCP")))),
        ),
        ('metadata.finalizers[="a.b"]', ("metadata", "finalizers", ItemValue("a.b"))),
        ("data[a.b]", ("data", "a.b")),
        ('data["a]b"]', ("data", "a]b")),
        ("spec.x[true]", ("spec", "x", "true")),
        ("spec.x[a=b]", ("spec", "x", ItemKey((("a", "b"),)))),
        ("spec.x[a=b=c,d]", ("spec", "x", "a=b=c,d")),
        ("", ()),
    ],
)
def test_field_path(text: str, items: tuple[object, ...]) -> None:
    """Keys, indexes, keyed items, items of sets."""
    assert field_path(text).items == items
