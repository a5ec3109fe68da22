"""What is done, in which stages, and what has no chance."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from objects import body_of, live_of, ref, resource_of, verdict_of

from recon_action.analyze.plan import Obstacle, failed, is_complete, lingering, plan, undone, unmet, unready
from recon_action.errors import DesiredError
from recon_action.model import (
    Action,
    ActionKind,
    Body,
    Bucket,
    Cause,
    Directives,
    DriftKind,
    FieldChange,
    FieldPath,
    ObjectDrift,
    ObjectRef,
    Outcome,
    Problem,
    Resource,
    Result,
    Severity,
    Stage,
    Trouble,
    Verdict,
    ref_of,
)

_ADDED = ObjectDrift(ref("Secret"), DriftKind.MODIFIED, Cause.MANUAL, Severity.SPEC)
_FIXED = Problem(Trouble.IMMUTABLE, "type: field is immutable")
_RBAC = "rbac.authorization.k8s.io/v1"
_POD = {
    "serviceAccountName": "web",
    "containers": [{"name": "a", "envFrom": [{"secretRef": {"name": "web"}}]}],
}
# One application, in an order that is wrong; each object is of another kind.
_APP: dict[str, Body] = {
    body["kind"]: body
    for body in (
        body_of(
            "ValidatingWebhookConfiguration",
            "hook",
            api="admissionregistration.k8s.io/v1",
            webhooks=[{"clientConfig": {"service": {"name": "web", "namespace": "shop"}}}],
        ),
        body_of("Widget", "one", api="example.com/v1", namespace="shop"),
        body_of(
            "RoleBinding",
            "web",
            api=_RBAC,
            namespace="shop",
            roleRef={"kind": "Role", "name": "web"},
            subjects=[{"kind": "ServiceAccount", "name": "web"}],
        ),
        body_of(
            "Deployment",
            "web",
            api="apps/v1",
            namespace="shop",
            spec={"template": {"metadata": {"labels": {"app": "web"}}, "spec": _POD}},
        ),
        body_of("Service", "web", namespace="shop", spec={"selector": {"app": "web"}}),
        body_of("Secret", "web", namespace="shop"),
        body_of("Role", "web", api=_RBAC, namespace="shop"),
        body_of(
            "CustomResourceDefinition",
            "widgets.example.com",
            api="apiextensions.k8s.io/v1",
            spec={"group": "example.com", "names": {"kind": "Widget"}},
        ),
        body_of("ServiceAccount", "web", namespace="shop"),
        body_of("Namespace", "shop"),
    )
}
_NEEDS = {
    "Deployment": {"Namespace", "Secret", "ServiceAccount", "RoleBinding"},
    "Role": {"Namespace"},
    "RoleBinding": {"Namespace", "Role", "ServiceAccount"},
    "Secret": {"Namespace"},
    "Service": {"Namespace"},
    "ServiceAccount": {"Namespace"},
    "ValidatingWebhookConfiguration": {"Deployment", "Service"},
    "Widget": {"CustomResourceDefinition", "Namespace"},
}
_AWAITS = {
    **{kind: {"Namespace"} for kind in _NEEDS},
    "ValidatingWebhookConfiguration": {"Deployment"},
    "Widget": {"CustomResourceDefinition", "Namespace"},
}


def _verdict(kind: str, drift: DriftKind | None, **more: Any) -> Verdict:
    body = _APP[kind]
    if drift is DriftKind.ORPHANED:
        return verdict_of(body, drift, orphan=True, live=live_of(body), **more)
    return verdict_of(body, drift, **more)


def _resources(*verdicts: Verdict) -> dict[ObjectRef, Resource]:
    return {verdict.ref: resource_of(verdict.ref.kind, f"{verdict.ref.group}/v1") for verdict in verdicts}


def _plan(*verdicts: Verdict, prune: bool = True) -> tuple[Stage, ...]:
    return plan(verdicts, _resources(*verdicts), prune=prune)


def _kinds(stage: Stage) -> set[str]:
    return {action.ref.kind for action in stage.actions}


def test_stages_follow_what_needs_what() -> None:
    """As few as there can be; each waits for what its objects need to be ready."""
    stages = _plan(*(_verdict(kind, DriftKind.MISSING) for kind in _APP))
    assert [(stage.name, _kinds(stage), {one.kind for one in stage.ready}) for stage in stages] == [
        ("stage 1 of 5", {"Namespace", "CustomResourceDefinition"}, set()),
        (
            "stage 2 of 5",
            {"Role", "Secret", "Service", "ServiceAccount", "Widget"},
            {"Namespace", "CustomResourceDefinition"},
        ),
        ("stage 3 of 5", {"RoleBinding"}, {"Namespace"}),
        ("stage 4 of 5", {"Deployment"}, {"Namespace"}),
        ("stage 5 of 5", {"ValidatingWebhookConfiguration"}, {"Deployment"}),
    ]


def test_an_action_knows_what_it_needs_and_awaits() -> None:
    """What the reasons of a skip, and a plan that is shown whole, are made of."""
    stages = _plan(*(_verdict(kind, DriftKind.MISSING) for kind in _APP))
    actions = {action.ref.kind: action for stage in stages for action in stage.actions}
    assert {kind: {one.kind for one in action.needs} for kind, action in actions.items() if action.needs} == _NEEDS
    assert {kind: {one.kind for one in action.awaits} for kind, action in actions.items() if action.awaits} == _AWAITS


def test_deletion_runs_in_reverse() -> None:
    """Webhook configurations go first, or they would judge the end of their own backend; nothing is waited for."""
    stages = _plan(*(_verdict(kind, DriftKind.ORPHANED) for kind in _APP))
    assert [(stage.name, _kinds(stage)) for stage in stages] == [
        ("prune stage 1 of 5", {"ValidatingWebhookConfiguration"}),
        ("prune stage 2 of 5", {"Deployment", "Service", "Widget"}),
        ("prune stage 3 of 5", {"CustomResourceDefinition", "RoleBinding", "Secret"}),
        ("prune stage 4 of 5", {"Role", "ServiceAccount"}),
        ("prune stage 5 of 5", {"Namespace"}),
    ]
    assert not any(stage.ready for stage in stages)


def test_deletions_come_after_all_applies() -> None:
    """What is new may be what makes the old one go."""
    stages = _plan(_verdict("Secret", DriftKind.ORPHANED), _verdict("Role", DriftKind.MISSING))
    assert [stage.is_prune for stage in stages] == [False, True]


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
            verdict_of(body_of("Secret"), additive=_ADDED, is_reverted=True),
            ActionKind.CONFIGURE,
            id="added-to-and-reverted",
        ),
        pytest.param(verdict_of(body_of("Secret"), DriftKind.MODIFIED, owner="argocd"), None, id="another-tool-s"),
        pytest.param(_verdict("Secret", DriftKind.MODIFIED, immutable=_FIXED), ActionKind.LEAVE, id="unchangeable"),
        pytest.param(
            _verdict("Secret", DriftKind.MODIFIED, immutable=_FIXED, recreate=True), ActionKind.RECREATE, id="recreated"
        ),
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


_WAVE = st.sampled_from([-1, 0, 0, 0, 2])
_DRAWN = st.dictionaries(
    st.sampled_from(sorted(_APP)), st.tuples(st.sampled_from([*DriftKind, None]), _WAVE), max_size=len(_APP)
)


@given(_DRAWN)
def test_order_holds_for_every_mix(drawn: Mapping[str, tuple[DriftKind | None, int]]) -> None:
    """Every action once; what is needed comes before its users, goes after them; prune and desired never meet."""
    verdicts = [
        _verdict(kind, drift, directives=Directives(wave=wave if drift is DriftKind.ORPHANED else 0))
        for kind, (drift, wave) in drawn.items()
    ]
    stages = _plan(*verdicts)
    place = {action.ref: number for number, stage in enumerate(stages) for action in stage.actions}
    deleted = {action.ref for stage in stages if stage.is_prune for action in stage.actions}
    assert sorted(place) == sorted(verdict.ref for verdict in verdicts if verdict.drift)
    assert sum(len(stage.actions) for stage in stages) == len(place)
    assert deleted == {verdict.ref for verdict in verdicts if verdict.manifest is None}
    assert all({action.kind is ActionKind.DELETE for action in stage.actions} == {stage.is_prune} for stage in stages)
    waves = {verdict.ref: verdict.directives.wave for verdict in verdicts}
    for user, needed in permutations(place, 2):
        if needed.kind not in _NEEDS.get(user.kind, ()):
            continue
        if {user, needed} <= deleted:
            if needed.kind == "Deployment" and ref_of(_APP["Service"]) not in deleted:
                continue  # nothing says that the one stands behind the other
            firm = needed.kind in {"Namespace", "CustomResourceDefinition"}
            assert place[user] < place[needed] or (not firm and waves[user] < waves[needed])
        elif user not in deleted and needed not in deleted:
            assert place[needed] < place[user]


def test_a_wave_waits_for_all_of_the_waves_before() -> None:
    """Also for what has nothing to do, and for what nobody needs; not for what is another tool's, or has failed."""

    def config(name: str, wave: int, drift: DriftKind | None = DriftKind.MISSING, **more: Any) -> Verdict:
        return verdict_of(body_of(name=name), drift, **({"directives": Directives(wave=wave)} | more))

    stages = _plan(
        config("first", -2),
        config("stands", -1, None),
        config("theirs", -1, DriftKind.MODIFIED, owner="flux"),
        config("broken", -1, None, bucket=Bucket.FAILED),
        config("a", 0),
        config("waits", 0, directives=Directives(depends_on=(ref(name="a"),))),
        config("last", 7),
    )
    assert [({action.ref.name for action in stage.actions}, {one.name for one in stage.ready}) for stage in stages] == [
        ({"first"}, set()),
        ({"a"}, {"first", "stands"}),
        ({"waits"}, {"a"}),
        ({"last"}, {"a", "waits"}),
    ]


