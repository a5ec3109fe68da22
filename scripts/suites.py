"""Runs the suites of tests, says what each took, and holds coverage to its floors: `make test`.

The longest suite runs beside all others, which run one after the other: a suite on a control plane leaves a core idle.
`python scripts/suites.py unit live` runs these alone; the floors hold for a run of all.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IMAGE = "tests/live/test_image.py"
CORPUS = "tests/live/test_corpus.py"
SUITES = {
    "unit": ("tests", "--ignore=tests/live", "--ignore=tests/chaos"),
    "live": ("tests/live", f"--ignore={IMAGE}", f"--ignore={CORPUS}"),
    "corpus": (CORPUS,),
    "chaos": ("tests/chaos",),
    "image": (IMAGE,),
}
LONGEST = "live"
# Measuring coverage doubles their time, and they walk no way that the others don't.
UNMEASURED = frozenset({"corpus", "chaos"})
FLOORS = (("recon_action/*", 95), ("recon_action/model/*,recon_action/analyze/*,recon_action/report/*", 100))


@dataclass(frozen=True, slots=True)
class Ran:
    """A step that was run, whether it passed, and how long it took."""

    name: str
    passed: bool
    seconds: float
    output: str = ""


def python(name: str, *arguments: str, aside: bool = False, **environ: str) -> Ran:
    """Run a Python module, with `environ` beside ours; its output goes where ours goes, or `aside` into the result."""
    print(f"== {name}: python {' '.join(arguments)}", flush=True)
    start = time.monotonic()
    with tempfile.TemporaryFile() as kept:
        out = kept if aside else None
        # -m puts the checkout on the path, so that a suite tests what it lies beside.
        done = subprocess.run(
            [sys.executable, *arguments], check=False, cwd=ROOT, env={**os.environ, **environ}, stdout=out, stderr=out
        )
        seconds = time.monotonic() - start
        kept.seek(0)
        return Ran(name, done.returncode == 0, seconds, kept.read().decode(errors="replace"))


def suite(name: str, *, aside: bool = False) -> Ran:
    """Run one suite; of what is measured, the coverage lies in a file of its own."""
    coverage = () if name in UNMEASURED else ("--cov", "--cov-report=")
    options = ("-q", "--durations=5", "--durations-min=1", *coverage, *SUITES[name])
    return python(name, "-m", "pytest", *options, aside=aside, COVERAGE_FILE=str(ROOT / f".coverage.{name}"))


def suites(names: Sequence[str]) -> list[Ran]:
    """Run suites, the longest beside the others."""
    others = [name for name in names if name != LONGEST]
    with ThreadPoolExecutor(1) as thread:
        beside = [thread.submit(suite, name, aside=True) for name in others] if LONGEST in names else []
        ran = [suite(LONGEST)] if LONGEST in names else [suite(name) for name in others]
        for other in beside:
            ran.append(other.result())
            print(f"== {ran[-1].name}\n{ran[-1].output}", flush=True)
    return ran


def floors() -> list[Ran]:
    """Hold coverage to its floors."""
    files = [f".coverage.{name}" for name in SUITES if name not in UNMEASURED]
    ran = [python("coverage", "-m", "coverage", "combine", "--quiet", *files)]
    for modules, floor in FLOORS:
        options = ("--skip-covered", "--precision=1", f"--include={modules}", f"--fail-under={floor}")
        ran.append(python(f"coverage of {modules}: {floor} %", "-m", "coverage", "report", *options))
    return ran


def main() -> int:
    """Run the suites named, or all."""
    names = sys.argv[1:] or list(SUITES)
    unknown = sorted(set(names) - set(SUITES))
    if unknown:
        print(f"no suite {', '.join(unknown)}; there are {', '.join(SUITES)}", file=sys.stderr)
        return 2
    python("coverage", "-m", "coverage", "erase")
    start = time.monotonic()
    ran = suites(names)
    if set(names) == set(SUITES):
        ran += floors()
    print()
    for step in ran:
        print(f"{'passed' if step.passed else 'FAILED'} {step.seconds:7.1f} s  {step.name}")
    print(f"       {time.monotonic() - start:7.1f} s  in all")
    return 0 if all(step.passed for step in ran) else 1


if __name__ == "__main__":
    sys.exit(main())
