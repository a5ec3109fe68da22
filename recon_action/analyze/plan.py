"""What is to be done, and in which order."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from recon_action.model import (
    Action,
    ActionKind,
    Bucket,
    DriftKind,
    ObjectRef,
    Outcome,
    Problem,
    Resource,
    Result,
    Stage,
    Trouble,
    Verdict,
)

# Kinds by the stage that they are applied in; what is in none goes with the workloads. Deletion runs
# the other way round. An admission webhook comes last, or it would judge objects before its own
# backend runs.
_STAGES: tuple[tuple[str, frozenset[str]], ...] = (
    ("definitions", frozenset({"CustomResourceDefinition", "Namespace"})),
    (
        "foundations",
        frozenset(
            {
                "ClusterRole",
                "ConfigMap",
                "IngressClass",
                "LimitRange",
                "PersistentVolume",
                "PersistentVolumeClaim",
                "PriorityClass",
                "ResourceQuota",
                "Role",
                "RuntimeClass",
                "Secret",
                "ServiceAccount",
                "StorageClass",
            }
        ),
    ),
    ("bindings", frozenset({"ClusterRoleBinding", "RoleBinding"})),
    ("workloads", frozenset()),
    (
        "admission",
        frozenset(
            {
                "APIService",
                "MutatingAdmissionPolicy",
                "MutatingAdmissionPolicyBinding",
                "MutatingWebhookConfiguration",
                "ValidatingAdmissionPolicy",
                "ValidatingAdmissionPolicyBinding",
                "ValidatingWebhookConfiguration",
            }
        ),
    ),
)
_KINDS = {
    DriftKind.MISSING: ActionKind.CREATE,
    DriftKind.MODIFIED: ActionKind.CONFIGURE,
    DriftKind.ORPHANED: ActionKind.DELETE,
}
_WORKLOADS = 3
_RANK = {kind: rank for rank, (_, kinds) in enumerate(_STAGES) for kind in kinds}


def plan(verdicts: Sequence[Verdict], resources: Mapping[ObjectRef, Resource], *, prune: bool) -> tuple[Stage, ...]:
    """The stages that would make the cluster as Git says; empty if nothing is to be done.

    Args:
        verdicts: on every object.
        resources: the kind of every object that has one.
        prune: whether orphans are deleted.
    """
    actions = [action for verdict in verdicts if (action := _action(verdict, resources)) is not None]
    stages: list[Stage] = []
    for rank, (name, _) in enumerate(_STAGES):
        chosen = _chosen(actions, rank, deletions=False)
        if chosen:
            stages.append(Stage(name, chosen, barrier=rank == 0))
    if prune:
        for rank, (name, _) in reversed(list(enumerate(_STAGES))):
            chosen = _chosen(actions, rank, deletions=True)
            if chosen:
                stages.append(Stage(f"prune {name}", chosen))
    return tuple(stages)


def unmet(stage: Stage, results: Mapping[ObjectRef, Result]) -> tuple[Stage, list[Result]]:
    """The part of `stage` that may run after `results`, and a result for each action that may not.

    An object in a namespace, or of a kind, whose own apply failed has no chance.
    """
    failed = {ref for ref, result in results.items() if result.outcome in {Outcome.FAILED, Outcome.SKIPPED}}
    runnable: list[Action] = []
    skipped: list[Result] = []
    for action in stage.actions:
        missing = next((ref for ref in _prerequisites(action) if ref in failed), None)
        if missing is None:
            runnable.append(action)
        else:
            problem = Problem(Trouble.PREREQUISITE, f"{missing} was not applied", verb="apply")
            skipped.append(Result(action.ref, Outcome.SKIPPED, problem))
    return replace(stage, actions=tuple(runnable)), skipped


def is_complete(verdicts: Sequence[Verdict], results: Mapping[ObjectRef, Result]) -> bool:
    """Whether nothing failed or was left undone, so that what Git no longer has may go."""
    failed = any(verdict.bucket is Bucket.FAILED for verdict in verdicts)
    return not failed and all(result.outcome not in {Outcome.FAILED, Outcome.SKIPPED} for result in results.values())


def _prerequisites(action: Action) -> tuple[ObjectRef, ...]:
    ref, resource = action.ref, action.resource
    definition = f"{resource.plural}.{resource.group}"
    return (
        ObjectRef("", "Namespace", "", ref.namespace),
        ObjectRef("apiextensions.k8s.io", "CustomResourceDefinition", "", definition),
    )


def _chosen(actions: Sequence[Action], rank: int, *, deletions: bool) -> tuple[Action, ...]:
    chosen = [
        action
        for action in actions
        if (action.kind is ActionKind.DELETE) is deletions and _RANK.get(action.ref.kind, _WORKLOADS) == rank
    ]
    return tuple(sorted(chosen, key=lambda action: action.ref))


def _action(verdict: Verdict, resources: Mapping[ObjectRef, Resource]) -> Action | None:
    resource = resources.get(verdict.ref)
    kind = _kind(verdict)
    return None if resource is None or kind is None else Action(kind, resource, verdict)


def _kind(verdict: Verdict) -> ActionKind | None:
    if verdict.owner:
        return None  # it stays another tool's
    if verdict.is_reverted:
        return ActionKind.CONFIGURE
    if verdict.bucket in {Bucket.IN_SYNC, Bucket.IGNORED} and verdict.mend:
        return ActionKind.ADOPT
    if verdict.drift is None or verdict.is_contested:
        return None
    return _KINDS[verdict.drift.kind]
