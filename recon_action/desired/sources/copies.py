"""A private copy of what a source is made from: there files are decrypted, and charts fetched.

Nothing is ever written into the repository. The copy lies in a folder that only we may enter, in memory where the
machine has such a folder, and is gone as soon as the source is rendered.
"""

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
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

    def back(self, file: Path) -> Path:
        """What a file of the copy is a copy of; one that lies elsewhere is itself."""
        return self.root / file.relative_to(self.folder) if file.is_relative_to(self.folder) else file


@contextmanager
def copied(
    files: Iterable[Path], links: Mapping[Path, Path], written: Mapping[Path, bytes], home: Path
) -> Iterator[Copy]:
    """A copy of `files` below `home`; of those in `written` with other content.

    Args:
        files: absolute, without links on their way.
        links: symbolic links, and where they lead.
        written: what is put in place of a file's own bytes.
        home: a folder that nobody else may enter.
    """
    places = list(files)
    root = Path(os.path.commonpath([str(file.parent) for file in (*places, *links)]))
    with tempfile.TemporaryDirectory(dir=home, prefix="copy-") as name:
        copy = Copy(Path(name, "tree"), root)
        for file in places:
            target = copy.place(file)
            target.parent.mkdir(parents=True, exist_ok=True)
            if (data := written.get(file)) is not None:
                target.write_bytes(data)
            else:
                shutil.copyfile(file, target)
        for link, leads_to in links.items():
            place = copy.place(link)
            place.parent.mkdir(parents=True, exist_ok=True)
            if leads_to.is_relative_to(root):
                place.symlink_to(os.path.relpath(copy.place(leads_to), place.parent))
        yield copy
