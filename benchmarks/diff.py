"""How quick recon-action is beside its peers: a diff in sync, and a first apply. README.md explains what is compared.

    python benchmarks/diff.py [--objects 1020,10020] [--apps kube-prometheus,argo-cd] [--runs 5] [--write] [--check]

Prints the tables. Without options it takes minutes: 1,020 objects and the apps; `--write` adds 10,020 objects and
writes RESULTS.md. `--check` exits 1 if something falls short of what is to be reached.
"""

import argparse
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from measure import Sample
from results import FIRST_APPLY, IN_SYNC, Measured, Results, describe
from sets import CORPUS, Set, write_sets
from tools import Tool, get_flux, in_sync, kubectl, ours

from recon_action.errors import ReconError
from recon_action.lab import start
from recon_action.model.progress import Quiet

RESULTS = Path(__file__).with_name("RESULTS.md")
_QUICK, _FULL = "1020", "1020,10020"
_APPS = "kube-prometheus,argo-cd,online-boutique"


def measure_in_sync(chosen: Set, runs: int, flux: Path) -> Measured:
    """Every tool finds that nothing is to be done; the tools take turns, each beginning a round in its turn."""
    with ExitStack() as stack:
        tools = in_sync(chosen.file, flux, stack)
        samples: dict[str, list[Sample]] = {tool.name: [] for tool in tools}
        for number in range(runs):
            begin = number % len(tools)
            for tool in tools[begin:] + tools[:begin]:
                samples[tool.name].append(tool.measure())
                _tell(chosen, tool.name, samples[tool.name][-1])
    return Measured(IN_SYNC, chosen.name, chosen.count, samples)


def measure_first_apply(chosen: Set, runs: int) -> Measured:
    """Everything is new to a cluster that is new itself, to each tool in turn."""
    samples: dict[str, list[Sample]] = {"recon-action apply": [], "kubectl apply": []}
    for number in range(runs):
        for name in sorted(samples, reverse=bool(number % 2)):
            with start() as lab:
                command = (
                    kubectl(lab, "apply", chosen.file)
                    if name == "kubectl apply"
                    else ours(lab, "apply", chosen.file, "--no-wait")
                )
                samples[name].append(Tool(name, lab, command).measure())
            _tell(chosen, name, samples[name][-1])
    return Measured(FIRST_APPLY, chosen.name, chosen.count, samples)


def _tell(chosen: Set, name: str, sample: Sample) -> None:
    size = f" {chosen.count}" if chosen.count else ""
    print(
        f"{chosen.name}{size}: {name} {sample.seconds:.2f} s, {sample.cpu:.2f} s CPU, "
        f"{sample.megabytes:.0f} MB, {sample.requests} requests",
        file=sys.stderr,
    )


def main() -> int:
    """Measure, print, and write or check if asked."""
    options = _options()
    counts = (_FULL if options.write else _QUICK) if options.objects is None else options.objects
    apps = (_APPS if CORPUS.is_dir() else "") if options.apps is None else options.apps
    if options.apps is None and not apps:
        print(f"the applications are left out: {CORPUS} is not there (RECON_CORPUS names it)", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="recon-bench-") as folder:
        sets = write_sets([int(count) for count in _split(counts)], _split(apps), Path(folder))
        try:
            flux = get_flux(Quiet())
            measured = [measure_in_sync(chosen, options.runs, flux) for chosen in sets]
            measured += [measure_first_apply(chosen, options.runs) for chosen in sets if chosen.count]
        except ReconError as error:
            print(f"error: {error.message}\nhint: {error.hint}", file=sys.stderr)
            return error.exit_code
    results = Results(measured, describe(), options.runs)
    print(results.text)
    if options.write:
        RESULTS.write_text(results.text, encoding="utf-8")
    return int(options.check and bool(results.missed))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", help=f"sizes of the bench mix (default: {_QUICK}, with --write {_FULL})")
    parser.add_argument("--apps", help=f"of the corpus; none with '' (default, if the corpus is there: {_APPS})")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    parser.add_argument("--check", action="store_true", help="exit 1 if a reach is missed")
    return parser.parse_args()


def _split(text: str) -> list[str]:
    return [part for part in text.split(",") if part]


if __name__ == "__main__":
    sys.exit(main())
