"""What a change in Git does to each object, as far as two commits tell without a cluster.

A manifest that leaves out its namespace is another object than one that names it: which one is meant, only a cluster
knows.
"""

from collections.abc import Mapping

from recon_action.analyze.compare import differing
from recon_action.model import Manifest, ObjectRef
from recon_action.model.amendment import Amendment, AmendmentKind


def amendments(before: Mapping[ObjectRef, Manifest], after: Mapping[ObjectRef, Manifest]) -> list[Amendment]:
    """The objects in which two commits differ: what was removed first, then what was changed, then what was added."""
    removed = [Amendment(AmendmentKind.REMOVED, before[ref]) for ref in sorted(before.keys() - after.keys())]
    added = [Amendment(AmendmentKind.ADDED, after[ref]) for ref in sorted(after.keys() - before.keys())]
    changed = [
        Amendment(AmendmentKind.CHANGED, after[ref], paths)
        for ref in sorted(after.keys() & before.keys())
        if (paths := differing(after[ref].body, before[ref].body))
    ]
    return [*removed, *changed, *added]
