"""Our workflows, and those that people copy: what linters do not say of them."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from scripts import ROOT

RELEASING = ROOT / "docs/releasing.md"
RELEASE = ROOT / ".github/workflows/release.yml"
CALLED = ROOT / ".github/workflows/reconcile.yml"
WORKFLOWS = [*sorted((ROOT / ".github/workflows").glob("*.yml")), *sorted((ROOT / "docs/examples").glob("*.yml"))]
CACHES = re.compile(r"actions/cache|(?<!no-)\bcache(?:-from|-to|-dependency-path)?:.*")
PINNED = re.compile(r"^\| ([\w.-]+/[\w.-]+) \| (v[\w.]+) \| ([0-9a-f]{40}) \|$", re.MULTILINE)


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def read(file: Path) -> dict[Any, Any]:
    return dict(yaml.safe_load(file.read_text()))


def steps(file: Path) -> Iterator[dict[str, Any]]:
    """The steps of all jobs."""
    for job in read(file)["jobs"].values():
        yield from job.get("steps", ())


@pytest.mark.parametrize("file", WORKFLOWS, ids=name)
def test_permissions(file: Path) -> None:
    """A workflow grants nothing, and each of its jobs what it needs; the one that is called asks for nothing at all."""
    workflow = read(file)
    if file == CALLED:
        assert "permissions" not in workflow
        assert all("permissions" not in job for job in workflow["jobs"].values())
        return
    assert workflow["permissions"] == {}
    assert all(job["permissions"] for job in workflow["jobs"].values())


@pytest.mark.parametrize("file", WORKFLOWS, ids=name)
def test_scripts_are_constant(file: Path) -> None:
    """What is known only at run time reaches a script as a variable, never as a part of it."""
    assert [step["run"] for step in steps(file) if "${{" in step.get("run", "")] == []


def test_pins() -> None:
    """Whatever is used by commit stands in the list of what is pinned, with the version that it is said to be."""
    files = [*WORKFLOWS, ROOT / "composite/action.yml", *sorted((ROOT / "docs").rglob("*.md"))]
    used = {
        (found[1], found[3], found[2])
        for file in files
        for found in re.finditer(r"uses: ([\w.-]+/[\w.-]+)[\w./-]*@([0-9a-f]{40}) # (v[\w.]+)", file.read_text())
    }
    assert used == set(
        re.findall(r"^\| ([\w.-]+/[\w.-]+) \| (v[\w.]+) \| ([0-9a-f]{40}) \|$", RELEASING.read_text(), re.MULTILINE)
    )


def test_digests() -> None:
    """The same of what a release uses by digest."""
    used = set(re.findall(r"sha256:[0-9a-f]{64}", RELEASE.read_text()))
    assert used == set(re.findall(r"\| (sha256:[0-9a-f]{64}) \|$", RELEASING.read_text(), re.MULTILINE))


def test_jobs_of_a_release() -> None:
    """Each job has the permissions and the environment that the page tells; one alone may write to the repository."""
    rows = re.findall(r"^\| `(\w+)` \| (.*) \| (.*) \|$", RELEASING.read_text(), re.MULTILINE)
    told = {
        job: (dict(right.strip("`").split(": ") for right in rights.split(", ")), environment.strip("`–"))
        for job, rights, environment in rows
    }
    jobs = read(RELEASE)["jobs"]
    found = {}
    for job, content in jobs.items():
        environment = content.get("environment", "")
        found[job] = (content["permissions"], environment if isinstance(environment, str) else environment["name"])
    assert found == told
    assert [job for job, content in jobs.items() if content["permissions"].get("contents") == "write"] == ["tag"]


def test_a_release_trusts_no_cache() -> None:
    """What another run left behind gets into nothing that is published."""
    text = RELEASE.read_text()
    assert CACHES.findall(text) == []
    assert "no-cache: true" in text


def test_what_is_published_waits() -> None:
    """Nothing is published before CI has passed on the tag and a reviewer has let it go on."""
    jobs = read(RELEASE)["jobs"]

    def before(job: str) -> set[str]:
        needs = jobs[job].get("needs", [])
        direct = {needs} if isinstance(needs, str) else set(needs)
        return direct.union(*(before(each) for each in direct))

    assert jobs["image"]["environment"] == "release"
    assert {"ci", "dist"} <= before("image")
    for job in ("attest", "pypi", "tag"):
        assert "image" in before(job)
    assert {"pypi", "attest"} <= before("tag")
