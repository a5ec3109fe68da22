"""From PATHs to files: what is read, in which order, and what is refused."""

import os
from io import BytesIO
from pathlib import Path

import pytest

from recon_action.desired.files import File, find, read
from recon_action.desired.limits import DEFAULT, Limits
from recon_action.errors import ExitCode, UsageError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with manifests, other files and a hidden folder; the working folder is above it."""
    files = ("b.yaml", "a.yml", "c.json", "README.md", "sub/deep/d.yaml", "sub/e.yaml", ".git/f.yaml", "g.tpl")
    for name in files:
        file = tmp_path / "k8s" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "k8s"


def found(*paths: str) -> list[str]:
    return [file.path for file in find(paths)]


ALL = ["k8s/a.yml", "k8s/b.yaml", "k8s/c.json", "k8s/sub/e.yaml", "k8s/sub/deep/d.yaml"]


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        pytest.param(["k8s"], ALL, id="folder"),
        pytest.param(["k8s/"], ALL, id="folder-with-slash"),
        pytest.param(["./k8s"], ALL, id="folder-with-dot"),
        pytest.param(["k8s/README.md"], ["k8s/README.md"], id="named-file-of-any-suffix"),
        pytest.param(["k8s/sub", "k8s"], ["k8s/sub/e.yaml", "k8s/sub/deep/d.yaml", *ALL[:3]], id="each-once"),
        pytest.param(["k8s/*.yaml"], ["k8s/b.yaml"], id="glob"),
        pytest.param(["k8s/*"], ALL, id="glob-reads-folders-and-only-manifests"),
        pytest.param(["k8s/**/*.yaml"], ["k8s/b.yaml", "k8s/sub/deep/d.yaml", "k8s/sub/e.yaml"], id="glob-deep"),
        pytest.param(["k8s/*.tpl"], ["k8s/g.tpl"], id="glob-that-spells-out-the-suffix"),
        pytest.param(["k8s/.git"], ["k8s/.git/f.yaml"], id="hidden-folder-by-name"),
        pytest.param(["-", "k8s/b.yaml", "-"], ["-", "k8s/b.yaml"], id="stdin-once"),
    ],
)
def test_what_paths_mean(folder: Path, paths: list[str], expected: list[str]) -> None:
    """Folders are read recursively and sorted, without hidden folders and other suffixes; each file once."""
    assert found(*paths) == expected


def test_an_empty_folder_has_no_files(tmp_path: Path) -> None:
    """An empty folder is no wrong path: the guard against zero manifests stands elsewhere."""
    assert found(str(tmp_path)) == []


@pytest.mark.parametrize("path", ["nowhere", "k8s/*.txt", "k8s/**x", "", "k8s/[z].yaml"])
def test_a_path_that_means_nothing_is_wrong_usage(folder: Path, path: str) -> None:
    """All such paths are named at once, with the folder they were looked up from."""
    with pytest.raises(UsageError) as caught:
        find(["k8s", path, "neither"])
    named = path or '""'
    assert caught.value.message == f"no such file or folder: {named}, neither"
    assert str(folder.parent) in caught.value.hint
    assert caught.value.exit_code == ExitCode.USAGE


def test_a_file_whose_name_looks_like_a_glob_is_that_file(folder: Path) -> None:
    """What exists is taken by its name."""
    (folder / "[x].yaml").write_text("")
    assert found("k8s/[x].yaml") == ["k8s/[x].yaml"]


def test_links_within_the_folder_add_nothing(folder: Path) -> None:
    """A link to what is read anyway, loops among them, is neither followed nor a fault."""
    (folder / "loop").symlink_to(folder)
    (folder / "sub" / "up").symlink_to("..")
    (folder / "z.yaml").symlink_to("b.yaml")
    assert [(file.path, file.refusal) for file in find(["k8s"])] == [(path, None) for path in ALL]
    assert set(found("k8s/**")) == set(ALL)


def test_a_link_to_a_hidden_file_of_the_folder_is_read(folder: Path) -> None:
    """Mounted ConfigMaps are laid out like that."""
    (folder / "z.yaml").symlink_to(".git/f.yaml")
    assert found("k8s") == [*ALL[:3], "k8s/z.yaml", *ALL[3:]]


@pytest.mark.parametrize("path", ["k8s", "k8s/*", "k8s/**"])
@pytest.mark.parametrize("is_folder", [False, True], ids=["file", "folder"])
@pytest.mark.parametrize("is_repository", [False, True], ids=["plain", "repository"])
def test_a_link_that_leaves_the_folder_is_refused(
    folder: Path, path: str, is_folder: bool, is_repository: bool
) -> None:
    """Its content isn't read, and the fault names it; in a repository the same of one that leaves that."""
    if not is_repository:
        (folder / ".git").rename(folder.parent / "no-repository")
    outside = folder.parent / "outside"
    outside.mkdir()
    (outside / "secret.yaml").write_text("kind: Secret")
    link = folder / "link.yaml"
    link.symlink_to(outside if is_folder else outside / "secret.yaml")
    file = next(file for file in find([path]) if file.refusal)
    content = read(file, "shown", None)
    assert (file.path, content.data) == ("k8s/link.yaml", b"")
    assert content.fault is not None
    assert str(content.fault).startswith("shown:1:1: a symbolic link that leaves its repository")
    assert not any(each.path.endswith("secret.yaml") and not each.refusal for each in find([path]))


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of two folders, beside one that is none of it; the working folder is the repository."""
    for name in ("repo/.git/HEAD", "repo/k8s/a.yaml", "repo/shared/b.yaml", "repo/shared/c.yaml", "outside/d.yaml"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    monkeypatch.chdir(tmp_path / "repo")
    return tmp_path / "repo"


def test_links_within_a_repository_are_followed(repository: Path) -> None:
    """A file or a folder that several targets share; each file once, and no link round and round."""
    (repository / "k8s" / "base").symlink_to("../shared")
    (repository / "k8s" / "one.yaml").symlink_to("../shared/b.yaml")
    (repository / "shared" / "loop").symlink_to("../k8s")
    (repository / "shared" / "again").symlink_to(".")
    assert [(file.path, file.refusal) for file in find(["k8s"])] == [
        ("k8s/base/b.yaml", None),
        ("k8s/base/c.yaml", None),
        ("k8s/a.yaml", None),
    ]
    assert found("k8s/*") == ["k8s/a.yaml", "k8s/base/b.yaml", "k8s/base/c.yaml"]
    assert found("k8s", "shared") == ["k8s/base/b.yaml", "k8s/base/c.yaml", "k8s/a.yaml"]


def test_a_link_to_what_holds_the_folder_is_refused(repository: Path) -> None:
    """Or a folder would be the whole repository, without a word."""
    (repository / "k8s" / "up").symlink_to("..")
    refused = [file for file in find(["k8s"]) if file.refusal]
    assert [(file.path, (file.refusal or ("",))[0][:27]) for file in refused] == [
        ("k8s/up", "a symbolic link to a folder")
    ]


@pytest.mark.parametrize("path", ["deploy", "deploy/inner", "deploy/*.yaml", "deploy/d.yaml", "one.yaml"])
def test_what_is_named_in_a_repository_does_not_leave_it(repository: Path, path: str) -> None:
    """The PATH of a workflow stays the same, and a pull request may put a link in its place."""
    outside = repository.parent / "outside"
    (outside / "inner").mkdir()
    (repository / "deploy").symlink_to(outside)
    (repository / "one.yaml").symlink_to(outside / "d.yaml")
    (file,) = find([path])
    assert file.path == path
    content = read(file, path, None)
    assert content.data == b""
    assert "leaves its repository" in str(content.fault)


def test_the_root_of_the_files_may_be_given(folder: Path) -> None:
    """Files that were laid out from a commit have no repository around them."""
    (folder.parent / "shared.yaml").write_text("")
    (folder / "link.yaml").symlink_to("../shared.yaml")
    assert [file.refusal for file in find(["k8s/sub"], str(folder.parent))] == [None, None]
    (linked,) = [file for file in find(["k8s"], str(folder.parent)) if file.path.endswith("link.yaml")]
    assert linked.refusal is None


def test_a_link_that_is_named_is_followed(folder: Path) -> None:
    """Who names a link outside of any repository means its target."""
    (folder.parent / "link").symlink_to(folder / "sub")
    (folder.parent / "one.yaml").symlink_to(folder / "b.yaml")
    assert found("link", "one.yaml") == ["link/e.yaml", "link/deep/d.yaml", "one.yaml"]
    assert read(File("one.yaml"), "one.yaml", None).data == b"b.yaml"


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        pytest.param(lambda path: path.symlink_to("gone.yaml"), "No such file or directory", id="dangling-link"),
        pytest.param(lambda path: path.symlink_to(path.name), "Too many levels of symbolic links", id="link-to-itself"),
        pytest.param(os.mkfifo, "neither a file nor a folder", id="pipe"),
    ],
)
def test_what_is_no_file_is_refused(folder: Path, make: object, reason: str) -> None:
    """A pipe would never end, and a dangling link may be a manifest that is missed."""
    make(folder / "x.yaml")  # type: ignore[operator]
    file = next(file for file in find(["k8s"]) if file.path == "k8s/x.yaml")
    fault = read(file, "k8s/x.yaml", None).fault
    assert fault is not None
    assert reason in fault.message
    assert fault.hint


def test_a_large_file_is_not_read(folder: Path) -> None:
    """The limit holds for files and for stdin; what is exactly as large passes."""
    large = folder / "large.yaml"
    with large.open("wb") as file:
        file.truncate(DEFAULT.size + 1)
    content = read(File(str(large)), "large.yaml", None)
    assert content.data == b""
    assert str(content.fault).startswith("large.yaml:1:1: larger than 16 MiB")
    assert "--max-file-size" in str(content.fault)
    assert read(File(str(large)), "large.yaml", None, Limits(DEFAULT.size + 1)).fault is None
    assert read(File(str(large)), "large.yaml", None, None).fault is None
    os.truncate(large, DEFAULT.size)
    assert read(File(str(large)), "large.yaml", None).fault is None
    assert read(File("-"), "-", BytesIO(bytes(DEFAULT.size + 1))).fault is not None


@pytest.mark.parametrize(
    ("size", "text"), [(1 << 20, "1 MiB"), (500 << 10, "500 KiB"), (1001, "1001 bytes")], ids=["MiB", "KiB", "bytes"]
)
def test_a_limit_as_a_person_writes_it(size: int, text: str) -> None:
    """In the largest unit that is whole."""
    assert str(Limits(size)) == text


def test_stdin(folder: Path) -> None:
    """The given stream is read to its end."""
    assert read(File("-"), "-", BytesIO(b"a: 1")).data == b"a: 1"
