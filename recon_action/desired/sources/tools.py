"""The programs that render sources: kustomize, helm, sops; which version, and from where."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from recon_action.model.progress import Progress
from recon_action.programs.checksums import read_checksums
from recon_action.programs.obtain import obtain
from recon_action.programs.places import Places, usual_places
from recon_action.programs.program import GoModule, Program, Release

KUSTOMIZE: Final = "5.8.2"
HELM: Final = "4.3.2"
SOPS: Final = "3.13.3"
FOLDER: Final = "RECON_TOOLS"  # names a folder of the user's own programs

_GOLANG = Path(__file__).with_name("golang")
_KUSTOMIZE_FOLDER = "https://github.com/kubernetes-sigs/kustomize/releases/download/kustomize%2Fv{version}"
_HELM_FILE = "https://get.helm.sh/helm-v{version}-{os}-{arch}.tar.gz"
_SOPS_FOLDER = "https://github.com/getsops/sops/releases/download/v{version}"


def _source(name: str, version: str, package: str, *variables: str) -> GoModule:
    return GoModule(name, f"{name} {version}", version, _GOLANG / name, package, (name,), variables)


PROGRAMS: Final = (
    Program(
        "kustomize",
        KUSTOMIZE,
        ("version",),
        Release(
            url=_KUSTOMIZE_FOLDER + "/kustomize_v{version}_{os}_{arch}.tar.gz",
            checksums=_KUSTOMIZE_FOLDER + "/checksums.txt",
            member="kustomize",
        ),
        _source(
            "kustomize",
            KUSTOMIZE,
            "sigs.k8s.io/kustomize/kustomize/v5",
            f"sigs.k8s.io/kustomize/api/provenance.version=v{KUSTOMIZE}",
        ),
        any_version=True,
    ),
    Program(
        "helm",
        HELM,
        ("version", "--short"),
        Release(_HELM_FILE, f"{_HELM_FILE}.sha256sum", member="{os}-{arch}/helm"),
        _source("helm", HELM, "helm.sh/helm/v4/cmd/helm", f"helm.sh/helm/v4/internal/version.version=v{HELM}"),
        any_version=True,
    ),
    Program(
        "sops",
        SOPS,
        ("--version", "--disable-version-check"),
        Release(_SOPS_FOLDER + "/sops-v{version}.{os}.{arch}", _SOPS_FOLDER + "/sops-v{version}.checksums.txt"),
        _source("sops", SOPS, "github.com/getsops/sops/v3/cmd/sops"),
        any_version=True,
    ),
)


def tool_places(environ: Mapping[str, str]) -> Places:
    """Where the tools are looked for: the folder that RECON_TOOLS names, PATH, our cache."""
    return usual_places(environ, variable=FOLDER)


def install(environ: Mapping[str, str], progress: Progress, *names: str) -> dict[str, Path]:
    """Where the tools are, by name, all of them or the named; gets those that are missing, which can take minutes.

    Raises:
        ProgramError: one can't be had.
    """
    wanted = [program for program in PROGRAMS if not names or program.name in names]
    return obtain(wanted, tool_places(environ), read_checksums(), progress)
