"""All sources of a run, rendered side by side: what the reader gets in a folder's place.

Which folders are sources was decided by their names (`detection`); here it is decided which of them are made into
objects on their own: a base is built where it is used.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from recon_action.desired.documents import Document
from recon_action.desired.faults import Fault
from recon_action.desired.sources.charts import Chart, chart_of
from recon_action.desired.sources.closure import Closure, closure_of
from recon_action.desired.sources.detection import CHARTS, Folder, Kind
from recon_action.desired.sources.helm import Release, cluster_options, template
from recon_action.desired.sources.kustomize import build
from recon_action.desired.sources.origins import Files, Finish, helm_origins, helm_source, kustomize_origins
from recon_action.desired.sources.preparation import Ready, prepared
from recon_action.desired.sources.rendered import Rendered
from recon_action.desired.sources.secrecy import guarded
from recon_action.desired.sources.toolbox import Toolbox
from recon_action.errors import ProgramError
from recon_action.model import AskTarget, ChartSettings, Position, RenderTarget, Skipped, SourceSettings

_ONLINE: Final = "put it into the repository, or allow the network with --allow-network"
_COMPONENT: Final = "a component: it is built by the kustomization that uses it"
_LIBRARY: Final = "a library chart: it is rendered by the chart that uses it"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where sources lie, and what they are rendered for.

    Args:
        settings: how.
        root: the repository's root, from which recon.yaml sees its paths; "" without one.
        name_of: what reports call a file.
        target: asked for the cluster, where a chart is rendered; None if there is none.
    """

    settings: SourceSettings
    root: str
    name_of: Callable[[str], str]
    target: AskTarget | None = None


Source = Closure | Chart


def traced(folders: Sequence[Folder], around: Surroundings) -> dict[Folder, Source]:
    """What each folder is made from."""
    return {folder: _traced(folder, around) for folder in folders}


def files_of(sources: Mapping[Folder, Source]) -> list[Path]:
    """The files that they are made from."""
    return list(dict.fromkeys(file for source in sources.values() for file in _closure(source).files))


def render(sources: Mapping[Folder, Source], around: Surroundings, toolbox: Toolbox) -> dict[Folder, Rendered]:
    """Render each folder, as many at once as there are processors.

    Raises:
        ProgramError: a program is missing.
        ClusterError: a chart has to be rendered, and the cluster can't be asked.
    """
    aside = _aside(sources, around)
    wanted = {folder: source for folder, source in sources.items() if folder not in aside}
    if around.target and any(map(_needs_cluster, wanted.values())):
        target = around.target()  # here, and not from a thread
        around = replace(around, target=lambda: target)
    rendering = _Rendering(around, toolbox)
    done = _side_by_side(rendering.of, wanted, toolbox)
    told = (rendering.told(folder, one) for folder, one in zip(wanted, done, strict=True))
    return {folder: Rendered(skipped=one) for folder, one in aside.items()} | dict(zip(wanted, told, strict=True))


def _side_by_side(
    task: Callable[[Folder, Source], Rendered], wanted: Mapping[Folder, Source], toolbox: Toolbox
) -> list[Rendered]:
    """What `task` makes of each, as many at once as there are processors."""
    if len(wanted) < 2:
        return [task(folder, source) for folder, source in wanted.items()]
    with ThreadPoolExecutor(max_workers=min(len(wanted), os.cpu_count() or 1)) as pool:
        try:
            return list(pool.map(task, wanted, wanted.values()))
        except BaseException:
            toolbox.end()
            raise


def _traced(folder: Folder, around: Surroundings) -> Source:
    path = Path(folder.path)
    if folder.kind is Kind.KUSTOMIZE:
        return closure_of(path, folder.base)
    entry = _entry(around, folder.path)
    values = [str(Path(around.root, file)) for file in entry.values] + list(around.settings.values)
    return chart_of(path, folder.base, [Path(file) for file in values])


def _entry(around: Surroundings, folder: str) -> ChartSettings:
    """What recon.yaml says of the chart in a folder."""
    name = around.name_of(folder)
    return next((entry for entry in around.settings.charts if entry.has(name)), ChartSettings())


def _needs_cluster(source: Source) -> bool:
    return isinstance(source, Chart) or source.has_charts


def _aside(sources: Mapping[Folder, Source], around: Surroundings) -> dict[Folder, Skipped]:
    """The folders that are not rendered by themselves, and why; one that was named always is."""
    parts = {folder: _parts(source) for folder, source in sources.items()}
    used = {part for inner in parts.values() for part in inner}
    found = {folder: reason for folder, source in sources.items() if (reason := _never_alone(folder, source))}
    tops = [
        folder for folder in sources if folder not in found and (folder.named or _place(sources[folder]) not in used)
    ]
    # What only its own like uses, in a circle, is left to its program to tell of.
    users = {part: folder for folder in tops for part in parts[folder]}
    for folder, source in sources.items():
        if folder not in tops and (user := users.get(_place(source))):
            found[folder] = f"built as a part of {around.name_of(str(_place(sources[user])))}"
    return {
        folder: Skipped(around.name_of(str(_closure(sources[folder]).file)), reason) for folder, reason in found.items()
    }


