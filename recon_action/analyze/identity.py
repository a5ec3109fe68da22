"""Which manifests declare one object: those that are called the same, whatever else they say."""

from collections.abc import Iterable

from recon_action.model import Manifest, ObjectRef

TWICE = "keep one of each, or give only the paths that belong to this target"


def declared(manifests: Iterable[Manifest]) -> tuple[dict[ObjectRef, Manifest], list[Manifest]]:
    """The objects by identity, and the manifests that declare one a second time."""
    found: dict[ObjectRef, Manifest] = {}
    return found, [manifest for manifest in manifests if found.setdefault(manifest.ref, manifest) is not manifest]


def said_twice(second: Manifest, found: dict[ObjectRef, Manifest]) -> str:
    """What is wrong with a manifest that declares again what is `found` already."""
    return f"{second.ref} is declared a second time; the first is at {found[second.ref].origin.position}"
