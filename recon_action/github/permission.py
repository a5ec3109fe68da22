"""What somebody may do in the repository, by GitHub's own word: who gives orders is not told by any payload.

`author_association` says what somebody is to a repository, not what they may do there.
"""

from enum import IntEnum
from typing import Any, Final
from urllib.parse import quote

from recon_action.github.client import Client
from recon_action.github.denied import Denied, Need, Reason, senseless

READ: Final = Need("tell what the comment's author may do here", "contents: read")


class Level(IntEnum):
    """What somebody may do, the more the higher."""

    NONE = 0
    READ = 1
    TRIAGE = 2
    WRITE = 3
    MAINTAIN = 4
    ADMIN = 5


# GitHub's old word for each role; a role of an organisation's own has only that.
_BASES = {
    Level.NONE: Level.NONE,
    Level.READ: Level.READ,
    Level.TRIAGE: Level.READ,
    Level.WRITE: Level.WRITE,
    Level.MAINTAIN: Level.WRITE,
    Level.ADMIN: Level.ADMIN,
}


def level_of(client: Client, login: str) -> Level:
    """What `login` may do; nothing, if GitHub knows nobody of that name here.

    Raises:
        Denied: it can't be told.
    """
    try:
        answer = client.get(f"/collaborators/{quote(login, safe='')}/permission", READ)
    except Denied as denied:
        if denied.reason is Reason.ABSENT:
            return Level.NONE
        raise
    base = _level(answer, "permission")
    if base is None:
        raise senseless(READ)
    role = _level(answer, "role_name")
    return role if role is not None and _BASES[role] is base else base


def _level(answer: Any, key: str) -> Level | None:
    name = answer.get(key) if isinstance(answer, dict) else None
    return Level.__members__.get(name.upper()) if isinstance(name, str) and name.islower() else None
