"""A file of settings in YAML: its value, and where each part of it stands.

Read as manifests are read, so that a scalar means the same everywhere; what the values mean is decided elsewhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from recon_action.desired.documents import Document, split
from recon_action.desired.faults import Fault
from recon_action.desired.files import File, read
from recon_action.desired.outline import Node, nearest, outline
from recon_action.desired.yaml_reader import YamlReader
from recon_action.model import FieldPath, Position


@dataclass(frozen=True, slots=True)
class ConfigDocument:
    """The one document of a file.

    Args:
        file: as it was named.
        value: its JSON value; None if it is empty or can't be read.
        faults: why it can't.
        line: the line on which the document begins.
        root: its outline.
    """

    file: str
    value: Any = field(default=None, repr=False)
    faults: tuple[Fault, ...] = ()
    line: int = 1
    root: Node | None = field(default=None, repr=False)

    def place(self, path: Sequence[str | int]) -> Position:
        """Where the value at `path` stands (of a mapping's field, its key), or the last thing on the way there."""
        if self.root is None:
            return Position(self.file, self.line)
        place = nearest(self.root, FieldPath(tuple(path)))
        return Position(self.file, self.line + place.line, place.column + 1)


def config_document(path: str) -> ConfigDocument:
    """Read the file at `path`; what is wrong with it is in `faults`."""
    content = read(File(path), path, None)
    if content.fault:
        return ConfigDocument(path, faults=(content.fault,))
    documents: list[Document] = []
    for part in split(content.data, path):
        if isinstance(part, Fault):
            return ConfigDocument(path, faults=(part,))
        documents.append(part)
    if len(documents) > 1:
        second = Fault(Position(path, documents[1].line), "a second document begins here", "keep one of the two")
        return ConfigDocument(path, faults=(second,))
    if not documents:
        return ConfigDocument(path)
    found = YamlReader().read(documents[0], path)
    return ConfigDocument(path, found.value, found.faults, documents[0].line, outline(documents[0].data))
