"""A file on its way to be read: what it is called, and the documents that it is cut into, once."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import BinaryIO

from recon_action.desired.documents import Document, split
from recon_action.desired.faults import Fault
from recon_action.desired.files import File, read
from recon_action.desired.limits import Limits
from recon_action.desired.sources.detection import CIPHER
from recon_action.desired.sources.rendered import Rendered

Unlock = Callable[[bytes, str, str], Rendered | None]  # of a file's bytes, path and name in reports


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
        rendered: of a folder, what was made of it; of a file that was encrypted, what is in it.
        unlock: opens a file that may be encrypted.
    """

    number: int
    file: File
    shown: str
    limits: Limits
    stdin: BinaryIO | None = None
    size: int = 0
    ahead: list[Document | Fault] | None = field(default=None, repr=False)
    rendered: Rendered | None = None
    unlock: Unlock | None = None

    def documents(self) -> Iterable[Document | Fault]:
        """What it holds, and what can't be cut; a file that can't be read is a fault alone."""
        if self.ahead is not None:
            documents, self.ahead = self.ahead, None
            return documents
        if self.rendered is None:
            content = read(self.file, self.shown, self.stdin, self.limits)
            self.size, data = len(content.data), content.data
            if content.fault:
                return [content.fault]
            if self.unlock and CIPHER in data:
                self.rendered = self.unlock(data, self.file.path, self.shown)
        if self.rendered:
            self.size, data = len(self.rendered.data), self.rendered.data
            if self.rendered.faults:
                return list(self.rendered.faults)
        return split(data, self.shown, self.limits.documents)

    def look_ahead(self) -> list[Document | Fault]:
        """Cut it now, and keep what that gives."""
        self.ahead = list(self.documents())
        return self.ahead
