"""Seeded random damage to manifests, as text and as data, and a server that is sound whatever it is sent."""

import copy
import random
from collections.abc import Callable, Iterable
from typing import Any

import orjson
from fake_cluster import FakeCluster
from objects import entry_of

from recon_action.analyze.ownership import owned_fields
from recon_action.analyze.schema import UNKNOWN
from recon_action.cluster import RequestError
from recon_action.model import Body, Manifest, ObjectRef, Problem, Resource, Trouble, ref_of
from recon_action.model.inventory import PART_OF

_TOKENS = (
    b"&a ", b"*a", b"<<: *a\n", b"!!binary ", b"!!int ", b"! ", b"\n---\n", b"\n...\n", b"\t", b"%YAML 1.2\n", b"{",
    b"}", b"[", b"]", b": ", b"- ", b"'", b'"', b"|\n", b">-\n", b"? ", b"#", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf",
    b"\xe2\x80\xae", b"1e400", b".inf", b"0x1F", b"null", b"~", b"9" * 30, b"\n::error::x\n", b"{{ .Values.x }}", b"\\",
    b"\r\n", b",", b"@", b"`", b"$(x)", b"kind: List\nitems:\n", b"metadata:", b"apiVersion: v1\n", b"\xc3",
)  # fmt: skip
_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 10**18, "", "x", "\x1b[2J", "::error::x", "a/b", "1", "{}", [], [None], [[]], ["x"],
    [1, "a", {}], [{}], [{"name": None}], [{"name": []}], {}, {"": None}, {"name": 1}, {"x": {"y": [{"z": None}]}},
    {"matchLabels": []}, {"kind": [], "name": {}},
)  # fmt: skip
_CLUSTER_SCOPED = (
    "Cluster",
    "CustomResource",
    "Namespace",
    "PersistentVolume",
    "StorageClass",
    "PriorityClass",
    "Node",
)
_IDENTITY = frozenset({"apiVersion", "kind", "metadata"})
_WEBHOOKS = "Configuration"


def damaged(data: bytes, rng: random.Random) -> bytes:
    """The text of a file with a few things wrong."""
    for _ in range(rng.randrange(1, 4)):
        data = rng.choice(_DAMAGES)(data, rng)
    return data


def _place(data: bytes, rng: random.Random) -> tuple[int, int]:
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + rng.randrange(1, 60))


def _flip(data: bytes, rng: random.Random) -> bytes:
    start, _ = _place(data, rng)
    return data[:start] + bytes([rng.randrange(256)]) + data[start + 1 :]


def _drop(data: bytes, rng: random.Random) -> bytes:
    start, end = _place(data, rng)
    return data[:start] + data[end:]


def _double(data: bytes, rng: random.Random) -> bytes:
    start, end = _place(data, rng)
    return data[:end] + data[start:end] * rng.randrange(1, 4) + data[end:]


def _insert(data: bytes, rng: random.Random) -> bytes:
    start, _ = _place(data, rng)
    return data[:start] + rng.choice(_TOKENS) + data[start:]


def _cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _line(data: bytes, rng: random.Random) -> bytes:
    """One line dropped, doubled, swapped with another, moved to the side, or with another value."""
    lines = data.split(b"\n")
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(5):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[other])
        case 2:
            lines[at], lines[other] = lines[other], lines[at]
        case 3:
            lines[at] = lines[at][1:] if rng.random() < 0.5 else b" " + lines[at]
        case _:
            head, found, _ = lines[at].partition(b": ")
            lines[at] = head + found + rng.choice(_TOKENS)
    return b"\n".join(lines)


_DAMAGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (_flip, _drop, _double, _insert, _cut, _line, _line)


def distorted(bodies: Iterable[Body], rng: random.Random) -> bytes:
    """Objects as JSON, some of them with values that no API server would take."""
    changed = copy.deepcopy(list(bodies))
    for _ in range(rng.randrange(1, 6)):
        _distort(rng.choice(changed), rng)
    return b"\n---\n".join(map(orjson.dumps, changed))


