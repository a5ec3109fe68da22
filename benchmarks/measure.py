"""One process measured as a whole, and what several measurements come to."""

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from recon_action.lab import Lab
from recon_action.lab.audit import settle

_KIBIBYTE = 1024 / 1e6  # ru_maxrss counts them, on Linux
_TAIL = 2000
_ROOT = Path(__file__).parents[1]  # where `python -m recon_action` finds the package, installed or not


@dataclass(frozen=True, slots=True)
class Sample:
    """One run of a process and of whatever it started.

    Args:
        seconds: by the wall clock, from fork to exit.
        cpu: user and system seconds.
        megabytes: peak resident memory.
        requests: that the API server logged.
    """

    seconds: float
    cpu: float
    megabytes: float
    requests: int


@dataclass(frozen=True, slots=True)
class Spread:
    """The median of several numbers, and the quartiles around it."""

    low: float
    median: float
    high: float


def spread(numbers: Sequence[float]) -> Spread:
    """Median and quartiles; of one number, that number."""
    if len(numbers) < 2:
        return Spread(numbers[0], numbers[0], numbers[0])
    return Spread(*statistics.quantiles(numbers, n=4, method="inclusive"))


def run(argv: Sequence[str], env: Mapping[str, str]) -> tuple[str, int, float, float, float]:
    """Run to the end; gives output, exit code, wall seconds, CPU seconds and peak megabytes."""
    with tempfile.TemporaryFile() as output:
        begin = time.perf_counter()
        process = subprocess.Popen(argv, cwd=_ROOT, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)  # Popen must not wait for it once more
        output.seek(0)
        text = output.read().decode(errors="replace")
    return text, process.returncode, seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * _KIBIBYTE


def measured(argv: Sequence[str], env: Mapping[str, str], lab: Lab) -> Sample:
    """One run, which must succeed, and its requests.

    Raises:
        SystemExit: it failed; the message ends with the last of its output.
    """
    before = _logged(lab.audit_log)
    output, code, seconds, cpu, megabytes = run(argv, env)
    if code != 0:
        raise SystemExit(f"{' '.join(argv)} ended with {code}:\n{output[-_TAIL:]}")
    return Sample(seconds, cpu, megabytes, _logged(lab.audit_log) - before)


def _logged(log: Path) -> int:
    """How many requests stand in the audit log. Reading it into objects would make us the biggest process here."""
    settle(log)
    with log.open("rb") as lines:
        return sum(1 for _ in lines)
