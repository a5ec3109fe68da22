"""Where a field of a manifest stands: files are read again, but only those that are asked for."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from recon_action.desired.documents import Document, split
from recon_action.desired.files import STDIN, File, read
from recon_action.desired.outline import Node, nearest, outline
from recon_action.model import Desired, FieldPath, Manifest, ObjectRef, Position, Revision

Positions = dict[tuple[ObjectRef, FieldPath], Position]


def locate(desired: Desired, wanted: Mapping[ObjectRef, Iterable[FieldPath]]) -> Positions:
    """The place of each wanted field, or of the nearest thing above it that Git has.

    Where the file no longer holds the object (stdin never does), it is the place where the object began.
    Objects that `desired` lacks are left out.
    """
    files: defaultdict[str, list[Manifest]] = defaultdict(list)
    for manifest in desired.manifests:
        if wanted.get(manifest.ref):  # a file is read again only if something in it is asked for
            files[manifest.origin.file].append(manifest)
    found: Positions = {}
    for file, manifests in files.items():
        documents = _documents(file, desired.revision)
        outlines: dict[int, Node | None] = {}
        for manifest in manifests:
            document = documents.get(manifest.origin.document)
            if document and document.index not in outlines:
                outlines[document.index] = outline(document.data)
            root = outlines[document.index] if document else None
            for path in wanted[manifest.ref]:
                found[manifest.ref, path] = _place(manifest, path, document, root)
    return found


def _documents(file: str, revision: Revision | None) -> dict[int, Document]:
    """The file's documents as they are now; none if it can't be read."""
    if file == STDIN:
        return {}
    content = read(File(str(Path(revision.root if revision else "", file))), file, None, limits=None)
    parts = split(content.data, file)
    return {part.index: part for part in parts if isinstance(part, Document)}


def _place(manifest: Manifest, path: FieldPath, document: Document | None, root: Node | None) -> Position:
    origin = manifest.origin
    prefix = FieldPath(tuple(step for index in origin.item for step in ("items", index)))
    if document is None or root is None or not _is_same(root, prefix, manifest):
        return origin.position
    place = nearest(root, FieldPath(prefix.items + path.items))
    return Position(origin.file, document.line + place.line, place.column + 1)


def _is_same(root: Node, prefix: FieldPath, manifest: Manifest) -> bool:
    """Whether the object is still where it was read."""
    node: Node | None = root
    for step in (*prefix.items, "metadata", "name"):
        found = node.child(step) if node else None
        node = found[1] if found else None
    return node is not None and node.value == manifest.ref.name
