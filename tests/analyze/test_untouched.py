"""Objects that are left as they are, and the verdict on them."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from objects import body_of, entry_of, live_of, manifest_of, ref, resource_of, verdict_of

from recon_action.analyze.claims import Claims
from recon_action.analyze.directives import NOTHING, asked_of
from recon_action.analyze.hold import HOLD
from recon_action.analyze.untouched import UNMARKED, standing_orphan, standings, unobserved, with_homes
from recon_action.analyze.verdict import Observation, judge, judge_member, judge_unknown
from recon_action.model import (
    Body,
    Bucket,
    Directives,
    DriftKind,
    Handover,
    Inventory,
    LiveObject,
    Member,
    ObjectRef,
    Problem,
    Severity,
    Trouble,
    Verdict,
)

_NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
_STANDING, _OVER, _BROKEN = "2026-12-01T13:00:00Z on call", "2026-12-01T11:00:00Z on call", "tomorrow"
_HELD = "held until 2026-12-01 13:00:00 UTC: on call"
_ENDED = "its hold ended at 2026-12-01 11:00:00 UTC"
_EMPTY = Inventory("shop", "recon-system")
_SKIP = ("kustomize.toolkit.fluxcd.io/reconcile", "disabled")
_ONCE = ("client.lifecycle.config.k8s.io/mutation", "ignore")
_KEEP = ("helm.sh/resource-policy", "keep")
_PRUNE = ("argocd.argoproj.io/sync-options", "Prune=false")
_CONFIRM = ("argocd.argoproj.io/sync-options", "Prune=confirm")


def _body(*annotations: tuple[str, str]) -> Body:
    return body_of(metadata={"annotations": dict(annotations)} if annotations else {}, data={"a": "1"})


def _live(*annotations: tuple[str, str], label: str = _EMPTY.id) -> LiveObject:
    return live_of(_body(*annotations), entry_of({"f:data": {"f:a": {}}}), label=label)


def _judge(git: Body, live: LiveObject | None, **more: Any) -> Verdict:
    asked = {ref(): one for one in [asked_of(git)] if one is not NOTHING}
    how = standings(asked, {ref(): live} if live else {}, _NOW).get(ref(), UNMARKED)
    seen = Observation(live, standing=how, **({"settled": True} | more))
    return judge(manifest_of(git), resource_of(), seen, _EMPTY)


def _judge_orphan(live: LiveObject, uid: str = "uid-1") -> Verdict:
    how = standing_orphan(live, _NOW)
    verdict = judge_member(Member(live.ref, uid), live, None, applyset=_EMPTY.id, standing=how)
    assert verdict is not None
    return verdict


@pytest.mark.parametrize("live", [None, _live(), _live(label="applyset-other"), _live((HOLD, _STANDING))])
def test_what_git_takes_out_of_the_run_is_skipped(live: LiveObject | None) -> None:
    """Whatever is there, and whether or not it could be read; the annotation is named."""
    problem = None if live else Problem(Trouble.FORBIDDEN, "no")
    verdict = _judge(_body(_SKIP), live, problem=problem)
    assert (verdict.bucket, verdict.drift, verdict.problem) == (Bucket.SKIPPED, None, None)
    assert verdict.reason == "left alone: kustomize.toolkit.fluxcd.io/reconcile: disabled"
    assert verdict.directives.skip


@pytest.mark.parametrize(("annotation", "bucket"), [(_SKIP, Bucket.SKIPPED), (_KEEP, Bucket.FAILED)])
def test_a_kind_that_the_server_lacks_matters_to_what_is_applied_alone(
    annotation: tuple[str, str], bucket: Bucket
) -> None:
    """A hook may be of any kind."""
    git, problem = _body(annotation), Problem(Trouble.UNKNOWN_KIND, "no such kind")
    how = standings({ref(): asked_of(git)}, {}, _NOW)[ref()]
    verdict = judge_unknown(manifest_of(git), problem, how)
    assert (verdict.bucket, verdict.problem is problem) == (bucket, bucket is Bucket.FAILED)


def test_what_is_created_once_is_created() -> None:
    """While it is missing it is an object like any other."""
    verdict = _judge(_body(_ONCE), None)
    assert verdict.drift is not None
    assert (verdict.bucket, verdict.drift.kind) == (Bucket.PENDING, DriftKind.MISSING)


def test_what_is_created_once_is_left_alone_from_then_on() -> None:
    """Not compared: nothing was asked about it."""
    verdict = _judge(_body(_ONCE), _live(), settled=False)
    assert (verdict.bucket, verdict.managed) == (Bucket.SKIPPED, True)
    assert verdict.reason == "created once, and left alone since: client.lifecycle.config.k8s.io/mutation: ignore"


def test_an_object_that_could_not_be_read_is_not_taken_for_created() -> None:
    """Unknown is failed."""
    assert _judge(_body(_ONCE), None, problem=Problem(Trouble.FORBIDDEN, "no")).bucket is Bucket.FAILED


def test_a_held_object_is_skipped() -> None:
    """Until when, and why, is told; it takes no part in the order of the others either."""
    verdict = _judge(_body(), _live((HOLD, _STANDING)), settled=False)
    assert (verdict.bucket, verdict.reason, verdict.drift) == (Bucket.SKIPPED, _HELD, None)
    assert verdict.directives.skip == _HELD


def test_another_sets_object_fails_though_it_is_held() -> None:
    """A hold does not make it ours."""
    assert _judge(_body(), _live((HOLD, _STANDING), label="applyset-other")).bucket is Bucket.FAILED


def test_a_hold_that_is_over_goes_with_the_next_apply() -> None:
    """It is our bookkeeping: to be mended, and no difference."""
    verdict = _judge(_body(), _live((HOLD, _OVER)))
    assert (verdict.bucket, verdict.mend, verdict.reason) == (Bucket.IN_SYNC, True, _ENDED)
    assert verdict.handover == Handover(drop_annotations=(HOLD,))


def test_a_hold_that_is_over_goes_along_with_what_else_changes_hands() -> None:
    """In the same patch."""
    claims = Claims(handover=Handover(frozenset({("helm", "Update")}), drop_annotations=("x",)))
    verdict = _judge(_body(), _live((HOLD, _OVER)), claims=claims)
    assert verdict.handover == replace(claims.handover or Handover(), drop_annotations=("x", HOLD))


@pytest.mark.parametrize(
    ("git", "hold", "reason"),
    [
        pytest.param(_body((HOLD, _OVER)), _OVER, _ENDED, id="declared-by-git"),
        pytest.param(_body(), _BROKEN, f"not held: {HOLD} must begin with a time", id="unreadable"),
    ],
)
def test_what_is_no_hold_of_ours_stays(git: Body, hold: str, reason: str) -> None:
    """Git's own would come back with the same apply; and what can't be read is left for people to see."""
    verdict = _judge(git, _live((HOLD, hold)))
    assert (verdict.bucket, verdict.mend, verdict.handover) == (Bucket.IN_SYNC, False, None)
    assert verdict.reason.startswith(reason)


@pytest.mark.parametrize(
    ("annotation", "reason"),
    [
        pytest.param(_KEEP, "kept: helm.sh/resource-policy: keep", id="keep"),
        pytest.param(_SKIP, "left alone: kustomize.toolkit.fluxcd.io/reconcile: disabled", id="skip"),
        pytest.param((HOLD, _STANDING), _HELD, id="held"),
    ],
)
def test_an_orphan_is_kept(annotation: tuple[str, str], reason: str) -> None:
    """Its own annotations are Git's last word; it is told of for as long as they say so."""
    verdict = _judge_orphan(_live(annotation))
    assert (verdict.bucket, verdict.reason, verdict.drift) == (Bucket.SKIPPED, reason, None)
    assert verdict.directives.keep or verdict.directives.skip


