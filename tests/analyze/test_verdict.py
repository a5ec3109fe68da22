"""One verdict for each object: where it is counted, and why."""

from dataclasses import replace
from typing import Any

import pytest
from objects import body_of, entry_of, live_of, manifest_of, ref, resource_of

from recon_action.analyze.claims import Claims
from recon_action.analyze.leave import Left
from recon_action.analyze.payload import payload_hash
from recon_action.analyze.verdict import Observation, judge, judge_member, once_created
from recon_action.model import (
    ABSENT,
    Body,
    Bucket,
    Cause,
    DriftKind,
    FieldChange,
    FieldPath,
    Handover,
    Inventory,
    LiveObject,
    Member,
    Problem,
    Severity,
    Trouble,
    Verdict,
)

_MANIFEST = manifest_of(body_of(namespace="shop", data={"a": "1"}))
_REF = _MANIFEST.ref
_EMPTY = Inventory("shop", "recon-system")
_ENTRY = entry_of({"f:data": {"f:a": {}}})
_LIVE = live_of(_MANIFEST.body, _ENTRY, label=_EMPTY.id)
_TIMEOUT = Problem(Trouble.UNREACHABLE, "no answer")


def _remembered(**member: str) -> Inventory:
    fields = {"uid": "uid-1", "payload_hash": payload_hash(_MANIFEST, resource_of())} | member
    return replace(_EMPTY, members={_REF: Member(_REF, **fields)})


def _judge(live: LiveObject | None, predicted: Body | None, inventory: Inventory = _EMPTY, **more: Any) -> Verdict:
    return judge(_MANIFEST, resource_of(), Observation(live, predicted, **more), inventory)


def _edited(*entries: Body) -> LiveObject:
    return live_of(_MANIFEST.body | {"data": {"a": "2"}}, *entries, label=_EMPTY.id)


def test_what_an_apply_would_not_change_is_in_sync() -> None:
    """The prediction equals live, bookkeeping included: nothing to say and nothing to do."""
    verdict = _judge(_LIVE, _LIVE.body, _remembered())
    assert (verdict.bucket, verdict.drift, verdict.mend, verdict.managed) == (Bucket.IN_SYNC, None, False, True)


def test_what_is_settled_needs_no_prediction() -> None:
    """Proven or remembered: in sync without a request, and remembered further."""
    verdict = _judge(_LIVE, None, _remembered(), settled=True, memo="hash")
    assert (verdict.bucket, verdict.mend, verdict.memo) == (Bucket.IN_SYNC, False, "hash")


def test_another_sets_object_is_never_settled() -> None:
    """The label outweighs any proof."""
    assert _judge(live_of(_MANIFEST.body, _ENTRY, label="applyset-b"), None, settled=True).bucket is Bucket.FAILED


@pytest.mark.parametrize(
    ("live", "managed"),
    [
        pytest.param(live_of(_MANIFEST.body), False, id="never-applied-by-us"),
        pytest.param(live_of(_MANIFEST.body, _ENTRY), True, id="label-stripped"),
        pytest.param(live_of(_MANIFEST.body, entry_of({"f:data": {}}), label=_EMPTY.id), True, id="entry-moved"),
        pytest.param(live_of(_MANIFEST.body, _ENTRY | {"apiVersion": "v2"}, label=_EMPTY.id), True, id="other-version"),
    ],
)
def test_a_missing_label_or_entry_is_mended_not_drift(live: LiveObject, *, managed: bool) -> None:
    """An object that is as Git says, but lacks our bookkeeping, is in sync all the same."""
    verdict = _judge(live, _LIVE.body)
    assert (verdict.bucket, verdict.mend, verdict.managed) == (Bucket.IN_SYNC, True, managed)


def test_a_prediction_without_our_entry_asks_for_mending() -> None:
    """Whatever the server answers, in sync without a doubt is only what carries our entry before and after."""
    assert _judge(_LIVE, live_of(_MANIFEST.body, label=_EMPTY.id).body).mend


