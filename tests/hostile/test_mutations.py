"""Real manifests, damaged at random: a clear error or a report, never a traceback, in seconds and in little memory.

RECON_MUTATIONS says how many; a seed in the name of a failure makes it again.
"""

import os
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hostile import SoundServer, damaged, distorted

from recon_action.desired import load
from recon_action.errors import DesiredError, ReconError
from recon_action.model import Desired, Inventory, Manifest, Mode, Output, Quiet, Settings
from recon_action.model.settings import AdditiveMode
from recon_action.reconcile.acting import Done
from recon_action.reconcile.deciding import decide
from recon_action.reconcile.observing import observe
from recon_action.reconcile.reporting import Run, report, secrets_in
from recon_action.redact import Secrets
from recon_action.report.render import render

_COUNT = int(os.environ.get("RECON_MUTATIONS", "500"))
_FIRST = int(os.environ.get("RECON_MUTATIONS_SEED", "1"))
_SECONDS = 10.0
_MEMORY = 1 << 20  # KiB
_AT = datetime(2026, 12, 1, tzinfo=UTC)
_MOST_BYTES = 300_000  # larger files are tried by their size elsewhere


@dataclass(frozen=True)
class Source:
    """A file of the corpus, and what it declares."""

    file: Path
    manifests: Sequence[Manifest]


@pytest.fixture(scope="module")
def sources(corpus: Path) -> list[Source]:
    """All that can be read and holds something."""
    found = []
    for file in sorted(path for path in corpus.rglob("*") if path.suffix in {".yaml", ".yml", ".json"}):
        if file.stat().st_size > _MOST_BYTES:
            continue
        try:
            manifests = load([str(file)]).manifests
        except DesiredError:
            continue
        if manifests:
            found.append(Source(file, manifests))
    return found


def test_damaged_manifests(sources: list[Source], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Half of them as text, half as data that no server takes; what can be read is judged and reported."""
    outcomes: Counter[str] = Counter()
    slowest = 0.0
    for seed in range(_FIRST, _FIRST + _COUNT):
        began = time.process_time()
        outcomes[_tried(sources, seed, tmp_path)] += 1
        slowest = max(slowest, time.process_time() - began)
    with capsys.disabled():
        sys.stdout.write(f" {dict(outcomes)}, {slowest:.1f} s at most ")
    assert outcomes["without a word"] == 0
    assert outcomes["reported"] > _COUNT / 5
    assert outcomes["refused"] > _COUNT / 10
    assert slowest < _SECONDS
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < _MEMORY


def _tried(sources: list[Source], seed: int, folder: Path) -> str:
    """What becomes of one mutation."""
    rng = random.Random(seed)
    at, is_text = rng.randrange(len(sources)), rng.random() < 0.5
    neighbours = sources[at : at + (1 if is_text else rng.randrange(1, 12))]
    manifests = list({one.ref: one for source in neighbours for one in source.manifests}.values())
    path = folder / ("a.yaml" if is_text else "a.json")
    path.write_bytes(
        damaged(neighbours[0].file.read_bytes(), rng) if is_text else distorted([one.body for one in manifests], rng)
    )
    try:
        try:
            desired = load([str(path)])
            return _reported(desired, manifests, rng) if desired.manifests else "empty"
        except ReconError as error:
            return "refused" if error.message and error.hint else "without a word"
    except Exception as error:
        raise AssertionError(f"seed {seed}: {sources[at].file}: {type(error).__name__}: {error}") from error


def _reported(desired: Desired, manifests: Sequence[Manifest], rng: random.Random) -> str:
    """The loop but for what is done, against a server that holds what the files once declared."""
    mode = rng.choice([Mode.DIFF, Mode.APPLY])
    settings = Settings(
        paths=("a",),
        target="shop",
        additive=rng.choice(list(AdditiveMode)),
        take_over=rng.choice([frozenset(), frozenset({"flux", "helm"})]),
        read_only=mode is Mode.DIFF and rng.random() < 0.3,
    )
    server = SoundServer(manifests, Inventory("shop", settings.inventory_namespace).id, rng)
    seen = observe(server.door, settings, mode, desired, "uid", Quiet(), _AT)
    decided = decide(seen, settings)
    secrets = secrets_in(seen, settings, Secrets.of)
    told = report(Run(mode, settings, server.server, _AT, _AT, secrets), seen, decided, Done())
    assert told.counts.total >= len(desired.manifests)
    for output in Output:
        assert render(told, output)
    return "reported"
