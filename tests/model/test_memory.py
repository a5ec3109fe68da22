"""What a drift issue remembers: what no run of ours would have left is not believed."""

from dataclasses import replace

import pytest

from recon_action.model.memory import OBJECTS, SCANS, Memory

FULL = Memory(
    drift="0123456789abcdef",
    since=1_796_000_000,
    seen=4,
    objects=("01234567", "89abcdef"),
    told="0123456789abcdef",
    clean=1,
    last=1_796_000_000,
    scans=(1_796_000_000,),
    applied="9e1c2bf0d4f5a6b7c8d9e0f1a2b3c4d5e6f70819",
    applied_at=1_796_000_000,
    healed=1_796_000_000,
    snoozed=1_796_000_000,
)


@pytest.mark.parametrize("memory", [Memory(), FULL], ids=["new", "full"])
def test_sound(memory: Memory) -> None:
    """As a run leaves it."""
    assert memory.is_sound


@pytest.mark.parametrize(
    "wrong",
    [
        {"drift": "x" * 16},
        {"told": "0123"},
        {"applied": "main"},
        {"objects": ("0123456",)},
        {"objects": ("01234567",) * (OBJECTS + 1)},
        {"scans": (1,) * (SCANS + 1)},
        {"scans": (-1,)},
        {"since": 1 << 40},
        {"snoozed": -1},
        {"seen": -1},
        {"clean": 1_000_000},
    ],
    ids=str,
)
def test_not_sound(wrong: dict[str, object]) -> None:
    """As somebody else might."""
    assert not replace(FULL, **wrong).is_sound  # type: ignore[arg-type]
