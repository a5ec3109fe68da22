"""Git repositories for tests: a git that asks nobody."""

import subprocess
from pathlib import Path


def git(folder: Path, *arguments: str) -> str:
    """What git prints in `folder`."""
    done = subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()
