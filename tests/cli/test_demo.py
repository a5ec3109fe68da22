"""The demo tells only what was seen: its checks, and the sample shop they are about."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from recon_action.cli.demo import (
    CAMPAIGN,
    DRIFT,
    SHOP,
    check_applied,
    check_corrected,
    check_drift,
    check_in_sync,
)
from recon_action.desired import load
from recon_action.errors import ExitCode, ReconError
from recon_action.model import (
    Bucket,
    Cause,
    DriftKind,
    Manifest,
    Mode,
    ObjectRef,
    Outcome,
    Problem,
    Trouble,
)
from recon_action.report.document import Change, Counts, Entry, Report

_OUTCOMES = {
    DriftKind.MISSING: Outcome.CREATED,
    DriftKind.MODIFIED: Outcome.CONFIGURED,
    DriftKind.ORPHANED: Outcome.DELETED,
}
_OTHER = Entry(ObjectRef("", "Secret", "shop", "other"), Bucket.DRIFTED, DriftKind.MISSING, Cause.UNKNOWN)


@pytest.fixture(scope="module")
def shop() -> dict[ObjectRef, Manifest]:
    """The sample shop as it is read."""
    desired = load((str(SHOP),))
    assert not desired.skipped
    return {manifest.ref: manifest for manifest in desired.manifests}


def _drift() -> Report:
    entries = [
        Entry(ref, Bucket.DRIFTED, kind, Cause.MANUAL, changes=(Change(path, Cause.MANUAL),) if path else ())
        for ref, (kind, path) in DRIFT.items()
    ]
    counts = Counts(in_sync=12, drifted=4)
    return Report(Mode.DIFF, "shop", "different", ExitCode.DIFFERENT, counts, tuple(entries))


def _other_field() -> Report:
    first, *rest = _drift().entries
    return replace(_drift(), entries=(replace(first, changes=(Change("spec.paused", Cause.MANUAL),)), *rest))


def _corrected() -> Report:
    report = _drift()
    entries = tuple(replace(entry, outcome=_OUTCOMES[DRIFT[entry.ref][0]]) for entry in report.entries)
    return replace(report, mode=Mode.APPLY, exit_code=ExitCode.OK, entries=entries)


def _applied() -> Report:
    entries = tuple(replace(entry, outcome=Outcome.CREATED, health="Current") for entry in _drift().entries)
    return Report(Mode.APPLY, "shop", "applied", ExitCode.OK, Counts(pending=4), entries)


def _in_sync() -> Report:
    return Report(Mode.DIFF, "shop", "in-sync", ExitCode.OK, Counts(in_sync=15))


def test_the_shop_has_what_the_story_is_about(shop: dict[ObjectRef, Manifest]) -> None:
    """Every object that the demo changes is in the sample, and every kind that it promises."""
    assert set(DRIFT) <= set(shop)
    kinds = {ref.kind for ref in shop}
    assert {"Namespace", "Deployment", "Service", "ConfigMap", "Secret", "HorizontalPodAutoscaler", "CronJob"} <= kinds
    assert all(ref.namespace == "shop" for ref in shop if ref.kind != "Namespace")


def test_no_autoscaler_scales_the_storefront(shop: dict[ObjectRef, Manifest]) -> None:
    """The Deployment that is scaled by hand has 3 replicas in Git; the autoscaled one states none."""
    replicas = {ref.name: manifest.body["spec"].get("replicas") for ref, manifest in shop.items() if _is_workload(ref)}
    autoscaled = {
        manifest.body["spec"]["scaleTargetRef"]["name"]
        for ref, manifest in shop.items()
        if ref.kind == "HorizontalPodAutoscaler"
    }
    assert replicas["storefront"] == 3
    assert autoscaled
    assert all(replicas[name] is None for name in autoscaled)


def test_the_campaign_is_one_config_map_that_nothing_refers_to(shop: dict[ObjectRef, Manifest]) -> None:
    """Removing its file orphans exactly one object, and breaks none."""
    [campaign] = [manifest for manifest in shop.values() if Path(manifest.origin.file).name == CAMPAIGN]
    assert DRIFT[campaign.ref] == (DriftKind.ORPHANED, "")
    others = [manifest.body for manifest in shop.values() if manifest is not campaign]
    assert campaign.ref.name not in str(others)


@pytest.mark.parametrize(
    ("check", "report"),
    [
        pytest.param(check_applied, _applied(), id="applied"),
        pytest.param(check_drift, _drift(), id="drift"),
        pytest.param(check_corrected, _corrected(), id="corrected"),
        pytest.param(check_in_sync, _in_sync(), id="in-sync"),
    ],
)
def test_the_story_as_it_should_go(check: Callable[[Report], object], report: Report) -> None:
    """Reports as they should be let the demo go on."""
    check(report)


@pytest.mark.parametrize(
    ("check", "report", "named"),
    [
        pytest.param(
            check_applied, replace(_applied(), exit_code=ExitCode.UNHEALTHY), "exit code 6, not 0", id="unhealthy"
        ),
        pytest.param(check_applied, replace(_applied(), entries=()), "0 of 4 objects", id="nothing-was-created"),
        pytest.param(check_drift, replace(_drift(), entries=_drift().entries[1:]), "storefront", id="one-unseen"),
        pytest.param(
            check_drift, replace(_drift(), entries=(*_drift().entries, _OTHER)), "Secret shop/other", id="one-too-many"
        ),
        pytest.param(
            check_drift,
            _other_field(),
            "storefront",
            id="another-field",
        ),
        pytest.param(check_drift, replace(_drift(), exit_code=ExitCode.OK), "exit code 0, not 1", id="code-of-a-diff"),
        pytest.param(
            check_corrected,
            replace(_corrected(), entries=(*_corrected().entries, replace(_OTHER, outcome=Outcome.CREATED))),
            "Secret shop/other",
            id="something-else-was-written",
        ),
        pytest.param(
            check_corrected,
            replace(_corrected(), entries=_corrected().entries[1:]),
            "corrected",
            id="one-not-corrected",
        ),
        pytest.param(check_in_sync, replace(_in_sync(), entries=(_OTHER,)), "Secret shop/other", id="still-different"),
        pytest.param(
            check_in_sync,
            replace(
                _in_sync(), exit_code=ExitCode.CLUSTER, problems=(Problem(Trouble.FORBIDDEN, "pods are forbidden"),)
            ),
            "pods are forbidden",
            id="a-problem-is-told",
        ),
    ],
)
def test_another_course_ends_the_demo(check: Callable[[Report], object], report: Report, named: str) -> None:
    """What was not seen is not claimed: the demo fails, and names what went otherwise."""
    with pytest.raises(ReconError, match="the demo did not go as it should") as caught:
        check(report)
    assert named in caught.value.message


def test_what_was_corrected_is_counted() -> None:
    """The story's numbers are the report's."""
    assert dict(check_corrected(_corrected())) == {Outcome.CREATED: 1, Outcome.CONFIGURED: 2, Outcome.DELETED: 1}


def _is_workload(ref: ObjectRef) -> bool:
    return (ref.group, ref.kind) == ("apps", "Deployment")
