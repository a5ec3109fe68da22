"""What Git says of a folder, from real repositories; nothing of a repository's configuration is run."""

import os
from pathlib import Path

import pytest
from repository import git

from recon_action.desired import is_ancestor, load, pull, revision_of
from recon_action.desired.revisions import repository_of, web_url
from recon_action.errors import ProgramError

MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one commit, a branch `main`, a remote on a host, and manifests in `deploy/`."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    folder = tmp_path / "repository"
    (folder / "deploy").mkdir(parents=True)
    (folder / "deploy" / "a.yaml").write_text(MAP)
    (folder / "README.md").write_text("x")
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message=first")
    git(folder, "remote", "add", "origin", "https://bob:hunter2@git.example.com/team/shop.git")
    monkeypatch.chdir(folder)
    return folder


def test_a_clean_work_tree(repository: Path) -> None:
    """Commit, branch, remote without credentials, web address, root."""
    revision = revision_of(["deploy"])
    assert revision is not None
    assert revision.commit == git(repository, "rev-parse", "HEAD")
    assert (revision.branch, revision.dirty, revision.root) == ("main", False, str(repository))
    assert revision.repository == "git.example.com/team/shop"
    assert revision.url == "https://git.example.com/team/shop"
    assert "hunter2" not in repr(revision)


@pytest.mark.parametrize(
    ("change", "paths", "dirty"),
    [
        pytest.param("deploy/a.yaml", ["deploy"], True, id="changed"),
        pytest.param("deploy/new.yaml", ["deploy"], True, id="untracked"),
        pytest.param("deploy/a.yaml", ["deploy/*.yaml"], True, id="glob"),
        pytest.param("deploy/deep/a.yaml", ["deploy/**/*.yaml"], True, id="glob-deep"),
        pytest.param("deploy/a.yaml", ["deploy/a.yaml"], True, id="file"),
        pytest.param("deploy/a.yaml", ["."], True, id="root"),
        pytest.param("README.md", ["deploy", "deploy/*.yaml"], False, id="elsewhere"),
        pytest.param("deploy/a.txt", ["deploy/*.yaml"], False, id="not-in-the-glob"),
    ],
)
def test_dirty_counts_the_given_paths_alone(repository: Path, change: str, paths: list[str], dirty: bool) -> None:
    """A change elsewhere doesn't make the manifests differ from the commit."""
    file = repository / change
    file.parent.mkdir(exist_ok=True)
    file.write_text(MAP + "# changed\n")
    revision = revision_of(paths)
    assert revision is not None
    assert revision.dirty is dirty


def test_a_detached_head_has_no_branch(repository: Path) -> None:
    """As in a checkout of a pull request."""
    git(repository, "checkout", "--quiet", "--detach")
    revision = revision_of(["deploy"])
    assert revision is not None
    assert revision.branch == ""


def test_no_remote(repository: Path) -> None:
    """A repository that was never pushed has neither name nor address."""
    git(repository, "remote", "remove", "origin")
    revision = revision_of(["deploy"])
    assert revision is not None
    assert (revision.repository, revision.url) == ("", "")


def test_a_remote_of_another_name(repository: Path) -> None:
    """The only remote is meant, whatever it is called; of several none is."""
    git(repository, "remote", "rename", "origin", "upstream")
    revision = revision_of(["deploy"])
    assert revision is not None
    assert revision.repository == "git.example.com/team/shop"
    git(repository, "remote", "add", "mine", "https://git.example.com/me/shop.git")
    revision = revision_of(["deploy"])
    assert revision is not None
    assert revision.repository == ""


def test_outside_of_a_repository(tmp_path: Path) -> None:
    """There is no revision, and stdin has none anywhere."""
    assert revision_of([str(tmp_path)]) is None
    assert revision_of(["-"]) is None


def test_a_repository_without_a_commit(tmp_path: Path) -> None:
    """Git can't say anything of it yet."""
    git(tmp_path, "init", "--quiet")
    assert revision_of([str(tmp_path)]) is None


