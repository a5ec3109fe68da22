"""The report that another workflow run has left as an artifact: anybody may have written it.

Decides what is read at all; what of it may be shown is `report.unverified`'s.
"""

import os
import stat
from pathlib import Path
from typing import Final

from recon_action.errors import PublishError, UsageError
from recon_action.model import Mode
from recon_action.report.codec import from_json
from recon_action.report.document import Report

LIMIT: Final = 8 * 1024 * 1024  # bytes; a report of 10,000 objects that were all changed has a quarter of that
_HINT = "it comes from the pull request's own run, and whoever wrote the change may have written it"


def read_artifact(path: str, target: str) -> Report | None:
    """The report at `path`; where that is a folder, the one that a validation of `target` leaves there, or None.

    Raises:
        UsageError: there is no such file.
        PublishError: it is too large, or no report.
    """
    file = Path(path)
    if file.is_dir():
        file /= f"{target}-{Mode.VALIDATE}.json"
        if not os.path.lexists(file):
            return None
    data = _bytes(file)
    if len(data) > LIMIT:
        raise PublishError(f"{file} is larger than {LIMIT // 1024**2} MiB: it is not read", hint=_HINT)
    try:
        return from_json(data.decode())
    except (UsageError, UnicodeDecodeError) as error:
        what = error.message if isinstance(error, UsageError) else "it is no UTF-8"
        raise PublishError(f"{file} is not published: {what}", hint=_HINT) from error


def _bytes(file: Path) -> bytes:
    """The beginning of a regular file, links not followed: an archive may hold one that leads anywhere."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        raise UsageError(
            f"no such file: {file}",
            hint="name the JSON report that the run before has left, or the folder that it was unpacked in",
        ) from None
    except OSError as error:
        raise PublishError(f"{file} is not read: {error.strerror}", hint=_HINT) from error
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise PublishError(f"{file} is no file", hint=_HINT)
        return stream.read(LIMIT + 1)
