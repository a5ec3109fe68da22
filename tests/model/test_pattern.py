"""Patterns of fields: how they are written, and what they mean in an object and of a path."""

import pytest

from recon_action.model import FieldPath, ItemKey, ItemValue
from recon_action.model.pattern import ANY, KeyStep, ValueStep, parse_field, parse_pointer

_POD = {
    "metadata": {"annotations": {"example.com/a": "1", "b": "2"}, "finalizers": ["x", "y"]},
    "spec": {
        "containers": [
            {"name": "web", "image": "a:1", "ports": [{"containerPort": 80, "protocol": "TCP"}]},
            {"name": "log", "image": "b:1"},
        ]
    },
}


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("spec", ("spec",)),
        ("spec.template.spec", ("spec", "template", "spec")),
        ("a[name=web].b", ("a", KeyStep((("name", "web"),)), "b")),
        ("a[containerPort=80,protocol=TCP]", ("a", KeyStep((("containerPort", "80"), ("protocol", "TCP"))))),
        ('a[name="x,y]z"].b', ("a", KeyStep((("name", "x,y]z"),)), "b")),
        ("a[name=]", ("a", KeyStep((("name", ""),)))),
        ("a[=x y]", ("a", ValueStep("x y"))),
        ("a[0][*].b", ("a", 0, ANY, "b")),
        ('metadata.annotations["example.com/a"]', ("metadata", "annotations", "example.com/a")),
        ('a["q\\"]"]', ("a", 'q"]')),
        ('["a.b"].c', ("a.b", "c")),
    ],
)
def test_a_field_path_is_read(text: str, steps: tuple[object, ...]) -> None:
    """Every form that a report prints, and the wildcard."""
    pattern = parse_field(text)
    assert pattern.steps == steps
    assert str(pattern) == text


@pytest.mark.parametrize(
    "path",
    [
        FieldPath(("spec", "containers", ItemKey((("name", "web"),)), "image")),
        FieldPath(("spec", "ports", ItemKey((("port", 80), ("protocol", "TCP"))))),
        FieldPath(("metadata", "annotations", "example.com/a")),
        FieldPath(("metadata", "finalizers", ItemValue("a/b"))),
        FieldPath(("rules", 0, "verbs", 2)),
        FieldPath(("a.b", "c", "d-e", "$f", "0")),
    ],
    ids=str,
)
def test_what_a_report_prints_can_be_written_in_a_rule(path: FieldPath) -> None:
    """A printed path, read as a pattern, covers that path, what is below it, and nothing above it."""
    pattern = parse_field(str(path))
    assert pattern.covers(path)
    assert pattern.covers(path / "x")
    assert not pattern.covers(FieldPath(path.items[:-1]))


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".a",
        "a.",
        "a..b",
        "a[",
        "a[]",
        "a[x",
        "a[0",
        'a["x]',
        'a["x"',
        "a[n=x",
        "a[name]",
        "a[b=c,]",
        "a/b",
        "a[0]b",
        "a b",
        "[0]",
        "[*]",
    ],
)
def test_no_field_path(text: str) -> None:
    """Anything else is refused, not guessed."""
    with pytest.raises(ValueError, match=r"can't be read|identity"):
        parse_field(text)


@pytest.mark.parametrize(
    "text", ["apiVersion", "kind", "metadata", "metadata.name", "metadata.namespace", "metadata[*]"]
)
def test_identity_is_no_field_to_leave_alone(text: str) -> None:
    """Without it an object could not be sent at all."""
    with pytest.raises(ValueError, match="identity"):
        parse_field(text)
    with pytest.raises(ValueError, match="identity"):
        parse_pointer("/metadata/name")


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("/spec/replicas", ("spec", "replicas")),
        ("/spec/containers/0/image", ("spec", "containers", "0", "image")),
        ("/metadata/annotations/example.com~1a~0b", ("metadata", "annotations", "example.com/a~b")),
    ],
)
def test_a_pointer_is_read(text: str, steps: tuple[str, ...]) -> None:
    """Escapes as in RFC 6901."""
    assert parse_pointer(text).steps == steps


