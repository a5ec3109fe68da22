"""Whatever happens to a run, the next one puts everything right, and nothing is lost or left behind.

RECON_CHAOS_ROUNDS and RECON_CHAOS_SEED choose how many rounds, and from which seed on; RECON_CHAOS_TABLE is the file
that says afterwards what was met.
"""

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from chaos import ENDS, TASKS, Plot, Round
from faulty_proxy import FAULTS

from recon_action.lab import Lab

ROUNDS = int(os.environ.get("RECON_CHAOS_ROUNDS", "20"))
TABLE = os.environ.get("RECON_CHAOS_TABLE", "")
SEED = int(os.environ.get("RECON_CHAOS_SEED", "0"))


def test_the_next_run_puts_everything_right(own_lab: Callable[..., Lab], tmp_path: Path) -> None:
    """Faults on the way, signals, a killed server: one more run converges, and touches nothing that isn't ours."""
    lab, wrong, met = own_lab(), {}, Counter[str]()
    for seed in range(SEED, SEED + ROUNDS):
        folder = tmp_path / str(seed)
        folder.mkdir()
        chaos = Round(lab, Plot.of(seed), folder)
        if found := chaos.play():
            wrong[chaos.plot] = found
        met += chaos.met
        met[chaos.plot.task] += 1
    if TABLE:
        Path(TABLE).write_text(_table(met, len(wrong)))
    assert not wrong, "\n".join(f"{plot}: {'; '.join(found)}" for plot, found in wrong.items())


def _table(met: Counter[str], failed: int) -> str:
    """What was met, for people to read."""
    sections = (("the run was told to", TASKS), ("it ended by", ENDS), ("its requests met", FAULTS))
    lines = [
        "# Chaos",
        "",
        f"{ROUNDS} rounds from seed {SEED} on, written by `make soak`: a run of 24 objects is ill-treated, and one",
        "more run without faults must put everything right: in sync, nothing of ours missing from the inventory or",
        "left behind, nothing else touched, no lock that stays.",
        "",
        f"Survived: {ROUNDS - failed} of {ROUNDS}.",
    ]
    for title, names in sections:
        lines += ["", f"| {title} | times |", "| --- | --- |", *(f"| {name} | {met[name]} |" for name in names)]
    return "\n".join(lines) + "\n"
