"""What is found wrong by a CRD's schema is what a real server finds, but for rules in CEL; of real CRDs, too."""

import copy
import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import mutations
import pytest
from definitions import FAULTS, UNSEEN, crd, widget
from target import Target

from recon_action.analyze.definition import Definition, definitions
from recon_action.analyze.definition_schema import faults
from recon_action.analyze.payload import normalised
from recon_action.cluster import Cluster, RequestError, connect, discover
from recon_action.desired import load
from recon_action.errors import DesiredError
from recon_action.lab import Lab
from recon_action.model import Access, Body, Manifest, ObjectRef, Resource

_DEFINITIONS = Resource(
    "apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", namespaced=False
)
_NAMESPACES = Resource("", "v1", "Namespace", "namespaces", namespaced=False)
_WIDGETS = Resource("example.com", "v1", "Widget", "widgets", namespaced=True)
# "all" for every app of the corpus that has CRDs with objects of theirs.
_APPS = os.environ.get("RECON_SCHEMA_APPS", "kube-prometheus")
_ROUNDS = int(os.environ.get("RECON_SCHEMA_ROUNDS", "4"))
_LEAST = 0.99
_IDENTITY = frozenset({"apiVersion", "kind", "metadata"})


def _connected(lab: Lab) -> Cluster:
    return connect(Access(str(lab.kubeconfig)), concurrency=8)


def _refusal(cluster: Cluster, resource: Resource, body: Body) -> str:
    """What the server has against `body`; "" if nothing."""
    try:
        cluster.apply(resource, body, dry_run=True)
    except RequestError as error:
        return error.problem.message
    return ""


@pytest.fixture(scope="module")
def widgets(cases_lab: Lab) -> Iterator[Cluster]:
    """A server that has the CRD with every rule."""
    target = Target(cases_lab, "default", Path())
    target.kubectl("create", "-f", "-", stdin=json.dumps(crd()))
    target.kubectl("wait", "--for=condition=Established", "crd/widgets.example.com", "--timeout=30s")
    cluster, end = _connected(cases_lab), time.monotonic() + 20
    while "not found" in _answer(cluster):  # a kind is served a moment later
        assert time.monotonic() < end
    yield cluster
    target.kubectl("delete", "crd", "widgets.example.com")


def _answer(cluster: Cluster) -> str:
    try:
        cluster.apply(_WIDGETS, widget({}), dry_run=True)
    except RequestError as error:
        return error.problem.message
    return ""


def test_every_rule_of_a_schema(widgets: Cluster) -> None:
    """The table of the unit tests, asked of the server: it refuses what the table says is wrong, and nothing else."""
    refused = {str(spec): bool(_refusal(widgets, _WIDGETS, widget(spec))) for spec, _ in FAULTS}
    assert refused == {str(spec): bool(expected) for spec, expected in FAULTS}


def test_what_only_the_server_sees(widgets: Cluster) -> None:
    """Rules in CEL, and patterns that are not read here."""
    assert all(_refusal(widgets, _WIDGETS, widget(spec)) for spec in UNSEEN)


def test_objects_of_real_definitions(
    own_lab: Callable[..., Lab], corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Real CRDs and objects, as they are and with something wrong: never a fault that the server doesn't see."""
    compared, missed = 0, []
    for app in sorted(path for path in corpus.iterdir() if path.is_dir() and _APPS in {path.name, "all"}):
        manifests = list(_manifests(app))
        known = definitions(manifests)
        objects = [one for one in manifests if (one.ref.group, one.ref.kind, one.version) in known]
        if not objects:
            continue
        cluster = _with_kinds(own_lab(), manifests, objects)
        capabilities = discover(cluster)
        rng = random.Random(app.name)
        for manifest in objects:
            resource = capabilities.find(manifest.ref.group, manifest.ref.kind, manifest.version)
            if resource is None:  # a CRD that this server doesn't take
                continue
            definition = known[manifest.ref.group, manifest.ref.kind, manifest.version]
            for body in _bodies(_placed(manifest, resource), rng):
                compared += 1
                missed += _unseen(cluster, resource, body, definition)
    with capsys.disabled():
        sys.stdout.write(f" {compared} compared, {len(missed)} refused by the server alone ")
    assert compared
    assert len(missed) <= (1 - _LEAST) * compared, missed


def _unseen(cluster: Cluster, resource: Resource, body: Body, definition: Definition) -> list[str]:
    """What the server alone has against `body`; what we alone have is a failure."""
    ours, theirs = faults(body, definition), _refusal(cluster, resource, body)
    assert theirs or not ours, (ours, body)
    return [theirs] if theirs and not ours else []


def _manifests(app: Path) -> Iterator[Manifest]:
    seen: set[ObjectRef] = set()
    for file in sorted(path for path in app.rglob("*") if path.suffix in {".yaml", ".yml", ".json"}):
        try:
            found = load([str(file)]).manifests
        except DesiredError:
            continue
        yield from (one for one in found if one.ref not in seen)
        seen.update(one.ref for one in found)


def _with_kinds(lab: Lab, manifests: list[Manifest], objects: list[Manifest]) -> Cluster:
    """A server with the CRDs among `manifests`, and the namespaces that `objects` are in."""
    cluster = _connected(lab)
    for manifest in manifests:
        if manifest.ref.kind == "CustomResourceDefinition" and manifest.version == "v1":
            with suppress(RequestError):
                cluster.apply(_DEFINITIONS, normalised(manifest, _DEFINITIONS))
    for name in {manifest.ref.namespace for manifest in objects} - {"", "default", "kube-system"}:
        cluster.apply(_NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    time.sleep(2)  # until all kinds are served
    return cluster


def _placed(manifest: Manifest, resource: Resource) -> Body:
    body = normalised(manifest, resource)
    metadata = {key: value for key, value in body["metadata"].items() if key != "namespace"}
    if resource.namespaced:
        metadata["namespace"] = manifest.ref.namespace or "default"
    return body | {"metadata": metadata}


def _bodies(body: Body, rng: random.Random) -> Iterator[Body]:
    """The object as it is, and with one thing changed, or broken, each."""
    yield body
    for number in range(_ROUNDS):
        yield mutations.mutated(body, rng) if number % 3 == 1 else _broken(body, rng)


def _broken(body: Body, rng: random.Random) -> Body:
    broken = copy.deepcopy({key: value for key, value in body.items() if key not in _IDENTITY})
    places = list(_places(broken))
    if not places:
        return body | {"unknown": 1}
    parent, key = rng.choice(places)
    value = parent[key]
    match rng.randrange(6):
        case 0 if isinstance(parent, dict):
            del parent[key]
        case 1:
            parent[key] = None
        case 2 if isinstance(value, dict):
            value["unknownField"] = 1
        case 3 if isinstance(value, list) and value:
            value.append(copy.deepcopy(value[0]))
        case 4 if isinstance(parent, dict):
            parent[f"{key}x"] = parent.pop(key)
        case _:
            parent[key] = rng.choice([1, "x", "", True, [], {}, -5, 1.5, "A B", 10**10, {"a": value}])
    return {key: body[key] for key in _IDENTITY} | broken


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every field and item below `value`, by what holds it."""
    held = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in held:
        yield value, key
        yield from _places(item)
