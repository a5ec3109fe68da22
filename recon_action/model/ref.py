"""Identity: which object is meant, without its version."""

from dataclasses import dataclass
from typing import Any

Body = dict[str, Any]


@dataclass(frozen=True, slots=True, order=True)
class ObjectRef:
    """An object's identity. `group` is "" for the core group, `namespace` is "" where there is none."""

    group: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        """`Deployment shop/web`, or `Namespace shop`: what reports show."""
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"


def ref_of(body: Body) -> ObjectRef:
    """The identity that `body` states; its namespace as written, "" where it names none."""
    group = str(body["apiVersion"]).rpartition("/")[0]
    metadata = body["metadata"]
    return ObjectRef(group, str(body["kind"]), metadata.get("namespace") or "", metadata.get("name") or "")
