"""Manifests checked without a cluster, in a repository."""

import io
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from repository import git

from recon_action.errors import DesiredError, ExitCode, UsageError
from recon_action.model import AmendmentKind, Mode, Settings
from recon_action.report.document import Report
from recon_action.validate import validate

NOW = datetime(2026, 12, 1, 5, 0, tzinfo=UTC)
OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: NAME\n  namespace: shop\ndata:\n  color: blue\n"


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with three ConfigMaps on `main`, and a branch `change` that is checked out."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    monkeypatch.setenv("KUBECONFIG", "/nowhere")
    folder = tmp_path / "clone"
    (folder / "k8s").mkdir(parents=True)
    monkeypatch.chdir(folder)
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "remote", "add", "origin", "https://github.com/acme/shop.git")
    for name in ("stays", "goes", "changes"):
        write(folder, name)
    commit(folder, "first")
    git(folder, "checkout", "--quiet", "-b", "change")
    return folder


def write(clone: Path, name: str, text: str = OBJECT) -> None:
    (clone / "k8s" / f"{name}.yaml").write_text(text.replace("NAME", name))


def commit(clone: Path, message: str = "change") -> str:
    git(clone, "add", "--all", ".")
    git(clone, "commit", "--quiet", "--allow-empty", f"--message={message}")
    return git(clone, "rev-parse", "HEAD")


def check(base: str = "main", head: str = "HEAD", paths: tuple[str, ...] = ("k8s",), **more: Any) -> Report:
    return validate(Settings(paths, **more.pop("settings", {})), base, head, now=lambda: NOW, **more)


def told(report: Report) -> list[tuple[str, ...]]:
    return [(one.kind.value, one.ref.name, *one.paths) for one in report.amendments]


def faults(report: Report) -> list[str]:
    return [f"{one.place.file}:{one.place.line}: {one.message}" for one in report.faults]


def test_two_commits(clone: Path) -> None:
    """What the change does to each object; links lead into the commit that has it."""
    write(clone, "changes", OBJECT.replace("blue", "red"))
    write(clone, "new")
    (clone / "k8s/goes.yaml").unlink()
    head = commit(clone)
    report = check()
    assert told(report) == [("removed", "goes"), ("changed", "changes", "data.color"), ("added", "new")]
    assert (report.mode, report.target) == (Mode.VALIDATE, "shop")
    assert (report.exit_code, report.result) == (ExitCode.OK, "valid")
    assert (report.counts.unasked, report.counts.total, report.files) == (3, 3, 3)
    base = git(clone, "rev-parse", "main")
    assert report.revision is not None
    assert (report.revision.commit, report.base, report.revision.root) == (head, base, "")
    assert [one.place and one.place.url for one in report.amendments] == [
        f"https://github.com/acme/shop/blob/{base}/k8s/goes.yaml#L1",
        f"https://github.com/acme/shop/blob/{head}/k8s/changes.yaml#L1",
        f"https://github.com/acme/shop/blob/{head}/k8s/new.yaml#L1",
    ]


def test_the_work_tree_takes_no_part(clone: Path) -> None:
    """Where commits are named, neither is it read nor is it touched."""
    commit(clone)
    write(clone, "stays", "no: [")
    assert check().exit_code is ExitCode.OK
    assert (clone / "k8s/stays.yaml").read_text() == "no: ["


def test_a_branch_that_is_behind_takes_nothing_back(clone: Path) -> None:
    """What main has gained since is not told as removed."""
    write(clone, "new")
    commit(clone)
    git(clone, "checkout", "--quiet", "main")
    write(clone, "later")
    commit(clone)
    assert told(check("main", "change")) == [("added", "new")]


def test_all_faults_at_once(clone: Path) -> None:
    """Files that can't be read, each with its lines; then what the change does is not known, and not told."""
    write(clone, "one", "a: 1\na: 2\nkind: X\n---\nb: [\n")
    write(clone, "two", "apiVersion: v1\nkind: ConfigMap\n")
    commit(clone)
    report = check()
    assert (report.exit_code, report.result, report.amendments) == (ExitCode.DESIRED, "error", ())
    assert {line.partition(" ")[0] for line in faults(report)} == {
        "k8s/one.yaml:2:",
        "k8s/one.yaml:6:",
        "k8s/two.yaml:1:",
    }
    assert report.revision is not None
    assert all(one.place.url.startswith("https://github.com/acme/shop/blob/") for one in report.faults)


