"""What was measured as text: ratios first, what they are held against, then the numbers behind them."""

import os
import platform
import subprocess
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from measure import Sample, Spread, spread
from tools import FLUX_VERSION

from recon_action import __version__
from recon_action.lab.binaries import KUBERNETES

_HEAD = (
    "Written by `python benchmarks/diff.py --write`; [README.md](README.md) says what is compared. Medians of {runs} "
    "rounds, quartiles in brackets; a ratio is taken within a round."
)
IN_SYNC, FIRST_APPLY = "in sync", "first apply"
_SMALL, _LARGE = 1020, 10020


@dataclass(frozen=True, slots=True)
class Measured:
    """One set of manifests, by several tools in turn.

    Args:
        case: in sync, or a first apply.
        name: of the set.
        count: of its objects, if it is a bench mix; else 0.
        samples: of each tool, by round; ours first.
    """

    case: str
    name: str
    count: int
    samples: dict[str, list[Sample]]

    @property
    def title(self) -> str:
        """The set, as a row's head."""
        return f"{self.name}, {self.count:,} objects" if self.count else self.name

    @property
    def ours(self) -> list[Sample]:
        """Our own runs."""
        return next(iter(self.samples.values()))

    def ratio(self, peer: str, quantity: Callable[[Sample], float] = lambda sample: sample.seconds) -> Spread:
        """How often ours goes into `peer`'s, round by round."""
        pairs = zip(self.samples[peer], self.ours, strict=True)
        return spread([quantity(theirs) / quantity(own) for theirs, own in pairs])

    def excess(self) -> Spread:
        """How often the floor goes into ours."""
        pairs = zip(self.samples["floor"], self.ours, strict=True)
        return spread([own.seconds / floor.seconds for floor, own in pairs])


@dataclass(frozen=True, slots=True)
class Reach:
    """Something to be reached: at most that much, or with `least` at least."""

    case: str
    count: int
    what: str
    bound: float
    got: Callable[[Measured], float]
    least: bool = False

    def holds(self, measured: Measured) -> bool:
        """Whether it is reached."""
        got = self.got(measured)
        return got >= self.bound if self.least else got <= self.bound


def _times(case: str, count: int, peer: str, bound: float) -> Reach:
    return Reach(
        case, count, f"times as fast as {peer}", bound, lambda measured: measured.ratio(peer).median, least=True
    )


REACHES = (
    _times(IN_SYNC, _SMALL, "kubectl diff", 8),
    _times(IN_SYNC, _SMALL, "Flux", 3.5),
    Reach(IN_SYNC, _SMALL, "times the floor", 1.5, lambda measured: measured.excess().median),
    _times(IN_SYNC, _LARGE, "kubectl diff", 25),
    _times(IN_SYNC, _LARGE, "Flux", 8),
    Reach(IN_SYNC, _LARGE, "times the floor", 1.5, lambda measured: measured.excess().median),
    Reach(IN_SYNC, _LARGE, "MB at the peak", 250, lambda measured: max(own.megabytes for own in measured.ours)),
    _times(FIRST_APPLY, _SMALL, "kubectl apply", 1.3),
    _times(FIRST_APPLY, _LARGE, "kubectl apply", 2),
)


@dataclass(frozen=True, slots=True)
class Results:
    """Everything of one run of the benchmark."""

    measured: Sequence[Measured]
    machine: Sequence[str]
    runs: int

    @property
    def missed(self) -> list[Reach]:
        """What falls short."""
        return [reach for reach, measured in self._held() if not reach.holds(measured)]

    @property
    def text(self) -> str:
        """The whole page."""
        parts = [
            "# Results",
            _HEAD.format(runs=self.runs),
            "\n".join(f"- {line}" for line in self.machine),
            "## How many times as fast: a diff in sync",
            self._ratios(IN_SYNC),
            "## How many times as fast: a first apply",
            self._ratios(FIRST_APPLY),
            "## Reached",
            _table(("set", "case", "at", "to be reached", "got", ""), self._reached()),
            "## The numbers",
            _table(("set", "case", "tool", "seconds", "CPU seconds", "peak MB", "requests"), self._numbers()),
        ]
        return "\n\n".join(part for part in parts if part) + "\n"

    def _held(self) -> list[tuple[Reach, Measured]]:
        return [
            (reach, measured)
            for reach in REACHES
            for measured in self.measured
            if (measured.case, measured.count) == (reach.case, reach.count)
        ]

    def _ratios(self, case: str) -> str:
        chosen = [measured for measured in self.measured if measured.case == case]
        if not chosen:
            return ""
        peers = [name for name in list(chosen[0].samples)[1:] if name != "floor"]
        heads = ["set", *(f"than {peer}" for peer in peers)]
        rows = [[measured.title, *(_spread(measured.ratio(peer), 1) for peer in peers)] for measured in chosen]
        if "floor" in chosen[0].samples:
            heads.append("times the floor")
            for row, measured in zip(rows, chosen, strict=True):
                row.append(_spread(measured.excess(), 2))
        return _table(heads, rows)

    def _reached(self) -> Iterable[Sequence[str]]:
        for reach, measured in self._held():
            word = "at least" if reach.least else "at most"
            verdict = "yes" if reach.holds(measured) else "**no**"
            yield (
                measured.title,
                reach.case,
                word,
                f"{reach.bound:g} {reach.what}",
                f"{reach.got(measured):.3g}",
                verdict,
            )

    def _numbers(self) -> Iterable[Sequence[str]]:
        for measured in self.measured:
            for tool, samples in measured.samples.items():
                yield (
                    measured.title,
                    measured.case,
                    tool,
                    _spread(spread([sample.seconds for sample in samples]), 2),
                    _spread(spread([sample.cpu for sample in samples]), 2),
                    _spread(spread([sample.megabytes for sample in samples]), 0),
                    _spread(spread([sample.requests for sample in samples]), 0),
                )


def describe() -> list[str]:
    """The machine and the versions."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    day = datetime.now(UTC).strftime("%Y-%m-%d")
    system = f"{platform.system()} {platform.release()}"
    own = f"recon-action {__version__} ({commit or 'no commit'})"
    return [
        f"{day}; {_processor()}, {os.cpu_count()} cores, {memory:.0f} GB, {system}",
        f"{own}, Python {platform.python_version()}, `kubernetes` {version('kubernetes')}",
        f"Kubernetes and kubectl {KUBERNETES}, fluxcd/pkg/ssa {FLUX_VERSION}",
    ]


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _spread(numbers: Spread, digits: int) -> str:
    if numbers.low == numbers.high:
        return f"{numbers.median:,.{digits}f}"
    return f"{numbers.median:,.{digits}f} ({numbers.low:,.{digits}f}–{numbers.high:,.{digits}f})"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
