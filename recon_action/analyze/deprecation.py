"""What later versions of Kubernetes say of the kinds that a set uses: deprecated, or gone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recon_action.analyze.resolve import Resolved
from recon_action.model import ObjectRef

_WORD = " is deprecated"

Key = tuple[str, str, str]  # group, kind, version


@dataclass(frozen=True, slots=True)
class Later:
    """What one later version says.

    Args:
        version: the version, `1.36`.
        gone: kinds of which it no longer has that version.
        warnings: what it says of the others beside its answer.
    """

    version: str
    gone: frozenset[Key]
    warnings: Mapping[Key, Sequence[str]]


def deprecated(resolved: Resolved, later: Sequence[Later]) -> dict[ObjectRef, list[str]]:
    """What is to be said of each object, of each kind once."""
    said: dict[Key, list[str]] = {}
    gone: set[Key] = set()
    for one in later:
        for key in one.gone - gone:
            said.setdefault(key, []).append(f"{_named(key)} is gone in Kubernetes {one.version}")
        gone |= one.gone
        for key, warnings in one.warnings.items():
            known = said.setdefault(key, [])
            known += [text for text in warnings if _WORD in text and text not in known]
    return {
        ref: said[key]
        for ref, resource in resolved.resources.items()
        if said.get(key := (ref.group, ref.kind, resource.version))
    }


def _named(key: Key) -> str:
    group, kind, version = key
    return f"{f'{group}/' if group else ''}{version} {kind}"
