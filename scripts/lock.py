"""Writes the hash-locked requirements from pyproject.toml: `make lock`.

`build.txt` makes the wheel, `runtime.txt` runs it, `release.txt` lists what is in it, `dev.txt` is everything a
checkout needs. Resolved on the oldest Python that is supported, whose set holds every backport that a newer one can do
without.
"""

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ROOT / "requirements"
HEADER = "# Locked by `make lock` from pyproject.toml; edit that instead.\n"


def group(groups: Mapping[str, list[Any]], name: str) -> Iterator[str]:
    """The requirements of a dependency group, included groups first opened."""
    for entry in groups[name]:
        if isinstance(entry, str):
            yield entry
        else:
            yield from group(groups, entry["include-group"])


def lock(name: str, requirements: Iterable[str], constraints: Iterable[str] = (), *, upgrade: bool) -> None:
    """Pin `requirements` and all they need, with hashes, into `requirements/<name>.txt`."""
    output = LOCKS / f"{name}.txt"
    command = [
        *(sys.executable, "-m", "piptools", "compile", "--quiet", "--generate-hashes", "--allow-unsafe"),
        *("--strip-extras", "--no-header", "--no-annotate", "--no-emit-options", "--no-emit-index-url"),
        *("--no-emit-find-links", "--no-emit-trusted-host"),
        *(["--upgrade"] if upgrade else []),
        *(f"--constraint={LOCKS / other}.txt" for other in constraints),
        *("--output-file", str(output), "-"),
    ]
    # Hashes come from the index alone: a local folder of wheels would add ones that nobody else can have.
    environment = {key: value for key, value in os.environ.items() if key != "PIP_FIND_LINKS"}
    subprocess.run(command, input="\n".join(requirements), text=True, check=True, cwd=ROOT, env=environment)
    output.write_text(HEADER + output.read_text())


def main() -> None:
    """Lock all four; `--upgrade` moves every pin to its newest version."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = project["dependency-groups"]
    upgrade = "--upgrade" in sys.argv[1:]
    lock("build", group(groups, "build"), upgrade=upgrade)
    lock("runtime", project["project"]["dependencies"], upgrade=upgrade)
    lock("release", group(groups, "release"), ("build",), upgrade=upgrade)
    lock(
        "dev",
        [*project["project"]["dependencies"], *group(groups, "dev")],
        ("build", "runtime"),
        upgrade=upgrade,
    )


if __name__ == "__main__":
    main()