@pytest.mark.parametrize(
    ("inventory", "bucket", "cause", "managed"),
    [
        pytest.param(_EMPTY, Bucket.PENDING, Cause.GIT, False, id="new-in-git"),
        pytest.param(_remembered(), Bucket.DRIFTED, Cause.UNKNOWN, True, id="deleted-by-someone"),
        pytest.param(_remembered(uid="", payload_hash=""), Bucket.PENDING, Cause.GIT, False, id="its-apply-failed"),
    ],
)
@pytest.mark.parametrize("predicted", [None, _MANIFEST.body], ids=["not-asked", "asked"])
def test_a_missing_object_is_pending_or_was_deleted(
    predicted: Body | None, inventory: Inventory, bucket: Bucket, cause: Cause, *, managed: bool
) -> None:
    """Only what we once applied can have been deleted; of an object we never applied, Git is ahead."""
    verdict = _judge(None, predicted, inventory)
    assert verdict.drift is not None
    assert (verdict.bucket, verdict.drift.kind, verdict.drift.cause) == (bucket, DriftKind.MISSING, cause)
    assert (verdict.managed, verdict.predicted) == (managed, predicted is not None)


@pytest.mark.parametrize(
    ("inventory", "entries", "bucket", "cause"),
    [
        pytest.param(_remembered(payload_hash="old"), (_ENTRY,), Bucket.PENDING, Cause.GIT, id="git-moved"),
        pytest.param(
            _remembered(),
            (entry_of({}), entry_of({"f:data": {"f:a": {}}}, "kubectl-edit", "Update")),
            Bucket.DRIFTED,
            Cause.MANUAL,
            id="a-hand",
        ),
        pytest.param(_EMPTY, (), Bucket.PENDING, Cause.GIT, id="never-applied"),
        pytest.param(_remembered(payload_hash=""), (_ENTRY,), Bucket.PENDING, Cause.GIT, id="nothing-remembered"),
        pytest.param(
            _remembered(payload_hash=""),
            (entry_of({"f:data": {"f:a": {}}}, "kubectl-edit", "Update"),),
            Bucket.PENDING,
            Cause.GIT,
            id="about-to-be-applied-over-a-hand",
        ),
    ],
)
def test_a_difference_is_pending_or_drift(
    inventory: Inventory, entries: tuple[Body, ...], bucket: Bucket, cause: Cause
) -> None:
    """Pending iff every change is Git's."""
    verdict = _judge(_edited(*entries), _LIVE.body, inventory)
    assert verdict.drift is not None
    assert (verdict.bucket, verdict.drift.kind, verdict.drift.cause) == (bucket, DriftKind.MODIFIED, cause)
    assert [(str(change.path), change.desired, change.live) for change in verdict.drift.changes] == [
        ("data.a", "1", "2")
    ]


@pytest.mark.parametrize(("subresources", "bucket"), [((), Bucket.DRIFTED), (("status",), Bucket.IN_SYNC)])
def test_status_is_judged_where_it_belongs_to_the_object(subresources: tuple[str, ...], bucket: Bucket) -> None:
    """Where status is a subresource, a controller's write to it is no difference."""
    predicted, live = _LIVE.body | {"status": {"a": 1}}, _LIVE.body | {"status": {"a": 2}}
    seen = Observation(LiveObject(_REF, live), predicted)
    resource = resource_of("ConfigMap", "v1", *subresources)
    assert judge(_MANIFEST, resource, seen, _EMPTY).bucket is bucket


@pytest.mark.parametrize("predicted", [None, _LIVE.body], ids=["unpredicted", "in-sync"])
def test_another_sets_object_is_refused(predicted: Body | None) -> None:
    """Its label names the set; two sets would fight over it, whatever its fields say."""
    verdict = _judge(live_of(_MANIFEST.body, _ENTRY, label="applyset-other"), predicted)
    assert verdict.problem is not None
    assert (verdict.bucket, verdict.problem.trouble) == (Bucket.FAILED, Trouble.FOREIGN)
    assert "applyset-other" in verdict.problem.message


@pytest.mark.parametrize(
    ("live", "problem"),
    [(None, _TIMEOUT), (_LIVE, _TIMEOUT), (_LIVE, None)],
    ids=["unread", "unpredicted", "never-asked"],
)
def test_what_could_not_be_read_is_never_in_sync(live: LiveObject | None, problem: Problem | None) -> None:
    """Without the server's word there is no verdict, only a failure with its reason."""
    verdict = _judge(live, None, problem=problem)
    assert (verdict.bucket, verdict.drift) == (Bucket.FAILED, None)
    assert verdict.problem is not None


_MEMBER = Member(_REF, "uid-1", "hash")