@pytest.mark.parametrize(
    ("annotation", "kept"), [(_KEEP, True), (_PRUNE, False), ((HOLD, _STANDING), True), (_CONFIRM, False)]
)
def test_when_all_of_a_target_goes_only_that_stays_which_is_to_outlive_it(
    annotation: tuple[str, str], *, kept: bool
) -> None:
    """To be kept from a prune alone is not enough."""
    assert bool(standing_orphan(_live(annotation), _NOW, to_the_last=True).why_kept()) is kept
    assert bool(standing_orphan(_live(annotation), _NOW).why_kept()) is (kept or annotation == _PRUNE)


@pytest.mark.parametrize("hold", [_OVER, _BROKEN])
def test_a_hold_that_does_not_stand_keeps_no_orphan(hold: str) -> None:
    """It is deleted like any other."""
    assert _judge_orphan(_live((HOLD, hold))).bucket is Bucket.PENDING


def test_what_is_not_ours_is_not_kept_either() -> None:
    """Somebody made it anew: that comes before whatever its annotations say."""
    verdict = _judge_orphan(_live(_KEEP), "uid-old")
    assert verdict.reason == "someone else created it anew after we had applied it; left alone"
    assert not verdict.directives.keep


def test_a_deletion_may_have_to_be_confirmed() -> None:
    """It is destructive, and says what it takes."""
    verdict = _judge_orphan(_live(_CONFIRM))
    assert verdict.drift is not None
    assert (verdict.drift.severity, verdict.reason) == (
        Severity.DESTRUCTIVE,
        "deleted only with --allow-destructive: argocd.argoproj.io/sync-options: Prune=confirm",
    )
    assert verdict.directives.confirm


