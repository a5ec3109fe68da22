"""What is done, in which order, and what has no chance."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from objects import body_of, ref, resource_of, verdict_of

from recon_action.analyze.plan import is_complete, plan, unmet
from recon_action.model import (
    ActionKind,
    Bucket,
    Cause,
    DriftKind,
    Handover,
    ObjectDrift,
    ObjectRef,
    Outcome,
    Resource,
    Result,
    Severity,
    Stage,
    Trouble,
    Verdict,
)

_ADDED = ObjectDrift(ref("Secret"), DriftKind.MODIFIED, Cause.MANUAL, Severity.SPEC)
_CRD = "apiextensions.k8s.io/v1"
_RBAC = "rbac.authorization.k8s.io/v1"
_ADMISSION = "admissionregistration.k8s.io/v1"
# Kinds in an order that is wrong, with what each of them needs.
_APIS = {
    "ValidatingWebhookConfiguration": _ADMISSION,
    "Widget": "example.com/v1",
    "RoleBinding": _RBAC,
    "Deployment": "apps/v1",
    "Secret": "v1",
    "Role": _RBAC,
    "CustomResourceDefinition": _CRD,
    "ServiceAccount": "v1",
    "Namespace": "v1",
}
_NEEDS = {
    "Deployment": {"Namespace", "Secret", "ServiceAccount"},
    "Role": {"Namespace"},
    "RoleBinding": {"Namespace", "Role", "ServiceAccount"},
    "Secret": {"Namespace"},
    "ServiceAccount": {"Namespace"},
    "ValidatingWebhookConfiguration": {"Deployment"},
    "Widget": {"CustomResourceDefinition", "Namespace"},
}


def _verdict(kind: str, drift: DriftKind | None, name: str = "web") -> Verdict:
    return verdict_of(body_of(kind, name, api=_APIS[kind]), drift, orphan=drift is DriftKind.ORPHANED)


def _resources(*verdicts: Verdict) -> dict[ObjectRef, Resource]:
    return {verdict.ref: resource_of(verdict.ref.kind, _APIS[verdict.ref.kind]) for verdict in verdicts}


def _plan(*verdicts: Verdict, prune: bool = True) -> tuple[Stage, ...]:
    return plan(verdicts, _resources(*verdicts), prune=prune)


def test_stages_follow_what_needs_what() -> None:
    """Definitions, foundations, bindings, workloads, admission; only the first is waited for."""
    stages = _plan(*(_verdict(kind, DriftKind.MISSING) for kind in _APIS))
    assert [(stage.name, [action.ref.kind for action in stage.actions], stage.barrier) for stage in stages] == [
        ("definitions", ["Namespace", "CustomResourceDefinition"], True),
        ("foundations", ["Secret", "ServiceAccount", "Role"], False),
        ("bindings", ["RoleBinding"], False),
        ("workloads", ["Deployment", "Widget"], False),
        ("admission", ["ValidatingWebhookConfiguration"], False),
    ]


def test_deletion_runs_in_reverse() -> None:
    """Webhook configurations go first, or they would judge the end of their own backend."""
    stages = _plan(*(_verdict(kind, DriftKind.ORPHANED) for kind in _APIS))
    assert [stage.name for stage in stages] == [
        "prune admission",
        "prune workloads",
        "prune bindings",
        "prune foundations",
        "prune definitions",
    ]


def test_without_prune_nothing_is_deleted() -> None:
    """Orphans stay, the rest is done."""
    stages = _plan(_verdict("Secret", DriftKind.ORPHANED), _verdict("Role", DriftKind.MISSING), prune=False)
    assert [action.kind for stage in stages for action in stage.actions] == [ActionKind.CREATE]


@pytest.mark.parametrize(
    ("verdict", "kind"),
    [
        pytest.param(_verdict("Secret", DriftKind.MISSING), ActionKind.CREATE, id="missing"),
        pytest.param(_verdict("Secret", DriftKind.MODIFIED), ActionKind.CONFIGURE, id="modified"),
        pytest.param(_verdict("Secret", DriftKind.ORPHANED), ActionKind.DELETE, id="orphaned"),
        pytest.param(verdict_of(body_of("Secret"), mend=True), ActionKind.ADOPT, id="in-sync-but-not-ours-yet"),
        pytest.param(verdict_of(body_of("Secret")), None, id="in-sync"),
        pytest.param(verdict_of(body_of("Secret"), additive=_ADDED), None, id="added-to"),
        pytest.param(
            verdict_of(body_of("Secret"), additive=_ADDED, handover=Handover(take={"f:x": {}})),
            ActionKind.CONFIGURE,
            id="added-to-and-reverted",
        ),
        pytest.param(verdict_of(body_of("Secret"), DriftKind.MODIFIED, owner="argocd"), None, id="another-tool-s"),
        pytest.param(verdict_of(body_of("Secret"), bucket=Bucket.FAILED), None, id="failed"),
        pytest.param(verdict_of(body_of("Secret"), bucket=Bucket.SKIPPED, mend=True), None, id="skipped"),
    ],
)
def test_each_verdict_has_its_action(verdict: Verdict, kind: ActionKind | None) -> None:
    """What failed, is skipped or is in sync is not touched."""
    actions = [action.kind for stage in _plan(verdict) for action in stage.actions]
    assert actions == ([kind] if kind else [])


def test_what_has_no_kind_has_no_action() -> None:
    """An object whose kind the server doesn't know can't be sent."""
    assert plan([_verdict("Widget", DriftKind.MISSING)], {}, prune=True) == ()


_VERDICTS = st.lists(
    st.tuples(st.sampled_from(sorted(_APIS)), st.sampled_from(DriftKind), st.sampled_from("abc")),
    max_size=12,
    unique_by=lambda chosen: (chosen[0], chosen[2]),
).map(lambda chosen: [_verdict(*one) for one in chosen])


@given(_VERDICTS)
def test_order_holds_for_every_mix(verdicts: list[Verdict]) -> None:
    """Everything once; what is needed comes before its users, goes after them; prune and desired never meet."""
    stages = _plan(*verdicts)
    place = {action.ref: number for number, stage in enumerate(stages) for action in stage.actions}
    deleted = {action.ref for stage in stages if stage.is_prune for action in stage.actions}
    assert sorted(place) == sorted(verdict.ref for verdict in verdicts)
    assert sum(len(stage.actions) for stage in stages) == len(verdicts)
    assert deleted == {verdict.ref for verdict in verdicts if verdict.manifest is None}
    assert all({action.kind is ActionKind.DELETE for action in stage.actions} == {stage.is_prune} for stage in stages)
    for user, needed in permutations(place, 2):
        if needed.kind in _NEEDS.get(user.kind, ()):
            if needed in deleted:
                assert place[user] < place[needed]
            elif user not in deleted:
                assert place[needed] < place[user]


def _stage(kind: str, api: str, namespace: str = "") -> Stage:
    verdict = verdict_of(body_of(kind, api=api, namespace=namespace), DriftKind.MISSING)
    (stage,) = plan([verdict], {verdict.ref: resource_of(kind, api)}, prune=False)
    return stage


_WIDGETS = ref("CustomResourceDefinition", "widgets.example.com", group="apiextensions.k8s.io")


@pytest.mark.parametrize(
    ("stage", "needed"),
    [
        pytest.param(_stage("Deployment", "apps/v1", "shop"), ref("Namespace", "shop"), id="namespace"),
        pytest.param(_stage("Widget", "example.com/v1", "shop"), _WIDGETS, id="definition"),
    ],
)
@pytest.mark.parametrize("outcome", Outcome)
def test_what_needs_something_that_was_not_applied_is_skipped(
    stage: Stage, needed: ObjectRef, outcome: Outcome
) -> None:
    """A failure skips its dependents, with the reason; nothing else does."""
    runnable, skipped = unmet(stage, {needed: Result(needed, outcome)})
    if outcome in {Outcome.FAILED, Outcome.SKIPPED}:
        assert runnable.actions == ()
        (result,) = skipped
        assert result.problem is not None
        assert (result.outcome, result.problem.trouble) == (Outcome.SKIPPED, Trouble.PREREQUISITE)
        assert str(needed) in result.problem.message
    else:
        assert (runnable, skipped) == (stage, [])


def test_a_failure_elsewhere_skips_nothing() -> None:
    """Another namespace, or a cluster-scoped object beside a failed namespace, goes on."""
    shop = ref("Namespace", "shop")
    failed = {shop: Result(shop, Outcome.FAILED)}
    for stage in (_stage("Deployment", "apps/v1", "blog"), _stage("ClusterRole", _RBAC)):
        assert unmet(stage, failed) == (stage, [])


@pytest.mark.parametrize(
    ("bucket", "outcome", "complete"),
    [
        (Bucket.PENDING, Outcome.CREATED, True),
        (Bucket.SKIPPED, Outcome.UNCHANGED, True),
        (Bucket.FAILED, Outcome.CREATED, False),
        (Bucket.PENDING, Outcome.FAILED, False),
        (Bucket.PENDING, Outcome.SKIPPED, False),
    ],
)
def test_is_complete(bucket: Bucket, outcome: Outcome, complete: bool) -> None:
    """Only if everything was judged and done may anything be deleted."""
    verdict = verdict_of(body_of(), bucket=bucket)
    assert is_complete([verdict], {verdict.ref: Result(verdict.ref, outcome)}) is complete
    assert is_complete([verdict], {}) is (bucket is not Bucket.FAILED)