def _member(live: LiveObject | None, problem: Problem | None = None, declared: frozenset[str] = frozenset()) -> Any:
    return judge_member(_MEMBER, live, problem, applyset=_EMPTY.id, declared=declared)


@pytest.mark.parametrize("label", [_EMPTY.id, ""], ids=["labelled", "label-stripped"])
def test_what_git_no_longer_has_is_an_orphan(label: str) -> None:
    """In the inventory with this UID, and with our entry: ours to delete."""
    verdict = _member(live_of(_MANIFEST.body, _ENTRY, label=label))
    assert (verdict.bucket, verdict.drift.kind, verdict.drift.cause) == (Bucket.PENDING, DriftKind.ORPHANED, Cause.GIT)


def test_a_member_that_is_gone_is_no_verdict() -> None:
    """Neither Git nor the cluster has it."""
    assert _member(None) is None


def test_a_member_that_could_not_be_read_failed() -> None:
    """It must not be forgotten as if it were gone."""
    assert (_member(None, _TIMEOUT).bucket, _member(None, _TIMEOUT).problem) == (Bucket.FAILED, _TIMEOUT)


_OWNER = {"metadata": {**_MANIFEST.body["metadata"], "ownerReferences": [{"controller": True, "uid": "x"}]}}
_LOOSE_OWNER = {"metadata": {**_MANIFEST.body["metadata"], "ownerReferences": [{"uid": "x"}]}}
_DYING = {"metadata": {**_MANIFEST.body["metadata"], "deletionTimestamp": "2026-01-01T00:00:00Z"}}


@pytest.mark.parametrize(
    ("live", "reason"),
    [
        pytest.param(
            live_of(_MANIFEST.body, _ENTRY, uid="uid-2", label=_EMPTY.id), "created it anew", id="another-uid"
        ),
        pytest.param(live_of(_MANIFEST.body, label=_EMPTY.id), "our managedFields entry", id="copied-label"),
        pytest.param(live_of(_MANIFEST.body | _OWNER, _ENTRY), "a controller owns it", id="controller-owner"),
        pytest.param(live_of(_MANIFEST.body | _DYING, _ENTRY), "being deleted", id="terminating"),
        pytest.param(
            live_of(_MANIFEST.body, _ENTRY, label="applyset-b"), "another ApplySet now: applyset-b", id="moved"
        ),
    ],
)
def test_what_is_not_ours_is_never_deleted(live: LiveObject, reason: str) -> None:
    """A label proves nothing, since controllers copy labels; each doubt leaves the object alone, with a reason."""
    verdict = _member(live)
    assert (verdict.bucket, verdict.drift) == (Bucket.SKIPPED, None)
    assert reason in verdict.reason


def test_an_owner_that_is_no_controller_does_not_protect() -> None:
    """Only a controller would make the object anew."""
    assert _member(live_of(_MANIFEST.body | _LOOSE_OWNER, _ENTRY)).drift.kind is DriftKind.ORPHANED


def test_one_object_under_two_groups_is_one_object() -> None:
    """Git moved it from one API group to another: deleting the old name would delete what was just applied."""
    verdict = _member(live_of(_MANIFEST.body, _ENTRY), declared=frozenset({"uid-1"}))
    assert verdict.bucket is Bucket.SKIPPED
    assert "another group" in verdict.reason


def test_deleting_a_namespace_is_destructive() -> None:
    """The severity says so before the guard does."""
    body = body_of("Namespace", "shop")
    verdict = judge_member(Member(ref("Namespace", "shop")), live_of(body, _ENTRY), None, applyset=_EMPTY.id)
    assert verdict is not None
    assert verdict.drift is not None
    assert verdict.drift.severity is Severity.DESTRUCTIVE


def test_an_object_of_another_target_moves_here_if_that_one_is_named() -> None:
    """Label and entry are that target's; the object is in sync, and to be marked as ours."""
    other = Inventory("blog", "recon-system")
    live = live_of(_MANIFEST.body, _ENTRY, label=other.id)
    seen = Observation(live, _LIVE.body)
    verdict = judge(_MANIFEST, resource_of(), seen, _EMPTY, {other.id: "blog"})
    assert (verdict.bucket, verdict.mend, verdict.reason) == (Bucket.IN_SYNC, True, "it moves here from target blog")
    refused = judge(_MANIFEST, resource_of(), seen, _EMPTY, {Inventory("wiki", "recon-system").id: "wiki"})
    assert refused.problem is not None
    assert refused.problem.trouble is Trouble.FOREIGN
    assert "--adopt-from" in refused.problem.hint


