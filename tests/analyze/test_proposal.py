"""What a pull request changes, beside what differs already."""

from typing import Any

import pytest
from objects import body_of, entry_of, live_of, manifest_of

from recon_action.analyze.proposal import proposal
from recon_action.model import (
    ABSENT,
    Body,
    Bucket,
    Cause,
    DriftKind,
    FieldChange,
    FieldPath,
    ItemKey,
    ObjectDrift,
    Problem,
    Severity,
    Trouble,
    Verdict,
)

WEB = body_of("Deployment", "web", api="apps/v1", namespace="shop", spec={"replicas": 3, "paused": False})
REF = manifest_of(WEB).ref
REPLICAS, PAUSED = FieldPath(("spec", "replicas")), FieldPath(("spec", "paused"))
STRATEGY = FieldPath(("spec", "strategy", "rollingUpdate"))
WEB_CONTAINER = FieldPath(("spec", "containers", ItemKey((("name", "web"),)), "image"))


def spec(**fields: Any) -> Body:
    return {**WEB, "spec": fields}


def modified(*changes: FieldChange, bucket: Bucket = Bucket.DRIFTED, own: Body | None = None, **more: Any) -> Verdict:
    drift = ObjectDrift(REF, DriftKind.MODIFIED, Cause.MANUAL, Severity.SPEC, changes)
    live = live_of(WEB, entry_of(own or {}))
    return Verdict(REF, bucket, manifest_of(WEB), live, drift=drift, **more)


@pytest.mark.parametrize(
    ("path", "base", "head", "own", "belongs"),
    [
        pytest.param(REPLICAS, spec(replicas=3), spec(replicas=5), {}, True, id="it changes the field"),
        pytest.param(REPLICAS, spec(), spec(replicas=5), {}, True, id="it adds the field"),
        pytest.param(REPLICAS, spec(replicas=3), spec(), {}, True, id="it removes the field"),
        pytest.param(REPLICAS, spec(replicas=3), spec(replicas=3, paused=True), {}, False, id="it changes another"),
        pytest.param(REPLICAS, spec(replicas=1), spec(replicas=True), {}, True, id="true is not 1"),
        pytest.param(
            STRATEGY,
            spec(strategy={"type": "RollingUpdate"}),
            spec(strategy={"type": "Recreate"}),
            {},
            True,
            id="derived by the server from what it changes",
        ),
        pytest.param(
            STRATEGY,
            spec(strategy={"type": "Recreate"}, replicas=1),
            spec(strategy={"type": "Recreate"}, replicas=2),
            {},
            False,
            id="derived from what it leaves alone",
        ),
        pytest.param(
            PAUSED,
            spec(replicas=1),
            spec(replicas=2),
            {"f:spec": {"f:paused": {}}},
            False,
            id="removed from Git before, and not applied yet",
        ),
        pytest.param(
            WEB_CONTAINER,
            spec(containers=[{"name": "log"}, {"name": "web", "image": "a:1"}]),
            spec(containers=[{"name": "web", "image": "a:2"}, {"name": "log"}]),
            {},
            True,
            id="in a list, by key",
        ),
        pytest.param(FieldPath(("data",)), {}, {}, {}, False, id="neither has anything"),
    ],
)
def test_a_change_is_its_own_if_base_and_head_differ_there(
    path: FieldPath, base: Body, head: Body, own: Body, belongs: bool
) -> None:
    """What stays is pending, by Git; what does not is counted as differing already."""
    verdict = modified(FieldChange(path, 5, 3, Cause.MANUAL, "kubectl-edit"), own=own)
    found = proposal([verdict], {REF: base}, {REF: head})
    (own_verdict,) = found.verdicts
    assert own_verdict.bucket is (Bucket.PENDING if belongs else Bucket.IN_SYNC)
    assert found.differing == (() if belongs else (REF,))
    if belongs:
        assert own_verdict.drift is not None
        assert own_verdict.drift.cause is Cause.GIT
        assert [change.cause for change in own_verdict.drift.changes] == [Cause.GIT]


def test_its_own_changes_are_parted_from_the_others() -> None:
    """Of one object, the field that it changes is told, and the object counts as differing already, too."""
    verdict = modified(FieldChange(REPLICAS, 5, 3), FieldChange(PAUSED, "no", "yes"))
    found = proposal([verdict], {REF: spec(replicas=3, paused=False)}, {REF: spec(replicas=5, paused=False)})
    assert found.verdicts[0].drift is not None
    assert [change.path for change in found.verdicts[0].drift.changes] == [REPLICAS]
    assert found.differing == (REF,)


def whole(kind: DriftKind) -> Verdict:
    drift = ObjectDrift(REF, kind, Cause.UNKNOWN, Severity.DESTRUCTIVE)
    manifest = None if kind is DriftKind.ORPHANED else manifest_of(WEB)
    return Verdict(REF, Bucket.DRIFTED, manifest, drift=drift)


FAILED = Verdict(REF, Bucket.FAILED, manifest_of(WEB), problem=Problem(Trouble.INVALID, "no"))


@pytest.mark.parametrize(
    ("verdict", "base", "head", "bucket"),
    [
        pytest.param(whole(DriftKind.MISSING), None, WEB, Bucket.PENDING, id="it adds the object"),
        pytest.param(whole(DriftKind.MISSING), WEB, WEB, Bucket.IN_SYNC, id="missing already"),
        pytest.param(whole(DriftKind.MISSING), spec(), WEB, Bucket.PENDING, id="missing, and it changes the object"),
        pytest.param(whole(DriftKind.ORPHANED), WEB, None, Bucket.PENDING, id="it removes the object"),
        pytest.param(whole(DriftKind.ORPHANED), None, None, Bucket.IN_SYNC, id="orphaned already"),
        pytest.param(FAILED, None, WEB, Bucket.FAILED, id="it adds an object that is refused"),
        pytest.param(FAILED, WEB, WEB, Bucket.IN_SYNC, id="refused already"),
    ],
)
def test_whole_objects(verdict: Verdict, base: Body | None, head: Body | None, bucket: Bucket) -> None:
    """An object is its own if base and head say something different of it."""
    found = proposal([verdict], {REF: base} if base else {}, {REF: head} if head else {})
    assert [one.bucket for one in found.verdicts] == [bucket]
    apart = bucket is Bucket.IN_SYNC
    assert found.failed == ((REF,) if apart and verdict is FAILED else ())
    assert found.differing == ((REF,) if apart and verdict is not FAILED else ())
    assert not apart or (found.verdicts[0].drift, found.verdicts[0].problem) == (None, None)


def test_what_others_added_or_hold_is_not_its_own() -> None:
    """Additive drift and bookkeeping exist already; another tool's object does not count as differing."""
    added = ObjectDrift(REF, DriftKind.MODIFIED, Cause.MANUAL, Severity.SPEC, (FieldChange(PAUSED, ABSENT, "yes"),))
    found = proposal(
        [Verdict(REF, Bucket.IN_SYNC, manifest_of(WEB), additive=added, mend=True)], {REF: WEB}, {REF: WEB}
    )
    assert (found.verdicts[0].additive, found.verdicts[0].mend, found.differing) == (None, False, ())
    owned = proposal([modified(FieldChange(REPLICAS, 5, 3), owner="argocd")], {REF: WEB}, {REF: WEB})
    assert owned.differing == ()
