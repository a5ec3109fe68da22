"""The kinds that CRDs of the set bring, before the server has them: names, scope, schema, by version."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from recon_action.model import Body, Manifest, ObjectRef, Resource

_CRD = ("apiextensions.k8s.io", "CustomResourceDefinition")

Key = tuple[str, str, str]  # group, kind, version


@dataclass(frozen=True, slots=True, eq=False)  # each is itself, so that what is made of its schema can be kept
class Definition:
    """One version of a kind, as a CRD declares it.

    Args:
        ref: the CRD.
        resource: the kind, as it will be served.
        schema: its `openAPIV3Schema`; {} if it has none.
        is_convertible: whether its versions differ in nothing but their name.
    """

    ref: ObjectRef
    resource: Resource
    schema: Body = field(repr=False)
    is_convertible: bool = True


def definitions(manifests: Iterable[Manifest]) -> dict[Key, Definition]:
    """Every version that a CRD among `manifests` serves; what is wrong with a CRD is the server's to say."""
    found: dict[Key, Definition] = {}
    for manifest in manifests:
        if (manifest.ref.group, manifest.ref.kind) == _CRD:
            found |= definitions_of(manifest.ref, manifest.body)
    return found


def definitions_of(ref: ObjectRef, body: Body) -> dict[Key, Definition]:
    """Every version that the CRD `body` serves."""
    spec = _mapping(body.get("spec"))
    names, conversion = _mapping(spec.get("names")), _mapping(spec.get("conversion"))
    versions = spec.get("versions")
    found: dict[Key, Definition] = {}
    for version in versions if isinstance(versions, list) and names else ():
        if not isinstance(version, dict) or not version.get("served"):
            continue
        key = (str(spec.get("group", "")), str(names.get("kind", "")), str(version.get("name", "")))
        resource = Resource(
            group=key[0],
            kind=key[1],
            version=key[2],
            plural=str(names.get("plural", "")),
            namespaced=spec.get("scope") == "Namespaced",
            subresources=frozenset(_mapping(version.get("subresources"))),
            served=False,
        )
        schema = _mapping(_mapping(version.get("schema")).get("openAPIV3Schema"))
        found[key] = Definition(ref, resource, schema, conversion.get("strategy", "None") == "None")
    return found


def _mapping(value: object) -> Body:
    return value if isinstance(value, dict) else {}
