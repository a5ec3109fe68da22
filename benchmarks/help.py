"""`recon-action --help` against `import click`: what a person waits for before there is anything to read.

Whole processes, in turn; exits 1 if the median of the ratios is above 1.5.
"""

import statistics
import subprocess
import sys
import time

LIMIT = 1.5
_RUNS = 15


def _seconds(*arguments: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> int:
    """Measure, print, and say whether the limit holds."""
    pairs = [(_seconds("-m", "recon_action", "--help"), _seconds("-c", "import click")) for _ in range(_RUNS + 1)][1:]
    ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(help_ / click for help_, click in pairs)
    print(f"--help {ours * 1000:.0f} ms, import click {theirs * 1000:.0f} ms, ratio {ratio:.2f}, limit {LIMIT}")
    return 0 if ratio <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
