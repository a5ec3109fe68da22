"""What the API server wants of somebody who applies roles and bindings: nobody grants more than he has.

Who writes a role must hold what is in it, and who writes a binding what is in the role that it names, or a verb that
lets him do so for that role alone: `escalate` and `bind`.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from recon_action.analyze.grants import Permission
from recon_action.analyze.references import BINDINGS, RBAC, references
from recon_action.analyze.value import as_maps
from recon_action.model import Body, ObjectRef
from recon_action.model.permissions import EVERYWHERE, Purpose

_ROLES: Final = {"ClusterRole": "clusterroles", "Role": "roles"}

Granted = tuple[str, Permission, Purpose]  # the first is the namespace


def escalations(bodies: Mapping[ObjectRef, Body]) -> Iterator[Granted]:
    """What has to be held to apply the roles and bindings among `bodies`."""
    gathered: set[ObjectRef] = set()
    for ref, body in bodies.items():
        if ref.group != RBAC or ref.kind not in _ROLES:
            continue
        if "aggregationRule" in body:  # what it gathers may be anything
            gathered.add(ref)
            yield EVERYWHERE, Permission(RBAC, _ROLES[ref.kind], "escalate", ref.name), Purpose.ESCALATED
        else:
            yield from ((ref.namespace, one, Purpose.HELD) for one in _granted(body))
    for ref, body in bodies.items():
        if (ref.group, ref.kind) not in BINDINGS:
            continue
        for role in references(ref, body):
            if role.kind in _ROLES and (role not in bodies or role in gathered):
                yield ref.namespace, Permission(RBAC, _ROLES[role.kind], "bind", role.name), Purpose.BOUND


def _granted(body: Body) -> Iterator[Permission]:
    """Each single thing that a role lets somebody do."""
    for rule in as_maps(body.get("rules")):
        for verb in _texts(rule.get("verbs")):
            for url in _texts(rule.get("nonResourceURLs")):
                yield Permission("", "", verb, url=url)
            for group in _texts(rule.get("apiGroups")):
                for resource in _texts(rule.get("resources")):
                    names = list(_texts(rule.get("resourceNames"))) or [""]
                    yield from (Permission(group, resource, verb, name) for name in names)


def _texts(value: Any) -> Iterable[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