def _distort(body: Body, rng: random.Random) -> None:
    places: list[tuple[Any, Any]] = []
    waiting: list[Any] = [body]
    while waiting:
        value = waiting.pop()
        held = list(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ())
        places += [(value, key) for key, _ in held if not (value is body and key in _IDENTITY)]
        waiting += [item for key, item in held if not (key == "metadata" and rng.random() < 0.8)]
    if not places:
        return
    parent, key = rng.choice(places)
    match rng.randrange(5):
        case 0:
            del parent[key]
        case 1 if isinstance(parent, dict):
            parent[rng.choice(["", "x", "name", "metadata", "spec", "\x1b"])] = copy.deepcopy(rng.choice(_VALUES))
        case 2:
            other, its = rng.choice(places)
            parent[key] = copy.deepcopy(other[its]) if its in _keys(other) else None
        case _:
            parent[key] = copy.deepcopy(rng.choice(_VALUES))


def _keys(container: Any) -> Any:
    return container if isinstance(container, dict) else range(len(container))


class SoundServer(FakeCluster):
    """Holds objects as Git once had them, and takes nothing else; a dry run of theirs changes a little, or nothing."""

    def __init__(self, manifests: Iterable[Manifest], applyset: str, rng: random.Random) -> None:
        super().__init__()
        self.namespace = "default"
        self.kinds: dict[tuple[str, str], set[str]] = {}
        self._rng = rng
        for manifest in manifests:
            group, _, version = str(manifest.body["apiVersion"]).rpartition("/")
            if rng.random() < 0.9:
                self.kinds.setdefault((group, manifest.ref.kind), set()).add(version)
            if rng.random() < 0.7:
                self.put(self._stored(manifest, applyset))

    def _stored(self, manifest: Manifest, applyset: str) -> Body:
        body = copy.deepcopy(manifest.body)
        metadata = body["metadata"]
        if is_namespaced(manifest.ref.kind):
            metadata["namespace"] = manifest.ref.namespace or "default"
        metadata["labels"] = {**(metadata.get("labels") or {}), PART_OF: applyset}
        who = self._rng.choice(["recon-action", "recon-action", "kubectl-client-side-apply", "helm", "flux"])
        fields = owned_fields(body, UNKNOWN)
        operation = "Apply" if who == "recon-action" else "Update"
        metadata["managedFields"] = [entry_of(fields, who, operation) | {"apiVersion": body["apiVersion"]}]
        return body

    def read(self, path: str, **_: Any) -> Body:
        """Discovery, and lists of nothing."""
        if path == "/version":
            return {"gitVersion": "v1.37.2"}
        if path in {"/api", "/apis"}:
            groups = sorted({group for group, _ in self.kinds if bool(group) is (path == "/apis")})
            return {"kind": "APIGroupDiscoveryList", "items": [self._group(group) for group in groups]}
        return {"items": []}

    def _group(self, group: str) -> Body:
        kinds = {kind: versions for (of, kind), versions in self.kinds.items() if of == group}
        versions = sorted({version for found in kinds.values() for version in found})
        return {
            "metadata": {"name": group},
            "versions": [
                {
                    "version": version,
                    "resources": [_served(kind) for kind, found in sorted(kinds.items()) if version in found],
                }
                for version in versions
            ],
        }

    def apply(self, _resource: Resource, body: Body, **_: Any) -> Body:
        """The object as it is, or with another label; anything else is refused."""
        ref: ObjectRef = ref_of(body)
        live = self.objects.get(ref)
        if live is None or self._rng.random() < 0.3:
            raise RequestError(Problem(Trouble.INVALID, f"{ref} is invalid: {body}"[:300], verb="dry-run", status=422))
        if self._rng.random() < 0.5:
            return live
        return live | {"metadata": live["metadata"] | {"labels": {"changed": "yes"}}}


def is_namespaced(kind: str) -> bool:
    """Whether objects of that kind live in namespaces, near enough."""
    return not kind.startswith(_CLUSTER_SCOPED) and not kind.endswith(_WEBHOOKS)


def _served(kind: str) -> Body:
    return {
        "resource": f"{kind.lower()}s",
        "responseKind": {"kind": kind},
        "scope": "Namespaced" if is_namespaced(kind) else "Cluster",
        "verbs": ["get", "list", "patch"],
        "subresources": [{"subresource": "status"}, {"subresource": "scale"}] if "Deploy" in kind else [],
    }
