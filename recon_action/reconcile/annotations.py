"""What the annotations of the manifests ask for, read once; one that can't be understood stops the run."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from recon_action.analyze.directives import NOTHING, Asked, asked_of, faults
from recon_action.analyze.resolve import Resolved
from recon_action.desired import Fault, locate
from recon_action.errors import DesiredError
from recon_action.model import Desired, Directives, FieldPath, Manifest, ObjectRef

_HINT = "correct the annotations"


def read_annotations(desired: Desired, resolved: Resolved) -> dict[ObjectRef, Asked]:
    """What they ask for, of the objects that have any of ours or of a tool whose annotations are honoured.

    Raises:
        DesiredError: one of them can't stay as it is; all are told, each with file and line.
    """
    asked = annotated(resolved.manifests)
    if wrong := faults_of_annotations(desired, resolved.manifests, asked):
        raise DesiredError(
            "\n".join(f"{fault.position}: {fault.message}" for fault in wrong),
            hint=f"{_HINT}; nothing was sent to the cluster",
        )
    return asked


def annotated(manifests: Mapping[ObjectRef, Manifest]) -> dict[ObjectRef, Asked]:
    """What they ask for, where they ask for anything."""
    return {ref: one for ref, manifest in manifests.items() if (one := _asked_of(manifest)) is not NOTHING}


def faults_of_annotations(
    desired: Desired, manifests: Mapping[ObjectRef, Manifest], asked: Mapping[ObjectRef, Asked]
) -> list[Fault]:
    """Those that can't stay as they are, each with its place."""
    broken = list(faults(asked))
    if not broken:
        return []
    wanted: defaultdict[ObjectRef, list[FieldPath]] = defaultdict(list)
    for ref, path, _ in broken:
        wanted[ref].append(path)
    places = locate(replace(desired, manifests=tuple(manifests.values())), wanted)
    return [Fault(places[ref, path], message, _HINT) for ref, path, message in broken]


def _asked_of(manifest: Manifest) -> Asked:
    """What an object asks for; of one that is encrypted nothing is known but that it is to be left alone."""
    return Asked(Directives(skip=manifest.withheld)) if manifest.withheld else asked_of(manifest.body)
