"""The programs of a lab: which, in which version, and from where."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from recon_action.model.progress import Progress
from recon_action.programs.checksums import read_checksums
from recon_action.programs.obtain import obtain
from recon_action.programs.places import usual_places
from recon_action.programs.program import GoModule, Program, Release

KUBERNETES = "1.37.2"
ETCD = "3.7.0"
KWOK = "0.8.0"
ASSETS = "KUBEBUILDER_ASSETS"  # the folder that users of envtest already have

_GOLANG = Path(__file__).with_name("golang")
_ETCD_FOLDER = "https://github.com/etcd-io/etcd/releases/download/v{version}"
_KWOK_FILE = "https://github.com/kubernetes-sigs/kwok/releases/download/v{version}/kwok-{os}-{arch}"

_CONTROL_PLANE = GoModule(
    name="controlplane",
    title=f"Kubernetes {KUBERNETES}",
    version=KUBERNETES,
    folder=_GOLANG / "controlplane",
    package=".",
    names=("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"),
    # Without it the server calls itself v0.0.0-master.
    variables=(f"k8s.io/component-base/version.gitVersion=v{KUBERNETES}",),
)


def _kubernetes(name: str, *version_args: str) -> Program:
    url = "https://dl.k8s.io/release/v{version}/bin/{os}/{arch}/" + name
    return Program(name, KUBERNETES, version_args, Release(url, f"{url}.sha256"), _CONTROL_PLANE)


_SERVERS = (
    Program(
        "etcd",
        ETCD,
        release=Release(
            url=_ETCD_FOLDER + "/etcd-v{version}-{os}-{arch}.tar.gz",
            checksums=_ETCD_FOLDER + "/SHA256SUMS",
            member="etcd-v{version}-{os}-{arch}/etcd",
        ),
        source=_CONTROL_PLANE,
    ),
    _kubernetes("kube-apiserver", "--version"),
    _kubernetes("kubectl", "version", "--client"),
)
_CONTROLLERS = (
    _kubernetes("kube-controller-manager", "--version"),
    _kubernetes("kube-scheduler", "--version"),
    Program(
        "kwok",
        KWOK,
        release=Release(_KWOK_FILE, f"{_KWOK_FILE}.sha256"),
        source=GoModule("kwok", f"kwok {KWOK}", KWOK, _GOLANG / "kwok", "sigs.k8s.io/kwok/cmd/kwok", ("kwok",)),
    ),
)
PROGRAMS = _SERVERS + _CONTROLLERS


@dataclass(frozen=True, slots=True)
class Binaries:
    """Where each program of a lab is."""

    files: Mapping[str, Path]

    def __getitem__(self, name: str) -> Path:
        return self.files[name]


def get_binaries(environ: Mapping[str, str], progress: Progress, *, controllers: bool = True) -> Binaries:
    """The lab's programs; gets those that are missing, which can take minutes the first time.

    Raises:
        ProgramError: one can't be had.
    """
    programs = PROGRAMS if controllers else _SERVERS
    return Binaries(obtain(programs, usual_places(environ, variable=ASSETS), read_checksums(), progress))
