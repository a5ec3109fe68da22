"""A file on its way to be read: what it is called, and the documents that it is cut into, once."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import BinaryIO

from recon_action.desired.documents import Document, split
from recon_action.desired.faults import Fault
from recon_action.desired.files import File, read
from recon_action.desired.limits import Limits


@dataclass(slots=True)
class Source:
    """A file to read.

    Args:
        number: which of all.
        file: where it is.
        shown: what reports call it.
        limits: of what it may hold.
        stdin: what "-" reads.
        size: bytes, once it was read.
        ahead: its documents, if it was cut before its turn.
    """

    number: int
    file: File
    shown: str
    limits: Limits
    stdin: BinaryIO | None = None
    size: int = 0
    ahead: list[Document | Fault] | None = field(default=None, repr=False)

    def documents(self) -> Iterable[Document | Fault]:
        """What it holds, and what can't be cut; a file that can't be read is a fault alone."""
        if self.ahead is not None:
            documents, self.ahead = self.ahead, None
            return documents
        content = read(self.file, self.shown, self.stdin, self.limits)
        self.size = len(content.data)
        return [content.fault] if content.fault else split(content.data, self.shown, self.limits.documents)

    def look_ahead(self) -> list[Document | Fault]:
        """Cut it now, and keep what that gives."""
        self.ahead = list(self.documents())
        return self.ahead
