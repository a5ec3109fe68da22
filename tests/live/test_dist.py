"""What is published of a checkout: built as a release builds it, looked into, and built again."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from email import message_from_string
from pathlib import Path

import pytest
from repository import git

import recon_action

ROOT = Path(__file__).resolve().parent.parent.parent
VERSION = recon_action.__version__
STEM = f"recon_action-{VERSION}"


@dataclass(frozen=True)
class Built:
    """A checkout, and what was made of it."""

    checkout: Path
    dist: Path

    @property
    def wheel(self) -> Path:
        """The wheel."""
        return self.dist / f"{STEM}-py3-none-any.whl"

    @property
    def sdist(self) -> Path:
        """The sdist."""
        return self.dist / f"{STEM}.tar.gz"


def checkout(folder: Path) -> Path:
    """A copy of the files as they are here, links among them, committed at a fixed time."""
    names = git(ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "-z").split("\0")
    for name in names:
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    date = "2026-12-01T05:00:00+00:00"
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(
        ["git", *identity, "commit", "--quiet", "-m", "source", f"--date={date}"],
        cwd=folder,
        check=True,
        env=os.environ | {"GIT_COMMITTER_DATE": date},
    )
    return folder


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """All that a release publishes on PyPI and GitHub."""
    source, dist = checkout(tmp_path_factory.mktemp("source")), tmp_path_factory.mktemp("dist")
    done = subprocess.run([source / "scripts/dist.sh", dist], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    return Built(source, dist)


def test_checksums(built: Built) -> None:
    """Each file is there, with its checksum, and no other."""
    lines = [line.split() for line in (built.dist / "SHA256SUMS").read_text().splitlines()]
    files = {path.name for path in built.dist.iterdir()} - {"SHA256SUMS"}
    assert files == {built.wheel.name, built.sdist.name, f"{STEM}-py3-none-any.cdx.json"}
    assert {name: digest for digest, name in lines} == {
        name: hashlib.sha256((built.dist / name).read_bytes()).hexdigest() for name in files
    }


def test_same_bytes_again(built: Built, tmp_path: Path) -> None:
    """Another clone, with other times of its files and other rights for who makes them, gives the very same bytes."""
    other = tmp_path / "other"
    git(tmp_path, "clone", "--quiet", str(built.checkout), str(other))
    for path in other.rglob("*"):
        if ".git" not in path.parts:
            os.utime(path, (1_000_000_000, 1_000_000_000))
    epoch = git(other, "log", "-1", "--format=%ct")
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", tmp_path / "dist", other],
        check=True,
        capture_output=True,
        env=os.environ | {"SOURCE_DATE_EPOCH": epoch},
        umask=0o077,
    )
    for file in (built.wheel, built.sdist):
        assert (tmp_path / "dist" / file.name).read_bytes() == file.read_bytes()


def test_what_is_in_the_wheel(built: Built) -> None:
    """The wheel has the whole package, data included, and nothing else; its metadata is the version's."""
    with zipfile.ZipFile(built.wheel) as archive:
        names = set(archive.namelist())
        metadata = message_from_string(archive.read(f"{STEM}.dist-info/METADATA").decode())
    tracked = git(built.checkout, "ls-files", "recon_action").splitlines()
    assert set(tracked) <= names
    assert {name.partition("/")[0] for name in names} == {"recon_action", f"{STEM}.dist-info"}
    assert (metadata["Name"], metadata["Version"]) == ("recon-action", VERSION)
    with tarfile.open(built.sdist) as archive_:
        assert {f"{STEM}/{name}" for name in tracked} <= set(archive_.getnames())


def test_bill_of_materials(built: Built) -> None:
    """It lists what the lock has, in the lock's versions, and says whose bill it is; no path of ours is in it."""
    text = (built.dist / f"{STEM}-py3-none-any.cdx.json").read_text()
    bill = json.loads(text)
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    root = bill["metadata"]["component"]
    assert (root["name"], root["version"]) == ("recon-action", VERSION)

    def normal(name: str) -> str:
        return re.sub(r"[-_.]+", "-", name).lower()

    locked = dict(re.findall(r"^([\w.-]+)==([^ \\;]+)", (ROOT / "requirements/runtime.txt").read_text(), re.MULTILINE))
    listed = {normal(one["name"]): one["version"] for one in bill["components"]}
    expected = {normal(name): version for name, version in locked.items()}
    assert listed.items() <= expected.items()
    direct = {
        normal(ref.partition("==")[0])
        for one in bill["dependencies"]
        if one["ref"] == root["bom-ref"]
        for ref in one["dependsOn"]
    }
    assert {"click", "kubernetes", "pygithub", "ruamel-yaml"} <= direct <= set(listed)
    assert str(built.checkout) not in text
    assert str(built.dist) not in text
