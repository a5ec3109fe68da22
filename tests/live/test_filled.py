"""What the server fills in beside a plain write, seen on the whole corpus: none of it is a difference."""

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from recon_action.analyze.additive import additive
from recon_action.analyze.payload import labelled, normalised
from recon_action.analyze.surplus import Filling
from recon_action.analyze.takeover import take_over
from recon_action.cluster import Cluster, RequestError, connect, discover
from recon_action.cluster.client import path_of
from recon_action.desired import load
from recon_action.errors import ReconError
from recon_action.lab import Lab
from recon_action.model import Access, Body, FieldChange, LiveObject, Manifest, Resource, ref_of

_LEAST = 1700  # objects that the server accepts


@pytest.fixture
def cluster(lab: Lab) -> Cluster:
    """A connection to the shared lab."""
    return connect(Access(str(lab.kubeconfig)), concurrency=4)


def test_defaults_of_the_corpus_are_no_difference(cluster: Cluster, namespace: str, corpus: Path) -> None:
    """Created by `kubectl create` or by Helm, whose entries own every default: nothing is told, nothing would go."""
    capabilities = discover(cluster)
    told: list[str] = []
    asked = 0
    for manifest in _manifests(corpus):
        resource = capabilities.find(manifest.ref.group, manifest.ref.kind, manifest.version)
        if resource is None:
            continue
        body = _placed(manifest, resource, namespace)
        live = _created(cluster, resource, body, "kubectl-create")
        if live is None:
            continue
        asked += 1
        added = additive(labelled(body, "set"), live, Filling()).changes
        told += [f"{manifest.origin.position} {change.path}" for change in added]
        told += [f"{manifest.origin.position} {change.path}" for change in _would_go(cluster, resource, body)]
    assert told == []
    assert asked >= _LEAST


def _would_go(cluster: Cluster, resource: Resource, body: Body) -> tuple[FieldChange, ...]:
    live = _created(cluster, resource, body, "helm")
    assert live is not None
    return take_over(labelled(body, "set"), live, allowed=frozenset(), remembered=False, filling=Filling()).changes


def _manifests(corpus: Path) -> Iterator[Manifest]:
    for file in sorted(path for path in corpus.rglob("*") if path.suffix in {".yaml", ".yml", ".json"}):
        try:
            yield from load((str(file),)).manifests
        except ReconError:
            continue  # what can't be read is another test's


def _placed(manifest: Manifest, resource: Resource, namespace: str) -> Body:
    body = normalised(manifest, resource)
    metadata = {key: value for key, value in body["metadata"].items() if key != "namespace"}
    return body | {"metadata": metadata | ({"namespace": namespace} if resource.namespaced else {})}


def _created(cluster: Cluster, resource: Resource, body: Body, manager: str) -> LiveObject | None:
    """The object as a plain write under `manager` would make it; None if the server refuses it."""
    path = path_of(resource, body["metadata"].get("namespace", ""))
    query = f"?dryRun=All&fieldManager={manager}"
    try:
        answer = cluster._send("POST", path + query, "create", body=orjson.dumps(body))
    except RequestError:
        return None
    stored: Body = orjson.loads(answer.data)
    return LiveObject(ref_of(stored), stored)
