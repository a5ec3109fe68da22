"""What a target manages, and how that is stored in the cluster.

The inventory is an ApplySet parent (KEP-3659): a ConfigMap whose label carries the set's id, and
whose `binaryData` holds our own record, compressed. This module is the codec; `observe` reads it
and `act` writes it.
"""

import base64
import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import orjson

from recon_action.errors import ClusterError
from recon_action.model.ref import Body, ObjectRef

FORMAT = 1
PART_OF = "applyset.kubernetes.io/part-of"
_ID = "applyset.kubernetes.io/id"
_TOOLING = "applyset.kubernetes.io/tooling"
_KINDS = "applyset.kubernetes.io/contains-group-kinds"
_NAMESPACES = "applyset.kubernetes.io/additional-namespaces"
_KEY = "inventory.json.z"
_MAX_DECODED = 64 * 1024 * 1024  # a compressed bomb must not eat the runner's memory


@dataclass(frozen=True, slots=True)
class Member:
    """One object that a target manages.

    Args:
        ref: the object.
        uid: its UID; "" from just before its first apply until the end of that run.
        payload_hash: sha256 (hex) of what Git said when we last applied it; "" likewise.
        memo: what the server has judged "same" without an ownership proof (`analyze.memo`); "" mostly.
    """

    ref: ObjectRef
    uid: str = ""
    payload_hash: str = ""
    memo: str = ""


@dataclass(frozen=True, slots=True)
class Correction:
    """One field, or one whole object, that an apply set back to what Git says.

    Args:
        at: when, RFC 3339 in UTC.
        ref: the object.
        path: the field as `FieldPath` prints it; "" if the object had been deleted.
        tool: the field manager that had changed it, "" if none is known.
    """

    at: str
    ref: ObjectRef
    path: str = ""
    tool: str = ""


@dataclass(frozen=True, slots=True)
class Inventory:
    """Everything remembered of a target between runs.

    Args:
        target: the target's name.
        namespace: where the ConfigMap lies.
        members: by identity.
        repository: `host/owner/name`, "" if the manifests came from none.
        paths: the PATHs, as `Desired.identity` gives them.
        revision: the commit last applied, "" if unknown.
        cluster_uid: UID of the cluster's kube-system namespace.
        epoch: under which every member was last judged by the server (`observe.epoch`); "" if unknown.
        corrections: of the last 24 hours, oldest first.
        resource_version: of the ConfigMap as read; "" if there is none yet.
    """

    target: str
    namespace: str
    members: Mapping[ObjectRef, Member] = field(default_factory=dict)
    repository: str = ""
    paths: tuple[str, ...] = ()
    revision: str = ""
    cluster_uid: str = ""
    epoch: str = ""
    corrections: tuple[Correction, ...] = ()
    resource_version: str = ""

    @property
    def name(self) -> str:
        """The ConfigMap's name."""
        return f"recon-action-{self.target}"

    @property
    def id(self) -> str:
        """The ApplySet's id: the value of every member's label."""
        return _id_of(self.name, self.namespace)

    @property
    def exists(self) -> bool:
        """Whether the cluster holds it."""
        return bool(self.resource_version)


@lru_cache
def _id_of(name: str, namespace: str) -> str:
    digest = hashlib.sha256(f"{name}.{namespace}.ConfigMap.".encode()).digest()
    return f"applyset-{base64.urlsafe_b64encode(digest).decode().rstrip('=')}-v1"


def encode(inventory: Inventory, tooling: str) -> Body:
    """The ConfigMap that stores `inventory`; `tooling` is `recon-action/vX.Y.Z`."""
    members = sorted(inventory.members.values(), key=lambda member: member.ref)
    record = {
        "format": FORMAT,
        "repository": inventory.repository,
        "paths": list(inventory.paths),
        "revision": inventory.revision,
        "clusterUID": inventory.cluster_uid,
        "epoch": inventory.epoch,
        "corrections": [
            [c.at, c.ref.group, c.ref.kind, c.ref.namespace, c.ref.name, c.path, c.tool] for c in inventory.corrections
        ],
        "members": [
            [m.ref.group, m.ref.kind, m.ref.namespace, m.ref.name, m.uid, m.payload_hash, m.memo] for m in members
        ],
    }
    kinds = sorted({f"{m.ref.kind}.{m.ref.group}" if m.ref.group else m.ref.kind for m in members})
    namespaces = sorted({m.ref.namespace for m in members} - {"", inventory.namespace})
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": inventory.name,
            "namespace": inventory.namespace,
            "labels": {_ID: inventory.id},
            "annotations": {
                _TOOLING: tooling,
                _KINDS: ",".join(kinds),
                _NAMESPACES: ",".join(namespaces),
            },
        },
        "binaryData": {_KEY: base64.b64encode(zlib.compress(orjson.dumps(record), 9)).decode()},
    }


def decode(body: Body, target: str) -> Inventory:
    """What `encode` stored.

    Raises:
        ClusterError: the ConfigMap is not one of ours, is damaged, or was written in a newer format.
    """
    metadata = body["metadata"]
    where = f"the inventory ConfigMap {metadata['namespace']}/{metadata['name']}"
    try:
        unpack = zlib.decompressobj()
        raw = unpack.decompress(base64.b64decode(body["binaryData"][_KEY]), _MAX_DECODED)
        record: dict[str, Any] = orjson.loads(raw)
        version = int(record["format"])
        if version <= FORMAT:
            return _read(record, target, metadata)
    except (IndexError, KeyError, TypeError, ValueError, zlib.error) as error:
        raise ClusterError(
            f"{where} can't be read: it was not written by recon-action, or is damaged",
            hint="choose another --target, or restore the ConfigMap",
        ) from error
    raise ClusterError(
        f"{where} has format {version}; this recon-action knows formats up to {FORMAT}",
        hint="use the recon-action version that wrote it, or a newer one",
    )


def _read(record: dict[str, Any], target: str, metadata: Body) -> Inventory:
    members = [Member(ObjectRef(*row[:4]), *row[4:7]) for row in record["members"]]
    return Inventory(
        target=target,
        namespace=metadata["namespace"],
        members={member.ref: member for member in members},
        repository=record["repository"],
        paths=tuple(record["paths"]),
        revision=record["revision"],
        cluster_uid=record["clusterUID"],
        epoch=record["epoch"],
        corrections=tuple(Correction(row[0], ObjectRef(*row[1:5]), *row[5:7]) for row in record.get("corrections", ())),
        resource_version=metadata.get("resourceVersion", ""),
    )
