"""Real applications tried on a control plane of our own: object by object as `kubectl apply --dry-run=server` has it.

kubectl asks another control plane, on which the app's CRDs, namespaces, limits and policies were applied by kubectl.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import orjson
import pytest
from corpus_app import read_app

from recon_action.analyze.groundwork import QUOTA, groundwork, presumed
from recon_action.lab import Lab
from recon_action.model import Manifest, ObjectRef, Quiet, Settings
from recon_action.stop import Stop
from recon_action.validate.trial import try_out

_TABLE = json.loads((Path(__file__).parent / "corpus" / "accepted.json").read_text(encoding="utf-8"))
_FEW = ("sealed-secrets", "metallb", "cert-manager", "gateway-api")
_APPS = tuple(_TABLE) if os.environ.get("RECON_VALIDATE_APPS") == "all" else _FEW

# Examples that were not meant for one namespace: of several limits that fill in defaults, any may be the first.
_LEFT_OUT = {"k8s-docs": {"LimitRange"}}
# By app, how many objects were tried, and how many of them refused.
_TRIED: dict[str, tuple[int, int]] = {}


class _Oracle:
    """kubectl and a control plane of its own."""

    def __init__(self, lab: Lab, folder: Path) -> None:
        self._lab = lab
        self._folder = folder

    def prepare(self, manifests: dict[ObjectRef, Manifest]) -> None:
        """Apply what others are checked against; what is refused there is refused when it is tried, too."""
        for name in presumed(manifests):
            self._run("create", "namespace", name)
        for number, stage in enumerate(groundwork(manifests)):
            self._run("apply", "--server-side", *self._files(f"stage-{number}", [manifests[ref] for ref in stage]))
            if not number:
                self._run("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
        for ref in manifests:
            if (ref.group, ref.kind) == QUOTA:
                hard = manifests[ref].body["spec"].get("hard", {})
                status = json.dumps({"status": {"hard": hard, "used": dict.fromkeys(hard, "0")}})
                patch = ("--subresource=status", "--type=merge", "--patch", status)
                self._run("patch", "-n", ref.namespace, "resourcequota", ref.name, *patch)

    def refused(self, manifests: dict[ObjectRef, Manifest]) -> dict[ObjectRef, str]:
        """What kubectl says of those that the server does not take."""
        there = [ref for stage in groundwork(manifests) for ref in stage]
        # Of what is there already, an apply on the client's side would say that it was not made by one.
        ways = ((there, ("--server-side", "--force-conflicts")), ([ref for ref in manifests if ref not in there], ()))
        return {ref: said for refs, how in ways for ref, said in self._refused(manifests, refs, *how).items()}

    def _refused(
        self, manifests: dict[ObjectRef, Manifest], refs: Iterable[ObjectRef], *how: str
    ) -> dict[ObjectRef, str]:
        chosen = list(refs)
        if not chosen:
            return {}
        name = f"tried{len(how)}"
        said = self._run("apply", "--dry-run=server", *how, *self._files(name, [manifests[ref] for ref in chosen]))
        files = dict(zip(chosen, sorted((self._folder / name).iterdir()), strict=True))
        lines = said.stderr.splitlines()
        found = {ref: next((line for line in lines if _is_of(line, ref, file)), "") for ref, file in files.items()}
        refused = {ref: line for ref, line in found.items() if line}
        taken = [
            line for line in said.stdout.splitlines() if "server dry run)" in line or " serverside-applied" in line
        ]
        assert len(taken) + len(refused) == len(chosen), said.stderr
        return refused

    def _files(self, name: str, manifests: Iterable[Manifest]) -> tuple[str, ...]:
        folder = self._folder / name
        folder.mkdir()
        for number, manifest in enumerate(manifests):
            (folder / f"object-{number:04}.json").write_bytes(orjson.dumps(manifest.body))
        return ("-f", str(folder))

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [self._lab.kubectl, *arguments]
        return subprocess.run(command, env=self._lab.env(), text=True, capture_output=True, check=False)


def _is_of(line: str, ref: ObjectRef, file: Path) -> bool:
    """Whether a line of kubectl is about an object: it names the file, or at least kind and name."""
    is_error = line.startswith(("Error from server", "The "))
    return file.name in line or (
        is_error and "object-" not in line and f'"{ref.name}"' in line and ref.kind.lower() in line.lower()
    )


@pytest.mark.parametrize("name", _APPS)
def test_app(name: str, corpus: Path, own_lab: Callable[..., Lab], tmp_path: Path) -> None:
    """Whatever the server takes is valid, and nothing else is."""
    (tmp_path / "app").mkdir()
    lab = own_lab()
    whole = read_app(corpus / name, lab, tmp_path / "app", whole=True).manifests
    manifests = [one for one in whole if one.ref.kind not in _LEFT_OUT.get(name, ())]
    tried = try_out(manifests, Settings(("app",)), "1.37", Stop(), Quiet())
    found = dict(tried.manifests)
    oracle = _Oracle(lab, tmp_path)
    oracle.prepare(found)
    expected: dict[ObjectRef, Any] = oracle.refused(found)
    ours = {ref: problem.message for ref, problem in tried.problems.items()}
    differ = {str(ref): (ours.get(ref), expected.get(ref)) for ref in ours.keys() ^ expected.keys()}
    assert not differ
    _TRIED[name] = (len(found), len(ours))


def test_some_were_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Of all the objects above both verdicts occur, or nothing was compared."""
    objects, refused = (sum(numbers) for numbers in zip(*_TRIED.values(), strict=True))
    with capsys.disabled():
        sys.stdout.write(f" {objects} objects tried, {refused} refused, by both ")
    assert 0 < refused < objects
