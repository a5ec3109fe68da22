"""Which programs a lab needs, and that what Go builds them from is in the package."""

import re
from pathlib import Path

import pytest

from recon_action.lab.binaries import ETCD, KUBERNETES, KWOK, PROGRAMS, get_binaries
from recon_action.lab.options import NEWEST
from recon_action.model.progress import Quiet
from recon_action.programs.program import Platform, Program, expand


def by_name(name: str) -> Program:
    return next(program for program in PROGRAMS if program.name == name)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_each_program_can_be_built_and_downloaded(program: Program) -> None:
    """Sources with pinned dependencies, a release with published checksums."""
    assert program.source
    assert program.name in program.source.names
    assert {"go.mod", "go.sum"} <= {file.name for file in program.source.folder.iterdir()}
    assert program.release
    assert program.release.url.startswith("https://")
    assert program.release.checksums.startswith("https://")


@pytest.mark.parametrize(
    ("name", "module", "version"),
    [
        pytest.param("kube-apiserver", "k8s.io/kubernetes", KUBERNETES, id="kubernetes"),
        pytest.param("etcd", "go.etcd.io/etcd/server/v3", ETCD, id="etcd"),
        pytest.param("kwok", "sigs.k8s.io/kwok", KWOK, id="kwok"),
    ],
)
def test_the_sources_are_of_the_version_that_we_name(name: str, module: str, version: str) -> None:
    """go.mod and the release's URL say the same."""
    program = by_name(name)
    assert program.source
    text = (program.source.folder / "go.mod").read_text()
    assert re.search(rf"^\s+{re.escape(module)} v{re.escape(version)}\b", text, re.MULTILINE)
    assert program.version == version


def test_the_newest_version_is_the_one_that_is_built() -> None:
    """The others are emulated by it."""
    assert KUBERNETES.startswith(f"{NEWEST}.")


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("kubectl", f"https://dl.k8s.io/release/v{KUBERNETES}/bin/linux/arm64/kubectl"),
        ("etcd", f"https://github.com/etcd-io/etcd/releases/download/v{ETCD}/etcd-v{ETCD}-linux-arm64.tar.gz"),
        ("kwok", f"https://github.com/kubernetes-sigs/kwok/releases/download/v{KWOK}/kwok-linux-arm64"),
    ],
)
def test_releases_are_where_their_projects_publish_them(name: str, url: str) -> None:
    """The URLs, filled in."""
    program = by_name(name)
    assert program.release
    assert expand(program.release.url, program, Platform("linux", "arm64")) == url


def test_the_users_own_folder_serves(tmp_path: Path) -> None:
    """KUBEBUILDER_ASSETS of envtest holds all that a lab without controllers needs."""
    for name in ("etcd", "kube-apiserver", "kubectl"):
        file = tmp_path / name
        file.touch()
        file.chmod(0o755)
    environ = {"KUBEBUILDER_ASSETS": str(tmp_path), "PATH": ""}
    assert get_binaries(environ, Quiet(), controllers=False)["etcd"] == tmp_path / "etcd"
