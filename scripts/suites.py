"""Runs the suites of tests one after the other, says what each took, and holds coverage to its floors: `make test`.

`python scripts/suites.py unit live` runs these alone; the floors hold for a run of all.
"""

import os
import subprocess
import sys
import time
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
# Measuring coverage doubles the time of the longest suite, and it walks no way that the others don't.
UNMEASURED = frozenset({"corpus", "chaos"})
FLOORS = (("recon_action/*", 95), ("recon_action/model/*,recon_action/analyze/*,recon_action/report/*", 100))


@dataclass(frozen=True, slots=True)
class Ran:
    """A step that was run, whether it passed, and how long it took."""

    name: str
    passed: bool
    seconds: float


def python(name: str, *arguments: str) -> Ran:
    """Run a Python module, its output going where ours goes."""
    print(f"== {name}: python {' '.join(arguments)}", flush=True)
    start = time.monotonic()
    # -m puts the checkout on the path, so that a suite tests what it lies beside.
    done = subprocess.run([sys.executable, *arguments], check=False, cwd=ROOT, env=os.environ)
    return Ran(name, done.returncode == 0, time.monotonic() - start)


def suite(name: str) -> Ran:
    """Run one suite, adding to the coverage of those before."""
    coverage = () if name in UNMEASURED else ("--cov", "--cov-append", "--cov-report=")
    return python(name, "-m", "pytest", "-q", "--durations=5", "--durations-min=1", *coverage, *SUITES[name])


def floors() -> list[Ran]:
    """Hold coverage to its floors."""
    ran = []
    for files, floor in FLOORS:
        options = ("--skip-covered", "--precision=1", f"--include={files}", f"--fail-under={floor}")
        ran.append(python(f"coverage of {files}: {floor} %", "-m", "coverage", "report", *options))
    return ran


def main() -> int:
    """Run the suites named, or all."""
    names = sys.argv[1:] or list(SUITES)
    unknown = sorted(set(names) - set(SUITES))
    if unknown:
        print(f"no suite {', '.join(unknown)}; there are {', '.join(SUITES)}", file=sys.stderr)
        return 2
    python("coverage", "-m", "coverage", "erase")
    ran = [suite(name) for name in names]
    if set(names) == set(SUITES):
        ran += floors()
    print()
    for step in ran:
        print(f"{'passed' if step.passed else 'FAILED'} {step.seconds:7.1f} s  {step.name}")
    print(f"       {sum(step.seconds for step in ran):7.1f} s  in all")
    return 0 if all(step.passed for step in ran) else 1


if __name__ == "__main__":
    sys.exit(main())
