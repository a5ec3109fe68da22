"""What an account may do in a cluster: the words that travel from the table of requests to the printed roles."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Reach(StrEnum):
    """What an account is for; each may do what those before it may."""

    READ_ONLY = "read-only"  # a diff that is worked out here
    PREVIEW = "preview"  # a diff for which the server is asked
    APPLY = "apply"

    @property
    def included(self) -> frozenset["Reach"]:
        """Itself and those before it."""
        reaches = tuple(Reach)
        return frozenset(reaches[: reaches.index(self) + 1])


class Purpose(StrEnum):
    """What something is asked for, in the order in which it is told."""

    OBJECTS = "objects"  # of Git and the inventory
    AUTOSCALERS = "autoscalers"
    IDENTITY = "identity"  # which cluster it is
    EPOCH = "epoch"  # what decides how the server treats objects
    DEFINITIONS = "definitions"  # the same, of custom kinds
    INVENTORY = "inventory"
    PARTS = "parts"  # of an inventory too large for one ConfigMap
    HOME = "home"  # whether the inventory's namespace is there
    LOCK = "lock"
    CAUSES = "causes"  # why something is not healthy
    CLASSES = "classes"  # whether a claim is meant to wait
    BOUND = "bound"  # roles that bindings of Git name
    ESCALATED = "escalated"  # roles of Git that gather others' rules
    HELD = "held"  # what roles of Git grant, which only those can grant who have it


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a role.

    Args:
        purpose: what for.
        group: the API group.
        resources: plurals, with subresources where those are meant; () for URLs.
        verbs: what may be done.
        names: of the only objects meant; () means all.
        urls: of what is no resource.
    """

    purpose: Purpose
    group: str = ""
    resources: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Grants:
    """The least that an account needs.

    Args:
        reach: what for.
        rules: by namespace; "" is the whole cluster.
    """

    reach: Reach
    rules: Mapping[str, tuple[Rule, ...]]


EVERYWHERE: Final = ""


@dataclass(frozen=True, slots=True)
class Account:
    """Who gets the roles.

    Args:
        kind: `ServiceAccount`, `User` or `Group`, as a binding calls it.
        name: "" gives each reach a ServiceAccount of its own, called like its role.
        namespace: of a ServiceAccount; "" means that of the inventory.
    """

    kind: str = "ServiceAccount"
    name: str = ""
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Permit:
    """All that is printed of roles.

    Args:
        target: the target's name.
        inventory_namespace: where its inventory and lock lie.
        account: who gets them.
        grants: one for each reach that was asked for.
        paths: where the manifests were read from.
        server: of the cluster that was asked; "" if none was.
        namespaces: those that Git itself declares.
        guessed: where objects were taken to lie that name no namespace; "" if there are none.
        unknown_kinds: (group, kind) of which it is not known what they are called in URLs, or where they lie.
        unknown_autoscalers: groups of autoscalers that the cluster may serve.
        unread_inventory: why the inventory's members are not known, though a cluster was asked.
    """

    target: str
    inventory_namespace: str
    account: Account
    grants: tuple[Grants, ...]
    paths: tuple[str, ...] = ()
    server: str = ""
    namespaces: tuple[str, ...] = ()
    guessed: str = ""
    unknown_kinds: tuple[tuple[str, str], ...] = ()
    unknown_autoscalers: tuple[str, ...] = ()
    unread_inventory: str = ""

    def name(self, reach: Reach) -> str:
        """What roles and bindings are called, and the ServiceAccount that nobody has named."""
        return f"recon-action-{self.target}-{reach}"
