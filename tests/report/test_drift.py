"""What of a report is drift: only what could be seen, and only what is the cluster's."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_scenarios import (
    FACTS,
    REPLICAS,
    WEB,
    applied,
    clean,
    destructive,
    drift_of_a_person,
    extra,
    forbidden,
    in_sync,
    incomplete,
    many,
    modified,
    pending,
    previewed,
    ref,
    report,
    scaled,
    secret_changed,
)
from report_scenarios import added as added_to
from report_scenarios import missing as missing_one
from report_strategies import reports

from recon_action.errors import ExitCode
from recon_action.model import (
    Cause,
    Correction,
    FieldChange,
    FieldPath,
    Mode,
    ObjectRef,
    Outcome,
    Result,
    Verdict,
)
from recon_action.model.memory import OBJECTS
from recon_action.model.settings import IssueOn
from recon_action.report.document import Partial, Report
from recon_action.report.drift import Drift, Measure, Moved, drift_of

IMAGE = "spec.template.spec.containers[name=web].image"
API = ref("Service", "api")
SCALED = Moved(WEB, "modified", ("spec.replicas", IMAGE))
DELETED = Moved(API, "missing")


def back(of: ObjectRef, path: str = "", at: str = FACTS.started, tool: str = "kubectl-scale") -> Correction:
    return Correction(at, of, path, tool)


def applied_to(
    *verdicts: Verdict,
    corrections: Sequence[Correction] = (),
    outcome: Outcome = Outcome.CONFIGURED,
    **more: Any,
) -> Report:
    """An apply that came to `outcome` with each object that differed."""
    results = {one.ref: Result(one.ref, outcome) for one in verdicts if one.drift or one.additive}
    return report(*verdicts, mode=Mode.APPLY, results=results, corrections=corrections, **more)


@pytest.mark.parametrize(
    ("of", "expected"),
    [
        pytest.param(clean(), Drift(Measure.CLEAN), id="in sync"),
        pytest.param(pending(), Drift(Measure.CLEAN), id="Git moved"),
        pytest.param(previewed(), Drift(Measure.CLEAN), id="a preview"),
        pytest.param(destructive(), Drift(Measure.DRIFT, (DELETED, SCALED), remains=True), id="drift beside Git's"),
        pytest.param(applied(), Drift(Measure.DRIFT, (DELETED, SCALED)), id="set back"),
        pytest.param(forbidden(), Drift(Measure.UNKNOWN), id="not all could be read"),
        pytest.param(secret_changed(), Drift(Measure.UNKNOWN), id="one could not be predicted"),
        pytest.param(incomplete(), Drift(Measure.UNKNOWN), id="not all could be applied"),
        pytest.param(
            replace(clean(), exit_code=ExitCode.UNHEALTHY), Drift(Measure.CLEAN), id="unhealthy, but as Git says"
        ),
        pytest.param(
            replace(clean(), exit_code=ExitCode.UNHEALTHY, counts=replace(clean().counts, failed=1)),
            Drift(Measure.UNKNOWN),
            id="unhealthy, and not all was seen",
        ),
        *(
            pytest.param(replace(clean(), exit_code=code), Drift(Measure.UNKNOWN), id=code.name)
            for code in (ExitCode.REFUSED, ExitCode.LOCKED, ExitCode.CLUSTER, ExitCode.DESIRED, ExitCode.BUG)
        ),
    ],
)
def test_scenarios(of: Report, expected: Drift) -> None:
    """Never drift, and never clean, where something is not known."""
    assert drift_of(of) == expected


def test_added_fields_are_no_drift_of_their_own() -> None:
    """They are told of beside others; by themselves only under --additive revert, which makes a difference of them."""
    paths = [one.paths for one in drift_of(drift_of_a_person()).moved]
    assert paths == [("metadata.labels.team",), ("spec.replicas", IMAGE)]
    alone = report(added_to(API, extra(FieldPath(("spec", "ports")), 1)), *in_sync(3))
    assert (alone.exit_code, drift_of(alone).measure) == (ExitCode.OK, Measure.CLEAN)
    reverted = report(replace(added_to(API, extra(FieldPath(("spec", "ports")), 1)), is_reverted=True), *in_sync(3))
    assert reverted.exit_code is ExitCode.DIFFERENT
    assert drift_of(reverted) == Drift(Measure.DRIFT, (Moved(API, "", ("spec.ports",)),), remains=True)


def test_what_admission_keeps() -> None:
    """No apply mends it, so it remains."""
    kept = replace(in_sync(1)[0], is_overridden=True, reason="overridden by admission")
    assert drift_of(report(kept)) == Drift(Measure.DRIFT, (Moved(kept.ref),), remains=True)


@pytest.mark.parametrize(
    ("corrections", "on", "expected"),
    [
        pytest.param([back(WEB, "spec.replicas")], IssueOn.AUTO, Measure.DRIFT, id="a person's"),
        pytest.param([back(WEB, "spec.replicas")], IssueOn.REMAINING, Measure.CORRECTED, id="nobody wants to know"),
        pytest.param([back(WEB, "spec.paused")], IssueOn.AUTO, Measure.CORRECTED, id="another field"),
        pytest.param(
            [back(WEB, "spec.replicas", "2026-11-30T14:04:59Z")], IssueOn.AUTO, Measure.CORRECTED, id="before"
        ),
        pytest.param([], IssueOn.AUTO, Measure.CORRECTED, id="found right by the server"),
    ],
)
def test_set_back(corrections: list[Correction], on: IssueOn, expected: Measure) -> None:
    """A person's change that this run has put back is worth an issue, if that is wanted."""
    drift = drift_of(applied_to(scaled(), corrections=corrections), on)
    assert (drift.measure, drift.remains) == (expected, False)


