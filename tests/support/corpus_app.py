"""One app of the corpus, reduced to what a bare API server accepts, with a reason for the rest.

A helper of `test_corpus.py`: it reads, it asks the server by a real apply, and it never decides what is right.
"""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from recon_action.analyze.payload import labelled, normalised
from recon_action.analyze.resolve import resolve
from recon_action.cluster import connect, discover
from recon_action.desired import load
from recon_action.desired.sources.detection import kind_of
from recon_action.errors import DesiredError
from recon_action.lab import Lab
from recon_action.model import (
    Access,
    Inventory,
    Manifest,
    Mode,
    ObjectRef,
    Problem,
    Resource,
    Settings,
    Trouble,
    ref_of,
)
from recon_action.reconcile import reconcile
from recon_action.report.document import Report

# Each of these would have later requests refused, of its own set or of any other.
_IN_THE_WAY = {
    "APIService": "no backend: nothing answers behind it here",
    "LimitRange": "it limits other objects of the set",
    "MutatingWebhookConfiguration": "no backend: nothing answers behind it here",
    "ResourceQuota": "it limits other objects of the set",
    "ValidatingWebhookConfiguration": "no backend: nothing answers behind it here",
    "ValidatingAdmissionPolicyBinding": "its policy refuses other objects of the set",
}
_MOVING = frozenset({"managedFields", "resourceVersion"})
_MOST_OF_A_MESSAGE = 160


