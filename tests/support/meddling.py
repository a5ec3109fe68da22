"""Seeded changes of an app's objects: in the cluster as people's tools make them, in Git by editing.

A helper of `test_read_only.py`; it decides nothing. What the server refuses is left as it was.
"""

import contextlib
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import mutations
import orjson
from corpus_app import App

from recon_action.cluster import Cluster, RequestError, path_of
from recon_action.model import Body, Manifest, Resource

_WITH_PODS = frozenset({"Deployment", "StatefulSet", "DaemonSet"})
_LEFT_ALONE = frozenset({"Namespace", "CustomResourceDefinition"})  # what they hold goes with them
_FINALIZED = frozenset({"PersistentVolume", "PersistentVolumeClaim"})
_MERGE, _REPLACE = "application/merge-patch+json", "application/json"
_STRATEGIC = "application/strategic-merge-patch+json"


def meddle(app: App, cluster: Cluster, rng: random.Random) -> None:
    """Change about half of the objects in the cluster, and the others in Git."""
    changed = []
    for manifest in app.manifests:
        if rng.random() < 0.5:
            with contextlib.suppress(RequestError):  # immutable, or no longer valid
                _change_live(cluster, app.resources[manifest.ref], manifest, rng)
            changed.append(manifest)
        else:
            edit = rng.choice([mutations.mutated, mutations.mutated, mutations.respelled, mutations.reordered])
            changed.append(replace(manifest, body=edit(manifest.body, rng)))
    app.manifests = changed
    app.write()


def _change_live(cluster: Cluster, resource: Resource, manifest: Manifest, rng: random.Random) -> None:
    live = cluster.get(resource, manifest.ref)
    changes: list[Callable[[Body, random.Random], _Request]] = [_label, _annotate]
    if resource.kind not in _LEFT_ALONE:
        changes += [_edit, _edit, _reorder]
    if resource.kind in _WITH_PODS:
        changes += [_scale, _image, _env]
    if resource.kind not in _FINALIZED | _LEFT_ALONE and not live["metadata"].get("finalizers"):
        changes.append(_delete)
    method, form, manager, body = rng.choice(changes)(live, rng)
    path = f"{path_of(resource, manifest.ref.namespace, manifest.ref.name)}?fieldManager={manager}"
    headers = {"Accept": "application/json", "Content-Type": form}
    cluster._send(method, path, method.lower(), body=orjson.dumps(body), headers=headers)


# Method, media type, field manager, body.
_Request = tuple[str, str, str, Any]


def _label(live: Body, rng: random.Random) -> _Request:
    key = rng.choice(sorted(live["metadata"].get("labels", {"team": ""})))
    value = None if key.startswith("applyset.") or rng.random() < 0.3 else "changed"
    return "PATCH", _MERGE, "kubectl-label", {"metadata": {"labels": {key: value}}}


def _annotate(live: Body, rng: random.Random) -> _Request:
    key = rng.choice(sorted(live["metadata"].get("annotations", {"note": ""})))
    return "PATCH", _MERGE, "kubectl-annotate", {"metadata": {"annotations": {key: "changed"}}}


def _scale(live: Body, rng: random.Random) -> _Request:
    return "PATCH", _MERGE, "k9s", {"spec": {"replicas": rng.randrange(6)}}


def _image(live: Body, rng: random.Random) -> _Request:
    name = live["spec"]["template"]["spec"]["containers"][0]["name"]
    return _containers({"name": name, "image": "registry.example/changed:1"})


def _env(live: Body, rng: random.Random) -> _Request:
    container = live["spec"]["template"]["spec"]["containers"][0]
    name = rng.choice(["ADDED", *(env["name"] for env in container.get("env", ()))])
    change = rng.choice([{"name": name, "value": "changed", "valueFrom": None}, {"name": name, "$patch": "delete"}])
    return _containers({"name": container["name"], "env": [change]})


def _containers(change: Body) -> _Request:
    return "PATCH", _STRATEGIC, "kubectl-set", {"spec": {"template": {"spec": {"containers": [change]}}}}


def _edit(live: Body, rng: random.Random) -> _Request:
    return "PUT", _REPLACE, "kubectl-edit", mutations.mutated(live, rng)


def _reorder(live: Body, rng: random.Random) -> _Request:
    return "PUT", _REPLACE, "kubectl-replace", mutations.reordered(live, rng)


def _delete(live: Body, rng: random.Random) -> _Request:
    return "DELETE", _REPLACE, "kubectl", {}
