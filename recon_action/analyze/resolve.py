"""What each manifest means on this server: its kind's URL, scope and namespace.

A kind that the server doesn't know may still be announced by a CRD of the same set. Identity is
decided here, so duplicates are found here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from recon_action.analyze.definition import Definition, Key, definitions
from recon_action.analyze.identity import TWICE, declared, said_twice
from recon_action.errors import DesiredError
from recon_action.model import Capabilities, Manifest, ObjectRef, Problem, Resource, Trouble


@dataclass(frozen=True, slots=True)
class Resolved:
    """Manifests with their final identity.

    Args:
        manifests: by identity; namespaces filled in, or stripped from cluster-scoped kinds.
        resources: the kind of each manifest that has one.
        problems: why the others have none.
        definitions: the kinds that CRDs of the set bring, whether they are served already or not.
    """

    manifests: Mapping[ObjectRef, Manifest]
    resources: Mapping[ObjectRef, Resource]
    problems: Mapping[ObjectRef, Problem] = field(default_factory=dict)
    definitions: Mapping[Key, Definition] = field(default_factory=dict)


def resolve(manifests: Sequence[Manifest], capabilities: Capabilities, namespace: str) -> Resolved:
    """Give each manifest its identity; `namespace` is for namespaced ones that name none.

    Raises:
        DesiredError: the same object is declared twice; all pairs are named.
    """
    announced = definitions(manifests)
    kinds: dict[ObjectRef, Resource | None] = {}
    placed: list[Manifest] = []
    for manifest in manifests:
        group, kind, version = manifest.ref.group, manifest.ref.kind, manifest.version
        brought = announced.get((group, kind, version))
        resource = capabilities.find(group, kind, version) or (brought.resource if brought else None)
        placed.append(manifest if resource is None else _placed(manifest, resource, namespace))
        kinds.setdefault(placed[-1].ref, resource)
    found, repeated = declared(placed)
    if repeated:
        raise DesiredError(
            "\n".join(f"{second.origin.position}: {said_twice(second, found)}" for second in repeated), hint=TWICE
        )
    resources = {ref: resource for ref, resource in kinds.items() if resource is not None}
    problems = {ref: _unknown(found[ref], capabilities) for ref, resource in kinds.items() if resource is None}
    return Resolved(found, resources, problems, announced)


def readable(resources: Mapping[ObjectRef, Resource], capabilities: Capabilities) -> dict[ObjectRef, Resource]:
    """The kind by which each object can be read: of one whose version is yet to come, in another that is served."""
    return {
        ref: resource if resource.served else capabilities.find(resource.group, resource.kind) or resource
        for ref, resource in resources.items()
    }


def unserved(ref: ObjectRef, resources: Mapping[ObjectRef, Resource], capabilities: Capabilities) -> Problem | None:
    """Why nothing is known of a member; None if that means that it is gone.

    A member whose kind is not served is gone with it, unless its API service just doesn't answer.
    """
    if ref in resources or ref.group not in capabilities.stale:
        return None
    message = f"the API service of {ref.group} does not answer"
    return Problem(Trouble.UNAVAILABLE, message, "run again when it does", "list")


def _placed(manifest: Manifest, resource: Resource, namespace: str) -> Manifest:
    wanted = (manifest.ref.namespace or manifest.default_namespace or namespace) if resource.namespaced else ""
    metadata = manifest.body["metadata"]
    if metadata.get("namespace", "") == wanted and ("namespace" in metadata) == bool(wanted):
        return manifest
    placed = {key: value for key, value in metadata.items() if key != "namespace"}
    if wanted:
        placed["namespace"] = wanted
    body = manifest.body | {"metadata": placed}
    return replace(manifest, ref=replace(manifest.ref, namespace=wanted), body=body)


def _unknown(manifest: Manifest, capabilities: Capabilities) -> Problem:
    api_version, kind = manifest.body["apiVersion"], manifest.ref.kind
    served = capabilities.resources.get((manifest.ref.group, kind), ())
    hint = "install its CustomResourceDefinition first, or add it to the same paths"
    if served:
        hint = f"the server has {', '.join(resource.api_version for resource in served)}; change apiVersion"
    elif manifest.ref.group in capabilities.stale:
        hint = f"the API service of {manifest.ref.group} does not answer; run again when it does"
    return Problem(Trouble.UNKNOWN_KIND, f"the server has no kind {kind} in {api_version}", hint, "resolve")
