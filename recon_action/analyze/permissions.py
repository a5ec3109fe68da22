"""What a run asks of the API server, as one table, and what an account needs so that it may.

A row for each thing that some module sends; a test on a real server holds the table against what is sent.
How permissions become rules is `grants`', what roles in Git want on top is `escalation`'s.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from recon_action.analyze.autoscale import AUTOSCALERS, is_scalable
from recon_action.analyze.built_in import built_in
from recon_action.analyze.causes import has_sets, selector_of
from recon_action.analyze.escalation import Granted, escalations
from recon_action.analyze.grants import Permission, rules
from recon_action.analyze.health import has_health
from recon_action.analyze.references import RBAC
from recon_action.analyze.severity import is_destructive
from recon_action.model import Body, Capabilities, Inventory, ObjectRef, Resource
from recon_action.model.capabilities import CONFIG_MAP, EVENT, LEASE, NAMESPACE, POD, REPLICA_SET, STORAGE_CLASS
from recon_action.model.epoch import ADMISSION, DEFINITION
from recon_action.model.permissions import EVERYWHERE, Grants, Purpose, Reach

_MOST_IN_ONE = 10_000  # members; beyond, an inventory may need more than one ConfigMap
_CLAIM: Final = ("", "PersistentVolumeClaim")
# The server itself sees to them, in a moment; nobody writes events about them.
_UNTOLD: Final = frozenset({("", "Namespace"), DEFINITION})
_WITHOUT_HOME: Final = "default"  # events of what has no namespace lie there

Asked = tuple[str, str, str, str]  # namespace ("" is the whole cluster), group, plural, name ("" is any)


@dataclass(frozen=True, slots=True)
class InUse:
    """What a target has to do with.

    Args:
        inventory: the target's; of one that was read, its members count.
        resources: the kind of each object that Git or the inventory has.
        bodies: what Git says of them.
        served: what the cluster serves; None if it was not asked.
        may_delete: whether an apply may delete anything, to prune or to create it anew.
        may_destroy: whether also Namespaces, CRDs, volumes and their claims.
        is_everywhere: whether what lies in namespaces is granted in all of them.
    """

    inventory: Inventory
    resources: Mapping[ObjectRef, Resource]
    bodies: Mapping[ObjectRef, Body]
    served: Capabilities | None = None
    may_delete: bool = True
    may_destroy: bool = False
    is_everywhere: bool = False

    def find(self, group: str, kind: str) -> Resource | None:
        """A kind, if the cluster is known to serve it."""
        if self.served is not None and (found := self.served.find(group, kind)):
            return found
        own = (resource for resource in self.resources.values() if (resource.group, resource.kind) == (group, kind))
        return next(own, None) or (built_in(group, kind) if self.served is None else None)


@dataclass(frozen=True, slots=True)
class Request:
    """One row of the table.

    Args:
        purpose: what it is for.
        since: which account needs it, and those after that one.
        verbs: what is asked.
        sender: the module that asks.
        of: of what.
    """

    purpose: Purpose
    since: Reach
    verbs: tuple[str, ...]
    sender: str
    of: Callable[[InUse], Iterator[Asked]]


def grants(use: InUse, reach: Reach) -> Grants:
    """The least that an account for `reach` needs."""
    needed: defaultdict[str, dict[Permission, Purpose]] = defaultdict(dict)
    for namespace, permission, purpose in _permissions(use, reach):
        needed[namespace].setdefault(permission, purpose)
    return Grants(reach, rules(needed))


def unknown_autoscalers(use: InUse) -> list[str]:
    """Groups of autoscalers that the cluster may serve, and nobody has asked it."""
    if use.served is not None or not any(map(is_scalable, use.resources.values())):
        return []
    return [group for group, kind in AUTOSCALERS if use.find(group, kind) is None]


def _permissions(use: InUse, reach: Reach) -> Iterator[Granted]:
    for request in REQUESTS:
        if request.since in reach.included:
            for namespace, group, plural, name in request.of(use):
                yield from (
                    (namespace, Permission(group, plural, verb, name), request.purpose) for verb in request.verbs
                )
    if reach is Reach.APPLY:
        yield from escalations(use.bodies)


def _asked(resource: Resource, namespace: str = EVERYWHERE, name: str = "") -> Asked:
    return namespace, resource.group, resource.plural, name


def _place(use: InUse, ref: ObjectRef) -> str:
    """Where it is granted what is asked of an object, or beside it."""
    return EVERYWHERE if use.is_everywhere else ref.namespace


def _kinds(use: InUse) -> Iterator[Asked]:
    yield from (_asked(resource, _place(use, ref)) for ref, resource in use.resources.items())


def _predicted(use: InUse) -> Iterator[Asked]:
    """Kinds that the server is asked about; of roles it says nothing to who does not hold what they grant."""
    for ref, resource in use.resources.items():
        if resource.group != RBAC:
            yield _asked(resource, _place(use, ref))


def _slow(use: InUse) -> Iterator[Asked]:
    """Kinds whose objects are waited for."""
    yield from (_asked(resource, _place(use, ref)) for ref, resource in use.resources.items() if has_health(resource))


def _deletable(use: InUse) -> Iterator[Asked]:
    for ref, resource in use.resources.items():
        if use.may_delete and (use.may_destroy or not is_destructive(ref)):
            yield _asked(resource, _place(use, ref))


def _cluster(_: InUse) -> Iterator[Asked]:
    yield _asked(NAMESPACE, name="kube-system")


def _admission(use: InUse) -> Iterator[Asked]:
    yield from (_asked(resource) for group, kind in ADMISSION if (resource := use.find(group, kind)))


def _definitions(use: InUse) -> Iterator[Asked]:
    if any(not resource.built_in for resource in use.resources.values()):
        yield from (_asked(resource) for resource in [built_in(*DEFINITION)] if resource)


def _inventory(use: InUse) -> Iterator[Asked]:
    yield _asked(CONFIG_MAP, use.inventory.namespace, use.inventory.name)


def _parts(use: InUse) -> Iterator[Asked]:
    """Further ConfigMaps of the inventory; their names hold hashes."""
    if use.inventory.parts or len(use.resources) > _MOST_IN_ONE:
        yield _asked(CONFIG_MAP, use.inventory.namespace)


def _home(use: InUse) -> Iterator[Asked]:
    yield _asked(NAMESPACE, name=use.inventory.namespace)


def _any_lock(use: InUse) -> Iterator[Asked]:
    """A creation names nothing that a rule could be about."""
    yield _asked(LEASE, use.inventory.namespace)


def _lock(use: InUse) -> Iterator[Asked]:
    yield _asked(LEASE, use.inventory.namespace, use.inventory.name)


def _autoscalers(use: InUse) -> Iterator[Asked]:
    scalers = [resource for group, kind in AUTOSCALERS if (resource := use.find(group, kind))]
    for ref, resource in use.resources.items():
        if is_scalable(resource):
            yield from (_asked(scaler, _place(use, ref)) for scaler in scalers)


def _pods(use: InUse) -> Iterator[Asked]:
    for ref, body in use.bodies.items():
        if selector_of(body):
            yield _asked(POD, _place(use, ref))


def _sets(use: InUse) -> Iterator[Asked]:
    for ref, body in use.bodies.items():
        if selector_of(body) and has_sets(body):
            yield _asked(REPLICA_SET, _place(use, ref))


def _events(use: InUse) -> Iterator[Asked]:
    for ref, resource in use.resources.items():
        if has_health(resource) and (ref.group, ref.kind) not in _UNTOLD:
            yield _asked(EVENT, _place(use, ref) if ref.namespace else _WITHOUT_HOME)


def _classes(use: InUse) -> Iterator[Asked]:
    if any((ref.group, ref.kind) == _CLAIM for ref in use.resources):
        yield _asked(STORAGE_CLASS)


_LOOK, _ASK, _ACT = Reach.READ_ONLY, Reach.PREVIEW, Reach.APPLY

REQUESTS: Final = (
    Request(Purpose.OBJECTS, _LOOK, ("get", "list"), "observe.snapshot", _kinds),
    Request(Purpose.OBJECTS, _ASK, ("create", "patch"), "observe.predict", _predicted),
    Request(Purpose.OBJECTS, _ACT, ("create", "patch"), "act.apply", _kinds),
    Request(Purpose.OBJECTS, _ACT, ("watch",), "act.streams", _slow),
    Request(Purpose.OBJECTS, _ACT, ("delete",), "act.deletion", _deletable),
    Request(Purpose.IDENTITY, _LOOK, ("get",), "observe.inventory", _cluster),
    Request(Purpose.EPOCH, _LOOK, ("list",), "observe.epoch", _admission),
    Request(Purpose.DEFINITIONS, _LOOK, ("list",), "observe.epoch", _definitions),
    Request(Purpose.INVENTORY, _LOOK, ("get",), "observe.inventory", _inventory),
    Request(Purpose.INVENTORY, _ACT, ("create", "patch"), "act.inventory", _inventory),
    Request(Purpose.PARTS, _LOOK, ("get",), "observe.inventory", _parts),
    Request(Purpose.PARTS, _ACT, ("list", "create", "patch", "delete"), "act.inventory", _parts),
    Request(Purpose.HOME, _ACT, ("get",), "act.inventory", _home),
    Request(Purpose.LOCK, _ACT, ("create",), "act.lease", _any_lock),
    Request(Purpose.LOCK, _ACT, ("get", "patch", "delete"), "act.lease", _lock),
    Request(Purpose.AUTOSCALERS, _LOOK, ("list",), "observe.autoscalers", _autoscalers),
    Request(Purpose.CAUSES, _ACT, ("list",), "act.causes", _pods),
    Request(Purpose.CAUSES, _ACT, ("list",), "act.causes", _sets),
    Request(Purpose.CAUSES, _ACT, ("list",), "act.causes", _events),
    Request(Purpose.CLASSES, _ACT, ("list",), "act.causes", _classes),
)
