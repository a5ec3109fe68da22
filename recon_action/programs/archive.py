"""Takes one program out of a .tar.gz. Nothing else of the archive is ever written."""

import shutil
import tarfile
from pathlib import Path

from recon_action.errors import ProgramError


def extract(archive: Path, member: str, target: Path) -> None:
    """Write the file `member` of `archive` to `target`.

    Raises:
        ProgramError: the archive can't be read, or holds no such file.
    """
    try:
        with tarfile.open(archive, "r:gz") as opened:
            stream = opened.extractfile(member)
            if stream is None:
                raise ProgramError(f"{member} in {archive.name} is no file")
            with stream, target.open("wb") as out:
                shutil.copyfileobj(stream, out)
    except KeyError as error:
        raise ProgramError(f"{archive.name} holds no {member}") from error
    except (tarfile.TarError, EOFError, OSError) as error:
        raise ProgramError(f"{archive.name} can't be read: {error}") from error
