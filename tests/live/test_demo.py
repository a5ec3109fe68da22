"""`recon-action demo` from start to end, on a real control plane."""

import os
import subprocess
import sys
from pathlib import Path

from recon_action.cli.demo import DRIFT
from recon_action.lab.binaries import Binaries
from recon_action.model import DriftKind
from recon_action.report.codec import from_json

_ROOT = Path(__file__).resolve().parents[2]
_STORY = (
    "1. Start a control plane",
    "2. Apply a small shop",
    "16 objects created, all healthy; the storefront runs 3 pods",
    "3. Meanwhile people work on the cluster by hand",
    "kubectl -n shop scale deployment storefront --replicas=5",
    "the storefront runs 5 pods",
    "4. Compare the cluster with Git",
    "it names these 4 differences and nothing else; exit code 1",
    "5. Make the cluster as Git says",
    "the storefront is back from 5 pods to 3",
    "6. Leave alone what Git never had",
    "configmap/oncall-notes is still there",
    "7. Compare once more",
    "in sync: 15 objects; exit code 0",
    "recon-report.md and recon-report.json",
)


def _demo(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the demo in `folder`, its temporary files in `folder`/tmp."""
    (folder / "tmp").mkdir()
    environ = os.environ | {"PYTHONPATH": str(_ROOT), "TMPDIR": str(folder / "tmp")}
    return subprocess.run(
        [sys.executable, "-m", "recon_action", "demo"],
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_whole_story(binaries: Binaries, tmp_path: Path) -> None:
    """Seven steps in their order, each seen to be true; two reports of the drift stay, and nothing else."""
    ended = _demo(tmp_path)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    at = 0
    for part in _STORY:
        assert part in ended.stdout[at:], f"{part!r} is missing, or told too early:\n{ended.stdout}"
        at = ended.stdout.index(part, at)
    report = from_json((tmp_path / "recon-report.json").read_text())
    assert {entry.ref for entry in report.entries} == set(DRIFT)
    assert {entry.drift for entry in report.entries} == set(DriftKind)
    assert {entry.place.file for entry in report.entries if entry.place} == {
        "shop/storefront.yaml",
        "shop/catalog.yaml",
        "shop/checkout.yaml",
    }
    markdown = (tmp_path / "recon-report.md").read_text()
    assert all(ref.name in markdown for ref in DRIFT)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["recon-report.json", "recon-report.md", "tmp"]
    assert not list((tmp_path / "tmp").iterdir())


def test_a_step_that_fails_ends_it(binaries: Binaries, tmp_path: Path) -> None:
    """Exit code and message tell of the failure; the control plane and all files are gone."""
    (tmp_path / "recon-report.md").mkdir()
    ended = _demo(tmp_path)
    assert ended.returncode == 2
    assert "recon-report.md" in ended.stderr
    assert "5. " not in ended.stdout
    assert not list((tmp_path / "tmp").iterdir())
