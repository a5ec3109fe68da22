"""Reads everything that the PATHs of a target mean, and tells of all faults at once.

Whether there are enough manifests, and whether two declare the same object, is decided where the cluster is known.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Final

from recon_action.desired.documents import Document
from recon_action.desired.faults import Fault, ManifestError
from recon_action.desired.files import STDIN, File, find
from recon_action.desired.json_reader import read_json
from recon_action.desired.limits import DEFAULT, MOST_FAULTS, Limits, Meter
from recon_action.desired.objects import Found, NoObject, objects_of
from recon_action.desired.revisions import is_dirty, place_of, relative_to, revision_of
from recon_action.desired.second_process import LARGE, Beside, reading_beside
from recon_action.desired.source import Source
from recon_action.desired.sources.opening import Opening
from recon_action.desired.sources.rendered import Rendered
from recon_action.desired.yaml_reader import YamlReader
from recon_action.model import (
    AskTarget,
    Desired,
    Manifest,
    Progress,
    Quiet,
    Revision,
    Skipped,
    SourceSettings,
)

_QUIET: Final = Quiet()
_PLAIN: Final = SourceSettings()


def load(  # noqa: PLR0913 - all that comes from outside comes in here
    paths: Sequence[str],
    *,
    stdin: BinaryIO | None = None,
    progress: Progress = _QUIET,
    revision: Revision | None = None,
    max_size: int = DEFAULT.size,
    large: int = LARGE,
    settings: SourceSettings = _PLAIN,
    target: AskTarget | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Desired:
    """The manifests that `paths` mean: files, folders, globs, or "-" for `stdin`.

    A folder that holds a kustomization is built, a chart rendered, an encrypted file decrypted.

    Args:
        paths: where they are.
        stdin: what "-" reads.
        progress: where to show that the run is alive.
        revision: what the files are of; None asks git.
        max_size: bytes of a file; a larger one is refused unread.
        large: bytes in all, from which on a second process reads a part.
        settings: how what is no plain file is rendered.
        target: asked for the cluster, if a chart is rendered; None if there is none.
        environ: whose programs, and whose keys.

    Raises:
        UsageError: a path doesn't exist, or a glob matches nothing.
        ManifestError: files can't be read as manifests; it holds every fault of every file.
        ProgramError: a program is missing that renders, or decrypts.
        ClusterError: a chart is rendered, and the cluster can't be asked.
    """
    files = find(paths, revision.root if revision else "", render=settings.render)
    revision, is_given = revision or revision_of(paths), revision is not None
    limits = Limits(max_size)
    reader = YamlReader(Meter(limits))
    with Opening(settings, environ, max_size) as opening:
        rendered, parts = _rendered(files, opening, revision, settings, target, progress)
        progress.step("reading manifests", len(files))
        sources = [
            Source(
                number, file, _shown(file.path, revision), limits, stdin, 0, None, rendered.get(number), opening.unlock
            )
            for number, file in enumerate(files)
        ]
        readings = []
        with reading_beside(sources, limits, large) as second:
            for source in sources:
                readings.append(_read(source, reader, second))
                progress.advance()
    if revision and parts and not is_given and not revision.dirty:
        revision = replace(revision, dirty=is_dirty(Path(revision.root), parts))
    if faults := [fault for reading in readings for fault in reading.faults]:
        raise ManifestError(faults)
    return Desired(
        manifests=tuple(manifest for reading in readings for manifest in reading.manifests),
        files=len(files),
        skipped=tuple(reading.skipped for reading in readings if reading.skipped),
        revision=revision,
        identity=_identity(paths, revision),
        secrets=frozenset().union(*(source.rendered.secrets for source in sources if source.rendered)),
    )


def _rendered(
    files: Sequence[File],
    opening: Opening,
    revision: Revision | None,
    settings: SourceSettings,
    target: AskTarget | None,
    progress: Progress,
) -> tuple[dict[int, Rendered], list[str]]:
    """What was made of folders, by their number among `files`, and the files that it was made from."""
    folders = {number: file.folder for number, file in enumerate(files) if file.folder}
    if not folders:
        return {}, []
    from recon_action.desired.sources.rendering import Surroundings  # noqa: PLC0415 - few need it

    progress.step("rendering", len(folders))
    name_of = partial(_named, revision=revision)
    around = Surroundings(settings, revision.root if revision else "", name_of, target)
    made, parts = opening.render(list(folders.values()), around)
    return {number: made[folder] for number, folder in folders.items()}, [str(file) for file in parts]


@dataclass(frozen=True, slots=True)
class _Reading:
    """What one file gave."""

    manifests: tuple[Manifest, ...] = field(default=(), repr=False)
    faults: tuple[Fault, ...] = ()
    skipped: Skipped | None = None


def _read(source: Source, reader: YamlReader, second: Beside | None) -> _Reading:
    """The manifests of one file, or all of its faults, or why it has none of either."""
    if source.rendered and source.rendered.skipped:
        return _Reading(skipped=source.rendered.skipped)
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
        found = _declared(document, source, reader, second)
        yield from _completed(found, document, source.rendered) if source.rendered else found


def _declared(document: Document, source: Source, reader: YamlReader, second: Beside | None) -> Iterable[Found]:
    """What a document declares, as it is written."""
    if second and (manifests := second.read(source.number, document, source.shown)) is not None:
        return manifests
    result = read_json(document, source.shown, reader) if document.is_json else reader.read(document, source.shown)
    return chain(result.faults, objects_of(document, result, source.shown))


def _completed(found: Iterable[Found], document: Document, rendered: Rendered) -> Iterator[Found]:
    """The same of a document that was made by a program: what it doesn't tell itself is added."""
    for one in found:
        if isinstance(one, Manifest):
            yield rendered.make(one, document) if rendered.make else one
        elif isinstance(one, Fault):
            yield rendered.blame(one, document) if rendered.blame else one
        else:
            yield one


def _order(fault: Fault) -> tuple[int, int]:
    return fault.position.line, fault.position.column


def _shown(path: str, revision: Revision | None) -> str:
    """A file's name in reports: from the repository's root, else as typed; without characters that can't show."""
    name = _remembered(path, revision) if revision else path
    return "".join(character if character.isprintable() else "\ufffd" for character in name)


def _named(path: str, revision: Revision | None) -> str:
    """What reports call a file that nobody has typed: from the repository's root, else from the current folder."""
    if revision is None and Path(path).is_relative_to(here := Path.cwd()):
        path = str(Path(path).relative_to(here))
    return _shown(path, revision)


def _identity(paths: Sequence[str], revision: Revision | None) -> tuple[str, ...]:
    """The paths as the inventory remembers them."""
    return tuple(sorted({_remembered(path, revision) for path in paths}))


def _remembered(path: str, revision: Revision | None) -> str:
    if path == STDIN:
        return path
    inside = relative_to(Path(revision.root), path) if revision else None
    return str(place_of(path)) if inside is None else inside
