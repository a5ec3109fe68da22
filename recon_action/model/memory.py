"""What the drift issue of a target remembers between runs; moments are whole seconds since 1970."""

import re
from dataclasses import dataclass
from typing import Final

OBJECTS: Final = 64  # short hashes that are kept
SCANS: Final = 13  # scheduled scans, so twelve pauses between them
_LATEST = 1 << 33  # in the year 2242; what is later, nothing here could show
_MANY = 1_000_000
_FINGERPRINT = re.compile(r"(?:[0-9a-f]{16})?")
_OBJECT = re.compile(r"[0-9a-f]{8}")
_COMMIT = re.compile(r"(?:[0-9a-f]{7,64})?")


@dataclass(frozen=True, slots=True)
class Memory:
    """What is known of earlier runs.

    Args:
        drift: fingerprint of the drift that was found last.
        since: when that was first found.
        seen: by how many scans.
        objects: short hashes of what had drifted, the first few.
        told: fingerprint of the drift that people were last told of.
        clean: full scans in a row that found none.
        last: the last full scan.
        scans: the last scheduled runs, oldest first, whether or not they could tell.
        applied: commit of the last apply that ended well, "" if unknown.
        applied_at: when that was.
        healed: when the drift was taken for gone; 0 while it is not.
        snoozed: until when no word is to be said of it.
    """

    drift: str = ""
    since: int = 0
    seen: int = 0
    objects: tuple[str, ...] = ()
    told: str = ""
    clean: int = 0
    last: int = 0
    scans: tuple[int, ...] = ()
    applied: str = ""
    applied_at: int = 0
    healed: int = 0
    snoozed: int = 0

    @property
    def is_sound(self) -> bool:
        """Whether a run of ours may have left it so: what was read may be anybody's."""
        moments = (self.since, self.last, *self.scans, self.applied_at, self.healed, self.snoozed)
        return (
            all(_FINGERPRINT.fullmatch(text) for text in (self.drift, self.told))
            and bool(_COMMIT.fullmatch(self.applied))
            and len(self.objects) <= OBJECTS
            and all(_OBJECT.fullmatch(text) for text in self.objects)
            and len(self.scans) <= SCANS
            and all(0 <= moment < _LATEST for moment in moments)
            and all(0 <= count < _MANY for count in (self.seen, self.clean))
        )
