"""How long a lab takes until it is ready: the median of several starts, against the bound of the design.

    python benchmarks/lab_start.py [STARTS]

Exits 1 above the bound. The programs are got before the first start is timed.
"""

import os
import statistics
import sys
import time

from recon_action.lab import start
from recon_action.lab.binaries import get_binaries
from recon_action.model.progress import Quiet

BOUND = 6.0  # seconds
STARTS = 5


def measure() -> tuple[float, float]:
    """Seconds until ready, and seconds until gone."""
    begin = time.perf_counter()
    with start():
        ready = time.perf_counter()
        end = time.perf_counter()
    return ready - begin, time.perf_counter() - end


def main(starts: int) -> int:
    """Print each start and the median."""
    get_binaries(os.environ, Quiet(), controllers=False)
    ups = []
    for number in range(1, starts + 1):
        up, down = measure()
        ups.append(up)
        print(f"start {number}: ready in {up:.2f} s, gone in {down:.2f} s")
    median = statistics.median(ups)
    print(f"lab ready: median {median:.2f} s of {starts} starts, bound {BOUND:g} s")
    return 0 if median <= BOUND else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else STARTS))
