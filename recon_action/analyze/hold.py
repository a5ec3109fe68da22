"""Break-glass: an annotation on a live object that leaves it as it is until a time that is given, a day at most.

`<until> <reason>`, as `recon-action.github.io/hold: 2026-12-01T14:00:00Z the database is being moved`. It is our own
bookkeeping, and never a difference; a manifest can't hold anything.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum, auto

from recon_action.analyze.directives import OURS
from recon_action.model import Body, LiveObject
from recon_action.model.duration import duration

HOLD = f"{OURS}hold"
HOLDER = "recon-action-hold"  # the field manager

_LONGEST = timedelta(hours=24)
_SKEW = timedelta(minutes=10)  # between the clocks of who holds and who reads
_MOST = 200  # characters of a reason
_PATH = f"/metadata/annotations/{HOLD.replace('/', '~1')}"


class HoldState(Enum):
    """What a hold means at a moment."""

    STANDING = auto()
    OVER = auto()
    UNREADABLE = auto()  # no time, or one that is too far ahead


@dataclass(frozen=True, slots=True)
class Hold:
    """The hold on an object.

    Args:
        state: what it means now.
        until: when it ends, `2026-12-01 14:00:00 UTC`; "" if that can't be read.
        reason: one line, as it was given.
    """

    state: HoldState
    until: str = ""
    reason: str = ""

    @property
    def stands(self) -> bool:
        """Whether the object is to be left as it is."""
        return self.state is HoldState.STANDING

    @property
    def told(self) -> str:
        """What a report says of it."""
        if self.state is HoldState.STANDING:
            return f"held until {self.until}" + (f": {self.reason}" if self.reason else "")
        if self.state is HoldState.OVER:
            return f"its hold ended at {self.until}"
        return f"not held: {HOLD} must begin with a time at most 24 h ahead, such as 2026-12-01T14:00:00Z"


def hold_length(period: str) -> timedelta:
    """How long a hold of `30m`, `2h` or `24h` lasts; ValueError if it is none, or longer than a day."""
    seconds = duration(period)
    if not 0 < seconds <= _LONGEST.total_seconds():
        raise ValueError(f"{period} is no part of a day")
    return timedelta(seconds=seconds)


def hold_of(live: LiveObject, now: datetime) -> Hold | None:
    """The hold on `live`; None if there is none."""
    annotations = live.body["metadata"].get("annotations")
    if not annotations or HOLD not in annotations:
        return None
    time, _, reason = str(annotations[HOLD]).strip().partition(" ")
    until = _moment(time)
    if until is None or until > now + _LONGEST + _SKEW:
        return Hold(HoldState.UNREADABLE)
    state = HoldState.STANDING if now < until else HoldState.OVER
    return Hold(state, f"{until:%Y-%m-%d %H:%M:%S} UTC", one_line(reason))


def hold_text(until: datetime, reason: str) -> str:
    """The annotation's value."""
    return f"{until.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ} {one_line(reason)}".strip()


def one_line(text: str) -> str:
    """Text of unknown origin as one line of bounded length, without what can't be printed."""
    return "".join(char for char in " ".join(text.split()) if char.isprintable())[:_MOST]


def hold_patch(live: LiveObject, text: str) -> list[Body]:
    """The JSON patch that sets the annotation of `live` to `text`, or removes it if that is ""; [] if it is so.

    Replacing the resourceVersion by itself makes the server refuse it when the object has moved on.
    """
    metadata = live.body["metadata"]
    annotations = metadata.get("annotations")
    if (annotations or {}).get(HOLD, "") == text:
        return []
    guard: Body = {"op": "replace", "path": "/metadata/resourceVersion", "value": live.resource_version}
    if not text:
        return [guard, {"op": "remove", "path": _PATH}]
    if not annotations:
        return [guard, {"op": "add", "path": "/metadata/annotations", "value": {HOLD: text}}]
    return [guard, {"op": "add", "path": _PATH, "value": text}]


def _moment(text: str) -> datetime | None:
    """The time that `text` states, in UTC; None if it states none, or leaves the zone open."""
    try:
        time = datetime.fromisoformat(text)
        return time.astimezone(UTC) if time.tzinfo else None
    except (OverflowError, ValueError):
        return None