def test_the_first_stage_may_have_to_wait() -> None:
    """What comes before it needs no action, but may not be ready."""
    below = verdict_of(body_of(name="below"), directives=Directives(wave=-1))
    asked = verdict_of(body_of(name="asked"))
    new = verdict_of(body_of(name="new"), DriftKind.MISSING, directives=Directives(depends_on=(asked.ref,)))
    (stage,) = _plan(below, asked, new)
    assert stage.ready == {below.ref, asked.ref}
    assert stage.actions[0].awaits == {asked.ref}


@pytest.mark.parametrize("drift", [DriftKind.MISSING, None], ids=["something-to-do", "in-sync"])
def test_an_impossible_order_is_an_error_whatever_there_is_to_do(drift: DriftKind | None) -> None:
    """A diff says today what an apply would say tomorrow."""
    body = body_of(name="a")
    with pytest.raises(DesiredError, match="wait for each other"):
        _plan(verdict_of(body, drift, directives=Directives(depends_on=(ref_of(body),))))


def test_what_is_passed_over_orders_nothing() -> None:
    """A hook of another tool is never applied: whoever waited for it would wait for ever."""
    hook = verdict_of(
        body_of(name="hook"),
        bucket=Bucket.SKIPPED,
        directives=Directives(skip="argocd.argoproj.io/hook: Sync", wave=-9, depends_on=(ref(name="hook"),)),
    )
    new = verdict_of(body_of(name="new"), DriftKind.MISSING, directives=Directives(depends_on=(hook.ref,)))
    (stage,) = _plan(hook, new)
    assert (stage.ready, stage.actions[0].needs) == (frozenset(), frozenset())


