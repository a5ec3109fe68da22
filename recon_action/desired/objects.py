"""What a document declares: one object, the items of a list, or nothing of Kubernetes.

Decides what counts as an object and what kubectl would refuse of its identity. Whether a kind exists, and where a
namespace is due, only the cluster knows.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import PurePath
from typing import Any, Final

from recon_action.desired.documents import Document
from recon_action.desired.faults import Fault
from recon_action.desired.outline import Node, nearest, outline
from recon_action.desired.sources.detection import CHARTS, KUSTOMIZATIONS
from recon_action.desired.yaml_reader import Read
from recon_action.model import FieldPath, Manifest, Origin, Position, ref_of

_KUSTOMIZE: Final = "kustomize.config.k8s.io/"
_HIDDEN: Final = "holds a control character, or another that can't be shown"


@dataclass(frozen=True, slots=True)
class NoObject:
    """A document that declares nothing of Kubernetes, and why."""

    position: Position
    reason: str


@dataclass(frozen=True, slots=True)
class _Source:
    """A document that was read, and its file.

    Args:
        document: what was read.
        read: what it gave.
        file: where it is.
        root: its outline, made when the first place is asked for; shared by all items of a list.
        path: indexes into `items` of the object at hand.
    """

    document: Document
    read: Read
    file: str
    root: Callable[[], Node | None]
    path: tuple[int, ...] = field(default=())

    def fault(self, path: FieldPath, message: str, hint: str) -> Fault:
        """A fault of the field at `path` of the object at hand, or of the nearest thing that is there."""
        whole = FieldPath(tuple(step for index in self.path for step in ("items", index)) + path.items)
        root = self.root()
        if root is None:
            return Fault(Position(self.file, self.document.line), message, hint)
        place = nearest(root, whole)
        return Fault(Position(self.file, self.document.line + place.line, place.column + 1), message, hint)


Found = Manifest | Fault | NoObject


def objects_of(document: Document, read: Read, file: str) -> Iterator[Found]:
    """What a document that could be read declares, in order; nothing if it is empty."""
    body = read.value
    if body is None:
        return
    source = _Source(document, read, file, root=cache(lambda: outline(document.data)))
    name = PurePath(file).name
    has = isinstance(body, dict) and {"apiVersion", "kind"} & body.keys()
    if not has or (name in CHARTS and "kind" not in body) or name in KUSTOMIZATIONS or _is_kustomize(body):
        yield NoObject(Position(file, _line(source, body)), _reason(name, body))
        return
    yield from _declared(source, body)


def _reason(name: str, body: Any) -> str:
    if name in KUSTOMIZATIONS or _is_kustomize(body):
        return "a kustomization: it says how to build objects and is none"
    if name in CHARTS:
        return "the description of a Helm chart"
    return "no apiVersion and no kind"


def _is_kustomize(body: Any) -> bool:
    return isinstance(body, dict) and str(body.get("apiVersion", "")).startswith(_KUSTOMIZE)


def _declared(source: _Source, body: Any) -> Iterator[Found]:
    """The object, or the items of a list."""
    if fault := _type_fault(source, body):
        yield fault
        return
    kind: str = body["kind"]
    if kind == "List" or (kind.endswith("List") and "items" in body):
        yield from _items(source, body)
        return
    faults = list(_identity_faults(source, body))
    if faults:
        yield from faults
        return
    origin = Origin(
        source.file,
        document=source.document.index,
        line=_line(source, body),
        item=source.path,
    )
    ref = ref_of(body)
    secret = ref.kind == "Secret" and not ref.group
    yield Manifest(ref, body, origin, hashlib.sha256(source.document.data).hexdigest() if secret else "")


def _items(source: _Source, body: dict[str, Any]) -> Iterator[Found]:
    """The items of a list, each as if it stood alone; those of a typed list need not repeat its type."""
    items = body.get("items", ())
    if items is None:
        return
    if not isinstance(items, list):
        message = "a list needs items" if items == () else "items is no list"
        yield source.fault(FieldPath(("items",)), message, "put the objects under items, each after '- '")
        return
    item_kind = body["kind"].removesuffix("List")
    for index, item in enumerate(items):
        inner = replace(source, path=(*source.path, index))
        if isinstance(item, dict) and item_kind and not {"apiVersion", "kind"} & item.keys():
            typed = {"apiVersion": body["apiVersion"], "kind": item_kind, **item}
            if id(item) in source.read.lines:
                source.read.lines[id(typed)] = source.read.lines[id(item)]
            item = typed  # noqa: PLW2901 - from here on it is the same item, complete
        yield from _declared(inner, item)


def _line(source: _Source, body: Any) -> int:
    """The line on which the object at hand begins."""
    line = source.read.lines.get(id(body))
    if line is None:
        line = source.fault(FieldPath(), "", "").position.line
    return line


def _type_fault(source: _Source, body: Any) -> Fault | None:
    """Why the value can't be an object of any kind."""
    if not isinstance(body, dict):
        return source.fault(FieldPath(), "this item is no object", "write an object with apiVersion and kind")
    for name, example in (("apiVersion", "apps/v1"), ("kind", "Deployment")):
        if name not in body:
            return source.fault(FieldPath(), f"the object has no {name}", f"add one, such as {name}: {example}")
        if not isinstance(body[name], str) or not body[name]:
            return source.fault(FieldPath((name,)), f"{name} is no text", f"write one, such as {example}")
        if not body[name].isprintable():
            return source.fault(FieldPath((name,)), f"{name} {_HIDDEN}", f"write one, such as {example}")
    return None


def _identity_faults(source: _Source, body: dict[str, Any]) -> Iterator[Fault]:
    """What of the metadata kubectl, or an apply, would refuse."""
    metadata = body.get("metadata")
    path = FieldPath(("metadata",))
    if not isinstance(metadata, dict):
        message = "the object has no metadata" if metadata is None else "metadata is no mapping"
        yield source.fault(path, message, "add metadata: with a name: below it")
        return
    name = metadata.get("name")
    if name is None or name == "":
        if metadata.get("generateName"):
            hint = "give it a name: an object with generateName would be made anew by every run"
            yield source.fault(path / "generateName", "the object has no name, only generateName", hint)
        else:
            yield source.fault(path, "the object has no metadata.name", "add name: below metadata")
    for field_name in ("name", "namespace"):
        value = metadata.get(field_name)
        if not isinstance(value, str | None):
            yield source.fault(path / field_name, f"metadata.{field_name} is no text", "put it in quotes")
        elif value and not value.isprintable():
            yield source.fault(path / field_name, f"metadata.{field_name} {_HIDDEN}", "leave it out")
    for field_name in ("labels", "annotations"):
        yield from _text_faults(source, metadata.get(field_name), path / field_name)


def _text_faults(source: _Source, value: Any, path: FieldPath) -> Iterator[Fault]:
    """What isn't text in labels or annotations; kubectl lets null pass."""
    if value is None:
        return
    if not isinstance(value, dict):
        yield source.fault(path, f"{path} is no mapping", "write one 'key: value' a line below it")
        return
    for key, item in value.items():
        if item is not None and not isinstance(item, str):
            yield source.fault(path / key, f"the value of {path / key} is no text", "put it in quotes")
