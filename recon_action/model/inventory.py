"""What a target manages, and what is remembered of it between runs.

It is an ApplySet (KEP-3659); `record` says how it is stored.
"""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from recon_action.model.ref import ObjectRef

PARENT = "applyset.kubernetes.io/id"
PART_OF = "applyset.kubernetes.io/part-of"


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
        parts: sha256 (hex) of each further ConfigMap that holds members, as read; () mostly.
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
    parts: tuple[str, ...] = ()
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
