"""Objects of which a server that has nothing but the set can't say whether they are right: unknown is never valid."""

from collections.abc import Mapping

from recon_action.analyze.prerequisites import NAMESPACE
from recon_action.analyze.resolve import Resolved
from recon_action.model import ObjectRef, Problem, Trouble
from recon_action.model.capabilities import BUILT_IN


def unjudged(resolved: Resolved, refused: Mapping[ObjectRef, Problem], kubernetes: str) -> dict[ObjectRef, Problem]:
    """What is wrong with each object, and of which nothing is known.

    Args:
        resolved: the set, as the server knows its kinds.
        refused: what the server refuses.
        kubernetes: the version that it shows.
    """
    problems = dict(refused)
    for ref in resolved.manifests:
        home = ObjectRef(*NAMESPACE, "", ref.namespace)
        if ref in resolved.problems:
            problems[ref] = _unknown(ref, resolved, kubernetes)
        elif not resolved.resources[ref].served:
            definition = resolved.definitions[ref.group, ref.kind, resolved.manifests[ref].version].ref
            problems[ref] = _unchecked(f"{definition} is refused", Trouble.UNKNOWN_KIND)
        elif home in refused and refused.get(ref, refused[home]).trouble is Trouble.MISSING:
            problems[ref] = _unchecked(f"{home} is refused", Trouble.MISSING)
    return problems


def _unknown(ref: ObjectRef, resolved: Resolved, kubernetes: str) -> Problem:
    problem, api_version = resolved.problems[ref], resolved.manifests[ref].body["apiVersion"]
    if ref.group in BUILT_IN:
        message = f"Kubernetes {kubernetes} has no kind {ref.kind} in {api_version}"
        return Problem(Trouble.UNKNOWN_KIND, message, problem.hint, "resolve")
    message = f"not checked: PATHs hold no CustomResourceDefinition for {ref.kind} in {api_version}"
    return Problem(
        Trouble.UNKNOWN_KIND, message, "add it to PATHs; of what nobody knows nothing can be said", "resolve"
    )


def _unchecked(why: str, trouble: Trouble) -> Problem:
    return Problem(trouble, f"not checked: {why}", "correct that first", "resolve")
