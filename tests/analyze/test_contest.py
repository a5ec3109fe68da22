"""Fields that something else sets back again and again."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from objects import body_of, entry_of, live_of, manifest_of, ref, resource_of, verdict_of

from recon_action.analyze.contest import contests, remembered
from recon_action.analyze.others import Others
from recon_action.analyze.payload import labelled
from recon_action.analyze.verdict import Observation, judge
from recon_action.model import (
    ABSENT,
    Body,
    Bucket,
    Cause,
    Correction,
    DriftKind,
    FieldChange,
    FieldPath,
    IgnoreRule,
    Inventory,
    LiveObject,
    Match,
    ObjectDrift,
    Outcome,
    Result,
    Severity,
    Verdict,
)
from recon_action.model.pattern import parse_field

_NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
_REF = ref()
_A, _B = FieldPath(("data", "a")), FieldPath(("data", "b"))


def _ago(hours: float, path: str = "data.a", tool: str = "kubectl-patch") -> Correction:
    return Correction((_NOW - timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ"), _REF, path, tool)


def _drifted(*changes: FieldChange, kind: DriftKind = DriftKind.MODIFIED, cause: Cause = Cause.MANUAL) -> Verdict:
    drift = ObjectDrift(_REF, kind, cause, Severity.SPEC, changes)
    return replace(verdict_of(body_of()), bucket=Bucket.DRIFTED, drift=drift)


def _change(path: FieldPath, cause: Cause = Cause.MANUAL, tool: str = "k9s") -> FieldChange:
    return FieldChange(path, "1", "2", cause, tool)


def _after(verdict: Verdict, outcome: Outcome | None, *before: Correction) -> tuple[Correction, ...]:
    results = {} if outcome is None else {_REF: Result(_REF, outcome)}
    return remembered(before, [verdict], results, _NOW)


@pytest.mark.parametrize(
    ("corrections", "reason"),
    [
        pytest.param([_ago(3), _ago(2)], None, id="twice"),
        pytest.param([_ago(3), _ago(2), _ago(1)], "set back 3 times in 24 h by kubectl-patch", id="three-times"),
        pytest.param([_ago(25), _ago(2), _ago(1)], None, id="one-is-too-old"),
        pytest.param([_ago(24), _ago(2), _ago(1)], None, id="one-is-a-day-old"),
        pytest.param([_ago(-25), _ago(2), _ago(1)], None, id="one-is-from-the-future"),
        pytest.param([_ago(3), _ago(2, "data.b"), _ago(1)], None, id="another-field"),
        pytest.param(
            [_ago(3, tool="x"), _ago(2, tool="y"), _ago(1, tool="")], "set back 3 times in 24 h by y", id="tools"
        ),
        pytest.param([_ago(n, tool="") for n in (4, 3, 2, 1)], "set back 4 times in 24 h", id="no-tool"),
    ],
)
def test_three_corrections_within_a_day_make_a_contest(corrections: list[Correction], reason: str | None) -> None:
    """The same field of the same object; the latest tool that is known is named."""
    found = contests(corrections, _NOW).fields
    if reason is None:
        assert found == {}
    else:
        ((rule,),) = found.values()
        assert (rule.patterns, rule.reason) == ((parse_field("data.a"),), reason)


def test_several_fields_of_one_object() -> None:
    """Each has a rule of its own."""
    found = contests([_ago(n, path) for n in (1, 2, 3) for path in ("data.a", "data.b")], _NOW)
    assert [str(rule.patterns[0]) for rule in found.fields[_REF]] == ["data.a", "data.b"]


def test_a_path_that_can_t_be_read_back_is_nobody_s() -> None:
    """It is corrected on and on, as before."""
    assert contests([_ago(n, "data[") for n in (1, 2, 3)], _NOW).fields == {_REF: ()}


def test_an_object_that_keeps_being_deleted_is_told_of() -> None:
    """It is no field: there is nothing to leave to others."""
    found = contests([_ago(n, "", "") for n in (1, 2, 3)], _NOW)
    assert (found.fields, found.deletions) == ({}, {_REF: "deleted 3 times in 24 h, and created again each time"})


@pytest.mark.parametrize("outcome", [Outcome.CONFIGURED, Outcome.CREATED, Outcome.RECREATED], ids=str)
def test_what_an_apply_sets_back_is_remembered(outcome: Outcome) -> None:
    """Each field, with the tool that had changed it."""
    old = _ago(1)
    drifted = _drifted(_change(_A), _change(_B, Cause.UNKNOWN, ""))
    at = "2026-12-01T12:00:00Z"
    assert _after(drifted, outcome, old) == (
        old,
        Correction(at, _REF, "data.a", "k9s"),
        Correction(at, _REF, "data.b", ""),
    )


def test_a_deleted_object_is_remembered_without_a_path() -> None:
    """Created again."""
    gone = _drifted(kind=DriftKind.MISSING, cause=Cause.UNKNOWN)
    assert _after(gone, Outcome.CREATED) == (Correction("2026-12-01T12:00:00Z", _REF),)


@pytest.mark.parametrize(
    ("verdict", "outcome"),
    [
        pytest.param(_drifted(_change(_A)), None, id="nothing-done"),
        pytest.param(_drifted(_change(_A)), Outcome.UNCHANGED, id="nothing-changed"),
        pytest.param(_drifted(_change(_A)), Outcome.FAILED, id="failed"),
        pytest.param(_drifted(_change(_A, Cause.GIT)), Outcome.CONFIGURED, id="git-moved"),
        pytest.param(_drifted(kind=DriftKind.MISSING, cause=Cause.GIT), Outcome.CREATED, id="new-in-git"),
        pytest.param(replace(_drifted(_change(_A)), contested=(_A,)), Outcome.CONFIGURED, id="contested"),
        pytest.param(verdict_of(body_of()), Outcome.CONFIGURED, id="no-drift"),
    ],
)
def test_what_is_no_correction(verdict: Verdict, outcome: Outcome | None) -> None:
    """Neither what was not set back, nor what Git itself changed."""
    assert _after(verdict, outcome) == ()


@pytest.mark.parametrize("reverted", [True, False])
def test_added_fields_count_if_they_are_taken_away(*, reverted: bool) -> None:
    """Under `--additive revert` somebody who adds a field again and again contests it."""
    added = ObjectDrift(
        _REF,
        DriftKind.MODIFIED,
        Cause.MANUAL,
        Severity.SPEC,
        (FieldChange(_B, ABSENT, "2", Cause.MANUAL, "k9s", additive=True),),
    )
    verdict = replace(verdict_of(body_of()), additive=added, is_reverted=reverted)
    assert [one.path for one in _after(verdict, Outcome.CONFIGURED)] == (["data.b"] if reverted else [])


def test_memory_is_a_day_and_a_thousand_corrections_long() -> None:
    """The newest stay."""
    many = [_ago(1, f"data.f{n}") for n in range(1200)]
    kept = _after(_drifted(_change(_A)), Outcome.CONFIGURED, _ago(30), *many)
    assert (len(kept), kept[0], kept[-1].path) == (1000, many[201], "data.a")


_GIT = body_of(data={"a": "git", "b": "git"})


def _judge(live: LiveObject, predicted: Body | None, *, contested: tuple[str, ...] = ("data.a",)) -> Verdict:
    inventory = Inventory("shop", "recon-system")
    rule = IgnoreRule(Match(), tuple(map(parse_field, contested)), (), "set back 3 times in 24 h by k9s")
    payload = labelled(_GIT, inventory.id)
    left = Others(contested={_REF: (rule,)}).lefts({_REF: payload}, {_REF: live}, {_REF: resource_of()}).get(_REF)
    seen = Observation(live, predicted, settled=predicted is None, left=left)
    return judge(manifest_of(_GIT), resource_of(), seen, inventory)


def _live(data: Body, owner: str = "k9s") -> LiveObject:
    label = Inventory("shop", "recon-system").id
    ours, theirs = entry_of({"f:data": {"f:b": {}}}), entry_of({"f:data": {"f:a": {}}}, owner, "Update")
    return live_of(body_of(data=data), ours, theirs, label=label)


def test_a_contested_field_is_drift_that_nothing_is_done_about() -> None:
    """It needs no prediction; who holds it is told, and that it was set back."""
    verdict = _judge(_live({"a": "live", "b": "git"}), None)
    assert verdict.drift is not None
    assert [(change.path, change.desired, change.live, change.tool) for change in verdict.drift.changes] == [
        (_A, "git", "live", "k9s")
    ]
    assert (verdict.bucket, verdict.contested, verdict.is_contested) == (Bucket.DRIFTED, (_A,), True)
    assert verdict.reason == "data.a was set back 3 times in 24 h by k9s: contested, and left as it is"
    assert (verdict.mend, verdict.memo) == (False, "")


def test_other_fields_of_the_object_are_corrected() -> None:
    """Only the contested one stays."""
    live = _live({"a": "live", "b": "live"})
    verdict = _judge(live, live.body | {"data": {"a": "live", "b": "git"}})
    assert verdict.drift is not None
    assert [change.path for change in verdict.drift.changes] == [_B, _A]
    assert (verdict.contested, verdict.is_contested) == ((_A,), False)


def test_what_is_as_git_says_is_not_contested() -> None:
    """Whoever fought for it has given in: it is ours again, and in sync."""
    verdict = _judge(_live({"a": "git", "b": "git"}), None)
    assert (verdict.bucket, verdict.contested) == (Bucket.IN_SYNC, ())
