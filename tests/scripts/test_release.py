"""A release: what it refuses, the one line of action.yml that it changes, and the tags that it pushes."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from repository import git

import recon_action
from scripts import ROOT, script

release = script("release")

DIGEST = "sha256:" + "0123456789abcdef" * 4
IMAGE = f"ghcr.io/recon-action/recon-action@{DIGEST}"
CHANGELOG = """\
# Changelog

## [Unreleased]

### Added

- Something that is not out yet.

## [1.2.3] - 2026-12-01

### Fixed

- The first thing.

## [1.2.2] - 2026-11-01

- Older.

## [1.2.1] - 2026-10-01

"""


def write(root: Path, version: str) -> None:
    (root / "recon_action").mkdir(exist_ok=True)
    (root / "recon_action/__init__.py").write_text(f'"""Docs."""\n\n__version__ = "{version}"\n')


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A clone whose origin is a bare repository, with the action.yml that we have."""
    origin, clone = tmp_path / "origin.git", tmp_path / "clone"
    subprocess.run(["git", "init", "--quiet", "--bare", "-b", "main", origin], check=True)
    subprocess.run(["git", "clone", "--quiet", origin, clone], check=True, stderr=subprocess.DEVNULL)
    shutil.copy(ROOT / "action.yml", clone)
    (clone / "CHANGELOG.md").write_text(CHANGELOG)
    write(clone, "1.2.3")
    git(clone, "add", ".")
    git(clone, "commit", "--quiet", "-m", "source")
    git(clone, "push", "--quiet", "origin", "HEAD:main")
    git(clone, "checkout", "--quiet", "--detach")
    return clone


def tags(checkout: Path) -> dict[str, str]:
    """The tags of the origin, and what they name."""
    lines = git(checkout, "ls-remote", "--tags", "origin").splitlines()
    return {name.removeprefix("refs/tags/"): commit for commit, _, name in (line.partition("\t") for line in lines)}


def test_changelog_section(checkout: Path) -> None:
    """The notes of a release are its section of the changelog, without its heading."""
    assert release.checked(checkout, "1.2.3") == "### Fixed\n\n- The first thing."


@pytest.mark.parametrize(
    ("version", "package", "reason"),
    [
        ("v1.2.3", "v1.2.3", "is no version"),
        ("1.2", "1.2", "is no version"),
        ("1.2.03", "1.2.03", "is no version"),
        ("1.2.3-rc.1", "1.2.3-rc.1", "is no version"),
        ("1.2.3", "1.2.4", "of version 1.2.4, and not 1.2.3"),
        ("1.3.0", "1.3.0", "CHANGELOG.md has no section"),
        ("1.2.1", "1.2.1", "says anything"),
        ("1.2.3rc1", "1.2.3rc1", "CHANGELOG.md has no section"),
    ],
    ids=["v", "two numbers", "leading zero", "semver candidate", "another package", "unknown", "empty", "candidate"],
)
def test_refused_version(checkout: Path, version: str, package: str, reason: str) -> None:
    """A tag that does not fit the package and the changelog releases nothing."""
    write(checkout, package)
    with pytest.raises(ValueError, match=reason):
        release.checked(checkout, version)


def test_one_line_changes() -> None:
    """Of action.yml only the image changes, to the digest; every other byte stays."""
    before = (ROOT / "action.yml").read_bytes()
    after = release.pinned(before.decode(), IMAGE).encode()
    assert after == before.replace(b"image: Dockerfile", b"image: docker://" + IMAGE.encode())
    assert after.count(b"\n") == before.count(b"\n")


def test_line_ends_stay() -> None:
    """Not even the ends of lines are touched."""
    text = "# café\r\nruns:\n  using: docker\n  image: Dockerfile\n# end"
    assert release.pinned(text, IMAGE) == text.replace("Dockerfile", f"docker://{IMAGE}")


@pytest.mark.parametrize(
    "image",
    [
        "ghcr.io/recon-action/recon-action:1.2.3",
        f"ghcr.io/recon-action/recon-action:1.2.3@{DIGEST}",
        f"ghcr.io/recon-action/recon-action@{DIGEST[:-1]}",
        f"ghcr.io/recon-action/recon-action@{DIGEST}0",
        f"ghcr.io/recon-action/recon-action@{DIGEST.upper()}",
        f"ghcr.io/Recon-Action/recon-action@{DIGEST}",
        f"ghcr.io/recon-action@{DIGEST}",
        f"docker.io/recon-action/recon-action@{DIGEST}",
        f"docker://{IMAGE}",
        f"{IMAGE}\n",
        f"{IMAGE}\n  args: [sh]",
        "ghcr.io/recon-action/recon-action@",
        "",
    ],
    ids=[
        *("tag", "tag and digest", "short", "long", "upper case", "upper-case owner", "no owner", "another registry"),
        *("scheme", "line end", "more lines", "no digest", "empty"),
    ],
)
def test_refused_image(image: str) -> None:
    """What is no image by digest never gets into action.yml."""
    with pytest.raises(ValueError, match="is no image by digest"):
        release.pinned((ROOT / "action.yml").read_text(), image)


