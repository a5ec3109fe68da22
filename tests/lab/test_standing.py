"""Names of labs that stay. That they stay is tested on real ones."""

from pathlib import Path

import pytest

from recon_action.errors import UsageError
from recon_action.lab import standing
from recon_action.lab.options import LabOptions
from recon_action.model.progress import Quiet


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", ["", "../evil", "a/b", ".hidden", "Big", "a" * 60, "-a", "a b"])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    """It becomes a folder, which is removed in the end."""
    with pytest.raises(UsageError, match="is no name for a lab"):
        standing.up(name, LabOptions(), {}, Quiet())
    with pytest.raises(UsageError, match="is no name for a lab"):
        standing.down(name, Quiet())


def test_what_is_not_up_is_not_taken_down(state: Path) -> None:
    """And none is listed."""
    assert standing.down("mine", Quiet()) is False
    assert standing.names() == []


def test_what_a_dead_one_left_is_removed() -> None:
    """Its supervisor holds no lock any more: nobody's process is touched."""
    folder = standing.labs_folder() / "mine"
    folder.mkdir(parents=True)
    (folder / "supervisor.pid").write_text("1")
    assert standing.names() == []
    assert standing.down("mine", Quiet()) is False
    assert not folder.exists()
