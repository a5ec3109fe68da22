"""Previews on a real server: what a change in Git would change, and not what differs already."""

import os
from pathlib import Path
from typing import Any

import pytest
from repository import git
from target import CONFIG_MAP, DEPLOYMENT, Target

from recon_action.errors import DesiredError, ExitCode, UsageError
from recon_action.lab import Lab
from recon_action.model import Bucket, Mode
from recon_action.preview import preview
from recon_action.report.document import Report


@pytest.fixture
def target(lab: Lab, namespace: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Target:
    """A target whose folder is a repository: on `main` a Deployment and three ConfigMaps, which are applied."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    found = Target(lab, namespace, tmp_path)
    found.write("web.yaml", DEPLOYMENT)
    for name in ("stays", "goes", "drifts"):
        found.write(f"{name}.yaml", CONFIG_MAP.replace("NAME", name))
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    _commit(found, "first")
    assert found.apply().exit_code is ExitCode.OK
    git(tmp_path, "checkout", "--quiet", "-b", "change")
    return found


def _commit(target: Target, message: str) -> None:
    git(target.folder, "add", "--all", ".")
    git(target.folder, "commit", "--quiet", f"--message={message}")


def _preview(target: Target, base: str = "main", head: str = "change", **options: Any) -> Report:
    return preview(target.settings(**options), base, head, config=str(target.folder / "recon.yaml"))


def _told(report: Report) -> dict[str, tuple[str, ...]]:
    return {entry.ref.name: (str(entry.drift), *(change.path for change in entry.changes)) for entry in report.entries}


def test_what_a_change_changes(target: Target) -> None:
    """New, changed and removed objects, the removed ones first; links lead to the head's lines."""
    target.write("web.yaml", DEPLOYMENT.replace("web:1", "web:2"))
    target.write("new.yaml", CONFIG_MAP.replace("NAME", "new"))
    target.remove("goes.yaml")
    _commit(target, "change")
    report = _preview(target)
    assert (report.mode, report.exit_code) == (Mode.PREVIEW, ExitCode.DIFFERENT)
    assert _told(report) == {
        "goes": ("orphaned",),
        "new": ("missing",),
        "web": ("modified", "spec.template.spec.containers[name=web].image"),
    }
    assert report.entries[0].ref.name == "goes"
    assert {entry.bucket for entry in report.entries} == {Bucket.PENDING}
    (image,) = next(entry for entry in report.entries if entry.ref.name == "web").changes
    assert image.place is not None
    assert (image.place.file, image.place.line) == ("web.yaml", 16)
    assert report.counts.in_sync == 2
    assert report.revision is not None
    assert (report.revision.commit, report.base) == (
        git(target.folder, "rev-parse", "change"),
        git(target.folder, "rev-parse", "main"),
    )


def test_what_differs_already_is_left_out(target: Target) -> None:
    """A person's change, a deletion by hand and what main has not applied yet are not the pull request's."""
    target.kubectl("scale", "deployment", "web", "--replicas=5")
    target.kubectl("delete", "configmap", "drifts")
    target.write("web.yaml", DEPLOYMENT.replace("web:1", "web:2"))
    _commit(target, "change")
    git(target.folder, "checkout", "--quiet", "main")
    target.write("stays.yaml", CONFIG_MAP.replace("NAME", "stays").replace('"1"', '"2"'))
    _commit(target, "not applied yet")
    git(target.folder, "checkout", "--quiet", "change")
    git(target.folder, "merge", "--quiet", "--no-edit", "main")
    report = _preview(target)
    assert _told(report) == {"web": ("modified", "spec.template.spec.containers[name=web].image")}
    assert any(note.startswith("3 objects differ from the base already") for note in report.notes)


def test_a_branch_that_is_behind_takes_nothing_back(target: Target) -> None:
    """What main gained since the branch left it is not told as removed."""
    target.write("new.yaml", CONFIG_MAP.replace("NAME", "new"))
    _commit(target, "change")
    git(target.folder, "checkout", "--quiet", "main")
    target.write("later.yaml", CONFIG_MAP.replace("NAME", "later"))
    _commit(target, "later")
    target.apply()
    assert _told(_preview(target)) == {"new": ("missing",)}


def test_the_work_tree_takes_no_part(target: Target) -> None:
    """Neither is it read nor is it touched, whatever is checked out."""
    target.write("new.yaml", CONFIG_MAP.replace("NAME", "new"))
    _commit(target, "change")
    git(target.folder, "checkout", "--quiet", "main")
    target.write("stays.yaml", "this: is: no: YAML")
    before = git(target.folder, "status", "--porcelain")
    assert _told(_preview(target)) == {"new": ("missing",)}
    assert git(target.folder, "status", "--porcelain") == before


def test_a_change_does_not_decide_how_it_is_judged(target: Target) -> None:
    """recon.yaml is the base's; one that the change brings counts once it is merged."""
    rule = "ignore:\n- match: {kind: Deployment}\n  fields: [spec.replicas]\n"
    target.write("web.yaml", DEPLOYMENT.replace("replicas: 3", "replicas: 4"))
    target.write("recon.yaml", rule)
    _commit(target, "change")
    assert _told(_preview(target)) == {"web": ("modified", "spec.replicas")}
    git(target.folder, "checkout", "--quiet", "-B", "main")
    git(target.folder, "checkout", "--quiet", "-b", "later")
    target.write("web.yaml", DEPLOYMENT.replace("replicas: 3", "replicas: 5"))
    _commit(target, "later")
    later = _preview(target, "main", "later")
    assert [entry.bucket for entry in later.entries] == [Bucket.IGNORED]
    assert later.exit_code is ExitCode.OK


def test_nothing_changes(target: Target) -> None:
    """A change of other files, or of comments, changes nothing."""
    target.write("README.md", "text")
    target.write("stays.yaml", "# a comment\n" + CONFIG_MAP.replace("NAME", "stays"))
    _commit(target, "change")
    report = _preview(target)
    assert (report.exit_code, report.entries, report.plan) == (ExitCode.OK, (), ())


def test_errors_of_the_change_alone(target: Target) -> None:
    """What the server refuses is told if the change brought it, and counted if it was there before."""
    broken = CONFIG_MAP.replace("NAME", "Broken_Name")
    target.write("new.yaml", broken)
    _commit(target, "change")
    report = _preview(target)
    assert (report.exit_code, report.counts.failed) == (ExitCode.DESIRED, 1)
    git(target.folder, "checkout", "--quiet", "-B", "later")
    target.write("fine.yaml", CONFIG_MAP.replace("NAME", "fine"))
    _commit(target, "later")
    later = _preview(target, "change", "later")
    assert _told(later) == {"fine": ("missing",)}
    assert any("could not be judged" in note for note in later.notes)


def test_without_the_right_to_write(target: Target) -> None:
    """Read-only, the verdict is local, and says so."""
    target.write("web.yaml", DEPLOYMENT.replace("replicas: 3", "replicas: 4"))
    _commit(target, "change")
    report = _preview(target, read_only=True)
    assert _told(report) == {"web": ("modified", "spec.replicas")}
    assert report.counts.local == 1


def test_what_can_not_be_previewed(target: Target, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Commits that are not there, a folder that is no repository, a head without manifests."""
    with pytest.raises(DesiredError, match="no commit nosuch"):
        _preview(target, "nosuch")
    elsewhere = Target(target.lab, target.namespace, tmp_path_factory.mktemp("elsewhere"))
    with pytest.raises(UsageError, match="no Git repository"):
        _preview(elsewhere)
    for name in ("web", "stays", "goes", "drifts"):
        target.remove(f"{name}.yaml")
    target.write("README.md", "text")
    _commit(target, "empty")
    with pytest.raises(DesiredError, match="no manifests"):
        _preview(target)
