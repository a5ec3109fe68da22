"""Rendering sources: everything that we do of a folder, against the program alone, on the same folder in the same run.

Prints one line a source; exits 1 if ours takes more than 1.2 times what the program takes, and 10 ms more. Ours is
`load` of the folder less `load` of a file that holds what the program writes: following what the source is made from,
the program, and finding where each object comes from. Two PATHs at once are measured against the two programs one
after the other.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from recon_action.desired import load
from recon_action.desired.sources.tools import install
from recon_action.errors import ProgramError
from recon_action.model import Quiet, SourceSettings

ROUNDS = 7
SECONDS = 6.0  # for each source, if its rounds are that short
LIMIT = 1.2
LEAST = 0.01  # seconds: of a program that takes a few of these, starting it is a good part
OBJECTS = 300
CORPUS = Path(os.environ.get("RECON_CORPUS") or Path(__file__).parents[2] / "shared" / "corpus")
CHARTS = Path(__file__).parents[1] / "tests" / "charts"
_FROM_CORPUS = (
    "podinfo/deploy/overlays/production",
    "online-boutique/kustomize",
    "metrics-server/overlays/release-ha",
    "keda/config/default",
    "homelab-onedr0p/apps/cert-manager",
)


_AS_USUAL = SourceSettings()


@dataclass(frozen=True)
class Source:
    """Something to render.

    Args:
        name: what its line says.
        paths: our PATHs.
        commands: the programs alone.
        settings: ours.
    """

    name: str
    paths: tuple[str, ...]
    commands: tuple[tuple[str, ...], ...]
    settings: SourceSettings = _AS_USUAL


def sources(tools: Mapping[str, Path], folder: Path) -> list[Source]:
    """All that is measured."""
    kustomize, helm = str(tools["kustomize"]), str(tools["helm"])
    found = []
    if CORPUS.is_dir():
        paths = [str(CORPUS / name) for name in _FROM_CORPUS]
        found += [Source(path.removeprefix(f"{CORPUS}/"), (path,), ((kustomize, "build", path),)) for path in paths]
        two = tuple(paths[:2])
        found.append(Source("two at once", two, tuple((kustomize, "build", path) for path in two)))
    large = write_large(folder)
    found.append(Source(f"{OBJECTS} objects", (large,), ((kustomize, "build", large),)))
    shutil.copytree(CHARTS, folder / "charts")  # out of the repository: nobody asks git about them
    for name, sets in (("shop", ()), ("operator", ("owner=me",))):
        path = str(folder / "charts" / name)
        command = (helm, "template", name, path, "--include-crds", *(part for text in sets for part in ("--set", text)))
        found.append(Source(f"chart {name}", (path,), (command,), SourceSettings(sets=sets)))
    return found


def write_large(folder: Path) -> str:
    """An overlay of many objects."""
    base, overlay = folder / "base", folder / "overlay"
    for each in (base, overlay):
        each.mkdir()
    bodies = [
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": f"web-{number}", "labels": {"app": f"web-{number}"}},
            "spec": {
                "replicas": 1,
                "selector": {"matchLabels": {"app": f"web-{number}"}},
                "template": {
                    "metadata": {"labels": {"app": f"web-{number}"}},
                    "spec": {"containers": [{"name": "web", "image": "nginx:1", "env": [{"name": "A", "value": "b"}]}]},
                },
            },
        }
        for number in range(OBJECTS)
    ]
    (base / "web.yaml").write_text(yaml.safe_dump_all(bodies))
    (base / "kustomization.yaml").write_text("resources: [web.yaml]\n")
    (overlay / "kustomization.yaml").write_text("namePrefix: prod-\nnamespace: prod\nresources: [../base]\n")
    return str(overlay)


def measure(source: Source, folder: Path) -> tuple[float, float]:
    """Seconds of rendering and of the programs: the least of each, as everything else on the machine only adds."""
    files = []
    for number, command in enumerate(source.commands):
        files.append(folder / f"{source.name.replace('/', '-')}-{number}.yaml")
        files[-1].write_bytes(subprocess.run(command, check=True, capture_output=True).stdout)

    def alone() -> None:
        for command in source.commands:
            subprocess.run(command, check=True, capture_output=True)

    def reading() -> None:
        load([str(file) for file in files])

    def ours() -> None:
        load(source.paths, settings=source.settings)

    tasks: list[Callable[[], None]] = [ours, alone, reading]
    times: dict[Callable[[], None], list[float]] = {task: [] for task in tasks}
    end = time.perf_counter() + SECONDS
    number = 0
    while number < ROUNDS or time.perf_counter() < end:
        number += 1
        for task in tasks[number % 3 :] + tasks[: number % 3]:
            begin = time.perf_counter()
            task()
            times[task].append(time.perf_counter() - begin)
    return min(times[ours]) - min(times[reading]), min(times[alone])


def main() -> int:
    """Measure and print."""
    try:
        tools = install(os.environ, Quiet())
    except ProgramError as error:
        print(f"{error.message}: {error.hint}", file=sys.stderr)
        return 2
    slow = False
    print(f"{'source':40} {'rendering':>9} {'program':>9} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for source in sources(tools, folder):
            ours, alone = measure(source, folder)
            print(f"{source.name:40} {ours * 1000:6.0f} ms {alone * 1000:6.0f} ms {ours / alone:6.2f}")
            slow |= ours > max(alone * LIMIT, alone + LEAST)
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
