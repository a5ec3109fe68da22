"""A cluster in memory: the few methods of `Cluster` that observe and act call.

It does no merging and no defaulting: what Kubernetes does is tested on a real control plane. A dry
run or an apply stores the body as it is; tests script what the server refuses.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Any, Self, cast

from recon_action.cluster import Cluster, NotSent, RequestError
from recon_action.model import Body, ObjectRef, Problem, Resource, Trouble, ref_of
from recon_action.stop import Stop

Call = tuple[str, str]  # the verb, and the object's or the collection's name: "get", "web"; "list", "configmaps shop"


class FakeCluster:
    """Objects by identity, a log of the calls, and refusals by call. Once the run is to end, nothing more is sent."""

    def __init__(self, *bodies: Body) -> None:
        self.server = "https://fake"
        self.stop = Stop()
        self.objects: dict[ObjectRef, Body] = {}
        self.calls: list[Call] = []
        self.sent: list[Body] = []
        self.refusals: dict[Call, Problem | Callable[[], Problem | None]] = {}
        self.documents: dict[str, Body] = {}  # what is read by its path
        self.events: list[tuple[str, Body]] = []
        self._versions = itertools.count(100)
        for body in bodies:
            self.put(body)

    @property
    def door(self) -> Cluster:
        """Itself, as the type that it stands in for."""
        return cast("Cluster", self)

    def put(self, body: Body) -> Body:
        """Store `body` with a new resourceVersion, keeping the UID that it states."""
        ref = ref_of(body)
        metadata = {"uid": f"uid-{ref.name}"} | body["metadata"] | {"resourceVersion": str(next(self._versions))}
        self.objects[ref] = body | {"metadata": metadata}
        return self.objects[ref]

    def refuse(self, verb: str, name: str, trouble: Trouble, status: int = 0) -> None:
        """Refuse every such call."""
        self.refusals[verb, name] = Problem(trouble, f"{verb} {name}: {trouble}", verb=verb, status=status)

    def read(self, path: str) -> Body:
        """A document."""
        self._called("read", path)
        if path not in self.documents:
            raise RequestError(Problem(Trouble.MISSING, f"{path} not found", verb="get", status=404))
        return self.documents[path]

    def get(self, _resource: Resource, ref: ObjectRef) -> Body:
        """One object."""
        self._called("get", ref.name)
        return self._found(ref)

    def list_all(self, resource: Resource, *, namespace: str = "", selector: str = "") -> tuple[list[Body], str]:
        """What matches `selector`, a single `label=value`."""
        self._called("list", f"{resource.plural} {namespace}".strip())
        label, _, value = selector.partition("=")
        return [
            body
            for ref, body in self.objects.items()
            if (ref.group, ref.kind) == (resource.group, resource.kind)
            and namespace in {"", ref.namespace}
            and (not selector or (body["metadata"].get("labels") or {}).get(label) == value)
        ], "7"

    def apply(
        self, _resource: Resource, body: Body, *, dry_run: bool = False, warnings: list[str] | None = None
    ) -> Body:
        """Store `body`, or only say what would be stored; an unchanged one keeps its resourceVersion."""
        assert warnings is None or not warnings
        ref = ref_of(body)
        self.sent.append(body)
        self._called("dry-run" if dry_run else "apply", ref.name)
        old = self.objects.get(ref)
        kept = {key: old["metadata"][key] for key in ("uid", "resourceVersion")} if old else {}
        stored = body | {"metadata": body["metadata"] | kept}
        return stored if dry_run or stored == old else self.put(stored)

    def patch(self, _resource: Resource, ref: ObjectRef, operations: Sequence[Body], *, manager: str = "") -> Body:  # noqa: ARG002 - what the real one takes
        """Do a JSON patch of metadata or the spec; another resourceVersion than the object's is a conflict."""
        self._called("patch", ref.name)
        body = dict(self._found(ref))
        metadata = dict(body["metadata"])
        for operation in operations:
            if operation["path"] == "/spec":
                body["spec"] = operation["value"]
                continue
            name = operation["path"].removeprefix("/metadata/")
            if name == "resourceVersion" and operation["value"] != metadata[name]:
                raise RequestError(Problem(Trouble.CONFLICT, f"{ref.name} has moved on", verb="apply"))
            field, _, key = name.partition("/")
            if key:
                key = key.replace("~1", "/")
                kept = {other: value for other, value in metadata[field].items() if other != key}
                metadata[field] = kept | ({} if operation["op"] == "remove" else {key: operation["value"]})
            else:
                metadata[field] = operation["value"]
        return self.put(body | {"metadata": metadata})

    def create(self, _resource: Resource, body: Body, *, dry_run: bool = False) -> Body:
        """Store a new object, or only say whether it would be."""
        ref = ref_of(body)
        self._called("dry-create" if dry_run else "create", ref.name)
        if ref in self.objects:
            raise RequestError(Problem(Trouble.CONFLICT, f"{ref} already exists", verb="create"))
        return body if dry_run else self.put(body)

    def delete(
        self, _resource: Resource, ref: ObjectRef, *, uid: str, version: str = "", foreground: bool = False
    ) -> Body | None:
        """Remove the object iff it has this UID and version; with finalizers, it stays and is terminating."""
        self._called("delete in the foreground" if foreground else "delete", ref.name)
        body = self._found(ref)
        metadata = body["metadata"]
        if metadata["uid"] != uid or version not in {"", metadata["resourceVersion"]}:
            raise RequestError(Problem(Trouble.CONFLICT, "the UID or version is another", verb="delete"))
        if metadata.get("finalizers"):
            return self.put(body | {"metadata": metadata | {"deletionTimestamp": "2026-01-01T00:00:00Z"}})
        del self.objects[ref]
        return None

    def watch(self, resource: Resource, **_: Any) -> Iterator[tuple[str, Body]]:
        """The scripted events, once; then the stream ends."""
        self._called("watch", resource.plural)
        while self.events:
            yield self.events.pop(0)

    def brief(self, _seconds: float) -> Self:
        """Nothing takes long here."""
        return self

    def settling(self) -> Self:
        """The same objects, for what is sent although the run is to end."""
        other = copy(self)
        other.stop = Stop()
        return other

    def each(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        """One after the other."""
        return [function(item) for item in items]

    def _called(self, verb: str, name: str) -> None:
        if self.stop.problem is not None:
            raise NotSent(self.stop.undone(verb))
        self.calls.append((verb, name))
        problem = self.refusals.get((verb, name))
        problem = problem() if callable(problem) else problem
        if problem is not None:
            raise RequestError(problem)

    def _found(self, ref: ObjectRef) -> Body:
        if ref not in self.objects:
            raise RequestError(Problem(Trouble.MISSING, f"{ref} not found", status=404))
        return self.objects[ref]