_WEB = ref("Deployment", "web", "shop")
_DONE = Problem(Trouble.PREREQUISITE, "Secret shop/a was not applied", verb="apply")


def _stage(*needs: ObjectRef, awaits: tuple[ObjectRef, ...] = (), wave: int = 0, **more: Any) -> Stage:
    verdict = verdict_of(body_of(), DriftKind.MISSING, directives=Directives(wave=wave))
    kind = more.get("kind", ActionKind.CREATE)
    return Stage("", (Action(kind, resource_of(), verdict, frozenset(needs), frozenset(awaits)),))


@pytest.mark.parametrize(
    ("stage", "obstacle", "runs"),
    [
        pytest.param(_stage(_WEB), Obstacle(_DONE), False, id="needed"),
        pytest.param(_stage(awaits=(_WEB,)), Obstacle(_DONE), False, id="awaited"),
        pytest.param(_stage(), Obstacle(_DONE), True, id="neither"),
        pytest.param(_stage(_WEB), Obstacle(_DONE, only_unready=True), True, id="needed-but-only-unready"),
        pytest.param(_stage(awaits=(_WEB,)), Obstacle(_DONE, only_unready=True), False, id="awaited-and-unready"),
        pytest.param(_stage(wave=1), Obstacle(_DONE), False, id="lower-wave"),
        pytest.param(_stage(wave=1), Obstacle(_DONE, only_unready=True), False, id="lower-wave-unready"),
        pytest.param(_stage(wave=1), Obstacle(_DONE, wave=1), True, id="same-wave"),
        pytest.param(_stage(wave=0), Obstacle(_DONE, wave=1), True, id="higher-wave"),
        pytest.param(_stage(wave=0, kind=ActionKind.DELETE), Obstacle(_DONE, wave=1), False, id="deletion-below"),
        pytest.param(_stage(wave=1, kind=ActionKind.DELETE), Obstacle(_DONE, wave=0), True, id="deletion-above"),
    ],
)
def test_an_obstacle_skips_what_comes_after_it(stage: Stage, obstacle: Obstacle, runs: bool) -> None:
    """With the reason; nothing else is skipped."""
    runnable, skipped = unmet(stage, {_WEB: obstacle})
    if runs:
        assert (runnable, skipped) == (stage, [])
    else:
        assert runnable == replace(stage, actions=())
        assert skipped == [Result(stage.actions[0].ref, Outcome.SKIPPED, _DONE)]


