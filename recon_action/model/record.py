"""How an inventory is stored: an ApplySet parent (KEP-3659), and parts where one ConfigMap is too small.

The parent is a ConfigMap whose label carries the set's id, and whose `binaryData` holds our own record,
compressed. Members that it has no room for are in parts: ConfigMaps that the parent names by a hash of
what they hold. A part is never changed, and is written before the parent that names it, so whatever ends
a run, the parent that is there finds all of its parts. `observe` reads and `act` writes.
"""

import base64
import hashlib
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from recon_action.errors import ClusterError
from recon_action.model.inventory import PARENT, Correction, Inventory, Member
from recon_action.model.ref import Body, ObjectRef

FORMAT = 1
ROOM = 900_000  # bytes in one ConfigMap, which may hold 1 MiB
PART_LABEL = "recon-action.github.io/inventory"  # of every part: the target
TOOLING = "applyset.kubernetes.io/tooling"
_KINDS = "applyset.kubernetes.io/contains-group-kinds"
_NAMESPACES = "applyset.kubernetes.io/additional-namespaces"
_KEY = "inventory.json.z"
_LONGEST_HINT = 200_000  # bytes; all annotations together may have 256 KiB
_MAX_DECODED = 64 * 1024 * 1024  # a compressed bomb must not eat the runner's memory


@dataclass(frozen=True, slots=True)
class Record:
    """An inventory as ConfigMaps.

    Args:
        parent: the one that is read first.
        fresh: the parts that aren't in the cluster yet; to be written before `parent`.
        parts: the hashes of all parts, as `Inventory.parts`.
    """

    parent: Body = field(repr=False)
    fresh: tuple[Body, ...] = field(default=(), repr=False)
    parts: tuple[str, ...] = ()


def part_name(inventory: Inventory, digest: str) -> str:
    """The name of a part's ConfigMap. No target's parent has a dot in its name."""
    return f"{inventory.name}.{digest[:16]}"


def encode(inventory: Inventory, tooling: str) -> Record:
    """The ConfigMaps that store `inventory`; `tooling` is `recon-action/vX.Y.Z`."""
    members = sorted(inventory.members.values(), key=lambda member: member.ref)
    rows = [[m.ref.group, m.ref.kind, m.ref.namespace, m.ref.name, m.uid, m.payload_hash, m.memo] for m in members]
    first, *more = _packed(_head(inventory), rows)
    by_digest = {_digest(raw): raw for raw in more}
    return Record(
        parent=_config_map(inventory, inventory.name, first, {PARENT: inventory.id}, _hints(inventory, tooling)),
        fresh=tuple(
            _config_map(inventory, part_name(inventory, digest), raw, {PART_LABEL: inventory.target})
            for digest, raw in by_digest.items()
            if digest not in inventory.parts
        ),
        parts=tuple(by_digest),
    )


def decode(body: Body, target: str, fetch: Callable[[Inventory], Sequence[Body]] = lambda _: ()) -> Inventory:
    """What `encode` stored.

    Args:
        body: the parent.
        target: the target's name.
        fetch: gives the ConfigMaps of the parts of an inventory, in their order.

    Raises:
        ClusterError: a ConfigMap is not one of ours, is damaged, or was written in a newer format.
    """
    metadata = body["metadata"]
    where = f"the inventory ConfigMap {metadata['namespace']}/{metadata['name']}"
    try:
        record = _opened(_raw(body))
        version = int(record["format"])
        if version <= FORMAT:
            return _read(record, target, metadata, fetch)
    except (IndexError, KeyError, TypeError, ValueError, zlib.error) as error:
        raise ClusterError(
            f"{where} can't be read: it was not written by recon-action, or is damaged",
            hint="choose another --target, or restore the ConfigMap",
        ) from error
    raise ClusterError(
        f"{where} has format {version}; this recon-action knows formats up to {FORMAT}",
        hint="use the recon-action version that wrote it, or a newer one",
    )


def _head(inventory: Inventory) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "repository": inventory.repository,
        "paths": list(inventory.paths),
        "revision": inventory.revision,
        "clusterUID": inventory.cluster_uid,
        "epoch": inventory.epoch,
        "corrections": [
            [c.at, c.ref.group, c.ref.kind, c.ref.namespace, c.ref.name, c.path, c.tool] for c in inventory.corrections
        ],
    }


def _packed(head: dict[str, Any], rows: Sequence[list[str]]) -> list[bytes]:
    """The parent's record and each part's, none of them too large if that can be."""
    count = 1
    while True:
        size = -(-len(rows) // count) or 1
        first, *chunks = [rows[start : start + size] for start in range(0, len(rows), size)] or [[]]
        more = [_pack({"members": chunk}) for chunk in chunks]
        packed = [_pack(head | {"parts": list(map(_digest, more)), "members": first}), *more]
        largest = max(map(len, packed))
        if largest <= ROOM or size == 1:
            return packed
        count += largest // ROOM


def _pack(record: dict[str, Any]) -> bytes:
    return zlib.compress(orjson.dumps(record), 9)


def _digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def _config_map(
    inventory: Inventory, name: str, raw: bytes, labels: dict[str, str], annotations: dict[str, str] | None = None
) -> Body:
    metadata = {"name": name, "namespace": inventory.namespace, "labels": labels}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata | ({"annotations": annotations} if annotations else {}),
        "binaryData": {_KEY: base64.b64encode(raw).decode()},
    }


def _hints(inventory: Inventory, tooling: str) -> dict[str, str]:
    """The annotations that the KEP asks for: who wrote the set, and where its members are to be found."""
    kinds = sorted({f"{ref.kind}.{ref.group}" if ref.group else ref.kind for ref in inventory.members})
    namespaces = ",".join(sorted({ref.namespace for ref in inventory.members} - {"", inventory.namespace}))
    # A list that is cut would be a wrong one.
    spread = {_NAMESPACES: namespaces} if len(namespaces) <= _LONGEST_HINT else {}
    return {TOOLING: tooling, _KINDS: ",".join(kinds), **spread}


def _raw(body: Body) -> bytes:
    return base64.b64decode(body["binaryData"][_KEY])


def _opened(raw: bytes) -> dict[str, Any]:
    record: dict[str, Any] = orjson.loads(zlib.decompressobj().decompress(raw, _MAX_DECODED))
    return record


def _read(
    record: dict[str, Any], target: str, metadata: Body, fetch: Callable[[Inventory], Sequence[Body]]
) -> Inventory:
    inventory = Inventory(
        target=target,
        namespace=metadata["namespace"],
        repository=record["repository"],
        paths=tuple(record["paths"]),
        revision=record["revision"],
        cluster_uid=record["clusterUID"],
        epoch=record["epoch"],
        corrections=tuple(Correction(row[0], ObjectRef(*row[1:5]), *row[5:7]) for row in record.get("corrections", ())),
        parts=tuple(record.get("parts", ())),
        resource_version=metadata.get("resourceVersion", ""),
    )
    rows = list(record["members"])
    raws = [_raw(body) for body in fetch(inventory)] if inventory.parts else []
    if tuple(map(_digest, raws)) != inventory.parts:
        raise ValueError("a part is missing, or another one")
    for raw in raws:
        rows += _opened(raw)["members"]
    members = [Member(ObjectRef(*row[:4]), *row[4:7]) for row in rows]
    return replace(inventory, members={member.ref: member for member in members})