def test_most_objects_stand_alike() -> None:
    """Without annotations, nothing is made for them."""
    assert standings({}, {ref(): _live(_SKIP)}, _NOW) == {}
    assert standing_orphan(None, _NOW) is UNMARKED


_WIDGETS = body_of(
    "CustomResourceDefinition",
    "widgets.example.com",
    api="apiextensions.k8s.io/v1",
    spec={"group": "example.com", "names": {"kind": "Widget"}},
)


@pytest.mark.parametrize(
    ("home", "inside", "stays"),
    [
        pytest.param(body_of("Namespace", "shop"), ref(namespace="shop"), True, id="namespace"),
        pytest.param(body_of("Namespace", "shop"), ref(namespace="blog"), False, id="another-namespace"),
        pytest.param(_WIDGETS, ref("Widget", group="example.com"), True, id="definition"),
        pytest.param(_WIDGETS, ref("Widget", group="example.org"), False, id="another-definition"),
        pytest.param(body_of(), ref(namespace="web"), False, id="no-home"),
    ],
)
@pytest.mark.parametrize("directives", [Directives(keep="why"), Directives(skip="held")], ids=["kept", "held"])
def test_a_home_stays_for_what_is_kept_in_it(
    home: Body, inside: ObjectRef, directives: Directives, *, stays: bool
) -> None:
    """Or it would be deleted with its home."""
    orphan = verdict_of(home, DriftKind.ORPHANED, orphan=True, live=live_of(home))
    kept = Verdict(inside, Bucket.SKIPPED, directives=directives)
    first, second = with_homes([orphan, kept])
    assert second is kept
    if stays:
        assert (first.bucket, first.drift, first.reason) == (Bucket.SKIPPED, None, f"kept: {inside} is in it")
        assert first.directives.keep
    else:
        assert first is orphan


def test_a_home_that_git_has_is_none_that_goes() -> None:
    """Only orphans are deleted."""
    home = verdict_of(body_of("Namespace", "shop"), live=live_of(body_of("Namespace", "shop")))
    kept = Verdict(ref(namespace="shop"), Bucket.SKIPPED, directives=Directives(keep="why"))
    assert with_homes([home, kept]) == [home, kept]
    assert with_homes([home]) == [home]


def test_git_s_annotations_count_not_live_ones() -> None:
    """Nobody opts out of Git by annotating what is live, but with a hold."""
    verdict = _judge(_body(), _live(_SKIP, _ONCE))
    assert verdict.bucket is Bucket.IN_SYNC


def test_what_is_passed_over_is_not_even_looked_for() -> None:
    """Unless the inventory may hold it, under whatever group: it would be taken for an orphan."""
    asked = {ref(): asked_of(_body(_SKIP)), ref(name="other"): asked_of(_body(_KEEP))}
    other = ref(group="example.com")
    assert unobserved(asked, _EMPTY) == {ref()}
    assert unobserved(asked, replace(_EMPTY, members={other: Member(other)})) == frozenset()
    assert unobserved({}, _EMPTY) == frozenset()