@pytest.mark.parametrize(
    ("text", "said"), [("", "begins with /"), ("spec", "begins with /"), ("/a~2", "~0"), ("/a~", "~0")]
)
def test_no_pointer(text: str, said: str) -> None:
    """The message says what is wrong."""
    with pytest.raises(ValueError, match=said):
        parse_pointer(text)


@pytest.mark.parametrize(
    ("text", "routes"),
    [
        ("spec.containers[name=web].image", [("spec", "containers", 0, "image")]),
        ("spec.containers[*].image", [("spec", "containers", 0, "image"), ("spec", "containers", 1, "image")]),
        ("spec.containers[1]", [("spec", "containers", 1)]),
        ("spec.containers[name=web].ports[containerPort=80]", [("spec", "containers", 0, "ports", 0)]),
        ("metadata.annotations[*]", [("metadata", "annotations", "example.com/a"), ("metadata", "annotations", "b")]),
        ("metadata.finalizers[=y]", [("metadata", "finalizers", 1)]),
        ("spec.containers[name=none].image", []),
        ("spec.containers[=web]", []),
        ("spec.containers.image", []),
        ("spec[0]", []),
        ("spec.replicas", []),
        ("spec.containers[name=web].image.x", []),
    ],
)
def test_routes(text: str, routes: list[tuple[object, ...]]) -> None:
    """A pattern finds the fields that are there."""
    assert list(parse_field(text).routes(_POD)) == routes


def test_a_pointer_leads_into_lists_by_index() -> None:
    """A number is an index in a list, and a key in a map."""
    assert list(parse_pointer("/spec/containers/1/image").routes(_POD)) == [("spec", "containers", 1, "image")]
    assert list(parse_pointer("/data/1").routes({"data": {"1": "x"}})) == [("data", "1")]
    assert not list(parse_pointer("/spec/containers/9").routes(_POD))


@pytest.mark.parametrize(
    ("text", "path", "covered"),
    [
        ("a[0].b", ("a", ItemKey((("name", "x"),)), "b"), True),  # only the object could tell
        ("a[name=x].b", ("a", 3, "b"), True),
        ("a[name=x].b", ("a", ItemKey((("name", "y"),)), "b"), False),
        ("a[port=80]", ("a", ItemKey((("port", 80), ("protocol", "TCP")))), True),
        ("a[port=80,protocol=UDP]", ("a", ItemKey((("port", 80), ("protocol", "TCP")))), False),
        ("a[*].b", ("a", "x", "b"), True),
        ("a[*].b", ("a", ItemValue("x"), "b"), True),
        ("a[=x]", ("a", ItemValue("y")), False),
        ("a[=x]", ("a", 0), True),
        ("a[0]", ("a", 1), False),
        ("a[0]", ("a", "0"), False),
        ("a[=x]", ("a", "x"), False),
        ("a.b", ("a", ItemKey((("name", "x"),))), False),
    ],
)
def test_covers(text: str, path: tuple[str | int | ItemKey | ItemValue, ...], covered: bool) -> None:
    """Where a name alone can't tell, the pattern covers: a value too much is hidden rather than one shown."""
    assert parse_field(text).covers(FieldPath(path)) is covered


def test_below() -> None:
    """What is left of a pattern inside a value that stands at a path."""
    pattern = parse_field("spec.containers[name=web].image")
    rest = pattern.below(FieldPath(("spec", "containers")))
    assert rest is not None
    assert list(rest.routes(_POD["spec"]["containers"])) == [(0, "image")]
    assert pattern.below(FieldPath(("status",))) is None
    assert pattern.below(FieldPath(("spec", "containers", 0, "image"))) is None
