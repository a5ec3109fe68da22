"""Every object of an app changed once, as another manager would change what Git declares, or deleted.

A helper of `tests/live/test_corpus.py`. A change counts iff the server's object is another one afterwards, outside of
status and managedFields; what the server refuses, or what changes nothing, is tried elsewhere in the object.
"""

import base64
import copy
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson
from corpus_app import App, payloads

from recon_action.analyze.compare import compare
from recon_action.cluster import Cluster, RequestError, connect, path_of
from recon_action.model import ABSENT, ObjectRef, Resource, ref_of

Body = dict[str, Any]
_TRIES = 12
_DELETED = 0.15
_NEVER_DELETED = frozenset({"Namespace", "CustomResourceDefinition", "PersistentVolume", "PersistentVolumeClaim"})
_IDENTITY = frozenset({("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace")})
# Under another number a port is another item; the server then refuses Git's beside it, for their names are the same.
# Such an object is told as failed, with the server's words, and can't be corrected by an apply.
_NUMBERS = frozenset({"port", "containerPort"})
_LEFT_ALONE = _NUMBERS | {"applyset.kubernetes.io/part-of"}


@dataclass
class Changes:
    """What came of changing everything.

    Attributes:
        paths: of each counted change, what is different now; `missing` for a deleted object.
        discarded: objects that would not change.
    """

    paths: dict[ObjectRef, set[str]] = field(default_factory=dict)
    discarded: list[str] = field(default_factory=list)


def change_all(app: App, seed: int) -> Changes:
    """Change every accepted object of `app` once; the same seed makes the same changes."""
    cluster = connect(app.settings.access, concurrency=4)
    changes = Changes()
    for payload in payloads(app):
        ref = ref_of(payload)
        rng = random.Random(f"{app.name}/{seed}/{ref}")
        found = _changed(cluster, app.resources[ref], ref, payload, rng)
        if found:
            changes.paths[ref] = found
        else:
            changes.discarded.append(str(ref))
    return changes


def _changed(cluster: Cluster, resource: Resource, ref: ObjectRef, payload: Body, rng: random.Random) -> set[str]:
    live = cluster.get(resource, ref)
    deletable = ref.kind not in _NEVER_DELETED and not live["metadata"].get("finalizers")
    if deletable and rng.random() < _DELETED:
        return _delete(cluster, resource, ref, live)
    leaves = [way for way in _leaves(payload) if way not in _IDENTITY | {("status",)} and way[-1] not in _LEFT_ALONE]
    for way in rng.sample(leaves, min(_TRIES, len(leaves))):
        edited = copy.deepcopy(live)
        if not _edit(edited, payload, way, ref, rng):
            continue
        try:
            after = _put(cluster, resource, ref, edited)
        except RequestError:
            continue
        differences = compare(after, live, status="status" not in resource.subresources)
        # What came to it is additive, and no difference to Git.
        paths = {str(path) for path, _, was in differences if was is not ABSENT}
        if paths:
            return paths
    return _delete(cluster, resource, ref, live) if deletable else set()


def _delete(cluster: Cluster, resource: Resource, ref: ObjectRef, live: Body) -> set[str]:
    cluster.delete(resource, ref, uid=live["metadata"]["uid"])
    return {"missing"}


def _put(cluster: Cluster, resource: Resource, ref: ObjectRef, body: Body) -> Body:
    path = f"{path_of(resource, ref.namespace, ref.name)}?fieldManager=kubectl-edit"
    answer: Body = orjson.loads(cluster._send("PUT", path, "apply", body=orjson.dumps(body)).data)
    return answer


def _leaves(value: Any, way: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, (*way, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(item, (*way, index))
    elif value is not None:
        yield way


def _edit(live: Body, payload: Body, way: tuple[str | int, ...], ref: ObjectRef, rng: random.Random) -> bool:
    """Change, or now and then remove, what stands in `live` where `payload` has `way`."""
    here: Any = live
    there: Any = payload
    for step in way[:-1]:
        there = there[step]
        if isinstance(here, list):
            index = _index(here, there)
            if index is None:
                return False
            here = here[index]
        elif isinstance(here, dict) and step in here:
            here = here[step]
        else:
            return False
    last, value = way[-1], there[way[-1]]
    if isinstance(here, list):
        if value not in here:
            return False
        here[here.index(value)] = _other(value)
    elif not isinstance(here, dict) or last not in here:
        return False
    elif rng.random() < 0.2:
        del here[last]
    elif ref.kind == "Secret" and way[0] in {"data", "stringData"}:
        here[last] = base64.b64encode(b"changed").decode()
    else:
        here[last] = _other(here[last])
    return True


def _index(items: list[Any], wanted: Any) -> int | None:
    """Where live has the item that Git calls `wanted`: the one with the most fields in common."""
    if not isinstance(wanted, dict):
        return items.index(wanted) if wanted in items else None

    def likeness(item: Any) -> int:
        return sum(item.get(key) == value for key, value in wanted.items()) if isinstance(item, dict) else -1

    return max(range(len(items)), key=lambda index: likeness(items[index]), default=None)


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value + 0.5
    return f"{value}x"
