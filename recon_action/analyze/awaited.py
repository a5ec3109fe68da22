"""A refusal because of something that the same set brings: an apply makes that first."""

import re
from collections.abc import Iterable

from recon_action.model import ObjectRef, Problem, Trouble

_NOT_FOUND = re.compile(
    r'(?P<kind>[\w.]+) "(?P<name>[^"]+)" not found|no (?P<class>\w+) with name (?P<its>\S+) was found'
)
_TROUBLES = frozenset({Trouble.DENIED, Trouble.MISSING, Trouble.UNAVAILABLE})


def awaited(ref: ObjectRef, problem: Problem, missing: Iterable[ObjectRef]) -> ObjectRef | None:
    """Which of the `missing` objects of the set the server wants to see before it takes `ref`; None if none of them."""
    if problem.trouble not in _TROUBLES:
        return None
    wanted = [
        ((found["kind"] or found["class"]).lower(), found["name"] or found["its"])
        for found in _NOT_FOUND.finditer(problem.message)
    ]
    if not wanted:
        return None
    for other in missing:
        is_near = other.namespace in {"", ref.namespace} or other.kind == "Service"  # of a webhook, wherever it is
        if is_near and any(name == other.name and kind.startswith(other.kind.lower()) for kind, name in wanted):
            return other
    return None
