"""Which commit of this action workflows name: a tag can be moved, a commit can't."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from recon_action import __version__
from recon_action.desired.git import git
from recon_action.errors import ProgramError, UsageError

ACTION: Final = "recon-action/recon-action"
TAG: Final = f"v{__version__}"
_SECONDS: Final = 15.0
_COMMIT: Final = re.compile(r"[0-9a-f]{40}")
_GIVEN: Final = re.compile(r"(?P<action>[\w.-]+/[\w.-]+)@(?P<commit>[0-9a-f]{40})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Pin:
    """What stands behind `uses:`.

    Args:
        action: `owner/name`.
        ref: a commit, or a tag where none is known.
        tag: which tag that commit is; "" if it was given.
    """

    action: str
    ref: str
    tag: str = ""

    @property
    def is_commit(self) -> bool:
        """Whether nobody can move it."""
        return bool(_COMMIT.fullmatch(self.ref))


UNKNOWN: Final = Pin(ACTION, "v1")  # the major version's tag


def given_pin(text: str) -> Pin:
    """The pin that somebody names.

    Raises:
        UsageError: it is none.
    """
    found = _GIVEN.fullmatch(text)
    if found is None:
        raise UsageError(
            f"{text!r} names no commit of an action",
            hint=f"write OWNER/NAME@COMMIT, all 40 digits: {ACTION}@{'0' * 40}",
        )
    return Pin(found["action"], found["commit"])


def find_pin(root: Path) -> Pin:
    """The commit of this version's tag, asked of GitHub; the major version's tag if that can't be had."""
    refs = f"refs/tags/{TAG}"
    try:
        answer = git(
            root, "ls-remote", "--quiet", f"https://github.com/{ACTION}", refs, f"{refs}^{{}}", timeout=_SECONDS
        )
    except ProgramError:
        return UNKNOWN
    parted = (line.partition("\t") for line in answer.text.splitlines())
    commits = {name: commit for commit, _, name in parted}
    # Of an annotated tag the second line names the commit.
    commit = commits.get(f"{refs}^{{}}") or commits.get(refs, "")
    return Pin(ACTION, commit, TAG) if answer.code == 0 and _COMMIT.fullmatch(commit) else UNKNOWN
