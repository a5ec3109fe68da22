"""What will be done, in which order, and what came of it."""

from dataclasses import dataclass
from enum import StrEnum

from recon_action.model.capabilities import Resource
from recon_action.model.change import Verdict
from recon_action.model.problem import Problem
from recon_action.model.ref import ObjectRef


class ActionKind(StrEnum):
    """What is done to an object."""

    CREATE = "create"
    CONFIGURE = "configure"
    ADOPT = "adopt"  # only our bookkeeping: label and managedFields entry
    RECREATE = "recreate"  # delete, then create: a field can't be changed
    LEAVE = "leave"  # nothing: a field can't be changed, and deleting the object was not allowed
    DELETE = "delete"


class Outcome(StrEnum):
    """What came of an action."""

    CREATED = "created"
    CONFIGURED = "configured"
    RECREATED = "recreated"
    UNCHANGED = "unchanged"
    DELETED = "deleted"
    RELEASED = "released"  # it stays, and nothing on it is ours any more
    SKIPPED = "skipped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Action:
    """One thing to do.

    Args:
        kind: what.
        resource: the object's kind.
        verdict: why.
        needs: objects of the set that must not have failed before.
        awaits: objects of the set that must be ready before.
    """

    kind: ActionKind
    resource: Resource
    verdict: Verdict
    needs: frozenset[ObjectRef] = frozenset()
    awaits: frozenset[ObjectRef] = frozenset()

    @property
    def ref(self) -> ObjectRef:
        """The object."""
        return self.verdict.ref


@dataclass(frozen=True, slots=True)
class Stage:
    """Actions that may run side by side.

    Args:
        name: which one it is, for whoever watches.
        actions: what to do.
        ready: objects of the set that must be ready before it begins, whether they had something to do or not.
    """

    name: str
    actions: tuple[Action, ...]
    ready: frozenset[ObjectRef] = frozenset()

    @property
    def is_prune(self) -> bool:
        """Whether the actions are deletions; a stage never mixes them with others."""
        return any(action.kind is ActionKind.DELETE for action in self.actions)


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one action.

    Args:
        ref: the object.
        outcome: what came of it.
        problem: set iff the outcome is FAILED (and for a SKIPPED one that a failure caused).
        uid: the object's UID after the action, "" if it has none.
    """

    ref: ObjectRef
    outcome: Outcome
    problem: Problem | None = None
    uid: str = ""
