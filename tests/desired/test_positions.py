"""Where fields stand: the place itself, or the nearest thing that Git has."""

from io import BytesIO
from pathlib import Path

import pytest

from recon_action.desired import load, locate
from recon_action.desired.outline import outline
from recon_action.model import Desired, FieldPath, ItemKey, ItemValue, Manifest, ObjectRef, Position

DEPLOYMENT = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: other}
---
# the web
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  finalizers: [a, b]
spec:
  replicas: 3
  template:
    spec:
      containers:
      - name: web
        image: nginx:1.27
        ports:
        - containerPort: 80
          protocol: UDP
        - containerPort: 80
        - {containerPort: 443, protocol: TCP}
        args: ["x",
               "y"]
      - &side
        name: side
        image: side:1
      - <<: *side
        name: again
"""
CONTAINERS = ("spec", "template", "spec", "containers")


def key(**fields: object) -> ItemKey:
    return ItemKey(tuple(fields.items()))


WEB = (*CONTAINERS, key(name="web"))
PLACES = [
    (("spec", "replicas"), (12, 3)),
    (("metadata", "finalizers", ItemValue("b")), (10, 19)),
    ((*WEB, "image"), (17, 9)),
    ((*WEB, "ports", key(containerPort=80, protocol="TCP")), (21, 11)),
    ((*WEB, "ports", key(containerPort=80, protocol="UDP"), "protocol"), (20, 11)),
    ((*WEB, "ports", key(containerPort=443, protocol="TCP"), "protocol"), (22, 32)),
    ((*WEB, "args", 1), (24, 16)),
    ((*CONTAINERS, key(name="side"), "image"), (27, 9)),
    ((*CONTAINERS, key(name="again"), "image"), (27, 9)),
    ((*CONTAINERS, key(name="again"), "name"), (29, 9)),
    # what Git lacks: the nearest thing above it
    ((*WEB, "resources", "limits", "cpu"), (16, 9)),
    ((*WEB, "ports", key(containerPort=81, protocol="TCP"), "name"), (18, 9)),
    ((*WEB, "args", 7), (23, 9)),
    ((*WEB, "image", "x"), (17, 9)),
    ((*CONTAINERS, key(name="gone"), "image"), (15, 7)),
    (("metadata", "labels", "app"), (8, 1)),
    (("metadata", "finalizers", ItemValue(1)), (10, 3)),
    (("status",), (6, 1)),
    ((), (6, 1)),
]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with two objects, in the working folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    return tmp_path / "web.yaml"


def place(desired: Desired, manifest: Manifest, *items: object) -> Position:
    path = FieldPath(items)  # type: ignore[arg-type]
    return locate(desired, {manifest.ref: [path]})[manifest.ref, path]


@pytest.mark.parametrize(("items", "expected"), PLACES, ids=[str(FieldPath(items)) for items, _ in PLACES])
def test_a_field_is_where_its_key_stands(file: Path, items: tuple[object, ...], expected: tuple[int, int]) -> None:
    """Keys, keyed items with fields left to their default, set items, indexes, merges; else the nearest above."""
    desired = load(["web.yaml"])
    assert place(desired, desired.manifests[1], *items) == Position("web.yaml", *expected)


def test_items_of_lists(file: Path) -> None:
    """An object out of a List is found inside it, nested ones too."""
    file.write_text(
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMapList\n  items:\n"
        "  - metadata: {name: a}\n  - metadata: {name: b}\n    data:\n      x: y\n"
    )
    desired = load(["web.yaml"])
    assert place(desired, desired.manifests[1], "data", "x") == Position("web.yaml", 10, 7)
    assert place(desired, desired.manifests[0], "data", "x") == Position("web.yaml", 7, 5)


def test_json(file: Path) -> None:
    """JSON has places as well, in a second object of the file too."""
    body = '{"apiVersion": "v1", "kind": "ConfigMap",\n "metadata": {"name": "%s"},\n "data": {"a": "b"}}\n'
    file.write_text(body % "a" + body % "b")
    desired = load(["web.yaml"])
    assert place(desired, desired.manifests[1], "data", "a") == Position("web.yaml", 6, 11)


@pytest.mark.parametrize(
    "now",
    [
        pytest.param(None, id="gone"),
        pytest.param("", id="empty"),
        pytest.param("a: [", id="no-yaml"),
        pytest.param("hello", id="no-mapping"),
        pytest.param(DEPLOYMENT.replace("name: web\n  fin", "name: api\n  fin"), id="another-object"),
        pytest.param(DEPLOYMENT.split("---\n")[1], id="fewer-documents"),
        pytest.param("\x00", id="binary"),
    ],
)
def test_a_file_that_has_changed_gives_the_place_where_the_object_was(file: Path, now: str | None) -> None:
    """The report is made later than the reading; it never fails for that."""
    desired = load(["web.yaml"])
    if now is None:
        file.unlink()
    else:
        file.write_text(now)
    assert place(desired, desired.manifests[1], "spec", "replicas") == Position("web.yaml", 6, 1)


def test_stdin_is_not_read_again() -> None:
    """Of stdin only the object's first line is known."""
    desired = load(["-"], stdin=BytesIO(DEPLOYMENT.encode()))
    assert place(desired, desired.manifests[1], "spec", "replicas") == Position("-", 6, 1)


def test_only_what_is_asked_for_is_read(file: Path) -> None:
    """Files of other objects aren't opened, and unknown objects are left out."""
    (file.parent / "b.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n")
    desired = load(["."])
    (file.parent / "b.yaml").unlink()
    paths = [FieldPath(("spec",)), FieldPath(("kind",))]
    ref = desired.manifests[-1].ref
    found = locate(desired, {ref: iter(paths), ObjectRef("", "ConfigMap", "", "unknown"): paths})
    assert found == {(ref, paths[0]): Position("web.yaml", 11, 1), (ref, paths[1]): Position("web.yaml", 7, 1)}


@pytest.mark.parametrize(("protocol", "line"), [("TCP", 0), ("UDP", 1)])
def test_an_item_that_states_its_key_wins(protocol: str, line: int) -> None:
    """53/UDP is not the 53 before it, which leaves its protocol to the default."""
    ports = outline(b"- {port: 53}\n- {port: 53, protocol: UDP}\n")
    assert ports
    found = ports.child(key(port=53, protocol=protocol))
    assert found
    assert found[0].line == line
