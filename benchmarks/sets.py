"""What is compared: one YAML file a set, as it stands in its repository, lies in a Git repository as manifests do."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from manifests import NAMESPACES, bench_mix

CORPUS = Path(os.environ.get("RECON_CORPUS") or Path(__file__).parents[2] / "shared" / "corpus")

# In this order; what needs a backend that no bare API server has is left out.
_APPS = {
    "kube-prometheus": ("setup/*.yaml", "*.yaml"),
    "argo-cd": ("install.yaml",),
    "online-boutique": ("release/kubernetes-manifests.yaml",),
}
_LEFT_OUT = {"prometheusAdapter-apiService.yaml"}


@dataclass(frozen=True, slots=True)
class Set:
    """Manifests in one file.

    Args:
        name: of the app; "bench mix" for the made one.
        count: how many objects were asked for; 0 for an app, which has as many as it has.
        file: holds them.
    """

    name: str
    count: int
    file: Path


def write_sets(counts: list[int], apps: list[str], folder: Path) -> list[Set]:
    """The sets, written into `folder`, which becomes a Git repository.

    Raises:
        SystemExit: an app is unknown, or the corpus isn't there.
    """
    sets = []
    for count in counts:
        file = folder / f"mix-{count}.yaml"
        file.write_bytes(bench_mix(count - NAMESPACES))
        sets.append(Set("bench mix", count, file))
    for app in apps:
        file = folder / f"{app}.yaml"
        file.write_bytes(b"\n---\n".join(path.read_bytes() for path in _files(app)))
        sets.append(Set(app, 0, file))
    git = ["git", "-C", str(folder), "-c", "user.name=bench", "-c", "user.email=bench@localhost"]
    for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "manifests"]):
        subprocess.run([*git, *command], check=True)
    return sets


def _files(app: str) -> list[Path]:
    patterns = _APPS.get(app)
    if patterns is None:
        raise SystemExit(f"no such app: {app}; choose from {', '.join(_APPS)}")
    files = [path for pattern in patterns for path in sorted((CORPUS / app).glob(pattern))]
    if not files:
        raise SystemExit(f"{CORPUS / app} is not there; RECON_CORPUS names the folder of the corpus")
    return [path for path in files if path.name not in _LEFT_OUT]
