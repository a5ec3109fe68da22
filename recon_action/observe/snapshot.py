"""What the cluster holds of the objects that matter: one LIST per kind, the rest by look-up.

Our objects carry the ApplySet's label, so one LIST finds them. What it lacks (never applied by us,
label stripped, re-created by someone) is looked up by name, or by a LIST of its namespace where that
is cheaper.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial

from recon_action.cluster import Cluster, RequestError
from recon_action.model import Body, LiveObject, ObjectRef, Problem, Progress, Resource, Trouble, ref_of
from recon_action.model.inventory import PART_OF

_MOST_GETS = 20  # a kind and namespace; beyond, one LIST of the namespace is cheaper
_NAMESPACE = ("", "Namespace")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What was observed.

    Args:
        objects: everything found: what was asked for, and whatever else carries the label.
        problems: what was asked for and could not be read. An object in neither mapping is missing.
    """

    objects: Mapping[ObjectRef, LiveObject] = field(default_factory=dict)
    problems: Mapping[ObjectRef, Problem] = field(default_factory=dict)


def snapshot(cluster: Cluster, wanted: Mapping[ObjectRef, Resource], applyset: str, progress: Progress) -> Snapshot:
    """Read every object of `wanted`, in the version of its `Resource`."""
    served = {ref: resource for ref, resource in wanted.items() if resource.served}
    kinds = sorted(set(served.values()), key=lambda resource: (resource.group, resource.kind, resource.version))
    progress.step("observing", len(kinds))
    reading = _Reading(cluster, served, f"{PART_OF}={applyset}", progress)
    cluster.each(reading.list_kind, kinds)
    reading.look_up(is_namespace=True)
    reading.look_up(is_namespace=False)
    return Snapshot(reading.objects, reading.problems)


class _Reading:
    """One snapshot in the making; its methods are called from several threads, each with its own refs."""

    def __init__(
        self, cluster: Cluster, wanted: Mapping[ObjectRef, Resource], selector: str, progress: Progress
    ) -> None:
        self.objects: dict[ObjectRef, LiveObject] = {}
        self.problems: dict[ObjectRef, Problem] = {}
        self._cluster = cluster
        self._wanted = wanted
        self._selector = selector
        self._progress = progress

    def list_kind(self, resource: Resource) -> None:
        """Find what carries the label; per namespace if the whole cluster may not be listed."""
        try:
            self._keep(resource, self._cluster.list_all(resource, selector=self._selector)[0])
        except RequestError as error:
            refs = [ref for ref, kind in self._wanted.items() if kind == resource]
            if error.problem.trouble is not Trouble.FORBIDDEN or not resource.namespaced:
                self._fail(refs, error.problem)
                return
            for namespace in sorted({ref.namespace for ref in refs}):
                self._list_namespace(resource, namespace, [ref for ref in refs if ref.namespace == namespace])
        finally:
            self._progress.advance()

    def look_up(self, *, is_namespace: bool) -> None:
        """Find by name what the lists lacked. Namespaces first: in one that is missing, nothing can be."""
        groups: dict[tuple[Resource, str], list[ObjectRef]] = {}
        for ref, resource in self._wanted.items():
            known = ref in self.objects or ref in self.problems
            if known or ((ref.group, ref.kind) == _NAMESPACE) is not is_namespace or self._is_homeless(ref):
                continue
            groups.setdefault((resource, ref.namespace), []).append(ref)
        calls: list[partial[None]] = []
        for (resource, namespace), refs in groups.items():
            if len(refs) > _MOST_GETS:
                calls.append(partial(self._list_namespace, resource, namespace, refs, selector=""))
            else:
                calls += [partial(self._get, resource, ref) for ref in refs]
        self._cluster.each(lambda call: call(), calls)

    def _is_homeless(self, ref: ObjectRef) -> bool:
        home = ObjectRef(*_NAMESPACE, "", ref.namespace)
        return bool(ref.namespace) and home in self._wanted and home not in self.objects and home not in self.problems

    def _list_namespace(
        self, resource: Resource, namespace: str, refs: list[ObjectRef], *, selector: str | None = None
    ) -> None:
        chosen = self._selector if selector is None else selector
        try:
            items, _ = self._cluster.list_all(resource, namespace=namespace, selector=chosen)
        except RequestError as error:
            self._fail(refs, error.problem)
            return
        wanted = set(refs)
        self._keep(resource, [item for item in items if chosen or ref_of(item) in wanted])

    def _get(self, resource: Resource, ref: ObjectRef) -> None:
        try:
            self._keep(resource, [self._cluster.get(resource, ref)])
        except RequestError as error:
            if error.problem.trouble is not Trouble.MISSING:
                self._fail([ref], error.problem)

    def _keep(self, resource: Resource, bodies: Iterable[Body]) -> None:
        for body in bodies:
            live = LiveObject(ref_of(body), body)
            # A kind that Git has in two versions is listed in both, and every object is in both lists.
            if self._wanted.get(live.ref, resource) == resource:
                self.objects[live.ref] = live

    def _fail(self, refs: Iterable[ObjectRef], problem: Problem) -> None:
        self.problems.update(dict.fromkeys(refs, problem))