@pytest.mark.parametrize(
    "action",
    ["", f"runs:\n  image: docker://{IMAGE}\n", "a\n  image: Dockerfile\nb\n  image: Dockerfile\n"],
    ids=["none", "pinned already", "two"],
)
def test_refused_action(action: str) -> None:
    """An action.yml that doesn't build its Dockerfile exactly once is not guessed at."""
    with pytest.raises(ValueError, match="and not once"):
        release.pinned(action, IMAGE)


def test_tags(checkout: Path) -> None:
    """The release is one commit on top of the source; both its tags name it, the branch stays where it was."""
    source = git(checkout, "rev-parse", "HEAD")
    commit = release.tag(checkout, "1.2.3", IMAGE)
    assert tags(checkout) == {"v1.2.3": commit, "v1": commit}
    assert git(checkout, "rev-parse", f"{commit}^") == source
    assert git(checkout, "ls-remote", "origin", "main").split()[0] == source
    assert git(checkout, "diff", "--name-only", source, commit) == "action.yml"
    assert f"docker://{IMAGE}" in git(checkout, "show", f"{commit}:action.yml")
    assert git(checkout, "log", "-1", "--format=%an", commit) == "github-actions[bot]"


def test_repeated(checkout: Path) -> None:
    """A run that is repeated makes the very same commit, and is content with the tag that is there."""
    first = release.tag(checkout, "1.2.3", IMAGE)
    git(checkout, "checkout", "--quiet", "--detach", f"{first}^")
    assert release.tag(checkout, "1.2.3", IMAGE) == first


def test_version_is_never_moved(checkout: Path) -> None:
    """With another image the tag that is out stays, and so does the major version's."""
    first = release.tag(checkout, "1.2.3", IMAGE)
    git(checkout, "checkout", "--quiet", "--detach", f"{first}^")
    with pytest.raises(subprocess.CalledProcessError):
        release.tag(checkout, "1.2.3", IMAGE.replace("0123", "3210"))
    assert tags(checkout) == {"v1.2.3": first, "v1": first}


def test_major_moves(checkout: Path) -> None:
    """The next release moves the major version's tag, which nothing else ever names."""
    write(checkout, "1.2.2")
    git(checkout, "commit", "--quiet", "-am", "older")
    old = release.tag(checkout, "1.2.2", IMAGE)
    git(checkout, "checkout", "--quiet", "--detach", "origin/main")
    new = release.tag(checkout, "1.2.3", IMAGE)
    assert tags(checkout) == {"v1.2.2": old, "v1.2.3": new, "v1": new}


@pytest.mark.parametrize(
    ("version", "known", "moves"),
    [
        ("1.0.0", [], True),
        ("1.10.0", ["1.9.9"], True),
        ("1.9.9", ["1.10.0"], False),
        ("2.0.0", ["1.10.0"], True),
        ("1.10.1", ["2.0.0", "1.10.0"], True),
        ("1.10.1", ["1.10.1"], True),
        ("2.0.0rc1", [], False),
    ],
    ids=["first", "by number", "old line", "next major", "beside a newer major", "repeated", "candidate"],
)
def test_moves_major(version: str, known: list[str], *, moves: bool) -> None:
    """Who follows `v1` gets the highest 1.x.y, no older line's latest, and no candidate."""
    assert release.moves_major(version, known) is moves


@pytest.mark.parametrize(
    ("arguments", "code", "out"),
    [
        (["check", "1.2.3"], 0, ""),
        (["notes", "1.2.3"], 0, "### Fixed\n\n- The first thing.\n"),
        (["check", "1.2.4"], 1, ""),
        (["tag", "1.2.3", "image:latest"], 1, ""),
        (["push"], 2, ""),
    ],
    ids=["check", "notes", "another version", "no digest", "no command"],
)
def test_command_line(
    checkout: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    out: str,
) -> None:
    """As the workflow runs it: what is refused fails the job, with its reason on stderr."""
    monkeypatch.setattr(sys, "argv", ["release.py", *arguments])
    assert release.main(checkout) == code
    said = capsys.readouterr()
    assert said.out == out
    assert bool(said.err) is bool(code)
    assert not tags(checkout)


def test_our_own_version(tmp_path: Path) -> None:
    """Of the package as it is, a release finds the version; the changelog may be behind."""
    (tmp_path / "recon_action").mkdir()
    shutil.copy(recon_action.__file__, tmp_path / "recon_action")
    shutil.copy(ROOT / "CHANGELOG.md", tmp_path)
    try:
        release.checked(tmp_path, recon_action.__version__)
    except ValueError as error:
        assert "CHANGELOG.md has no section" in str(error)  # noqa: PT017 - there may be one
