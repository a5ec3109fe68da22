"""A namespace full of objects, mutated at random, and judged three ways: proof, server, kubectl.

A helper of `tests/live/test_proof.py`; it counts and compares, and the tests decide.
"""

import copy
import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mutations
import orjson
from target import Target

from recon_action.analyze.compare import compare
from recon_action.analyze.payload import labelled, normalised
from recon_action.analyze.resolve import resolve
from recon_action.cluster import Cluster, RequestError, connect, discover, path_of
from recon_action.desired import load
from recon_action.lab import Lab
from recon_action.model import Access, Capabilities, Inventory, Manifest, ObjectRef, Quiet, Resource
from recon_action.model.inventory import PART_OF
from recon_action.observe import predict, snapshot
from recon_action.report.document import Entry, Report

Body = dict[str, Any]
Prove = Callable[[Body, Body, bool], bool]
_OBJECTS = Path(__file__).parent.parent / "live" / "proof" / "objects.yaml"
_COPIES = 4
_MOVING = frozenset({"managedFields", "resourceVersion", "generation"})
_SCALABLE = frozenset({"Deployment", "StatefulSet", "Widget"})


@dataclass
class Round:
    """One namespace, its manifests and its random numbers.

    Attributes:
        seed: of every choice; the same seed makes the same round.
        refused: how many changes the server did not take.
        changed: how many it took, or that Git made.
    """

    lab: Lab
    seed: str
    folder: Path
    refused: int = 0
    changed: int = 0
    bodies: list[Body] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.namespace = f"round-{self.seed}"
        self.target = Target(self.lab, self.namespace, self.folder, {"target": self.namespace})
        self.rng = random.Random(self.seed)
        self.target.kubectl("create", "namespace", self.namespace)
        for number in range(_COPIES):
            for manifest in load([str(_OBJECTS)]).manifests:
                body = copy.deepcopy(manifest.body)
                body["metadata"] |= {"name": f"{manifest.ref.name}-{number}", "namespace": self.namespace}
                self.bodies.append(body)
        self.write()

    def write(self) -> None:
        """Put the manifests into the folder."""
        for number, body in enumerate(self.bodies):
            (self.folder / f"{number:03}.json").write_bytes(orjson.dumps(body))

    @property
    def cluster(self) -> Cluster:
        """A connection as the lab's administrator."""
        return connect(Access(str(self.lab.kubeconfig)), concurrency=8)

    def mutate(self) -> None:
        """Change every object once: most of them in the cluster, the others in Git."""
        cluster = self.cluster
        capabilities = discover(cluster)
        for number, body in enumerate(self.bodies):
            if self.rng.random() < 0.6:
                try:
                    _change_live(cluster, capabilities, body, self.rng)
                except RequestError:
                    self.refused += 1
                    continue
            else:
                self.bodies[number] = _change_manifest(body, self.rng)
            self.changed += 1
        self.write()

    def false_proofs(self, prove: Prove) -> list[str]:
        """The objects that `prove` calls proven although an apply would change them, as the server says."""
        state = self._state()
        proven = {
            ref
            for ref, payload in state.payloads.items()
            if ref in state.objects and prove(payload, state.objects[ref], state.resources[ref].built_in)
        }
        wrong = []
        for ref in sorted(proven):
            predicted = state.predictions[ref]
            status = "status" not in state.resources[ref].subresources
            if predicted is None or compare(predicted, state.objects[ref], status=status):
                wrong.append(str(ref))
        return wrong

    def _state(self) -> "_State":
        cluster = self.cluster
        capabilities = discover(cluster)
        resolved = resolve(load([str(self.folder)]).manifests, capabilities, self.namespace)
        applyset = Inventory(self.namespace, "recon-system").id
        payloads = _payloads(resolved.manifests, resolved.resources, applyset)
        seen = snapshot(cluster, resolved.resources, applyset, Quiet())
        predictions = predict(cluster, payloads, resolved.resources, seen.objects, Quiet())
        return _State(
            payloads,
            dict(resolved.resources),
            {ref: live.body for ref, live in seen.objects.items()},
            {ref: prediction.body for ref, prediction in predictions.items()},
        )

    def oracle(self, report: Report) -> set[str]:
        """The objects that kubectl's own apply of the same payloads changes; those that would fail are left out."""
        failed = {entry.ref for entry in report.entries if is_refused(entry)}
        state = self._state()
        payloads = [payload for ref, payload in state.payloads.items() if ref not in failed]
        document = json.dumps({"apiVersion": "v1", "kind": "List", "items": payloads})
        before = self._contents(document)
        arguments = ("--server-side", "--force-conflicts", "--field-manager=recon-action", "--validate=ignore")
        self.target.kubectl("apply", *arguments, "-f", "-", stdin=document)
        after = self._contents(document)
        return {name for name, body in after.items() if before.get(name) != body}

    def _contents(self, document: str) -> dict[str, Body]:
        listed = self.target.kubectl("get", "--ignore-not-found", "-f", "-", "-o", "json", stdin=document)
        found = {}
        for body in json.loads(listed)["items"] if listed else []:
            metadata = {key: value for key, value in body["metadata"].items() if key not in _MOVING}
            labels = {key: value for key, value in metadata.get("labels", {}).items() if key != PART_OF}
            metadata = {key: value for key, value in metadata.items() if key != "labels"} | {"labels": labels}
            kept = {key: value for key, value in body.items() if key != "status"}
            found[f"{body['kind']} {self.namespace}/{metadata['name']}"] = kept | {"metadata": metadata}
        return found