@pytest.mark.parametrize("outcome", Outcome)
def test_what_was_not_done_is_an_obstacle(outcome: Outcome) -> None:
    """Whatever was skipped for another's failure names that one, so that a chain names what broke it."""
    stage = _stage(wave=3)
    of = stage.actions[0].ref
    found = undone(stage, {of: Result(of, outcome, _DONE)})
    if outcome is Outcome.SKIPPED:
        assert found == {of: Obstacle(_DONE, 3)}
    elif outcome is Outcome.FAILED:
        assert found == {of: Obstacle(Problem(Trouble.PREREQUISITE, f"{of} was not applied", verb="apply"), 3)}
    else:
        assert found == {}


def test_a_deletion_that_failed_is_an_obstacle_to_deletions() -> None:
    """What was skipped for no failure is one as well; what has no result yet is none."""
    stage = _stage(kind=ActionKind.DELETE)
    of = stage.actions[0].ref
    problem = Problem(Trouble.PREREQUISITE, f"{of} was not deleted", verb="delete")
    assert undone(stage, {of: Result(of, Outcome.FAILED)}) == {of: Obstacle(problem)}
    assert undone(stage, {of: Result(of, Outcome.SKIPPED)}) == {of: Obstacle(problem)}
    assert undone(stage, {}) == {}


def test_what_can_not_be_applied_is_an_obstacle_from_the_start() -> None:
    """What only the inventory knows is none: nothing in Git needs it."""
    bad = verdict_of(body_of(name="bad"), bucket=Bucket.FAILED, directives=Directives(wave=2))
    gone = verdict_of(body_of(name="gone"), bucket=Bucket.FAILED, orphan=True)
    problem = Problem(Trouble.PREREQUISITE, "ConfigMap bad was not applied", verb="apply")
    assert failed([bad, gone, verdict_of(body_of())]) == {bad.ref: Obstacle(problem, 2)}
    user = verdict_of(body_of(name="user"), DriftKind.MISSING, directives=Directives(wave=2, depends_on=(bad.ref,)))
    (stage,) = _plan(bad, user)
    assert unmet(stage, failed([bad])) == (replace(stage, actions=()), [Result(user.ref, Outcome.SKIPPED, problem)])


@pytest.mark.parametrize(
    ("why", "message"), [("0 of 1", "ConfigMap web is not ready: 0 of 1"), ("", "web is not ready")]
)
def test_what_is_not_ready_in_time_is_told_with_its_reason(why: str, message: str) -> None:
    """And with what gives it longer."""
    obstacle = unready(verdict_of(body_of(), directives=Directives(wave=4)), why)
    assert (obstacle.wave, obstacle.only_unready) == (4, True)
    assert obstacle.problem.message.endswith(message)
    assert "--timeout" in obstacle.problem.hint


def test_what_is_not_gone_is_told_with_its_reason() -> None:
    """Whatever it is in the way of; it hinders all that it stands on."""
    obstacle = lingering(verdict_of(body_of(), orphan=True, directives=Directives(wave=4)), "x/clean-up is left")
    assert (obstacle.wave, obstacle.only_unready) == (4, False)
    assert obstacle.problem.message == "ConfigMap web is not gone: x/clean-up is left"
    assert lingering(verdict_of(body_of()), "").problem.message == "ConfigMap web is not gone"


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


@pytest.mark.parametrize(("fields", "kind"), [(1, None), (2, ActionKind.CONFIGURE)])
def test_nothing_is_done_for_contested_fields_alone(fields: int, kind: ActionKind | None) -> None:
    """With another field beside them the object is applied."""
    changes = tuple(FieldChange(FieldPath(("data", name)), "1", "2", Cause.MANUAL) for name in "ab"[:fields])
    drift = ObjectDrift(ref(), DriftKind.MODIFIED, Cause.MANUAL, Severity.SPEC, changes)
    verdict = replace(verdict_of(body_of()), bucket=Bucket.DRIFTED, drift=drift, contested=(changes[0].path,))
    stages = _plan(verdict)
    assert [action.kind for stage in stages for action in stage.actions] == ([kind] if kind else [])
