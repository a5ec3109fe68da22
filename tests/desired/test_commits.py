"""Commits laid out from git's objects: what is in them, and that the checkout is never touched."""

import os
from pathlib import Path

import pytest
from repository import git

from recon_action.desired import commit_of, laid_out, load, merge_base, revision_of
from recon_action.errors import DesiredError, UsageError
from recon_action.model import Revision

MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two commits on `main`; the work tree is at the second, with a change that is in neither."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    folder = tmp_path / "repository"
    (folder / "deploy" / "sub").mkdir(parents=True)
    (folder / "shared").mkdir()
    (folder / "deploy" / "a.yaml").write_text(MAP)
    (folder / "deploy" / "sub" / "wéird [name].yaml").write_bytes(
        MAP.replace("name: a", "name: odd").encode() + b"# \xff\n"
    )
    (folder / "shared" / "base.yaml").write_text(MAP.replace("name: a", "name: base"))
    (folder / "deploy" / "linked.yaml").symlink_to("../shared/base.yaml")
    (folder / "other.yaml").write_text("x: 1\n")
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message=first")
    (folder / "deploy" / "a.yaml").write_text(MAP.replace("name: a", "name: b"))
    git(folder, "commit", "--quiet", "--all", "--message=second")
    (folder / "deploy" / "a.yaml").write_text(MAP.replace("name: a", "name: uncommitted"))
    monkeypatch.chdir(folder)
    return folder


def _revision(path: str = "deploy") -> Revision:
    found = revision_of([path])
    assert found is not None
    return found


def test_a_commit_is_read_as_it_was(repository: Path) -> None:
    """The first commit's files, whatever the work tree holds; names and places are the repository's."""
    first = commit_of(str(repository), "HEAD^")
    with laid_out(_revision(), first, ["deploy/a.yaml"]) as tree:
        desired = load(tree.paths, revision=tree.revision)
        assert [manifest.ref.name for manifest in desired.manifests] == ["a"]
        assert desired.manifests[0].origin.file == "deploy/a.yaml"
        assert desired.identity == ("deploy/a.yaml",)
        assert (tree.revision.commit, tree.revision.dirty) == (first, False)
        folder = Path(tree.revision.root)
    assert not folder.exists()
    assert (repository / "deploy" / "a.yaml").read_text().endswith("name: uncommitted}\n")
    assert git(repository, "status", "--porcelain") == "M deploy/a.yaml"


def test_only_what_the_paths_need_is_laid_out(repository: Path) -> None:
    """Files below the PATHs, of any name and content, and what links among them lead to."""
    with laid_out(_revision(), commit_of(str(repository), "main"), ["deploy"]) as tree:
        root = Path(tree.revision.root)
        files = sorted(str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir())
        assert files == ["deploy/a.yaml", "deploy/linked.yaml", "deploy/sub/wéird [name].yaml", "shared/base.yaml"]
        assert (root / "deploy" / "sub" / "wéird [name].yaml").read_bytes().endswith(b"\xff\n")
        assert (root / "deploy" / "linked.yaml").read_text() == MAP.replace("name: a", "name: base")


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        pytest.param(["deploy/*.yaml"], ["uncommitted"], id="glob"),
        pytest.param(["."], ["uncommitted", "base"], id="everything"),
        pytest.param(["deploy/new"], [], id="missing in this commit"),
        pytest.param(["deploy/new*.yaml"], [], id="a glob that matches nothing"),
        pytest.param(["deploy/a.yaml", "deploy/new"], ["uncommitted"], id="one of two"),
    ],
)
def test_paths_are_those_of_the_commit(repository: Path, paths: list[str], names: list[str]) -> None:
    """A PATH that the commit lacks is left out: it may be new in another one."""
    (repository / "deploy" / "linked.yaml").unlink()
    (repository / "deploy" / "sub" / "wéird [name].yaml").unlink()
    git(repository, "commit", "--quiet", "--all", "--message=third")
    with laid_out(_revision("."), commit_of(str(repository), "HEAD"), paths) as tree:
        found = load(tree.paths, revision=tree.revision).manifests if tree.paths else ()
        assert [manifest.ref.name for manifest in found] == names


def test_a_path_outside_of_the_repository(repository: Path) -> None:
    """There is no commit of it."""
    with pytest.raises(UsageError, match="outside of the repository"), laid_out(_revision(), "HEAD", ["/tmp"]):
        pass


@pytest.mark.parametrize("name", ["nosuch", "--all", "HEAD:deploy", "0" * 40])
def test_a_commit_that_is_not_there(repository: Path, name: str) -> None:
    """Neither is an option or a folder one."""
    with pytest.raises(DesiredError, match="no commit") as caught:
        commit_of(str(repository), name)
    assert "fetch it first" in caught.value.hint


def test_a_shallow_clone(repository: Path, tmp_path: Path) -> None:
    """What was cut off is not there, and the hint says how it would be."""
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{repository}", "shallow")
    first = git(repository, "rev-parse", "HEAD^")
    with pytest.raises(DesiredError, match="no commit") as caught:
        commit_of(str(tmp_path / "shallow"), first)
    assert "fetch-depth: 0" in caught.value.hint


def test_where_two_histories_part(repository: Path) -> None:
    """The commit that both have; an error where there is none."""
    first = git(repository, "rev-parse", "HEAD^")
    assert merge_base(str(repository), "HEAD", first) == first
    git(repository, "checkout", "--quiet", "--force", "--orphan", "alone")
    git(repository, "commit", "--quiet", "--message=alone")
    with pytest.raises(DesiredError, match="no commit in common"):
        merge_base(str(repository), "main", "alone")


def test_what_sources_need_is_laid_out_too(repository: Path) -> None:
    """Bases and their bases, charts beside a chart, and files that were asked for; nothing else."""
    texts = {
        "overlays/prod/kustomization.yaml": "resources: [../../bases/web]\n",
        "bases/web/kustomization.yaml": "resources: [../lower, ../../shared/base.yaml]\n",
        "bases/lower/kustomization.yaml": "resources: [m.yaml]\n",
        "bases/lower/m.yaml": MAP,
        "bases/unused/kustomization.yaml": "resources: [m.yaml]\n",
        "charts/shop/Chart.yaml": "name: shop\ndependencies: [{name: l, repository: 'file://../library'}]\n",
        "charts/library/Chart.yaml": "name: library\n",
        "values/prod.yaml": "a: b\n",
    }
    for name, text in texts.items():
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        (repository / name).write_text(text)
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message=third")
    head = commit_of(str(repository), "HEAD")
    with laid_out(_revision(), head, ["overlays/prod", "charts/shop"], ["values/prod.yaml", "/elsewhere"]) as tree:
        root = Path(tree.revision.root)
        found = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
        assert found == texts.keys() - {"bases/unused/kustomization.yaml"} | {"shared/base.yaml"}
        assert tree.paths == (str(root / "overlays/prod"), str(root / "charts/shop"))
        assert tree.moved("values/prod.yaml") == str(root / "values/prod.yaml")
        assert tree.moved("/elsewhere") == "/elsewhere"