def _beside(path: str, cause: Cause, *, additive: bool = False) -> FieldChange:
    return FieldChange(FieldPath(("data", path)), ABSENT, "1", cause, additive=additive)


_ADDED = _beside("z", Cause.MANUAL, additive=True)
_THEIRS = _beside("b", Cause.GIT)


@pytest.mark.parametrize("settled", [True, False])
def test_what_a_predecessor_left_is_a_difference(settled: bool) -> None:
    """Proven or predicted: an object in sync with Git may hold fields that a take-over removes."""
    handover = Handover(frozenset({("helm", "Update")}))
    claims = Claims((_THEIRS,), handover=handover, reason="why")
    verdict = _judge(_LIVE, None if settled else _LIVE.body, settled=settled, memo="hash", claims=claims)
    assert verdict.drift is not None
    assert (verdict.bucket, verdict.drift.changes, verdict.handover) == (Bucket.PENDING, (_THEIRS,), handover)
    assert (verdict.mend, verdict.memo, verdict.reason) == (False, "", "why")


def test_what_the_server_and_a_predecessor_say_is_one_difference() -> None:
    """And a person's hand outweighs Git."""
    verdict = _judge(
        _edited(entry_of({"f:data": {"f:a": {}}}, "kubectl-edit", "Update")),
        _LIVE.body,
        _remembered(),
        claims=Claims((_THEIRS,)),
    )
    assert verdict.drift is not None
    assert [str(change.path) for change in verdict.drift.changes] == ["data.a", "data.b"]
    assert (verdict.bucket, verdict.drift.cause) == (Bucket.DRIFTED, Cause.MANUAL)


@pytest.mark.parametrize(
    ("handover", "mend"),
    [
        pytest.param(Handover(frozenset({("helm", "Update")})), True, id="entry"),
        pytest.param(Handover(drop_annotations=("copy",)), True, id="copy"),
        pytest.param(Handover(take={"f:data": {"f:z": {}}}), False, id="reversal"),
        pytest.param(None, False, id="nothing"),
    ],
)
def test_a_predecessor_without_fields_of_its_own_is_mended(handover: Handover | None, mend: bool) -> None:
    """Its entry and its copy go, and the object stays in sync; what is reverted is no mending."""
    verdict = _judge(_LIVE, _LIVE.body, claims=Claims(handover=handover))
    assert (verdict.bucket, verdict.mend, verdict.handover) == (Bucket.IN_SYNC, mend, handover)


def test_what_was_added_leaves_the_bucket_alone() -> None:
    """It is told beside it, with a severity of its own, and is a difference only if it is to go."""
    told = _judge(_LIVE, None, settled=True, claims=Claims(additive=(_ADDED,)))
    assert told.additive is not None
    assert (told.bucket, told.drift, told.additive.changes) == (Bucket.IN_SYNC, None, (_ADDED,))
    assert (told.additive.cause, told.additive.severity, told.is_reverted) == (Cause.MANUAL, Severity.SPEC, False)
    assert _judge(_LIVE, None, settled=True, claims=Claims(additive=(_ADDED,), reverts=True)).is_reverted
    assert not _judge(_LIVE, None, settled=True, claims=Claims(reverts=True)).is_reverted


def test_an_owner_s_object_is_nothing_to_mend() -> None:
    """It keeps its bucket and its difference, and names its owner."""
    unlabelled = live_of(_MANIFEST.body)
    verdict = _judge(unlabelled, _LIVE.body, claims=Claims(owner="argocd", reason="Argo CD manages it"))
    assert (verdict.bucket, verdict.mend, verdict.owner) == (Bucket.IN_SYNC, False, "argocd")
    different = _judge(unlabelled, _LIVE.body, claims=Claims((_THEIRS,), owner="argocd"))
    assert (different.bucket, different.owner) == (Bucket.PENDING, "argocd")


_ADMITTED = live_of(_MANIFEST.body | {"data": {"a": "theirs"}}, _ENTRY, label=_EMPTY.id)
_UNMARKED = live_of(_MANIFEST.body | {"data": {"a": "theirs"}}, _ENTRY)
_HELM = Handover(frozenset({("helm", "Update")}))


