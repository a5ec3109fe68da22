"""A private copy of what a source is made from: there files are decrypted, and charts fetched.

Nothing is ever written into the repository. The copy lies in a folder that only we may enter, in memory where the
machine has such a folder, and is gone as soon as the source is rendered.
"""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy.

    Args:
        folder: where it lies.
        root: the folder that it is a copy of.
    """

    folder: Path
    root: Path

    def place(self, file: Path) -> Path:
        """Where a file lies in the copy."""
        return self.folder / file.relative_to(self.root)


@contextmanager
def copied(contents: Mapping[Path, bytes], links: Mapping[Path, Path], home: Path) -> Iterator[Copy]:
    """A copy of files below `home`.

    Args:
        contents: what they hold; their paths are absolute, without links on the way.
        links: symbolic links, and where they lead.
        home: a folder that nobody else may enter.
    """
    places = [*contents, *links]
    root = Path(os.path.commonpath([file.parent for file in places]))
    with tempfile.TemporaryDirectory(dir=home, prefix="copy-") as name:
        copy = Copy(Path(name), root)
        for folder in {file.parent for file in places}:
            copy.place(folder).mkdir(parents=True, exist_ok=True)
        for file, data in contents.items():
            copy.place(file).write_bytes(data)
        for link, leads_to in links.items():
            if leads_to.is_relative_to(root):
                place = copy.place(link)
                place.symlink_to(os.path.relpath(copy.place(leads_to), place.parent))
        yield copy
