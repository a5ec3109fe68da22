"""Health: what an object's status says of it, in the words of kstatus."""

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """The words of kstatus."""

    CURRENT = "Current"
    IN_PROGRESS = "InProgress"
    FAILED = "Failed"
    TERMINATING = "Terminating"
    NOT_FOUND = "NotFound"
    UNKNOWN = "Unknown"


@dataclass(frozen=True, slots=True)
class Health:
    """An object's health.

    Args:
        status: the word.
        message: why it is not Current, or what else is to be known of it.
        certain: False where the status says nothing of the object's present generation: just after a change
            it may be none's word, or an earlier generation's.
    """

    status: Status
    message: str = ""
    certain: bool = True
