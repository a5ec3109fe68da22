"""The audit log: exactly one line for each request of whoever uses the lab, none for the lab's own.

So it can be counted: request budgets are held against it.
"""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LAB_USER = "system:recon-lab"  # ourselves: probes, and nodes being made
KWOK_USER = "system:kwok"
_OWN_USERS = [
    "system:apiserver",
    "system:kube-controller-manager",
    "system:kube-scheduler",
    KWOK_USER,
    LAB_USER,
]
_SETTLED = 0.1  # seconds without a new line, after which no request is under way any more

POLICY: dict[str, Any] = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    # One line a request: when it has been answered; for a watch, when it has ended.
    "omitStages": ["RequestReceived", "ResponseStarted"],
    "omitManagedFields": True,
    "rules": [
        {"level": "None", "users": _OWN_USERS},
        {"level": "None", "nonResourceURLs": ["/livez*", "/readyz*", "/healthz*"]},
        {"level": "Metadata"},
    ],
}


@dataclass(frozen=True, slots=True)
class AuditEvent:
    """One request, answered.

    Args:
        verb: get, list, watch, create, update, patch, delete, deletecollection.
        uri: path and query.
        user: its name.
        code: the HTTP status of the answer.
        group, resource, subresource, namespace, name: of the object, "" where there is none.
        raw: the whole event.
    """

    verb: str
    uri: str
    user: str
    code: int
    group: str
    resource: str
    subresource: str
    namespace: str
    name: str
    raw: dict[str, Any]


def read_audit(file: Path) -> list[AuditEvent]:
    """The events of an audit log, in its order; a line that is being written is left out."""
    if not file.exists():
        return []
    lines = file.read_bytes().split(b"\n")[:-1]
    return [_event(json.loads(line)) for line in lines]


def settle(file: Path) -> None:
    """Wait until the log stands still: a large answer arrives an instant before its line is written."""
    size = -1
    while file.exists() and size != (size := file.stat().st_size):
        time.sleep(_SETTLED)


def _event(raw: dict[str, Any]) -> AuditEvent:
    of = raw.get("objectRef") or {}
    return AuditEvent(
        verb=raw["verb"],
        uri=raw["requestURI"],
        user=raw["user"].get("username", ""),
        code=(raw.get("responseStatus") or {}).get("code", 0),
        group=of.get("apiGroup", ""),
        resource=of.get("resource", ""),
        subresource=of.get("subresource", ""),
        namespace=of.get("namespace", ""),
        name=of.get("name", ""),
        raw=raw,
    )
