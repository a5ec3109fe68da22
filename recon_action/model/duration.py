"""Durations as people write them."""

import re

_PARTS = re.compile(r"(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s?)?", re.ASCII)


def duration(text: str) -> float:
    """Seconds of `90`, `90s`, `1h30m`, `3d`; ValueError otherwise."""
    parts = _PARTS.fullmatch(text)
    if not text or parts is None:
        raise ValueError(f"{text!r} is no duration; write 90s, 5m or 1h30m")
    days, hours, minutes, seconds = (int(part or 0) for part in parts.groups())
    return float(((days * 24 + hours) * 60 + minutes) * 60 + seconds)
