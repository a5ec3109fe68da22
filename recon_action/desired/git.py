"""The one way to git: no program of the repository's choice is started, and nothing leads it elsewhere."""

import os
from pathlib import Path
from typing import Final

from recon_action.programs.run import Completed, run

_SECONDS: Final = 30.0


def git(root: Path, *arguments: str, stdin: bytes | None = None, timeout: float = _SECONDS) -> Completed:
    """Run git in the work tree at `root`.

    The runner's checkout often belongs to another user, so the folder is vouched for.
    """
    options = {
        "safe.directory": str(root),
        "core.fsmonitor": "false",
        "core.hooksPath": os.devnull,
        "protocol.ext.allow": "never",
    }
    argv = ["git", *(part for name, value in options.items() for part in ("-c", f"{name}={value}")), *arguments]
    return run(argv, cwd=root, env=_environment(), timeout=timeout, input=stdin)


def _environment() -> dict[str, str]:
    """Ours, without what would lead git elsewhere, make it ask, or change its language or files."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in _GIT_KEPT}
    return kept | {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}


_GIT_KEPT: Final = frozenset(
    {"GIT_ASKPASS", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_SSL_CAINFO", "GIT_SSL_NO_VERIFY"}
)
