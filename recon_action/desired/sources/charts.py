"""Charts as they lie in a folder: what they are called, what they need, and whether that is there."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from recon_action.desired.config_file import ConfigDocument, config_document
from recon_action.desired.faults import Fault
from recon_action.desired.sources.closure import Closure, Tracer
from recon_action.desired.sources.detection import CHARTS
from recon_action.model import Position

_NAME: Final = re.compile(r"^name:[ \t]*[\"']?([\w.-]+)", re.MULTILINE)
_RELEASE: Final = re.compile(r"[a-z0-9]([-a-z0-9.]{0,51}[a-z0-9])?")
LOCAL: Final = "file://"


@dataclass(frozen=True, slots=True)
class Dependency:
    """A chart that another one needs."""

    name: str
    repository: str
    position: Position

    @property
    def is_local(self) -> bool:
        """Whether it lies beside the chart."""
        return self.repository.startswith(LOCAL)


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart.

    Args:
        name: what it calls itself.
        is_library: whether nothing can be rendered of it alone.
        closure: what it is made from, files of values included.
        missing: what it needs and has not in its folder `charts`.
        values: its files of values, in the order in which they count.
    """

    name: str
    is_library: bool
    closure: Closure
    missing: tuple[Dependency, ...] = ()
    values: tuple[Path, ...] = ()

    @property
    def release(self) -> str:
        """What its release is called if nobody says anything; "" if its name won't do."""
        return self.name if _RELEASE.fullmatch(self.name) else ""


def chart_of(folder: Path, base: str, values: Sequence[Path]) -> Chart:
    """The chart in `folder`, with these files of values; `base` is the repository that nothing may leave."""
    real = Path(os.path.realpath(folder))
    file = real / CHARTS[0]
    document = config_document(str(file))
    value = document.value if isinstance(document.value, dict) else {}
    tracer = Tracer(base)
    tracer.add_tree(real, Position(str(file), 1))
    missing = tuple(_missing(tracer, real, document, set()))
    inside = [Path(os.path.realpath(each)) for each in values]
    tracer.files |= dict.fromkeys(inside)
    remotes = [
        Fault(one.position, f"the chart {one.name} is not in {file.parent.name}/charts")
        for one in missing
        if not one.is_local
    ]
    closure = Closure(
        real,
        file,
        value,
        files=tuple(tracer.files),
        links=tracer.links,
        values=frozenset(inside),
        remotes=tuple(remotes),
        faults=(*document.faults, *tracer.faults),
    )
    return Chart(str(value.get("name") or ""), value.get("type") == "library", closure, missing, tuple(inside))


def _missing(tracer: Tracer, folder: Path, document: ConfigDocument, seen: set[Path]) -> Iterator[Dependency]:
    """What the chart in `folder` needs and has not; what lies beside it is noted, and what that needs."""
    seen.add(folder)
    there = set(_included(folder / "charts"))
    for dependency in dependencies(document):
        if dependency.name in there:
            continue
        yield dependency
        if not dependency.is_local:
            continue
        beside = tracer.real(folder, dependency.repository.removeprefix(LOCAL))
        if beside and beside.is_dir() and beside not in seen:
            tracer.add_tree(beside, dependency.position)
            yield from _missing(tracer, beside, config_document(str(beside / CHARTS[0])), seen)


def dependencies(document: ConfigDocument) -> Iterator[Dependency]:
    """What a chart says that it needs."""
    older = Path(document.file).with_name("requirements.yaml")
    for source in (document, *([config_document(str(older))] if older.is_file() else [])):
        entries = source.value.get("dependencies") if isinstance(source.value, dict) else None
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            if isinstance(entry, dict) and entry.get("name"):
                place = source.place(("dependencies", index))
                yield Dependency(str(entry["name"]), str(entry.get("repository") or ""), place)


def _included(folder: Path) -> Iterator[str]:
    """The names of the charts in a folder `charts`: folders, and archives by their names."""
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.suffix == ".tgz":
            yield re.sub(r"-v?\d+\..*$", "", path.name.removesuffix(".tgz"))
        elif (file := path / CHARTS[0]).is_file() and (name := _NAME.search(file.read_text(errors="replace"))):
            yield name[1]
