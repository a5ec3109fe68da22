"""What of an object was encrypted: marked, so that no output shows it and nothing keeps a hash of it.

An object that is still encrypted is refused, or withheld where nothing was to be decrypted.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from recon_action.desired.documents import Document
from recon_action.desired.faults import Fault
from recon_action.desired.sources.rendered import Make
from recon_action.desired.sources.sops import METADATA, NEVER, is_ciphertext, is_encrypted
from recon_action.model import FieldPattern, Manifest
from recon_action.redact import is_telling

WITHHELD: Final = "encrypted, and a preview decrypts only with `decrypt: true`"
ALLOW: Final = "decrypt it (--decrypt true, input decrypt: true) if those who propose changes may use its key"
_IDENTITY: Final = frozenset({("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace")})

Route = tuple[str | int, ...]


def guarded(
    finish: Callable[[Manifest, Document], Manifest], secrets: frozenset[str], digest: str, *, decrypts: bool
) -> Make:
    """`finish`, with what comes of it guarded.

    Args:
        finish: completes an object.
        secrets: the values that were encrypted in what it is made from.
        digest: of that, as it is in Git; "" if nothing was encrypted.
        decrypts: whether encrypted files are decrypted.
    """
    telling = [secret for secret in secrets if is_telling(secret)]

    def is_secret(text: str) -> bool:
        return any(secret in text for secret in telling)

    def make(manifest: Manifest, document: Document) -> Manifest | Fault:
        made = finish(manifest, document)
        if METADATA in made.body and is_encrypted(made.body):
            return refused(made) if decrypts else withheld(made)
        return marked(made, routes(made.body, is_secret), digest) if digest else made

    return make


def marked(manifest: Manifest, secret: Iterable[Route], digest: str) -> Manifest:
    """`manifest` with the fields marked that hold a secret; its hash becomes one of what it was made from."""
    is_secret = manifest.ref.kind == "Secret" and not manifest.ref.group  # then all of it is, without a mark
    patterns = tuple(FieldPattern("/".join(map(str, route)), route) for route in secret if not is_secret)
    if not patterns and not is_secret:
        return manifest
    source_hash = hashlib.sha256(f"{digest} {manifest.ref}".encode()).hexdigest()
    return replace(manifest, source_hash=source_hash, secret=patterns)


def refused(manifest: Manifest) -> Fault:
    """Why an object is not applied that nobody has decrypted."""
    return Fault(manifest.origin.position, f"{manifest.ref} is still encrypted", NEVER)


def withheld(manifest: Manifest) -> Manifest | Fault:
    """An object that stays encrypted: who it is, why nothing is done about it, and nothing else."""
    body = manifest.body
    if any(is_ciphertext(text) for text in (body["apiVersion"], manifest.ref.kind, manifest.ref.name)):
        message = "encrypted as a whole, so that nobody can tell what it is"
        return Fault(manifest.origin.position, message, ALLOW)
    metadata = {key: body["metadata"][key] for key in ("name", "namespace") if key in body["metadata"]}
    kept = {"apiVersion": body["apiVersion"], "kind": body["kind"], "metadata": metadata}
    return replace(manifest, body=kept, source_hash="", withheld=WITHHELD)


def routes(value: Any, is_secret: Callable[[str], bool], route: Route = ()) -> Iterator[Route]:
    """The ways to each text or number in `value` that is secret; an object's identity never is."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from routes(item, is_secret, (*route, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from routes(item, is_secret, (*route, index))
    elif value is not None and route not in _IDENTITY and is_secret(str(value)):
        yield route