@dataclass(frozen=True)
class _State:
    payloads: Mapping[ObjectRef, Body]
    resources: Mapping[ObjectRef, Resource]
    objects: Mapping[ObjectRef, Body]
    predictions: Mapping[ObjectRef, Body | None]


def is_refused(entry: Entry) -> bool:
    """Whether the server would refuse to apply the object: it says so, or that a field of it can't be changed."""
    return entry.problem is not None or "create it anew" in entry.reason or "created anew" in entry.reason


def verdicts(report: Report) -> dict[str, tuple[str, ...]]:
    """What a report says of each object that it tells of: bucket, kind of difference, paths, class of trouble."""
    return {
        str(entry.ref): (
            entry.bucket.value,
            entry.drift.value if entry.drift else "",
            entry.problem.trouble.value if entry.problem else "",
            *sorted(change.path for change in entry.changes if not change.additive),
        )
        for entry in report.entries
    }


def _payloads(
    manifests: Mapping[ObjectRef, Manifest], resources: Mapping[ObjectRef, Resource], applyset: str
) -> dict[ObjectRef, Body]:
    return {ref: labelled(normalised(manifests[ref], resources[ref]), applyset) for ref in resources}


def _change_manifest(body: Body, rng: random.Random) -> Body:
    if body["kind"] == "Widget" and rng.random() < 0.2:
        version = "v2" if body["apiVersion"].endswith("v1") else "v1"
        return copy.deepcopy(body) | {"apiVersion": f"example.com/{version}"}
    return rng.choice([mutations.mutated, mutations.mutated, mutations.respelled, mutations.reordered])(body, rng)


def _change_live(cluster: Cluster, capabilities: Capabilities, manifest: Body, rng: random.Random) -> None:
    group, _, version = manifest["apiVersion"].rpartition("/")
    resource = capabilities.find(group, manifest["kind"], version)
    assert resource is not None
    metadata = manifest["metadata"]
    ref = ObjectRef(group, manifest["kind"], metadata["namespace"], metadata["name"])
    path = path_of(resource, ref.namespace, ref.name)
    live = cluster.get(resource, ref)
    manager = rng.choice(["editor", "kubectl-edit", "deployment-controller"])
    sort = rng.randrange(8)
    if sort == 0 and ref.kind in _SCALABLE:
        _send(cluster, "PATCH", f"{path}/scale", {"spec": {"replicas": rng.randrange(9)}}, "kubectl", merge=True)
    elif sort == 1:
        change = {"metadata": {rng.choice(["labels", "annotations"]): {rng.choice(["app", "team", "x"]): "changed"}}}
        _send(cluster, "PATCH", path, change, manager, merge=True)
    elif sort == 2 and (configuration := mutations.partial(live, rng)):
        _send(cluster, "PATCH", path, configuration, "other-tool")
    elif sort == 3:
        cluster.delete(resource, ref, uid=live["metadata"]["uid"])
        if rng.random() < 0.5:
            cluster.create(resource, mutations.mutated(manifest, rng))
    elif sort == 4:
        _send(cluster, "PUT", path, mutations.reordered(live, rng), manager)
    else:
        _send(cluster, "PUT", path, mutations.mutated(live, rng), manager)


def _send(cluster: Cluster, method: str, path: str, body: Body, manager: str, *, merge: bool = False) -> None:
    forms = {"PUT": "application/json", "PATCH": "application/apply-patch+yaml"}
    form = "application/merge-patch+json" if merge else forms[method]
    force = "&force=true" if form == "application/apply-patch+yaml" else ""
    headers = {"Accept": "application/json", "Content-Type": form}
    cluster._send(method, f"{path}?fieldManager={manager}{force}", "apply", body=orjson.dumps(body), headers=headers)
