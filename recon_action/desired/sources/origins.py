"""Where rendered objects come from: the file of the base, or of the chart, that each was made of.

Helm tells it in a comment above each object. kustomize would, but only if the kustomization asks, and takes a sixth
longer then; so what it does to names is followed instead: an object is called as a file, or a generator, below its
kustomizations calls it, with their prefixes and suffixes.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from recon_action.desired.documents import Document
from recon_action.desired.sources.closure import Closure, Level
from recon_action.desired.sources.detection import CHARTS
from recon_action.desired.sources.parts import FIRST, Part, index_of, stems
from recon_action.model import Manifest, Origin

_YAML: Final = frozenset({".yaml", ".yml"})
_SOURCE: Final = re.compile(rb"\A# Source: ([^\n]+)\n")
_HASH: Final = re.compile(r"-[0-9a-z]{10}")
_VISITS: Final = 10_000  # of kustomizations that others use again and again

Finish = Callable[[Manifest, Document], Manifest]  # given the document that it stands in


class Files:
    """The files that objects are made of, each looked through once.

    Args:
        name_of: what reports call a file.
        root: the repository's root, without links; "" without one.
    """

    def __init__(self, name_of: Callable[[str], str], root: str = "") -> None:
        self._name_of = name_of
        self._root = f"{root}/" if root else ""
        self.name = cache(self._name)
        self.has = cache(Path.is_file)
        self.index = cache(index_of)

    def at(self, file: Path, part: Part, template: Origin) -> Origin:
        """`template` with the place of a part of a file."""
        return replace(template, file=self.name(file), document=part.index, line=part.line)

    def _name(self, file: Path) -> str:
        text = str(file)
        # These files are real, so that nobody has to look where they are.
        is_plain = self._root and text.startswith(self._root) and text.isprintable()
        return text[len(self._root) :] if is_plain else self._name_of(text)


def kustomize_origins(files: Files, closure: Closure) -> Finish:
    """Gives objects that kustomize has made their origins."""
    parts = tuple(files.name(file) for file in closure.files if file.suffix in _YAML)
    template = Origin(files.name(closure.file), source="kustomize", via=files.name(closure.folder), parts=parts)
    names = _Names(files, closure)

    def finish(manifest: Manifest, _: Document) -> Manifest:
        found = names.find(manifest.ref.kind, manifest.ref.name)
        return replace(manifest, origin=files.at(found.file, found.part, template) if found else template)

    return finish


def helm_origins(files: Files, folder: Path, namespace: str = "") -> Finish:
    """Gives objects that helm has made of the chart in `folder` their origins; they are released into `namespace`."""
    template = Origin(files.name(folder / CHARTS[0]), source="helm", via=files.name(folder))
    last = folder  # of a file of definitions only the first has the comment

    def finish(manifest: Manifest, document: Document) -> Manifest:
        nonlocal last
        if said := helm_source(document):
            last = folder / said
        origin = template
        if files.has(last):  # else it is in an archive below `charts/`
            origin = files.at(last, files.index(last).find(manifest.ref.kind, manifest.ref.name), template)
        return replace(manifest, origin=origin, default_namespace=namespace)

    return finish


def helm_source(document: Document) -> str:
    """The file of a chart that a document was made from, as helm says above it; "" if it doesn't."""
    said = _SOURCE.match(document.data)
    return said[1].decode(errors="replace").partition("/")[2] if said else ""


@dataclass(frozen=True, slots=True)
class _Found:
    """A part of a file."""

    file: Path
    part: Part


class _Names:
    """What the objects of a kustomization are called, and where they are stated."""

    def __init__(self, files: Files, closure: Closure) -> None:
        self._files = files
        self._has_others = closure.has_charts or bool(closure.remotes)  # objects that no file here states
        self._final: dict[tuple[str, str], _Found] = {}  # by kind and name as kustomize leaves it
        self._stated: dict[tuple[str, str], _Found] = {}  # as it stands in the file
        self._kinds: dict[str, set[_Found]] = {}
        self._generated: dict[tuple[str, str], _Found] = {}
        for level, prefix, suffix in _visits(closure):
            self._note(level, prefix, suffix)

    def find(self, kind: str, name: str) -> _Found | None:
        """Where the object of this kind and name is stated; None if nobody can tell."""
        made = _HASH.fullmatch(name[-11:])
        found = self._final.get((kind, name)) or self._generated.get((kind, name[:-11] if made else name))
        if found:
            return found
        of_kind = self._kinds.get(kind, set())
        if len(of_kind) == 1 and not self._has_others:  # its name may have been replaced as a whole
            return next(iter(of_kind))
        return next((hit for each in stems(name) for of in (kind, "") if (hit := self._stated.get((of, each)))), None)

    def _note(self, level: Level, prefix: str, suffix: str) -> None:
        for file in level.files:
            for part in self._files.index(file).parts:
                found = _Found(file, part)
                self._kinds.setdefault(part.kind, set()).add(found)
                self._final.setdefault((part.kind, f"{prefix}{part.name}{suffix}"), found)
                for name in (part.name, *(() if part.kind else part.others)):
                    self._stated.setdefault((part.kind, name), found)
        for kind, name in level.generated:
            self._generated.setdefault(
                (kind, f"{prefix}{name}{suffix}"), _Found(level.file, _generator(level.file, name))
            )


def _visits(closure: Closure) -> Iterator[tuple[Level, str, str]]:
    """Each kustomization as often as it is used, with what is put before and behind the names in it."""
    pending, visits = [(closure.folder, "", "", frozenset[Path]())], 0
    while pending and visits < _VISITS:
        folder, prefix, suffix, above = pending.pop()
        level = closure.levels.get(folder)
        if level is None or folder in above:
            continue
        visits += 1
        prefix, suffix = prefix + level.prefix, level.suffix + suffix
        yield level, prefix, suffix
        pending += [(each, prefix, suffix, above | {folder}) for each in reversed(level.folders)]


@cache
def _generator(file: Path, name: str) -> Part:
    """Where a kustomization names an object that it generates."""
    pattern = rb"^[ \t]*(?:- )?(?:\{[ \t]*)?name:[ \t]*[\"']?" + re.escape(name.encode()) + rb"[\"']?[ \t,}]*$"
    data = file.read_bytes()
    found = re.search(pattern, data, re.MULTILINE)
    return Part(0, data.count(b"\n", 0, found.start()) + 1) if found else FIRST
