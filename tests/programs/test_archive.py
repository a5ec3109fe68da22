"""Of an archive, one program is taken."""

import io
import tarfile
from pathlib import Path

import pytest

from recon_action.errors import ProgramError
from recon_action.programs.archive import extract


def archive(file: Path, members: dict[str, bytes]) -> Path:
    with tarfile.open(file, "w:gz") as out:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            out.addfile(info, io.BytesIO(content))
        folder = tarfile.TarInfo("folder")
        folder.type = tarfile.DIRTYPE
        out.addfile(folder)
    return file


def test_the_member_is_written_and_nothing_else(tmp_path: Path) -> None:
    """What else is inside, even with a path that leads out, is never written."""
    file = archive(tmp_path / "a.tar.gz", {"v1/tool": b"tool", "../evil": b"evil"})
    (tmp_path / "out").mkdir()
    extract(file, "v1/tool", tmp_path / "out" / "tool")
    assert (tmp_path / "out" / "tool").read_bytes() == b"tool"
    assert sorted(each.name for each in tmp_path.rglob("*")) == ["a.tar.gz", "out", "tool"]


@pytest.mark.parametrize(
    ("content", "member", "message"),
    [
        pytest.param(None, "v1/other", "holds no v1/other", id="absent member"),
        pytest.param(None, "folder", "is no file", id="a folder"),
        pytest.param(b"no archive", "v1/tool", "can't be read", id="no archive"),
        pytest.param(b"", "v1/tool", "can't be read", id="empty"),
    ],
)
def test_what_is_wrong_with_an_archive_is_said(
    tmp_path: Path, content: bytes | None, member: str, message: str
) -> None:
    """The archive or its content isn't as the program's description says."""
    file = archive(tmp_path / "a.tar.gz", {"v1/tool": b"tool"})
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ProgramError, match=message):
        extract(file, member, tmp_path / "tool")
