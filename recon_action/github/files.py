"""Where a report's files go, so that later steps of the job find them.

Decides the folder alone; what is in the files comes from the caller. Why the workspace:
docs/decisions/0007-reports-in-the-workspace.md.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from recon_action.errors import PublishError

FOLDER = "recon-report"


def write_reports(environ: Mapping[str, str], name: str, texts: Mapping[str, str]) -> dict[str, str]:
    """Write each of `texts`, by suffix, as `recon-report/NAME.SUFFIX` in the workspace.

    The folder ignores itself, so that it neither dirties `git status` nor is committed. It is handed to the
    workspace's owner: we are root, and a runner that keeps its workspace could not clean up after us.

    Returns:
        The files by suffix, relative to the workspace: there the steps of a job start, inside a container or not.

    Raises:
        PublishError: a file can't be written.
    """
    workspace = Path(environ.get("GITHUB_WORKSPACE") or ".")
    folder = workspace / FOLDER
    files = {folder / ".gitignore": "*\n"} | {folder / f"{name}.{suffix}": text for suffix, text in texts.items()}
    try:
        if folder.is_symlink():
            folder.unlink()
        folder.mkdir(exist_ok=True)
        for file, text in files.items():
            # Replaced, never followed: a checked out link of that name could point anywhere.
            file.unlink(missing_ok=True)
            file.write_text(text, encoding="utf-8")
        owner = workspace.stat()
        if os.geteuid() == 0:
            for path in (folder, *files):
                os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
    except OSError as error:
        raise PublishError(
            f"the report's files can't be written: {error.strerror}: {error.filename}",
            hint="the workspace has to be writable, and recon-report in it a folder or nothing",
        ) from error
    return {suffix: f"{FOLDER}/{name}.{suffix}" for suffix in texts}