def _never_alone(folder: Folder, source: Source) -> str:
    if folder.named:
        return ""
    if isinstance(source, Chart):
        return _LIBRARY if source.is_library else ""
    return _COMPONENT if source.is_component else ""


def _closure(source: Source) -> Closure:
    return source.closure if isinstance(source, Chart) else source


def _place(source: Source) -> Path:
    return _closure(source).folder


def _parts(source: Source) -> set[Path]:
    """The folders of other sources that this one is made from."""
    closure = _closure(source)
    charts = {file.parent for file in closure.files if file.name in CHARTS}
    return {*closure.levels, *charts} - {closure.folder}


class _Rendering:
    """Renders one folder after the other; several may be under way."""

    def __init__(self, around: Surroundings, toolbox: Toolbox) -> None:
        self._around = around
        self._toolbox = toolbox
        self._files = Files(around.name_of, around.root)

    def of(self, folder: Folder, source: Source) -> Rendered:
        """One folder, rendered; what keeps it from that is a fault."""
        closure = _closure(source)
        faults = [*closure.faults]
        if not self._toolbox.network:
            faults += [replace(fault, hint=_ONLINE) for fault in closure.remotes]
        faults += [Fault(Position(str(closure.file), 1), f"there is no {file}") for file in self._absent(source)]
        if faults:
            return Rendered(faults=tuple(faults))
        try:
            return self._chart(folder, source) if isinstance(source, Chart) else self._built(source)
        except ProgramError as error:
            if error.hint:  # it is missing: no fault of the source
                raise
            return Rendered(faults=(Fault(Position(str(closure.file), 1), error.message),))

    def told(self, folder: Folder, rendered: Rendered) -> Rendered:
        """Faults in the words of reports: files by their names."""
        root = self._around.root or folder.base or str(Path.cwd())
        return replace(rendered, faults=tuple(self._told(fault, root) for fault in rendered.faults))

    def _told(self, fault: Fault, root: str) -> Fault:
        message = fault.message.replace(f"{root}/", "")
        position = replace(fault.position, file=self._around.name_of(fault.position.file))
        return replace(fault, position=position, message=message)

    @staticmethod
    def _absent(source: Source) -> Iterator[Path]:
        yield from (file for file in source.values if not file.is_file()) if isinstance(source, Chart) else ()

    def _built(self, closure: Closure) -> Rendered:
        options = cluster_options(self._target(), "helm-") if closure.has_charts else []
        fetches = closure.has_charts and bool(closure.remotes)
        with self._prepared(closure, writes=fetches or closure.is_spread) as ready:
            if not isinstance(ready, Ready):
                return Rendered(faults=ready)
            data = build(closure, ready.place(closure.file).parent, self._toolbox, options)
            if isinstance(data, Fault):
                return self._failed(data, ready)
            return self._done(data, kustomize_origins(self._files, closure), ready, closure.file)

    def _chart(self, folder: Folder, chart: Chart) -> Rendered:
        around, entry = self._around, _entry(self._around, folder.path)
        target = self._target()
        name = around.settings.release or entry.release or chart.release
        if not name:
            position = Position(str(chart.closure.file), 1)
            message = f"{chart.name or 'the chart'} is no name for a release"
            return Rendered(faults=(Fault(position, message, "give it one with --release-name"),))
        namespace = entry.namespace or (target.namespace if target else "")
        release = Release(name, namespace, (*entry.sets, *around.settings.sets), entry.crds)
        with self._prepared(chart.closure, writes=bool(chart.missing)) as ready:
            if not isinstance(ready, Ready):
                return Rendered(faults=ready)
            data = template(chart, release, ready.place, self._toolbox, cluster_options(target))
            if isinstance(data, Fault):
                return self._failed(data, ready)
            finish = helm_origins(self._files, chart.closure.folder, entry.namespace)
            return self._done(data, finish, ready, chart.closure.file)

    def _prepared(self, closure: Closure, *, writes: bool) -> AbstractContextManager[Ready | tuple[Fault, ...]]:
        return prepared(closure, self._toolbox, decrypts=self._around.settings.decrypts, writes=writes)

    def _done(self, data: bytes, finish: Finish, ready: Ready, file: Path) -> Rendered:
        make = guarded(finish, ready.secrets, ready.digest, decrypts=self._around.settings.decrypts)

        def blame(fault: Fault, document: Document) -> Fault:
            where = helm_source(document) or ""
            position = Position(self._files.name(file.parent / where if where else file), 1)
            return replace(
                fault, position=position, message=f"of what is made of it, line {fault.position.line}: {fault.message}"
            )

        return Rendered(data, make, blame, secrets=ready.secrets)

    def _failed(self, fault: Fault, ready: Ready) -> Rendered:
        """An error of a program, which may quote what it has read."""
        return Rendered(faults=(replace(fault, message=ready.told(fault.message)),))

    def _target(self) -> RenderTarget | None:
        return self._around.target() if self._around.target else None