@dataclass
class App:
    """An app's objects on one control plane.

    Attributes:
        manifests: what the server accepts.
        files: where each object stands.
        resources: the kind of each accepted object.
        refused: why it doesn't have the rest: by file, or by file and object.
        repeated: by file, how many of its objects another file has already declared.
        objects: how many objects the files hold, faulty files not counted.
    """

    name: str
    lab: Lab
    folder: Path
    objects: int = 0
    resources: dict[ObjectRef, Resource] = field(default_factory=dict)
    manifests: list[Manifest] = field(default_factory=list)
    files: dict[ObjectRef, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    repeated: dict[str, int] = field(default_factory=dict)

    @property
    def row(self) -> dict[str, Any]:
        """What the committed table says of the app."""
        return {
            "objects": self.objects,
            "accepted": len(self.manifests),
            "repeated identity": self.repeated,
            "refused": self.refused,
        }

    def run(self, mode: Mode) -> Report:
        """One run of the loop over the accepted manifests."""
        return reconcile(self.settings, mode)

    @property
    def settings(self) -> Settings:
        """The app as a target that waits for nothing: there are no controllers here."""
        return Settings(
            paths=(str(self.folder),), target=self.name, access=Access(str(self.lab.kubeconfig)), wait=False
        )

    def write(self) -> None:
        """Put the manifests into the folder, one file each, so that a run reads them."""
        for old in self.folder.glob("*.json"):
            old.unlink()
        for number, manifest in enumerate(self.manifests):
            (self.folder / f"{number:04}.json").write_bytes(orjson.dumps(manifest.body))

    def kubectl(self, *arguments: str, stdin: bytes = b"") -> str:
        """What the lab's kubectl prints; it must succeed."""
        done = subprocess.run(
            [self.lab.kubectl, *arguments], env=self.lab.env(), input=stdin, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()


def read_app(source: Path, lab: Lab, folder: Path, *, whole: bool = False) -> App:
    """The app in `source`, as far as it can be read; each object once, with `whole` also what is in others' way."""
    app = App(source.name, lab, folder)
    seen: set[ObjectRef] = set()
    for file in sorted(path for path in source.rglob("*") if path.suffix in {".yaml", ".yml", ".json"}):
        if kind_of([file.name]):
            continue  # built from others of these files: tests of sources do that
        shown = file.relative_to(source).as_posix()
        try:
            manifests = load([str(file)]).manifests
        except DesiredError as error:
            first = error.message.splitlines()[0].partition(file.name)[2].lstrip(":0123456789 ")
            app.refused[shown] = f"unreadable: {first}"[:_MOST_OF_A_MESSAGE]
            continue
        app.objects += len(manifests)
        for manifest in manifests:
            ref = _in_default(manifest.ref)
            if ref in seen:
                app.repeated[shown] = app.repeated.get(shown, 0) + 1
            elif manifest.ref.kind in _IN_THE_WAY and not whole:
                app.refused[f"{shown} {manifest.ref}"] = _IN_THE_WAY[manifest.ref.kind]
            else:
                seen.add(ref)
                app.files[ref] = shown
                app.manifests.append(manifest)
    app.write()
    return app


def settle(app: App) -> None:
    """Apply, and drop what the server refuses, until it accepts all that is left."""
    _make_namespaces(app)
    for _ in range(4):
        report = app.run(Mode.APPLY)
        refused = {
            _in_default(entry.ref): entry.problem
            for entry in report.entries
            # What only waited for something that is refused may do without it.
            if entry.problem is not None and entry.problem.trouble is not Trouble.PREREQUISITE
        }
        if not refused:
            app.run(Mode.APPLY)  # what an autoscaler owns starts with Git's number, and is left to it from then on
            _resolve(app)
            return
        for manifest in app.manifests:
            problem = refused.get(_in_default(manifest.ref))
            if problem is not None:
                app.refused[f"{app.files[_in_default(manifest.ref)]} {manifest.ref}"] = _reason(problem)
        app.manifests = [m for m in app.manifests if _in_default(m.ref) not in refused]
        app.write()
    raise AssertionError(f"{app.name}: the server refuses more each time: {refused}")


def payloads(app: App) -> list[dict[str, Any]]:
    """What an apply sends: without the replicas of what an autoscaler of the app scales."""
    applyset = Inventory(app.name, app.settings.inventory_namespace).id
    scaled = {
        (m.ref.namespace, m.body["spec"]["scaleTargetRef"]["kind"], m.body["spec"]["scaleTargetRef"]["name"])
        for m in app.manifests
        if m.ref.kind == "HorizontalPodAutoscaler"
    }
    sent = []
    for manifest in app.manifests:
        payload = labelled(normalised(manifest, app.resources[manifest.ref]), applyset)
        if (manifest.ref.namespace, manifest.ref.kind, manifest.ref.name) in scaled:
            payload["spec"] = {key: value for key, value in payload["spec"].items() if key != "replicas"}
        sent.append(payload)
    return sent


def versions(app: App) -> dict[ObjectRef, str]:
    """The resourceVersion of every object, as kubectl reads it."""
    return {ref_of(body): body["metadata"]["resourceVersion"] for body in _listed(app)}


def contents(app: App) -> dict[ObjectRef, dict[str, Any]]:
    """Every object, less what a write that changes nothing may move."""
    found = {}
    for body in _listed(app):
        metadata = {key: value for key, value in body["metadata"].items() if key not in _MOVING}
        found[ref_of(body)] = body | {"metadata": metadata}
    return found


def _resolve(app: App) -> None:
    """Give every manifest its final identity."""
    capabilities = discover(connect(app.settings.access, concurrency=4))
    resolved = resolve(app.manifests, capabilities, "default")
    app.manifests, app.resources = list(resolved.manifests.values()), dict(resolved.resources)


def _listed(app: App) -> Iterator[dict[str, Any]]:
    document = orjson.dumps({"apiVersion": "v1", "kind": "List", "items": [m.body for m in app.manifests]})
    yield from orjson.loads(app.kubectl("get", "-f", "-", "-o", "json", stdin=document))["items"]


def _make_namespaces(app: App) -> None:
    """A namespace that the app presumes is made by whoever installs it."""
    declared = {manifest.ref.name for manifest in app.manifests if manifest.ref.kind == "Namespace"}
    presumed = {manifest.ref.namespace for manifest in app.manifests} - declared - {"", "default", "kube-system"}
    for name in sorted(presumed - {"kube-public", "kube-node-lease"}):
        app.kubectl("create", "namespace", name)


def _in_default(ref: ObjectRef) -> ObjectRef:
    """`ref` as the server would place it, near enough to tell two objects apart."""
    return ObjectRef(ref.group, ref.kind, ref.namespace or "default", ref.name)


def _reason(problem: Problem) -> str:
    return f"{problem.trouble}: {problem.message}"[:_MOST_OF_A_MESSAGE]
