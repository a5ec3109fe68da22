"""Where a field of a manifest stands: files are read again, but only those that are asked for."""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from recon_action.desired.documents import Document, split
from recon_action.desired.files import STDIN, File, read
from recon_action.desired.outline import Node, Place, nearest, outline
from recon_action.model import (
    Body,
    Desired,
    FieldPath,
    ItemKey,
    ItemValue,
    Manifest,
    ObjectRef,
    Position,
    Revision,
)

Positions = dict[tuple[ObjectRef, FieldPath], Position]


def locate(desired: Desired, wanted: Mapping[ObjectRef, Iterable[FieldPath]]) -> Positions:
    """The place of each wanted field, or of the nearest thing above it that Git has.

    Where the file no longer holds the object (stdin never does), it is the place where the object began.
    Objects that `desired` lacks are left out.
    """
    files = _Files(desired.revision)
    found: Positions = {}
    for manifest in sorted(desired.manifests, key=lambda one: one.origin.file):
        for path in wanted.get(manifest.ref, ()):  # a file is read again only if something in it is asked for
            stated = _stated(manifest, path, files) if manifest.origin.parts else None
            found[manifest.ref, path] = stated or _place(manifest, path, files)
    return found


class _Files:
    """The files as they are now, each read once."""

    def __init__(self, revision: Revision | None) -> None:
        self._revision = revision
        self.documents = cache(self._documents)
        self._outline = cache(self._outlined)

    def outline(self, file: str, index: int) -> tuple[Document, Node] | None:
        """A document of a file, and its outline; None if there is none."""
        return self._outline(file, index)

    def _outlined(self, file: str, index: int) -> tuple[Document, Node] | None:
        document = self.documents(file).get(index)
        root = outline(document.data) if document else None
        return (document, root) if document and root else None

    def _documents(self, file: str) -> dict[int, Document]:
        """The file's documents; none if it can't be read."""
        if file == STDIN:
            return {}
        place = Path(self._revision.root if self._revision else "", file)
        content = read(File(str(place)), file, None, limits=None)
        return {part.index: part for part in split(content.data, file) if isinstance(part, Document)}


def _place(manifest: Manifest, path: FieldPath, files: _Files) -> Position:
    origin = manifest.origin
    prefix = FieldPath(tuple(step for index in origin.item for step in ("items", index)))
    found = files.outline(origin.file, origin.document)
    if found is None or not _is_same(found[1], prefix, manifest):
        return origin.position
    document, root = found
    place = nearest(root, FieldPath(prefix.items + path.items))
    return Position(origin.file, document.line + place.line, place.column + 1)


def _stated(manifest: Manifest, path: FieldPath, files: _Files) -> Position | None:
    """Where one of the files that a rendered object is made of states the very value that it has at `path`."""
    wanted = _value(manifest.body, path)
    if wanted is None or isinstance(wanted, dict | list):
        return None
    for file in (*manifest.origin.parts, manifest.origin.file):
        for index, document in files.documents(file).items():
            found = files.outline(file, index)
            place = _exact(found[1], path, wanted) if found and _is_of(found[1], manifest) else None
            if place:
                return Position(file, document.line + place.line, place.column + 1)
    return None


def _value(body: Body, path: FieldPath) -> Any:
    """What an object has at `path`; None if nothing."""
    value: Any = body
    for item in path.items:
        if isinstance(value, dict):
            value = value.get(item)
        elif isinstance(item, ItemValue):
            value = item.value
        elif isinstance(item, ItemKey):
            value = next((each for each in value or () if item.matches(each)), None)
        else:
            value = value[item] if isinstance(value, list) and isinstance(item, int) and item < len(value) else None
    return value


def _exact(root: Node, path: FieldPath, wanted: object) -> Place | None:
    """Where exactly `path` stands, if the value there is the wanted one."""
    place, node = root.place, root
    for item in path.items:
        found = node.child(item)
        if not found:
            return None
        place, node = found
    return place if node.value == wanted and type(node.value) is type(wanted) else None


def _is_of(root: Node, manifest: Manifest) -> bool:
    """Whether a document is about the object: of its kind, and of a name that rendering may have made its name of."""
    kind, metadata = root.child("kind"), root.child("metadata")
    name = metadata[1].child("name") if metadata else None
    stated = str(name[1].value) if name else ""
    return bool(kind and kind[1].value == manifest.ref.kind and stated and stated in manifest.ref.name)


def _is_same(root: Node, prefix: FieldPath, manifest: Manifest) -> bool:
    """Whether the object is still where it was read."""
    node: Node | None = root
    for step in (*prefix.items, "metadata", "name"):
        found = node.child(step) if node else None
        node = found[1] if found else None
    return node is not None and node.value == manifest.ref.name
