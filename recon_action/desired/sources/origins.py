"""Where rendered objects come from: the file of the base, or of the chart, that each was made of.

kustomize tells it in an annotation, which we ask for and take off again; helm in a comment above each object. Which
document of the file it was is looked up by kind and name, as far as rendering left them.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
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
_NAME: Final = re.compile(rb"(?:^[ \t]+|[{,][ \t]*)name:[ \t]*[\"']?([^\s\"'#{},]+)", re.MULTILINE)
_WORDS: Final = 12  # of a name; nobody's has more
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


_FIRST: Final = Part(0, 1, "", ())


@dataclass(frozen=True, slots=True)
class _Index:
    """The parts of a file.

    Args:
        kinds: the first of each kind; "" if it can't be told.
        named: by kind and name, the object's own before others that stand in it.
    """

    kinds: Mapping[str, Part]
    named: Mapping[tuple[str, str], Part]

    def find(self, kind: str, name: str) -> Part:
        """The part that an object was made of, as far as can be told."""
        for each in _stems(name):
            if found := self.named.get((kind, each)):
                return found
        return self.kinds.get(kind) or self.kinds.get("") or _FIRST


class Files:
    """The files that objects are made of, each looked through once.

    Args:
        name_of: what reports call a file.
    """

    def __init__(self, name_of: Callable[[str], str]) -> None:
        self._name_of = name_of
        self.name = cache(self._name)
        self.has = cache(Path.is_file)
        self._index = cache(_index)

    def origin(self, file: Path, manifest: Manifest, template: Origin) -> Origin:
        """`template` with the place of `manifest` in `file`."""
        part = self._index(file).find(manifest.ref.kind, manifest.ref.name)
        return replace(template, file=self.name(file), document=part.index, line=part.line)

    def _name(self, file: Path) -> str:
        return self._name_of(str(file))


def _index(file: Path) -> _Index:
    try:
        data = file.read_bytes()
    except OSError:
        data = b""
    parts = [part_of(document) for document in split(data, "") if isinstance(document, Document)]
    own = {(part.kind, part.names[0]): part for part in reversed(parts) if part.names}
    others = {(part.kind, name): part for part in reversed(parts) for name in part.names[1:]}
    return _Index({part.kind: part for part in reversed(parts)}, others | own)


def _stems(name: str) -> Iterator[str]:
    """What a prefix or a suffix may have made `name` of, the longest first."""
    words = name.split("-")[:_WORDS]
    for length in range(len(words), 0, -1):
        for start in range(len(words) - length + 1):
            yield "-".join(words[start : start + length])


def part_of(document: Document) -> Part:
    """What a document of a file can be recognised by."""
    kind = _KIND.search(document.data)
    first = _CONTENT.search(document.data)
    line = document.line + document.data.count(b"\n", 0, first.start() if first else 0)
    names = tuple(name.decode() for name in _NAME.findall(document.data)[:20])
    return Part(document.index, line, kind[1].decode(errors="replace") if kind else "", names)


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
        if not files.has(file):  # from elsewhere
            return replace(manifest, origin=template)
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
        is_there = files.has(last)  # else it is in an archive below `charts/`
        origin = files.origin(last, manifest, template) if is_there else template
        return replace(manifest, origin=origin, default_namespace=namespace)

    return made


def helm_source(document: Document) -> str:
    """The file of a chart that a document was made from, as helm says above it; "" if it doesn't."""
    said = _SOURCE.match(document.data)
    return said[1].decode(errors="replace").partition("/")[2] if said else ""
