"""Reading YAML: our reader against PyYAML's CSafeLoader, on the same bytes in the same run.

Prints one line a set of files; exits 1 if ours takes longer than CSafeLoader anywhere. Collection is off for both
in the first pair of columns, which is the fair one; the second pair is with the interpreter's defaults, where ours
still switches it off for itself.
"""

import gc
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import yaml

from recon_action.desired.documents import Document, split
from recon_action.desired.yaml_reader import YamlReader

sys.path.insert(0, str(Path(__file__).parent))
from manifests import bench_mix

ROUNDS = 7
LIMIT = 1.0
CORPUS = Path(os.environ.get("RECON_CORPUS") or Path(__file__).parents[2] / "shared" / "corpus")


def ours(files: Sequence[bytes]) -> int:
    """How many documents our reader reads."""
    reader, count = YamlReader(), 0
    for data in files:
        for document in split(data, "bench"):
            if isinstance(document, Document):
                count += reader.read(document, "bench").value is not None
    return count


def theirs(files: Sequence[bytes]) -> int:
    """How many documents CSafeLoader reads."""
    return sum(document is not None for data in files for document in yaml.load_all(data, Loader=yaml.CSafeLoader))


def corpus_files() -> list[bytes]:
    """The YAML files of the corpus that both can read."""
    files = []
    for path in sorted(CORPUS.rglob("*.y*ml")):
        data = path.read_bytes()
        try:
            if theirs([data]) == ours([data]):
                files.append(data)
        except (yaml.YAMLError, ValueError):
            continue
    return files


def measure(files: Sequence[bytes], *, collect: bool) -> tuple[float, float]:
    """Median seconds of ours and theirs, taken in turns."""
    times: dict[Callable[[Sequence[bytes]], int], list[float]] = {ours: [], theirs: []}
    for _ in range(ROUNDS):
        for function, seconds in times.items():
            gc.collect()
            if not collect:
                gc.disable()
            start = time.perf_counter()
            function(files)
            seconds.append(time.perf_counter() - start)
            gc.enable()
    return statistics.median(times[ours]), statistics.median(times[theirs])


def main() -> int:
    """Measure and print; 1 if a ratio is above the limit."""
    sets = {"bench mix": [bench_mix(1000)]}
    if CORPUS.is_dir():
        sets["corpus"] = corpus_files()
    heads = ("MB", "docs", "ours", "CSafe", "ratio", "ours+gc", "CSafe+gc", "ratio")
    print(f"{'':10}" + "".join(f"{head:>10}" for head in heads))
    worst = 0.0
    for name, files in sets.items():
        size = sum(map(len, files)) / 1e6
        quiet, default = measure(files, collect=False), measure(files, collect=True)
        ratios = quiet[0] / quiet[1], default[0] / default[1]
        worst = max(worst, *ratios)
        cells = [f"{size:.2f}", f"{ours(files)}"]
        for times, ratio in zip((quiet, default), ratios, strict=True):
            cells += [f"{times[0]:.3f}s", f"{times[1]:.3f}s", f"{ratio:.2f}"]
        print(f"{name:10}" + "".join(f"{cell:>10}" for cell in cells))
    print(f"worst ratio {worst:.2f}, limit {LIMIT}")
    return int(worst > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
