"""Files put into a repository."""

from pathlib import Path

import pytest

from recon_action.errors import UsageError
from recon_action.init import File, Written, write

_FILES = (File("recon.yaml", "a: 1\n", "x"), File(".github/workflows/recon.yml", "b: 1\n", "y"))


def _written(root: Path, *, force: bool = False, dry_run: bool = False) -> list[Written]:
    return write(root, _FILES, force=force, dry_run=dry_run)


def test_new_and_again(tmp_path: Path) -> None:
    """Files and their folders are made; a second time nothing is to be done."""
    assert _written(tmp_path) == [Written.NEW, Written.NEW]
    assert [(tmp_path / file.path).read_text() for file in _FILES] == ["a: 1\n", "b: 1\n"]
    assert _written(tmp_path, force=True) == [Written.SAME, Written.SAME]
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} == {"recon.yaml", "recon.yml"}


def test_what_is_there(tmp_path: Path) -> None:
    """A file that says something else is left alone, unless it is said to be overwritten; the others are written."""
    (tmp_path / "recon.yaml").write_text("mine: 1\n")
    assert _written(tmp_path) == [Written.KEPT, Written.NEW]
    assert (tmp_path / "recon.yaml").read_text() == "mine: 1\n"
    assert _written(tmp_path, force=True) == [Written.REPLACED, Written.SAME]
    assert (tmp_path / "recon.yaml").read_text() == "a: 1\n"


def test_dry_run(tmp_path: Path) -> None:
    """Nothing is written, whatever else is said."""
    (tmp_path / "recon.yaml").write_text("mine: 1\n")
    assert _written(tmp_path, force=True, dry_run=True) == [Written.REPLACED, Written.NEW]
    assert [path.name for path in tmp_path.iterdir()] == ["recon.yaml"]
    assert (tmp_path / "recon.yaml").read_text() == "mine: 1\n"


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    """A link in a file's place is replaced; a folder that leads out of the repository ends it, with nothing written."""
    root, other = tmp_path / "root", tmp_path / "other"
    root.mkdir()
    other.mkdir()
    (other / "theirs").write_text("theirs\n")
    (root / "recon.yaml").symlink_to(other / "theirs")
    assert _written(root)[0] is Written.KEPT
    assert _written(root, force=True)[0] is Written.REPLACED
    assert (other / "theirs").read_text() == "theirs\n"
    (root / "recon.yaml").unlink()
    (root / ".github/workflows/recon.yml").unlink()
    (root / ".github/workflows").rmdir()
    (root / ".github/workflows").symlink_to(other)
    with pytest.raises(UsageError, match="outside"):
        _written(root)
    assert not (root / "recon.yaml").exists()


def test_what_can_t_be_written(tmp_path: Path) -> None:
    """A folder in a file's place, and a file in a folder's, are told."""
    (tmp_path / "recon.yaml").mkdir()
    with pytest.raises(UsageError, match="can't be read"):
        _written(tmp_path)
    (tmp_path / "recon.yaml").rmdir()
    (tmp_path / ".github").write_text("")
    with pytest.raises(UsageError, match="can't be"):
        _written(tmp_path)
