"""Where rendered objects come from: the file of the base, or of the chart, that each was made of.

kustomize tells it in an annotation, which we ask for and take off again; helm in a comment above each object. Which
document of the file it was is looked up by kind and name, as far as rendering left them.
"""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from recon_action.desired.documents import Document, split
from recon_action.desired.sources.closure import Closure
from recon_action.desired.sources.detection import CHARTS
from recon_action.model import Manifest, Origin

ANNOTATION: Final = "config.kubernetes.io/origin"
_YAML: Final = frozenset({".yaml", ".yml"})
_SOURCE: Final = re.compile(rb"\A(?:---\n)?# Source: ([^\n]+)\n")
_FIELD: Final = re.compile(r"^(path|repo|configuredIn): (.+)$", re.MULTILINE)
_KIND: Final = re.compile(rb"^kind:[ \t]*[\"']?([\w.-]+)", re.MULTILINE)
_NAME: Final = re.compile(rb"^[ \t]+name:[ \t]*[\"']?([^\s\"'#{}]+)[\"']?[ \t]*$", re.MULTILINE)
_CONTENT: Final = re.compile(rb"^(?!#|---|\{\{|\s*$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Part:
    """One document of a file that objects are made of.

    Args:
        index: which of the file's documents.
        line: on which it begins.
        kind: of its object; "" if it can't be told.
        names: what stands after `name:` anywhere in it, the object's own name first, if it is there.
    """

    index: int
    line: int
    kind: str
    names: tuple[str, ...]


class Files:
    """The files that objects are made of, each looked through once.

    Args:
        name_of: what reports call a file.
    """

    def __init__(self, name_of: Callable[[str], str]) -> None:
        self._name_of = name_of
        self.parts = cache(self._parts)
        self.name = cache(self._name)

    def origin(self, file: Path, manifest: Manifest, template: Origin) -> Origin:
        """`template` with the place of `manifest` in `file`."""
        parts = self.parts(file)
        fitting = [part for part in parts if part.kind == manifest.ref.kind] or [one for one in parts if not one.kind]
        named = [part for part in fitting if any(_fits(name, manifest.ref.name) for name in part.names)]
        exact = [part for part in named if manifest.ref.name in part.names]
        best = next((found[0] for found in (exact, named, fitting) if found), Part(0, 1, "", ()))
        return replace(template, file=self.name(file), document=best.index, line=best.line)

    def _name(self, file: Path) -> str:
        return self._name_of(str(file))

    def _parts(self, file: Path) -> list[Part]:
        try:
            data = file.read_bytes()
        except OSError:
            return []
        return [part_of(document) for document in split(data, "") if isinstance(document, Document)]


def part_of(document: Document) -> Part:
    """What a document of a file can be recognised by."""
    kind = _KIND.search(document.data)
    first = _CONTENT.search(document.data)
    line = document.line + document.data.count(b"\n", 0, first.start() if first else 0)
    names = tuple(name.decode() for name in _NAME.findall(document.data)[:20])
    return Part(document.index, line, kind[1].decode(errors="replace") if kind else "", names)


def _fits(name: str, rendered: str) -> bool:
    """Whether a prefix or a suffix may have made `rendered` of `name`."""
    return len(name) > 1 and (rendered.startswith(name) or rendered.endswith(name) or f"-{name}-" in rendered)


Finish = Callable[[Manifest, Document], Manifest]  # given the document that it stands in


def kustomize_origins(
    files: Files, closure: Closure, seen_from: Path, back: Callable[[Path], Path], *, keep: bool
) -> Finish:
    """Gives objects that kustomize has made their origins.

    Args:
        files: where objects come from.
        closure: of the kustomization.
        seen_from: the folder that kustomize's paths are relative to.
        back: where a file of a copy really lies.
        keep: whether the annotation is the kustomization's own wish.
    """
    parts = tuple(files.name(file) for file in closure.files if file.suffix in _YAML)
    template = Origin(files.name(closure.file), source="kustomize", via=files.name(closure.folder), parts=parts)

    def made(manifest: Manifest, _: Document) -> Manifest:
        annotations = manifest.body["metadata"].get("annotations") or {}
        said = dict(_FIELD.findall(str(annotations.get(ANNOTATION, ""))))
        if ANNOTATION in annotations and not keep:
            del annotations[ANNOTATION]
            if not annotations:
                del manifest.body["metadata"]["annotations"]
        path = said.get("path") or said.get("configuredIn")
        if not path or "repo" in said:
            return replace(manifest, origin=template)
        file = back(Path(os.path.normpath(seen_from / path)))
        if "path" not in said:  # a generator made it
            return replace(manifest, origin=replace(template, file=files.name(file)))
        return replace(manifest, origin=files.origin(file, manifest, template))

    return made


def helm_origins(files: Files, folder: Path, namespace: str = "") -> Finish:
    """Gives objects that helm has made of the chart in `folder` their origins; they are released into `namespace`."""
    template = Origin(files.name(folder / CHARTS[0]), source="helm", via=files.name(folder))
    last = folder  # of a file of definitions only the first has the comment

    def made(manifest: Manifest, document: Document) -> Manifest:
        nonlocal last
        if said := helm_source(document):
            last = folder / said
        is_there = last.is_file()  # else it is in an archive below `charts/`
        origin = files.origin(last, manifest, template) if is_there else template
        return replace(manifest, origin=origin, default_namespace=namespace)

    return made


def helm_source(document: Document) -> str:
    """The file of a chart that a document was made from, as helm says above it; "" if it doesn't."""
    said = _SOURCE.match(document.data)
    return said[1].decode(errors="replace").partition("/")[2] if said else ""
