"""What is seen in a repository."""

from pathlib import Path

import pytest
from repository import git

from recon_action.errors import UsageError
from recon_action.init import look
from recon_action.init.sight import Found, Sort

_OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
_ENCRYPTED = _OBJECT + "data: {a: 'ENC[AES256_GCM,data:x]'}\nsops:\n  age:\n  - recipient: age1abc\n"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty repository, which is the current folder."""
    git(tmp_path, "init", "-q", "-b", "trunk")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_name(path.name + ".yaml").write_text(text)


def _sources(root: Path, *paths: str) -> list[tuple[str, Sort]]:
    return [(found.path, found.sort) for found in look(str(root), paths).sources]


def test_plain_manifests(repository: Path) -> None:
    """Of plain manifests the uppermost folder counts; other YAML is none."""
    _write(repository, k8s__a=_OBJECT, k8s__inner__b=_OBJECT, compose="services: {}\n", docs__c="a: 1\n")
    assert _sources(repository) == [("k8s", Sort.PLAIN)]
    _write(repository, top=_OBJECT)
    assert _sources(repository) == [(".", Sort.PLAIN), ("k8s", Sort.PLAIN)]


@pytest.mark.parametrize(
    "text",
    [
        "kind: ConfigMap\napiVersion: v1\n",
        '{"kind": "ConfigMap", "apiVersion": "v1"}',
        "items:\n- kind: A\n  apiVersion: v1\n",
    ],
    ids=["kind-first", "json", "inside"],
)
def test_what_an_object_looks_like(repository: Path, text: str) -> None:
    """However an object is written, it is one."""
    _write(repository, k8s__a=text)
    assert _sources(repository) == [("k8s", Sort.PLAIN)]


def test_kustomizations(repository: Path) -> None:
    """A kustomization that another one uses is a part, and so is a file of it, and a component."""
    _write(
        repository,
        base__kustomization="resources: [../files/a.yaml]\n",
        files__a=_OBJECT,
        part__kustomization="kind: Component\n",
        prod__kustomization="resources: [../base]\ncomponents: [../part]\n",
    )
    assert _sources(repository) == [("prod", Sort.KUSTOMIZE)]
    _write(repository, test__kustomization="resources: [../base]\n")
    assert _sources(repository) == [("prod", Sort.KUSTOMIZE), ("test", Sort.KUSTOMIZE)]


def test_charts(repository: Path) -> None:
    """A chart is a source, unless a kustomization uses it; its templates are no manifests."""
    _write(repository, chart__Chart="name: chart\nversion: 1.0.0\n", chart__templates__a=_OBJECT)
    assert _sources(repository) == [("chart", Sort.HELM)]
    _write(repository, prod__kustomization="helmGlobals: {chartHome: ..}\nhelmCharts: [{name: chart}]\n")
    assert _sources(repository) == [("prod", Sort.KUSTOMIZE)]


def test_paths_that_are_named(repository: Path) -> None:
    """Only what is named is looked at, and is told by that name."""
    _write(repository, a__b__c=_OBJECT, d__e=_OBJECT)
    assert _sources(repository, "a/b") == [("a/b", Sort.PLAIN)]
    assert _sources(repository, ".") == [(".", Sort.PLAIN)]
    with pytest.raises(UsageError, match="outside"):
        look(".", ["/usr"])


def test_encryption(repository: Path) -> None:
    """Files that SOPS has encrypted are noticed, in kustomizations too, and whether it was for age keys."""
    _write(repository, k8s__a=_OBJECT)
    assert (look(".", ()).is_encrypted, look(".", ()).has_age) == (False, False)
    _write(repository, prod__kustomization="resources: [secret.yaml]\n", prod__secret=_ENCRYPTED)
    assert (look(".", ()).is_encrypted, look(".", ()).has_age) == (True, True)
    _write(repository, prod__secret=_ENCRYPTED.replace("recipient: age1", "arn: "))
    assert (look(".", ()).is_encrypted, look(".", ()).has_age) == (True, False)


def test_remote_and_branch(repository: Path, tmp_path: Path) -> None:
    """The remote's idea of the default branch counts, else the branch that is checked out; credentials stay out."""
    assert (look(".", ()).repository, look(".", ()).branch) == ("", "trunk")
    git(repository, "remote", "add", "origin", "https://me:secret@github.com/acme/shop.git")
    git(repository, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/release/1")
    seen = look(".", ())
    assert (seen.repository, seen.branch) == ("github.com/acme/shop", "release/1")


def test_workflows(repository: Path) -> None:
    """Workflows that use the action already are named."""
    folder = repository / ".github/workflows"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text("- uses: recon-action/recon-action@v1\n")
    (folder / "ci.yml").write_text("- uses: actions/checkout@v6\n")
    assert look(".", ()).workflows == (".github/workflows/mine.yaml",)


def test_from_a_folder_inside(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The repository is found from anywhere in it."""
    _write(repository, k8s__a=_OBJECT)
    monkeypatch.chdir(repository / "k8s")
    assert look(".", ()).sources == (Found("k8s", Sort.PLAIN),)


def test_no_repository(tmp_path: Path) -> None:
    """Without a repository there is nothing to write workflows for."""
    with pytest.raises(UsageError, match="no Git repository"):
        look(str(tmp_path), ())
