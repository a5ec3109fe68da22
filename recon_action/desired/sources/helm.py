"""Renders charts: `helm template`, told what the cluster is like."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from recon_action.desired.faults import Fault
from recon_action.desired.sources.charts import Chart
from recon_action.desired.sources.toolbox import Toolbox
from recon_action.model import Position, RenderTarget

_LONGEST: Final = 600  # characters of an error
_PLACES: Final = (
    re.compile(r"(?:template: |\(|^|\s)(?P<file>[^\s:()]+/[^\s:()]+):(?P<line>\d+)(?::(?P<column>\d+))?"),
    re.compile(r"(?:parse error on|error parsing|failed to parse) (?P<file>[^\s:]+)"),
)
_VERSION: Final = re.compile(r"v\d+\.\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Release:
    """What a chart is rendered as.

    Args:
        name: the release's.
        namespace: the release's; "" means helm's.
        sets: single values, which outweigh files.
        crds: whether the chart's own definitions are rendered, too.
    """

    name: str
    namespace: str = ""
    sets: tuple[str, ...] = ()
    crds: bool = True


def cluster_options(target: RenderTarget | None, prefix: str = "") -> list[str]:
    """What tells helm (or, with a prefix, kustomize) of the cluster: its version, and each kind that it serves."""
    if target is None:
        return []
    options = []
    if version := _VERSION.match(target.capabilities.version):
        options += [f"--{prefix}kube-version", version[0] + (".0" if version[0].count(".") == 1 else "")]
    served = {
        name
        for versions in target.capabilities.resources.values()
        for resource in versions
        for name in (resource.api_version, f"{resource.api_version}/{resource.kind}")
    }
    return [*options, f"--{prefix}api-versions", ",".join(sorted(served))] if served else options


def template(
    chart: Chart, release: Release, place: Callable[[Path], Path], toolbox: Toolbox, options: Sequence[str]
) -> bytes | Fault:
    """Render a chart.

    Args:
        chart: the chart.
        release: what it is rendered as.
        place: where a file of it lies now: its own place, or that of a copy.
        toolbox: has helm.
        options: what tells of the cluster.

    Raises:
        ProgramError: helm is missing, or has to be stopped.
    """
    folder = place(chart.closure.file).parent
    if chart.missing and (fault := _fetch(chart, folder, toolbox)):
        return fault
    arguments = ["template", release.name, str(folder), *options]
    arguments += ["--namespace", release.namespace] if release.namespace else []
    arguments += ["--include-crds"] if release.crds else []
    arguments += [part for file in chart.values for part in ("--values", str(place(file)))]
    arguments += [part for text in release.sets for part in ("--set", text)]
    done = toolbox.run("helm", arguments)
    return done.stdout if done.code == 0 else _fault(chart, done.stderr, place)


def _fetch(chart: Chart, folder: Path, toolbox: Toolbox) -> Fault | None:
    """Put what the chart needs into its folder `charts`, which is a copy's."""
    repositories = sorted({one.repository for one in chart.missing if one.repository.startswith("http")})
    for number, address in enumerate(repositories):  # helm asks only repositories that it has been told of
        done = toolbox.run("helm", ("repo", "add", f"recon-{number}", address, "--force-update"))
        if done.code:
            return Fault(chart.missing[0].position, f"helm: {_said(done.stderr)}", "is the repository in reach?")
    done = toolbox.run("helm", ("dependency", "build", str(folder), "--skip-refresh"))
    return Fault(chart.missing[0].position, f"helm: {_said(done.stderr)}") if done.code else None


def _fault(chart: Chart, stderr: str, place: Callable[[Path], Path]) -> Fault:
    """An error of helm, at the file that it names."""
    text = _said(stderr)
    for file in chart.values:
        text = text.replace(str(place(file)), str(file))
    position = next(_places(chart, text), Position(str(chart.closure.file), 1))
    return Fault(position, f"helm: {text}")


def _places(chart: Chart, text: str) -> Iterator[Position]:
    for pattern in _PLACES:
        for found in pattern.finditer(text):
            named = Path(found["file"])
            file = named if named.is_absolute() else chart.closure.folder / Path(*named.parts[1:])
            if file.is_file():
                groups = found.groupdict()
                yield Position(str(file), int(groups.get("line") or 1), int(groups.get("column") or 1))


def _said(stderr: str) -> str:
    _, marker, said = stderr.partition("Error: ")
    line = " ".join((said if marker else stderr).replace("Use --debug flag to render out invalid YAML", "").split())
    return line if len(line) <= _LONGEST else line[:_LONGEST] + "…"
