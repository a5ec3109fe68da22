"""What the annotations of the manifests ask for, read once; one that can't be understood stops the run."""

from collections import defaultdict
from dataclasses import replace

from recon_action.analyze.directives import NOTHING, Asked, asked_of, faults
from recon_action.analyze.resolve import Resolved
from recon_action.desired import locate
from recon_action.errors import DesiredError
from recon_action.model import Desired, FieldPath, ObjectRef


def read_annotations(desired: Desired, resolved: Resolved) -> dict[ObjectRef, Asked]:
    """What they ask for, of the objects that have any of ours or of a tool whose annotations are honoured.

    Raises:
        DesiredError: one of them can't stay as it is; all are told, each with file and line.
    """
    asked = {
        ref: one for ref, manifest in resolved.manifests.items() if (one := asked_of(manifest.body)) is not NOTHING
    }
    broken = list(faults(asked))
    if broken:
        wanted: defaultdict[ObjectRef, list[FieldPath]] = defaultdict(list)
        for ref, path, _ in broken:
            wanted[ref].append(path)
        places = locate(replace(desired, manifests=tuple(resolved.manifests.values())), wanted)
        raise DesiredError(
            "\n".join(f"{places[ref, path]}: {message}" for ref, path, message in broken),
            hint="correct the annotations; nothing was sent to the cluster",
        )
    return asked
