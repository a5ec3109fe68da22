"""The annotation that holds an object as it is."""

from datetime import UTC, datetime, timedelta

import pytest
from objects import body_of, live_of

from recon_action.analyze.hold import HOLD, Hold, HoldState, hold_length, hold_of, hold_patch, hold_text
from recon_action.model import LiveObject

_NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
_PATH = "/metadata/annotations/recon-action.github.io~1hold"
_GUARD = {"op": "replace", "path": "/metadata/resourceVersion", "value": "1"}


def _held(text: str | None, **others: str) -> LiveObject:
    annotations = ({} if text is None else {HOLD: text}) | others
    return live_of(body_of(metadata={"annotations": annotations} if annotations else {}))


def _state(text: str) -> HoldState:
    hold = hold_of(_held(text), _NOW)
    assert hold is not None
    return hold.state


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("2026-12-01T12:00:01Z the reason", HoldState.STANDING),
        ("2026-12-01T14:30:00+02:00 the reason", HoldState.STANDING),
        ("2026-12-02T12:00:00Z", HoldState.STANDING),
        ("2026-12-02T12:10:00Z the clocks differ", HoldState.STANDING),
        ("2026-12-01T12:00:00Z", HoldState.OVER),
        ("2020-01-01T00:00:00Z", HoldState.OVER),
        ("2026-12-02T12:10:01Z for ever", HoldState.UNREADABLE),
        ("2026-12-01T13:00:00 no zone", HoldState.UNREADABLE),
        ("until tomorrow", HoldState.UNREADABLE),
        ("0001-01-01T00:00:00+23:59", HoldState.UNREADABLE),
        ("", HoldState.UNREADABLE),
    ],
)
def test_a_hold_ends(text: str, state: HoldState) -> None:
    """It stands until its time, which is a day ahead at most: nothing is held for ever by an annotation."""
    assert _state(text) is state


@pytest.mark.parametrize(("period", "hours"), [("30m", 0.5), ("2h", 2), ("24h", 24), ("1d", 24)])
def test_lengths(period: str, hours: float) -> None:
    """A hold lasts a day at most."""
    assert hold_length(period) == timedelta(hours=hours)


@pytest.mark.parametrize("period", ["0s", "25h", "1d1s", "9" * 9 + "d"])
def test_no_length(period: str) -> None:
    """What is longer, or nothing, is told."""
    with pytest.raises(ValueError, match=f"{period} is no part of a day"):
        hold_length(period)


def test_no_hold() -> None:
    """Most objects have none."""
    assert hold_of(_held(None), _NOW) is None
    assert hold_of(_held(None, other="x"), _NOW) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("2026-12-01T14:30:00+02:00 moving  the\ndatabase", "held until 2026-12-01 12:30:00 UTC: moving the database"),
        ("2026-12-01T13:00:00Z", "held until 2026-12-01 13:00:00 UTC"),
        ("2026-12-01T11:00:00Z x", "its hold ended at 2026-12-01 11:00:00 UTC"),
        ("x", f"not held: {HOLD} must begin with a time at most 24 h ahead, such as 2026-12-01T14:00:00Z"),
    ],
)
def test_what_is_told(text: str, told: str) -> None:
    """Until when, in UTC, and why."""
    hold = hold_of(_held(text), _NOW)
    assert hold is not None
    assert hold.told == told


def test_a_reason_is_one_line_of_bounded_length() -> None:
    """Whoever may annotate the object may write anything: no line break, no control or bidi character, no novel."""
    hold = hold_of(_held("2026-12-01T13:00:00Z a\r\nb\x1b[31m\u202e" + "c" * 500), _NOW)
    assert hold == Hold(HoldState.STANDING, "2026-12-01 13:00:00 UTC", "a b[31m" + "c" * 193)


def test_the_text_reads_back() -> None:
    """What is written is what is read."""
    until = _NOW + timedelta(hours=2)
    text = hold_text(until, " incident\n42 ")
    assert text == "2026-12-01T14:00:00Z incident 42"
    assert hold_of(_held(text), _NOW) == Hold(HoldState.STANDING, "2026-12-01 14:00:00 UTC", "incident 42")


@pytest.mark.parametrize(
    ("live", "text", "operations"),
    [
        pytest.param(
            _held(None), "x", [_GUARD, {"op": "add", "path": "/metadata/annotations", "value": {HOLD: "x"}}], id="first"
        ),
        pytest.param(_held(None, a="b"), "x", [_GUARD, {"op": "add", "path": _PATH, "value": "x"}], id="beside-others"),
        pytest.param(_held("w"), "x", [_GUARD, {"op": "add", "path": _PATH, "value": "x"}], id="another"),
        pytest.param(_held("x"), "x", [], id="the-same"),
        pytest.param(_held("x"), "", [_GUARD, {"op": "remove", "path": _PATH}], id="off"),
        pytest.param(_held(None), "", [], id="off-already"),
    ],
)
def test_patch(live: LiveObject, text: str, operations: list[dict[str, object]]) -> None:
    """Only for the version that was read, and only if it changes anything."""
    assert hold_patch(live, text) == operations