@pytest.mark.parametrize(
    ("live", "claims", "owner"),
    [
        pytest.param(_ADMITTED, Claims(), "mutating admission", id="nothing-else-to-do"),
        pytest.param(_UNMARKED, Claims(), "", id="not-marked-as-ours"),
        pytest.param(_ADMITTED, Claims((_THEIRS,), handover=_HELM), "", id="taken-over"),
        pytest.param(_UNMARKED, Claims(owner="argocd", reason="Argo CD manages it"), "argocd", id="another-tool-s"),
    ],
)
def test_what_admission_overrides_is_told_and_not_applied_for_its_own_sake(
    live: LiveObject, claims: Claims, owner: str
) -> None:
    """No apply mends it; but what else there is to do is done, and told beside it."""
    verdict = _judge(live, _ADMITTED.body, _remembered(), admitted=_MANIFEST.body, claims=claims)
    assert verdict.drift is not None
    assert (verdict.bucket, verdict.is_overridden, verdict.owner) == (Bucket.DRIFTED, True, owner)
    assert [str(change.path) for change in verdict.drift.changes] == ["data.a"] + ["data.b"] * bool(claims.changes)
    assert verdict.reason.startswith("overridden by admission")
    assert verdict.reason.endswith(claims.reason)


@pytest.mark.parametrize(
    ("predicted", "told"),
    [
        pytest.param({"a": "theirs", "b": "1"}, {"data.b": "1", "data.a": "1"}, id="beside-what-an-apply-changes"),
        pytest.param({"a": "others", "b": "2"}, {"data.a": "others"}, id="an-apply-would-change-it-again"),
    ],
)
def test_what_admission_overrides_beside_a_difference(predicted: Body, told: dict[str, str]) -> None:
    """It is applied for the difference's sake, and remains overridden; a field is told once."""
    manifest = manifest_of(_MANIFEST.body | {"data": {"a": "1", "b": predicted["b"]}})
    live = live_of(_MANIFEST.body | {"data": {"a": "theirs", "b": "2"}}, _ENTRY, label=_EMPTY.id)
    seen = Observation(live, live.body | {"data": predicted}, admitted=manifest.body)
    verdict = judge(manifest, resource_of(), seen, _remembered())
    assert verdict.drift is not None
    assert {str(change.path): change.desired for change in verdict.drift.changes} == told
    assert (verdict.is_overridden, verdict.owner) == (True, "")


def test_what_rules_hide_is_counted_beside_what_admission_overrides() -> None:
    """The one is ignored, the other isn't."""
    hidden = {FieldPath(("data", "h")): "theirs"}
    left = Left({}, {}, {}, {}, is_owned=False, uid="uid-1", version="", fields=frozenset(hidden), hidden=hidden)
    verdict = _judge(_ADMITTED, _ADMITTED.body, _remembered(), admitted=_MANIFEST.body, left=left)
    assert (verdict.bucket, [str(path) for path in verdict.hidden]) == (Bucket.DRIFTED, ["data.h"])
    assert "ignored: data.h (theirs)" in verdict.reason


def test_what_an_owner_manages_now_is_not_deleted() -> None:
    """Unless it is to be replaced."""
    body = body_of(namespace="shop", metadata={"annotations": {"argocd.argoproj.io/tracking-id": "shop"}})
    member, live = Member(_REF, "uid-1"), live_of(body, _ENTRY, label=_EMPTY.id)
    left = judge_member(member, live, None, applyset=_EMPTY.id)
    assert left is not None
    assert (left.bucket, left.reason) == (Bucket.SKIPPED, "Argo CD manages it now (shop); left alone")
    gone = judge_member(member, live, None, applyset=_EMPTY.id, take_over=frozenset({"argocd"}))
    assert gone is not None
    assert gone.bucket is Bucket.PENDING


@pytest.mark.parametrize(
    ("stored", "reason"),
    [
        pytest.param({"a": "1"}, "why", id="as Git has it"),
        pytest.param({"a": "2"}, "why; data.a: overridden by admission", id="overridden"),
    ],
)
def test_a_new_object_is_looked_at_once_it_is_stored(stored: Body, reason: str) -> None:
    """Of a missing object no prediction tells what admission makes of it."""
    verdict = Verdict(_REF, Bucket.PENDING, _MANIFEST, reason="why")
    found = once_created(verdict, _MANIFEST.body, _MANIFEST.body | {"data": stored}, built_in=True)
    assert found.is_overridden is (stored != {"a": "1"})
    assert found.reason.startswith(reason)
