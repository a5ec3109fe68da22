"""Files that SOPS has encrypted: recognised, decrypted, and what of them is secret.

What is encrypted is either decrypted or refused; its ciphertext goes nowhere.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, Final

from recon_action.desired.documents import Document, split
from recon_action.desired.faults import Fault
from recon_action.desired.sources.detection import CIPHER
from recon_action.desired.sources.toolbox import Toolbox
from recon_action.desired.yaml_reader import YamlReader
from recon_action.errors import ProgramError
from recon_action.model import Position

METADATA: Final = "sops"
_CIPHER_TEXT: Final = CIPHER.decode()
_SIGNS: Final = {
    "yaml": re.compile(rb"^[\"']?sops[\"']?:", re.MULTILINE),
    "json": re.compile(rb'"sops"\s*:'),
    "dotenv": re.compile(rb"^sops_mac=", re.MULTILINE),
    "ini": re.compile(rb"^\[sops\]", re.MULTILINE),
}
_FORMATS: Final = {".yaml": "yaml", ".yml": "yaml", ".json": "json", ".env": "dotenv", ".ini": "ini"}
_RECIPIENTS: Final = (
    re.compile(rb"\b(age1[0-9a-z]{58,})\b"),
    re.compile(rb"\bfp[\"']?[:=]\s*[\"']?([0-9A-F]{16,64})\b"),
    re.compile(rb"\b(arn:[\w-]+:kms:[\w:/-]+)"),
    re.compile(rb"\b(projects/[\w.-]+/locations/[\w-]+/keyRings/[\w/.-]+)"),
    re.compile(rb"\b(https://[\w.-]+\.vault\.[\w.]+)"),
    re.compile(rb"\bvault_address[\"']?[:=]\s*[\"']?(https?://[^\s\"']+)"),
)
_LOCAL: Final = 2  # of the recipients, how many kinds need no network
_NO_KEY, _CHANGED = frozenset({128, 111}), frozenset({24, 25, 51, 52})
NEVER: Final = "what is encrypted is never applied as it is"


@dataclass(frozen=True, slots=True)
class Decrypted:
    """A file without its encryption.

    Args:
        data: the plain text.
        secrets: the values that were encrypted.
    """

    data: bytes = field(repr=False)
    secrets: frozenset[str] = field(repr=False)


def format_of(data: bytes, name: str) -> str:
    """How SOPS has encrypted the file: "yaml", "json", "dotenv", "ini", "binary"; "" if it has not."""
    if CIPHER not in data:  # of nearly every file
        return ""
    named = _FORMATS.get(PurePath(name).suffix.lower(), "")
    if named and _SIGNS[named].search(data):
        return named
    found = next((form for form, sign in _SIGNS.items() if sign.search(data)), "")
    # YAML may be written as JSON; a file of no such name that is JSON holds another as its `data`.
    return {"json": "yaml" if named == "yaml" else "binary"}.get(found, found) if found else ""


def decrypt(data: bytes, name: str, shown: str, toolbox: Toolbox) -> Decrypted | Fault:
    """The plain text of the file `name`, or why there is none.

    Args:
        data: what `format_of` has found encrypted.
        name: the file's.
        shown: what reports call it.
        toolbox: has sops.

    Raises:
        ProgramError: sops is missing.
    """
    form = format_of(data, name)
    position = _position(data, shown)
    recipients = list(_recipients(data))
    if not toolbox.network and recipients and not any(is_local for _, is_local in recipients):
        message = f"is encrypted for {_named(recipients)}, and that key service is asked over the network"
        return Fault(position, message, f"allow it with --allow-network; {NEVER}")
    toolbox.path("sops")
    options = ("--input-type", form, "--output-type", form)
    try:
        done = toolbox.run("sops", ("--decrypt", *options, "/dev/stdin"), data=data)
    except ProgramError as error:
        return Fault(position, error.message, NEVER)
    if done.code == 0:
        return Decrypted(done.stdout, frozenset(_secrets(data, done.stdout, form)))
    if done.code in _NO_KEY:
        message = f"no key at hand decrypts it; it is encrypted for {_named(recipients)}"
        return Fault(position, message, f"set SOPS_AGE_KEY, SOPS_AGE_KEY_FILE or what else sops takes; {NEVER}")
    if done.code in _CHANGED:
        return Fault(position, "was changed after it was encrypted", f"edit it with `sops edit`; {NEVER}")
    return Fault(position, f"sops fails: {done.last_line or f'exit code {done.code}'}", NEVER)


def is_encrypted(body: Any) -> bool:
    """Whether an object still carries SOPS' metadata."""
    metadata = body.get(METADATA) if isinstance(body, dict) else None
    return isinstance(metadata, dict) and "mac" in metadata


def is_ciphertext(text: str) -> bool:
    """Whether a value is encrypted."""
    return text.startswith(_CIPHER_TEXT)


def _position(data: bytes, shown: str) -> Position:
    found = next((match for sign in _SIGNS.values() if (match := sign.search(data))), None)
    return Position(shown, data.count(b"\n", 0, found.start()) + 1 if found else 1)


def _recipients(data: bytes) -> Iterator[tuple[str, bool]]:
    """Whom the file is encrypted for, and whether that key needs no network."""
    seen: set[bytes] = set()
    for number, pattern in enumerate(_RECIPIENTS):
        for name in pattern.findall(data):
            if name not in seen:
                seen.add(name)
                yield name.decode(), number < _LOCAL


def _named(recipients: list[tuple[str, bool]]) -> str:
    return ", ".join(name for name, _ in recipients) or "nobody that it names"


def _secrets(cipher: bytes, plain: bytes, form: str) -> Iterator[str]:
    """The values that were encrypted; of forms without structure every line."""
    if form not in {"yaml", "json"}:
        text = plain.decode(errors="replace")
        for line in text.splitlines():
            name, _, value = line.partition("=")
            yield from (value.strip().strip("\"'"),) if form == "dotenv" else (line, name.strip(), value.strip())
        yield text
        return
    for before, after in zip(_values(cipher), _values(plain), strict=False):
        yield from _encrypted(before, after)


def _values(data: bytes) -> Iterator[Any]:
    reader = YamlReader()
    for document in split(data, ""):
        if isinstance(document, Document):
            yield reader.read(document, "").value


def _encrypted(before: Any, after: Any) -> Iterator[str]:
    """What stands in `after` where `before` has ciphertext."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in after.items():
            yield from _encrypted(before.get(key), value)
    elif isinstance(before, list) and isinstance(after, list):
        for one, other in zip(before, after, strict=False):
            yield from _encrypted(one, other)
    elif isinstance(before, str) and is_ciphertext(before) and after is not None:
        yield str(after)
