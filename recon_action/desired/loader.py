"""Reads everything that the PATHs of a target mean, and tells of all faults at once.

Whether there are enough manifests, and whether two declare the same object, is decided where the cluster is known.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final

from recon_action.desired.faults import Fault, ManifestError
from recon_action.desired.files import STDIN, File, find
from recon_action.desired.json_reader import read_json
from recon_action.desired.limits import DEFAULT, MOST_FAULTS, Limits, Meter
from recon_action.desired.objects import Found, NoObject, objects_of
from recon_action.desired.revisions import place_of, relative_to, revision_of
from recon_action.desired.second_process import LARGE, Beside, reading_beside
from recon_action.desired.source import Source
from recon_action.desired.yaml_reader import YamlReader
from recon_action.model import Desired, Manifest, Progress, Quiet, Revision, Skipped

_QUIET: Final = Quiet()


def load(
    paths: Sequence[str],
    *,
    stdin: BinaryIO | None = None,
    progress: Progress = _QUIET,
    revision: Revision | None = None,
    max_size: int = DEFAULT.size,
    large: int = LARGE,
) -> Desired:
    """The manifests that `paths` mean: files, folders, globs, or "-" for `stdin`.

    Args:
        paths: where they are.
        stdin: what "-" reads.
        progress: where to show that the run is alive.
        revision: what the files are of; None asks git.
        max_size: bytes of a file; a larger one is refused unread.
        large: bytes in all, from which on a second process reads a part.

    Raises:
        UsageError: a path doesn't exist, or a glob matches nothing.
        ManifestError: files can't be read as manifests; it holds every fault of every file.
    """
    files = find(paths, revision.root if revision else "")
    revision = revision or revision_of(paths)
    limits = Limits(max_size)
    reader = YamlReader(Meter(limits))
    progress.step("reading manifests", len(files))
    sources = [Source(number, file, _shown(file, revision), limits, stdin) for number, file in enumerate(files)]
    readings = []
    with reading_beside(sources, limits, large) as second:
        for source in sources:
            readings.append(_read(source, reader, second))
            progress.advance()
    if faults := [fault for reading in readings for fault in reading.faults]:
        raise ManifestError(faults)
    return Desired(
        manifests=tuple(manifest for reading in readings for manifest in reading.manifests),
        files=len(files),
        skipped=tuple(reading.skipped for reading in readings if reading.skipped),
        revision=revision,
        identity=_identity(paths, revision),
    )


@dataclass(frozen=True, slots=True)
class _Reading:
    """What one file gave."""

    manifests: tuple[Manifest, ...] = field(default=(), repr=False)
    faults: tuple[Fault, ...] = ()
    skipped: Skipped | None = None


def _read(source: Source, reader: YamlReader, second: Beside | None) -> _Reading:
    """The manifests of one file, or all of its faults, or why it has none of either."""
    manifests: list[Manifest] = []
    faults: list[Fault] = []
    others: list[NoObject] = []
    for found in _found(source, reader, second):
        if isinstance(found, Manifest):
            manifests.append(found)
        elif isinstance(found, Fault):
            faults.append(found)
        else:
            others.append(found)
        if len(faults) == MOST_FAULTS:
            break
    if manifests and others:
        hint = "remove it, or move it to a file without objects"
        faults += [Fault(other.position, f"among objects, this is none: {other.reason}", hint) for other in others]
    if faults:
        return _Reading(faults=tuple(sorted(faults, key=_order)))
    if manifests:
        return _Reading(tuple(manifests))
    return _Reading(skipped=Skipped(source.shown, others[0].reason if others else "it is empty"))


def _found(source: Source, reader: YamlReader, second: Beside | None) -> Iterator[Found]:
    """What a file declares, in order, and what is wrong with it."""
    documents = source.documents()
    reader.meter.begin(source.size)
    for document in documents:
        if isinstance(document, Fault):
            yield document
            continue
        if second and (manifests := second.read(source.number, document, source.shown)) is not None:
            yield from manifests
            continue
        result = read_json(document, source.shown, reader) if document.is_json else reader.read(document, source.shown)
        yield from result.faults
        yield from objects_of(document, result, source.shown)


def _order(fault: Fault) -> tuple[int, int]:
    return fault.position.line, fault.position.column


def _shown(file: File, revision: Revision | None) -> str:
    """A file's name in reports: from the repository's root, else as typed; without characters that can't show."""
    name = _remembered(file.path, revision) if revision else file.path
    return "".join(character if character.isprintable() else "\ufffd" for character in name)


def _identity(paths: Sequence[str], revision: Revision | None) -> tuple[str, ...]:
    """The paths as the inventory remembers them."""
    return tuple(sorted({_remembered(path, revision) for path in paths}))


def _remembered(path: str, revision: Revision | None) -> str:
    if path == STDIN:
        return path
    inside = relative_to(Path(revision.root), path) if revision else None
    return str(place_of(path)) if inside is None else inside
