"""A file of manifests that SOPS has encrypted: decrypted, and its objects marked."""

import hashlib
from dataclasses import replace
from functools import cache
from typing import Any

from recon_action.desired.documents import Document, split
from recon_action.desired.faults import Fault
from recon_action.desired.sources.parts import part_of
from recon_action.desired.sources.rendered import Rendered
from recon_action.desired.sources.secrecy import marked, routes, withheld
from recon_action.desired.sources.sops import METADATA, decrypt, format_of, is_ciphertext, is_encrypted
from recon_action.desired.sources.toolbox import Toolbox
from recon_action.desired.yaml_reader import YamlReader
from recon_action.model import Manifest

_STRUCTURED = frozenset({"yaml", "json"})


def unlock(data: bytes, name: str, shown: str, toolbox: Toolbox, *, decrypts: bool) -> Rendered | None:
    """What the file `name` holds; None if it is not encrypted.

    Args:
        data: its bytes.
        name: the file's.
        shown: what reports call it.
        toolbox: has sops.
        decrypts: whether it is to be decrypted.

    Raises:
        ProgramError: sops is missing.
    """
    if format_of(data, name) not in _STRUCTURED:  # what else there is holds no objects
        return None
    if not decrypts:
        return Rendered(data, lambda manifest, _: _kept_closed(manifest))
    opened = decrypt(data, name, shown, toolbox)
    if isinstance(opened, Fault):
        return Rendered(faults=(opened,))
    cipher = {part.index: part for part in split(data, shown) if isinstance(part, Document)}
    digest = hashlib.sha256(data).hexdigest()

    @cache
    def value_of(index: int) -> Any:
        return YamlReader().read(cipher[index], shown).value if index in cipher else None

    def make(manifest: Manifest, document: Document) -> Manifest:
        before = value_of(document.index)
        for index in manifest.origin.item:
            before = before["items"][index]
        line = part_of(cipher[document.index]).line if not manifest.origin.item and document.index in cipher else 1
        origin = replace(manifest.origin, source="sops", line=line)
        secret = (route for route in routes(before, is_ciphertext) if route[0] != METADATA)
        return marked(replace(manifest, origin=origin), secret, digest)

    return Rendered(opened.data, make, secrets=opened.secrets)


def _kept_closed(manifest: Manifest) -> Manifest | Fault:
    if METADATA in manifest.body and is_encrypted(manifest.body):
        return withheld(manifest)
    return manifest