def test_duplicates(clone: Path) -> None:
    """Every second declaration has its place, and names the first."""
    write(clone, "twice", OBJECT.replace("NAME", "stays") + "---\n" + OBJECT.replace("NAME", "changes"))
    commit(clone)
    report = check()
    assert faults(report) == [
        "k8s/twice.yaml:1: ConfigMap shop/stays is declared a second time; the first is at k8s/stays.yaml:1",
        "k8s/twice.yaml:9: ConfigMap shop/changes is declared a second time; the first is at k8s/changes.yaml:1",
    ]
    assert report.exit_code is ExitCode.DESIRED
    assert report.counts.total == 5


def test_annotations(clone: Path) -> None:
    """One that stops an apply is a fault here, with its line."""
    annotated = OBJECT.replace("  namespace", "  annotations:\n    config.kubernetes.io/depends-on: x\n  namespace")
    write(clone, "odd", annotated)
    commit(clone)
    (fault,) = faults(check())
    assert fault.startswith("k8s/odd.yaml:6: ")
    assert "config.kubernetes.io/depends-on" in fault


def test_a_base_that_can_not_be_read(clone: Path) -> None:
    """The change may be what mends it: it is valid, and what it changes is not known."""
    write(clone, "stays", "no: [")
    commit(clone, "broken")
    git(clone, "branch", "broken")
    write(clone, "stays")
    commit(clone, "mended")
    report = check("broken")
    assert (report.exit_code, report.amendments) == (ExitCode.OK, ())
    assert any("can't be read" in note for note in report.notes)


def test_files_as_they_lie_there(clone: Path) -> None:
    """Without commits there is no repository needed, and nothing to compare with."""
    write(clone, "new")
    report = check("", "", ("k8s",))
    assert (report.counts.total, report.amendments, report.base) == (4, (), "")
    assert told(check("main", "")) == [("added", "new")]


def test_standard_input(clone: Path) -> None:
    """A dash reads it."""
    report = check("", "", ("-",), stdin=io.BytesIO(b"kind: X\n"))
    assert faults(report) == ["-:1: the object has no apiVersion"]


def test_recon_yaml_of_the_base(clone: Path) -> None:
    """A change does not decide how it is judged; a broken one in the base stops the run."""
    (clone / "recon.yaml").write_text("odd: 1\n")
    commit(clone)
    assert check().exit_code is ExitCode.OK
    with pytest.raises(UsageError, match="unknown key 'odd'"):
        check("HEAD")


def test_what_a_secret_holds(clone: Path) -> None:
    """A change of a value is told by its key alone."""
    secret = OBJECT.replace("ConfigMap", "Secret").replace("\ndata:", "\nstringData:")
    write(clone, "stays", secret)
    commit(clone, "secret")
    git(clone, "branch", "secret")
    write(clone, "stays", secret.replace("blue", "hunter2-hunter2"))
    commit(clone)
    report = check("secret")
    assert (told(report), faults(report), report.notes) == ([("changed", "stays", "stringData.color")], [], ())
    assert "hunter2" not in repr(report)


def test_what_can_not_be_checked(clone: Path, tmp_path: Path) -> None:
    """No manifests, no such commit, no repository."""
    for file in (clone / "k8s").iterdir():
        file.unlink()
    (clone / "k8s/README.md").write_text("x")
    commit(clone)
    with pytest.raises(DesiredError, match="no manifests"):
        check()
    with pytest.raises(DesiredError, match="no commit gone"):
        check("gone")
    with pytest.raises(UsageError, match="no Git repository"):
        check("main", "HEAD", (str(tmp_path),))
    assert [kind.value for kind in AmendmentKind] == ["removed", "changed", "added"]
