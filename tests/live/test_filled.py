"""What the server fills in beside a plain write, seen on the whole corpus: none of it is a difference."""

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from recon_action.analyze.additive import additive
from recon_action.analyze.admission import overridden
from recon_action.analyze.payload import labelled, normalised
from recon_action.analyze.surplus import Filling
from recon_action.analyze.takeover import take_over
from recon_action.cluster import Cluster, RequestError, connect, discover
from recon_action.cluster.client import path_of
from recon_action.desired import load
from recon_action.errors import ReconError
from recon_action.lab import Lab
from recon_action.model import Access, Body, Capabilities, FieldChange, LiveObject, Manifest, Resource, ref_of

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
    for manifest, resource in _served(corpus, capabilities):
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


def test_how_the_server_spells_the_corpus_overrides_nothing(cluster: Cluster, namespace: str, corpus: Path) -> None:
    """Canonical forms, defaults and dropped empties aren't taken for admission that replaces Git's values."""
    served = list(_served(corpus, discover(cluster)))

    def told(one: tuple[Manifest, Resource]) -> list[str] | None:
        manifest, resource = one
        payload = labelled(_placed(manifest, resource, namespace), "set")
        try:
            stored = cluster.apply(resource, payload, dry_run=True)
        except RequestError:
            return None
        found = overridden(payload, LiveObject(ref_of(stored), stored), built_in=resource.built_in)
        return [f"{manifest.origin.position} {path}" for path, _, _ in found]

    answers = [answer for answer in cluster.each(told, served) if answer is not None]
    assert [path for answer in answers for path in answer] == []
    assert len(answers) >= _LEAST


def _would_go(cluster: Cluster, resource: Resource, body: Body) -> tuple[FieldChange, ...]:
    live = _created(cluster, resource, body, "helm")
    assert live is not None
    return take_over(labelled(body, "set"), live, allowed=frozenset(), remembered=False, filling=Filling()).changes


def _served(corpus: Path, capabilities: Capabilities) -> Iterator[tuple[Manifest, Resource]]:
    for manifest in _manifests(corpus):
        resource = capabilities.find(manifest.ref.group, manifest.ref.kind, manifest.version)
        if resource is not None:
            yield manifest, resource


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