def test_without_git(repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Manifests can be read where git isn't installed."""
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert revision_of(["deploy"]) is None
    assert len(load(["deploy"]).manifests) == 1


def test_where_the_environment_points_does_not_matter(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables that hooks and other tools leave behind don't lead git elsewhere."""
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"):
        monkeypatch.setenv(name, "/nowhere")
    assert revision_of(["deploy"]) is not None


def test_the_repository_runs_nothing(repository: Path, tmp_path: Path) -> None:
    """Neither a file-system monitor nor a hook of a repository is run for asking about it, or for pulling."""
    mark = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {mark}\n")
    script.chmod(0o755)
    upstream = _with_upstream(repository, tmp_path)
    git(repository, "config", "core.fsmonitor", str(script))
    for hook in ("post-merge", "post-checkout", "post-index-change", "reference-transaction"):
        (repository / ".git" / "hooks" / hook).write_text(script.read_text())
        (repository / ".git" / "hooks" / hook).chmod(0o755)
    assert revision_of(["deploy"]) is not None
    _commit(upstream, "more.yaml")
    pull(str(repository))
    assert not mark.exists()
    git(repository, "status")
    assert mark.exists(), "the trap itself doesn't work"


def test_files_are_named_from_the_root(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From wherever it is started, reports name files as the repository does, and the inventory its paths."""
    monkeypatch.chdir(repository / "deploy")
    desired = load(["."])
    assert [manifest.origin.file for manifest in desired.manifests] == ["deploy/a.yaml"]
    assert desired.identity == ("deploy",)
    assert load([str(repository), "*.yaml", "../deploy"]).identity == (".", "deploy", "deploy/*.yaml")


def test_files_outside_of_the_repository_are_named_absolutely(repository: Path, tmp_path: Path) -> None:
    """So that they can be found again, and are never taken for the repository's."""
    other = tmp_path / "other.yaml"
    other.write_text(MAP.replace("name: a", "name: b"))
    desired = load(["deploy", "../other.yaml"])
    assert [manifest.origin.file for manifest in desired.manifests] == ["deploy/a.yaml", str(other)]
    assert desired.identity == (str(other), "deploy")


def test_a_link_to_the_work_tree_is_the_work_tree(repository: Path, tmp_path: Path) -> None:
    """Temporary folders are links on some systems."""
    (tmp_path / "link").symlink_to(repository)
    desired = load([str(tmp_path / "link" / "deploy")])
    assert desired.revision is not None
    assert desired.revision.root == str(repository)
    assert (desired.manifests[0].origin.file, desired.identity) == ("deploy/a.yaml", ("deploy",))


REMOTES = [
    ("https://github.com/owner/name.git", "github.com/owner/name", "https://github.com/owner/name"),
    ("https://github.com/owner/name", "github.com/owner/name", "https://github.com/owner/name"),
    ("https://x-access-token:hunter2@GitHub.com/owner/name/", "github.com/owner/name", "https://github.com/owner/name"),
    ("http://host:3000/owner/name.git", "host:3000/owner/name", "http://host:3000/owner/name"),
    ("ssh://git@host.example:2222/owner/name.git", "host.example/owner/name", "https://host.example/owner/name"),
    ("git@github.com:owner/name.git", "github.com/owner/name", "https://github.com/owner/name"),
    ("host.example:group/sub/name", "host.example/group/sub/name", "https://host.example/group/sub/name"),
    ("git://host/owner/name.git", "host/owner/name", "https://host/owner/name"),
    ("/srv/git/name.git", "", ""),
    ("../name.git", "", ""),
    ("file:///srv/git/name.git", "", ""),
    ("C:\\git\\name", "", ""),
    ("https://[bad/owner/name", "", ""),
    ("https://host:port/owner/name", "", ""),
    ("ext::sh -c x", "", ""),
    ("", "", ""),
]


@pytest.mark.parametrize(("remote", "repository", "url"), REMOTES, ids=[remote for remote, _, _ in REMOTES])
def test_remotes(remote: str, repository: str, url: str) -> None:
    """Host, owner and name, and the web address, without credentials and `.git`."""
    assert (repository_of(remote), web_url(remote)) == (repository, url)


def _with_upstream(repository: Path, tmp_path: Path) -> Path:
    """An upstream that `main` follows."""
    upstream = tmp_path / "upstream"
    git(tmp_path, "clone", "--quiet", str(repository), str(upstream))
    git(repository, "remote", "set-url", "origin", str(upstream))
    git(repository, "fetch", "--quiet")
    git(repository, "branch", "--quiet", "--set-upstream-to=origin/main")
    return upstream


def _commit(folder: Path, name: str) -> str:
    (folder / name).write_text(MAP)
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", f"--message={name}")
    return git(folder, "rev-parse", "HEAD")


def test_which_commit_is_the_older(repository: Path) -> None:
    """An ancestor is older; the same, a later one, or one on another branch is not."""
    first = git(repository, "rev-parse", "HEAD")
    second = _commit(repository, "second.yaml")
    git(repository, "checkout", "--quiet", "-b", "other", first)
    beside = _commit(repository, "beside.yaml")
    root = str(repository)
    assert is_ancestor(root, first, second) is True
    assert is_ancestor(root, second, first) is False
    assert is_ancestor(root, first, first) is False
    assert is_ancestor(root, beside, second) is False


@pytest.mark.parametrize(
    "commit", ["d" * 40, "", "--all", "HEAD", "d" * 7], ids=["unknown", "none", "option", "name", "short"]
)
def test_a_commit_that_the_clone_does_not_have(repository: Path, commit: str) -> None:
    """Nothing can be told of it; it comes from the cluster, and is nothing that git would take for an option."""
    assert is_ancestor(str(repository), git(repository, "rev-parse", "HEAD"), commit) is None


def test_a_shallow_clone_can_not_tell_all(repository: Path, tmp_path: Path) -> None:
    """What it has tells forward from back; where its history was cut, neither is certain."""
    first = git(repository, "rev-parse", "HEAD")
    commits = [_commit(repository, f"{number}.yaml") for number in range(4)]
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth=2", f"file://{repository}", str(shallow))
    root = str(shallow)
    assert is_ancestor(root, commits[3], commits[2]) is False
    assert is_ancestor(root, commits[2], commits[3]) is True
    assert is_ancestor(root, commits[3], first) is None
    git(shallow, "fetch", "--quiet", "--depth=1", "origin", first)
    assert is_ancestor(root, first, commits[3]) is None


def test_without_git_nothing_is_older(repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whoever has no git can't be told."""
    first = git(repository, "rev-parse", "HEAD")
    second = _commit(repository, "second.yaml")
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert is_ancestor(str(repository), first, second) is None


def test_pull_moves_forward(repository: Path, tmp_path: Path) -> None:
    """The new commit is returned and checked out; without one nothing changes."""
    upstream = _with_upstream(repository, tmp_path)
    assert pull(str(repository)) == git(repository, "rev-parse", "HEAD")
    commit = _commit(upstream, "new.yaml")
    assert pull(str(repository)) == commit
    assert (repository / "new.yaml").exists()


def test_pull_merges_nothing(repository: Path, tmp_path: Path) -> None:
    """Branches that have diverged are an error in git's own words, even where rebasing is usual; nothing moves."""
    upstream = _with_upstream(repository, tmp_path)
    git(repository, "config", "pull.rebase", "true")
    _commit(upstream, "theirs.yaml")
    commit = _commit(repository, "ours.yaml")
    with pytest.raises(ProgramError, match=r"git pull failed: .*fast-forward") as caught:
        pull(str(repository))
    assert str(repository) in caught.value.hint
    assert git(repository, "rev-parse", "HEAD") == commit


def test_a_failed_pull_shows_no_credentials(repository: Path) -> None:
    """Git's last line may hold the remote's address."""
    git(repository, "remote", "set-url", "origin", "http://bob:hunter2@127.0.0.1:9/x.git")
    git(repository, "config", "branch.main.remote", "origin")
    git(repository, "config", "branch.main.merge", "refs/heads/main")
    with pytest.raises(ProgramError, match=r"git pull failed: .*127\.0\.0\.1") as caught:
        pull(str(repository))
    assert "hunter2" not in caught.value.message
