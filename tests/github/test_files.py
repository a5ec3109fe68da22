"""Report files in the workspace."""

import os
import subprocess
from pathlib import Path

import pytest

from recon_action.errors import PublishError
from recon_action.github.files import write_reports


def test_files_and_path(tmp_path: Path) -> None:
    """The paths are good from the workspace, where later steps start."""
    paths = write_reports({"GITHUB_WORKSPACE": str(tmp_path)}, "shop-diff", {"json": "{}", "md": "# r"})
    assert paths == {"json": "recon-report/shop-diff.json", "md": "recon-report/shop-diff.md"}
    assert (tmp_path / paths["json"]).read_text() == "{}"
    assert (tmp_path / paths["md"]).read_text() == "# r"


def test_git_status_stays_clean(tmp_path: Path) -> None:
    """A workflow that commits what it made, or checks that nothing changed, sees nothing of ours."""
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    write_reports({"GITHUB_WORKSPACE": str(tmp_path)}, "shop-diff", {"json": "{}"})
    status = subprocess.run(
        ["git", "-C", tmp_path, "status", "--porcelain"], check=True, capture_output=True, text=True
    )
    assert status.stdout == ""


def test_again(tmp_path: Path) -> None:
    """A second run replaces the first one's files, and leaves another target's alone."""
    environ = {"GITHUB_WORKSPACE": str(tmp_path)}
    write_reports(environ, "shop-diff", {"json": "1"})
    write_reports(environ, "blog-diff", {"json": "2"})
    write_reports(environ, "shop-diff", {"json": "3"})
    assert (tmp_path / "recon-report/shop-diff.json").read_text() == "3"
    assert (tmp_path / "recon-report/blog-diff.json").read_text() == "2"


def test_links_are_not_followed(tmp_path: Path) -> None:
    """A repository can hold a link to anywhere: neither a folder nor a file behind one is written."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "victim").write_text("precious")
    workspace = tmp_path / "workspace"
    (workspace / "recon-report").mkdir(parents=True)
    (workspace / "recon-report/shop-diff.json").symlink_to(outside / "victim")
    write_reports({"GITHUB_WORKSPACE": str(workspace)}, "shop-diff", {"json": "{}"})
    assert (outside / "victim").read_text() == "precious"
    other = tmp_path / "other"
    other.mkdir()
    (other / "recon-report").symlink_to(outside)
    write_reports({"GITHUB_WORKSPACE": str(other)}, "shop-diff", {"json": "{}"})
    assert [file.name for file in outside.iterdir()] == ["victim"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_owner_is_the_workspaces(tmp_path: Path) -> None:
    """The runner's user must be able to remove what the container's root wrote."""
    os.chown(tmp_path, 1001, 127)
    write_reports({"GITHUB_WORKSPACE": str(tmp_path)}, "shop-diff", {"json": "{}"})
    folder = tmp_path / "recon-report"
    assert {(path.stat().st_uid, path.stat().st_gid) for path in (folder, *folder.iterdir())} == {(1001, 127)}


def test_unwritable(tmp_path: Path) -> None:
    """What is in the way is named."""
    (tmp_path / "recon-report").write_text("a file")
    with pytest.raises(PublishError, match="recon-report"):
        write_reports({"GITHUB_WORKSPACE": str(tmp_path)}, "shop-diff", {"json": "{}"})
