"""Durations as people write them."""

import pytest

from recon_action.model.duration import duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90", 90),
        ("90s", 90),
        ("5m", 300),
        ("1h30m", 5400),
        ("1h0m1s", 3601),
        ("3d", 259200),
        ("1d12h", 129600),
        ("0", 0),
    ],
)
def test_durations(text: str, seconds: float) -> None:
    """Days, hours, minutes and seconds, in this order; a bare number is seconds."""
    assert duration(text) == seconds


@pytest.mark.parametrize("text", ["", "m", "5x", "1h 30m", "1m1h", "1h1d", "-5s", "1.5h", "soon", "٥s", "9" * 400])
def test_what_is_none(text: str) -> None:
    """Is told with an example."""
    with pytest.raises(ValueError, match="write 90s, 5m or 1h30m"):
        duration(text)
