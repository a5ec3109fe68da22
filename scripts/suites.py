"""Runs the suites of tests, says what each took, and holds coverage to its floors: `make test`.

Two run at a time, the longest first: a suite on a control plane leaves a core idle. `python scripts/suites.py unit
live` runs these alone; the floors hold for a run of all.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IMAGE = "tests/live/test_image.py"
CORPUS = ("tests/live/test_corpus.py", "tests/live/test_validate_corpus.py")
# A half of what would else be one suite, longer than all others together.
BESIDE = (
    "tests/live/cases",
    *(f"tests/live/test_{name}.py" for name in ("composite", "dist", "init", "oidc", "proof", "rbac", "read_only")),
)
# The longest first.
SUITES = {
    "live": ("tests/live", *(f"--ignore={path}" for path in (IMAGE, *CORPUS, *BESIDE))),
    "corpus": CORPUS,
    "unit": ("tests", "--ignore=tests/live", "--ignore=tests/chaos"),
    "beside": BESIDE,
    "chaos": ("tests/chaos",),
    "image": (IMAGE,),
}
AT_ONCE = 2
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
    """Run suites, two at a time; what one of several prints is shown once it has ended."""
    if len(names) == 1:
        return [suite(names[0])]
    with ThreadPoolExecutor(AT_ONCE) as threads:
        running = [threads.submit(suite, name, aside=True) for name in SUITES if name in names]
        ran = []
        for one in as_completed(running):
            ran.append(one.result())
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
