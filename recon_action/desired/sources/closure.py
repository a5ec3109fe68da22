"""All that one kustomization is built from, found before it is built.

Thereby it is known what is encrypted, what would need the network, and what would leave the repository; kustomize
itself is asked for none of it.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from recon_action.desired.config_file import config_document
from recon_action.desired.documents import Document, split
from recon_action.desired.faults import Fault
from recon_action.desired.sources.detection import kustomization_in
from recon_action.desired.sources.references import Reference, Route, Use, all_texts, generated, references
from recon_action.desired.yaml_reader import YamlReader
from recon_action.model import Position

_LEAVES: Final = "leads out of the repository, so nothing is made of it"
_IN: Final = "put it into the repository"
_LONGEST: Final = 1024  # of a path


@dataclass(frozen=True, slots=True)
class Named:
    """What a kustomization names, and where: an error of kustomize quotes it."""

    text: str
    file: Path
    route: Route

    @property
    def position(self) -> Position:
        """Where it stands; the file is read once more for that."""
        return config_document(str(self.file)).place(self.route)


@dataclass(frozen=True, slots=True)
class Level:
    """One kustomization, as far as names of objects go.

    Args:
        file: what makes it one.
        prefix: what it puts before names.
        suffix: what it puts behind them.
        folders: other kustomizations that it takes objects from.
        files: files that it takes objects from.
        generated: kinds and names of the objects that it generates.
    """

    file: Path
    prefix: str = ""
    suffix: str = ""
    folders: tuple[Path, ...] = ()
    files: tuple[Path, ...] = ()
    generated: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Closure:
    """What a source is made from. Paths are absolute and real.

    Args:
        folder: the source's.
        file: the file that makes it one.
        value: what that says; nothing if it can't be read.
        levels: kustomizations by their folder, this one first.
        files: all that is read, kustomizations included, in the order in which it is named.
        links: symbolic links on the way there, by their place what they lead to.
        values: files whose text ends up in objects.
        remotes: what needs the network.
        faults: what nothing may be made of.
        has_charts: whether a kustomization needs helm.
        is_spread: whether a kustomization takes files from outside of its folder, though not of the repository.
        named: what is named where.
    """

    folder: Path
    file: Path
    value: dict[str, Any] = field(default_factory=dict, repr=False)
    levels: dict[Path, Level] = field(default_factory=dict)
    files: tuple[Path, ...] = ()
    links: dict[Path, Path] = field(default_factory=dict)
    values: frozenset[Path] = frozenset()
    remotes: tuple[Fault, ...] = ()
    faults: tuple[Fault, ...] = ()
    has_charts: bool = False
    is_spread: bool = False
    named: tuple[Named, ...] = ()

    @property
    def is_component(self) -> bool:
        """Whether it only says how others are changed."""
        return self.value.get("kind") == "Component"


def closure_of(folder: Path, base: str) -> Closure:
    """Follow the kustomization in `folder`; `base` is the repository that nothing may leave, "" for none."""
    real = Path(os.path.realpath(folder))
    file = kustomization_in(real) or real
    tracer = Tracer(base)
    value = tracer.follow(real)
    return Closure(
        real,
        file,
        value,
        levels=tracer.levels,
        files=tuple(tracer.files),
        links=tracer.links,
        values=frozenset(tracer.values),
        remotes=tuple(tracer.remotes),
        faults=tuple(tracer.faults),
        has_charts=tracer.has_charts,
        is_spread=tracer.is_spread and bool(base),
        named=tuple(tracer.named),
    )


class Tracer:
    """Follows names from file to file, and notes what it comes by."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._real: set[Path] = set()  # folders on whose way there is no link
        self._reader = YamlReader()
        self.levels: dict[Path, Level] = {}
        self.files: dict[Path, None] = {}
        self.links: dict[Path, Path] = {}
        self.values: set[Path] = set()
        self.remotes: list[Fault] = []
        self.faults: list[Fault] = []
        self.named: list[Named] = []
        self.has_charts = False
        self.is_spread = False

    def follow(self, folder: Path, *, is_plugin: bool = False) -> dict[str, Any]:
        """Note what the kustomization in `folder` is built from, once; gives what it says.

        That of a plugin has configurations of plugins for its resources, which name more files.
        """
        file = kustomization_in(folder)
        if file is None or folder in self.levels:
            return {}
        self.levels[folder] = Level(file)
        if self.real(file) is None:
            self._leaves(Position(str(file), 1), file.name)
            return {}
        self.files[file] = None
        value = self._read(file)
        if not isinstance(value, dict):
            return {}  # kustomize says what is wrong with it
        sources = [
            path
            for reference in references(value)
            if (path := self._add(folder, file, replace(reference, use=Use.PLUGIN) if is_plugin else reference))
        ]
        self.levels[folder] = Level(
            file,
            str(value.get("namePrefix") or ""),
            str(value.get("nameSuffix") or ""),
            folders=tuple(path for path in sources if path in self.levels),
            files=tuple(path for path in sources if path not in self.levels),
            generated=tuple(generated(value)),
        )
        return value

    def real(self, folder: Path, text: str = "") -> Path | None:
        """Where `text`, seen from `folder`, leads; None if out of the repository. Links on the way are noted.

        `folder` has no link on its way, so one up from it is its parent; behind a link it may be elsewhere.
        """
        while text.startswith("../"):
            folder, text = folder.parent, text[3:]
        path = folder / text
        if path.parent in self._real and ".." not in path.parts and not path.is_symlink():
            real = path  # as of most: spared a look at each step
        else:
            real = Path(os.path.realpath(path))
            self._real.update(real.parents)
            if path != real:
                for each in (path, *path.parents):
                    if each.is_symlink():
                        place = Path(os.path.realpath(each.parent), each.name)
                        self.links[place] = Path(os.path.realpath(each))
        return real if not self._base or real.is_relative_to(self._base) else None

    def add_tree(self, folder: Path, position: Position, *, within: Path | None = None) -> None:
        """Note every file below `folder`, which is read as a whole."""
        top = within or folder
        for parent, folders, names in os.walk(folder):
            folders.sort()
            for name in sorted((*names, *(each for each in folders if Path(parent, each).is_symlink()))):
                path = Path(parent, name)
                real = self.real(path)
                if real is None or not (self._base or real.is_relative_to(top)):
                    self._leaves(position, str(path.relative_to(top) if path.is_relative_to(top) else path))
                elif real.is_file():
                    self.files[real] = None
                elif path.is_symlink() and not folder.is_relative_to(real):
                    self.add_tree(real, position, within=top)

    def _add(self, folder: Path, file: Path, reference: Reference) -> Path | None:
        """Note one thing that is named; gives the file, or the folder, that objects are taken from."""
        named = Named(reference.text, file, reference.route)
        if reference.is_inline:
            self._add_named_in(folder, file, reference.text.encode())
            return None
        if reference.is_address:
            self.remotes.append(Fault(named.position, f"{reference.text} is not in the repository"))
            return None
        self.named.append(named)
        path = self.real(folder, reference.text)
        if reference.use is Use.CHART:
            self._add_chart(path, reference, named)
            self.is_spread |= bool(path and not path.is_relative_to(folder))
        elif path is None:
            self._leaves(named.position, reference.text)
        elif path.is_file():
            self._add_file(path, folder, reference.use)
            return path if reference.use is Use.SOURCE else None
        elif path.is_dir() and reference.use in {Use.SOURCE, Use.PLUGIN}:
            self.follow(path, is_plugin=reference.use is Use.PLUGIN)
            return path if reference.use is Use.SOURCE and path in self.levels else None
        return None

    def _add_file(self, path: Path, folder: Path, use: Use) -> None:
        self.files[path] = None
        self.is_spread |= not path.is_relative_to(folder)
        if use is Use.VALUE:
            self.values.add(path)
        if use is Use.PLUGIN:
            self._add_named_in(folder, path, path.read_bytes())

    def _add_chart(self, path: Path | None, reference: Reference, named: Named) -> None:
        self.has_charts = True
        position = named.position
        home, _, name = reference.text.rpartition("/")
        if name.startswith("-"):  # helm would take it for an option
            self.faults.append(Fault(position, f"a chart can't be called {name}", "give it another name"))
        elif path is None:
            self._leaves(position, reference.text)
        elif path.is_dir():
            self.add_tree(path, position)
        elif reference.repository:
            self.remotes.append(Fault(position, f"the chart {name} is not in {home}"))

    def _add_named_in(self, folder: Path, file: Path, data: bytes) -> None:
        """What a plugin's configuration names, seen from the kustomization's folder: no rule says where."""
        for value in self._values(file, data):
            if isinstance(value, dict) and value.get("kind") == "HelmChartInflationGenerator":
                self.has_charts = True
            for text in all_texts(value):
                name = text.partition("=")[2] or text
                if "\n" in name or "\0" in name or len(name) > _LONGEST or not (folder / name).is_file():
                    continue
                if (real := self.real(folder, name)) is None:
                    self._leaves(Position(str(file), 1), name)
                else:
                    self._add_file(real, folder, Use.VALUE)

    def _read(self, file: Path) -> Any:
        """What a file of one document says."""
        return next(self._values(file, file.read_bytes()), None)

    def _values(self, file: Path, data: bytes) -> Iterator[Any]:
        for document in split(data, str(file)):
            if isinstance(document, Document):
                yield self._reader.read(document, str(file)).value

    def _leaves(self, position: Position, text: str) -> None:
        self.faults.append(Fault(position, f"{text} {_LEAVES}", _IN))
