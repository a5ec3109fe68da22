"""The part of a target that a run is about: what is left out is known, but neither judged nor touched.

Git's objects alone can be selected. What only the inventory has is left alone by a run that is about a part.
"""

from recon_action.analyze.resolve import Resolved
from recon_action.errors import UsageError
from recon_action.model import ObjectRef, Problem, Trouble
from recon_action.model.selection import Selection

_SHOWN = 8  # kinds


def select(resolved: Resolved, selection: Selection) -> Resolved:
    """The part of `resolved` that `selection` means.

    Raises:
        UsageError: that is nothing.
    """
    if selection.is_all:
        return resolved
    chosen = {ref for ref, one in resolved.manifests.items() if selection.has(ref, one.body["metadata"].get("labels"))}
    if not chosen:
        raise UsageError(
            f"none of {len(resolved.manifests)} objects is selected by {selection.text}",
            hint=f"patterns and labels are written as in the manifests, whose kinds are {_kinds(resolved)}",
        )
    definitions = {key: one for key, one in resolved.definitions.items() if one.ref in chosen}
    brought = {(one.resource.group, one.resource.kind, one.resource.version) for one in definitions.values()}
    resources = {
        ref: kind
        for ref, kind in resolved.resources.items()
        if ref in chosen and (kind.served or (kind.group, kind.kind, kind.version) in brought)
    }
    problems = {ref: resolved.problems.get(ref) or _unbrought(ref) for ref in chosen - resources.keys()}
    return Resolved(
        {ref: one for ref, one in resolved.manifests.items() if ref in chosen}, resources, problems, definitions
    )


def _unbrought(ref: ObjectRef) -> Problem:
    message = f"the server has no kind {ref.kind} in {ref.group}, and its CustomResourceDefinition is not selected"
    return Problem(Trouble.UNKNOWN_KIND, message, "select the CustomResourceDefinition as well", "resolve")


def _kinds(resolved: Resolved) -> str:
    kinds = sorted({ref.kind for ref in resolved.manifests})
    more = f" and {len(kinds) - _SHOWN} more" if len(kinds) > _SHOWN else ""
    return ", ".join(kinds[:_SHOWN]) + more
