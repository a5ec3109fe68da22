"""Which commit of the action workflows name."""

from pathlib import Path

import pytest
from repository import git

from recon_action.errors import UsageError
from recon_action.init import UNKNOWN, find_pin, given_pin
from recon_action.init.pin import ACTION, TAG


@pytest.fixture
def origin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What git finds at the action's address."""
    origin = tmp_path / "origin"
    origin.mkdir()
    git(origin, "init", "-q", "-b", "main")
    git(origin, "commit", "-q", "--allow-empty", "-m", "one")
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(f'[url "{origin}"]\n\tinsteadOf = https://github.com/{ACTION}\n')
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return origin


@pytest.mark.parametrize("annotated", [False, True], ids=["plain", "annotated"])
def test_the_tag_of_this_version(origin: Path, tmp_path: Path, annotated: bool) -> None:
    """The commit that this version's tag names, also if the tag is an object of its own."""
    git(origin, "tag", *(("-a", "-m", "release") if annotated else ()), TAG)
    pin = find_pin(origin)
    assert (pin.action, pin.ref, pin.tag) == (ACTION, git(origin, "rev-parse", "HEAD"), TAG)
    assert pin.is_commit


def test_no_tag(origin: Path) -> None:
    """Where the tag is missing, the major version's is taken, and known to be none."""
    assert find_pin(origin) == UNKNOWN
    assert not UNKNOWN.is_commit


def test_no_answer(origin: Path, tmp_path: Path) -> None:
    """The same where nothing is at that address."""
    origin.rename(tmp_path / "moved")
    assert find_pin(tmp_path / "moved") == UNKNOWN


def test_given() -> None:
    """A commit of any action can be named; a tag can't."""
    pin = given_pin(f"acme/fork@{'a' * 40}")
    assert (pin.action, pin.ref, pin.tag, pin.is_commit) == ("acme/fork", "a" * 40, "", True)
    for wrong in ("acme/fork@v1", "acme@" + "a" * 40, "a" * 40, ""):
        with pytest.raises(UsageError, match="names no commit"):
            given_pin(wrong)
