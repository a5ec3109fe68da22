"""What a source is made from, made ready: encrypted files decrypted, in a copy if anything has to be written."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from recon_action.desired.faults import Fault
from recon_action.desired.sources.closure import Closure
from recon_action.desired.sources.copies import copied
from recon_action.desired.sources.detection import CIPHER
from recon_action.desired.sources.secrecy import ALLOW, WITHHELD
from recon_action.desired.sources.sops import Decrypted, decrypt, format_of
from recon_action.desired.sources.toolbox import Toolbox
from recon_action.model import Position
from recon_action.redact import Secrets


@dataclass(frozen=True, slots=True)
class Ready:
    """A source that can be rendered.

    Args:
        place: where a file of it lies now.
        copy: where its copy lies, and of what it is one; None if there is none.
        secrets: the values that were encrypted.
        digest: of all its files as they are in Git; "" if none was encrypted.
    """

    place: Callable[[Path], Path]
    copy: tuple[Path, Path] | None = None
    secrets: frozenset[str] = field(default=frozenset(), repr=False)
    digest: str = ""

    def told(self, text: str) -> str:
        """`text` of a program in words that may be shown: of the files that there are, and without secrets."""
        if self.copy:
            text = text.replace(str(self.copy[0]), str(self.copy[1]).rstrip("/"))
        return Secrets(self.secrets).scrub_all(text)


def _same(path: Path) -> Path:
    return path


AS_IT_IS: Final = Ready(_same)


@contextmanager
def prepared(
    closure: Closure, toolbox: Toolbox, *, decrypts: bool, writes: bool
) -> Iterator[Ready | tuple[Fault, ...]]:
    """Make a source ready; gives faults where that can't be.

    Args:
        closure: what it is made from.
        toolbox: has sops.
        decrypts: whether encrypted files are decrypted.
        writes: whether the programs write beside it.

    Raises:
        ProgramError: sops is missing.
    """
    contents = {file: file.read_bytes() for file in closure.files}
    encrypted = {file: data for file, data in contents.items() if CIPHER in data and format_of(data, file.name)}
    if encrypted and not decrypts:
        if faults := tuple(_kept_closed(closure, encrypted)):
            yield faults
            return
        encrypted = {}
    opened = _opened(encrypted, toolbox)
    if faults := tuple(one for one in opened.values() if isinstance(one, Fault)):
        yield faults
        return
    plain = {file: one for file, one in opened.items() if isinstance(one, Decrypted)}
    if not plain and not writes:
        yield AS_IT_IS
        return
    secrets = frozenset(secret for one in plain.values() for secret in one.secrets)
    digest = _digest(contents) if plain else ""
    contents |= {file: one.data for file, one in plain.items()}
    with copied(contents, closure.links, toolbox.home) as copy:
        yield Ready(copy.place, (copy.folder, copy.root), secrets, digest)


def _opened(encrypted: dict[Path, bytes], toolbox: Toolbox) -> dict[Path, Decrypted | Fault]:
    """Each file decrypted, several at once: sops takes its time."""
    if not encrypted:
        return {}
    with ThreadPoolExecutor(max_workers=4) as pool:
        files = list(encrypted)
        done = pool.map(lambda file: decrypt(encrypted[file], file.name, str(file), toolbox), files)
        return dict(zip(files, done, strict=True))


def _kept_closed(closure: Closure, encrypted: Sequence[Path] | dict[Path, bytes]) -> Iterator[Fault]:
    """Why nothing can be rendered: ciphertext would end up inside of objects, where nobody could tell it."""
    for file in encrypted:
        if file in closure.values:
            yield Fault(Position(str(file), 1), f"{WITHHELD}; its text ends up inside of objects", ALLOW)


def _digest(contents: Mapping[Path, bytes]) -> str:
    digest = hashlib.sha256()
    for file, data in contents.items():
        digest.update(f"{file.name} {len(data)}\n".encode() + data)
    return digest.hexdigest()