def test_what_a_controller_had_changed() -> None:
    """Nobody has to hear that it was set back."""
    change = FieldChange(REPLICAS, 3, 5, Cause.CONTROLLER, "operator")
    of = applied_to(modified(WEB, change, cause=Cause.CONTROLLER), corrections=[back(WEB, "spec.replicas")])
    assert drift_of(of) == Drift(Measure.CORRECTED)


def test_a_deleted_object_that_is_there_again() -> None:
    """Nobody knows who had deleted it; that it was not Git is enough."""
    gone = missing_one(API, cause=Cause.UNKNOWN)
    of = applied_to(gone, corrections=[back(API)], outcome=Outcome.CREATED)
    assert drift_of(of) == Drift(Measure.DRIFT, (DELETED,))


def test_a_contested_field_remains() -> None:
    """An apply that sets back one field of an object and leaves another to whoever insists on it."""
    contested = replace(scaled(), contested=(REPLICAS,))
    of = applied_to(contested, corrections=[back(WEB, IMAGE)])
    assert of.exit_code is ExitCode.DIFFERENT
    assert drift_of(of) == Drift(
        Measure.DRIFT,
        (Moved(WEB, "modified", ("spec.replicas",)), Moved(WEB, "modified", (IMAGE,))),
        remains=True,
    )
    assert drift_of(of, IssueOn.REMAINING).moved == (Moved(WEB, "modified", ("spec.replicas",)),)


def test_of_several_objects_only_what_remains() -> None:
    """One that was set back, or that the server found to be right, is not among what remains."""
    quiet = replace(scaled(), ref=API, drift=replace(scaled().drift, ref=API))  # type: ignore[type-var]
    own = FieldChange(FieldPath(("spec", "paused")), 1, 2, Cause.GIT)
    other = ref("Deployment", "other", group="apps")
    mixed = replace(scaled(), ref=other, drift=replace(scaled().drift, ref=other, changes=(own,)))  # type: ignore[type-var]
    owned = replace(in_sync(1)[0], is_overridden=True)
    results = {
        WEB: Result(WEB, Outcome.CONFIGURED),
        API: Result(API, Outcome.UNCHANGED),
        other: Result(other, Outcome.CONFIGURED),
    }
    corrections = [back(WEB, "spec.replicas"), back(WEB, IMAGE)]
    of = report(scaled(), quiet, mixed, owned, mode=Mode.APPLY, results=results, corrections=corrections)
    assert of.exit_code is ExitCode.DIFFERENT
    assert drift_of(of, IssueOn.REMAINING) == Drift(Measure.CORRECTED)


def test_the_same_drift_has_the_same_fingerprint() -> None:
    """In whichever order and with whichever values; another field, or another way to differ, is another drift."""
    drift = Drift(Measure.DRIFT, (SCALED, DELETED), remains=True)
    assert drift.fingerprint == replace(drift, moved=(DELETED, SCALED), remains=False).fingerprint
    others = [replace(SCALED, paths=("spec.replicas",)), replace(SCALED, how=""), replace(SCALED, ref=API)]
    marks = {replace(drift, moved=(one, DELETED)).fingerprint for one in others} | {drift.fingerprint}
    assert len(marks) == 4
    assert Drift(Measure.CLEAN).fingerprint == ""


def test_a_part_of_the_target_says_nothing() -> None:
    """What was not looked at may have drifted, or not have any more."""
    assert drift_of(replace(many(), partial=Partial(1, 2, "include Deployment"))) == Drift(Measure.UNKNOWN)


def test_keys_are_few() -> None:
    """A text has no room for a thousand."""
    drift = drift_of(replace(many(), exit_code=ExitCode.DIFFERENT))
    assert len(drift.moved) == 60
    assert len(drift.keys) == 60
    more = replace(drift, moved=tuple(replace(SCALED, paths=(str(number),)) for number in range(500)))
    assert len(more.keys) == OBJECTS
    assert list(more.keys) == sorted(more.keys)


@settings(max_examples=50)
@given(of=reports, on=st.sampled_from([IssueOn.AUTO, IssueOn.REMAINING]))
def test_any_report(of: Report, on: IssueOn) -> None:
    """There is something to hear of iff the measure says so."""
    drift = drift_of(of, on)
    assert bool(drift.moved) is bool(drift.fingerprint) is (drift.measure is Measure.DRIFT)
    assert drift.measure is Measure.DRIFT or not drift.remains
