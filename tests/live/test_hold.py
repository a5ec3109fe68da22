"""Holds on a real API server, put as a user puts them: told, never corrected, never a difference, and gone in time."""

import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from target import DEPLOYMENT, Target, config_map, told

from recon_action.analyze.hold import HOLD
from recon_action.errors import ExitCode
from recon_action.lab import Lab
from recon_action.model import Bucket, Mode
from recon_action.model.settings import AdditiveMode
from recon_action.reconcile import reconcile
from recon_action.report.document import Report

_REASON = "moving the database"


@pytest.fixture
def target(lab: Lab, namespace: str, tmp_path: Path) -> Target:
    """An empty target in a namespace of its own."""
    return Target(lab, namespace, tmp_path)


@pytest.fixture
def hold(target: Target) -> Callable[..., tuple[int, str]]:
    """`recon-action hold` with these arguments: the exit code and what it says."""

    def run(*arguments: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "recon_action", "hold", "--kubeconfig", str(target.lab.kubeconfig), *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    return run


def _later(target: Target, mode: Mode, hours: float) -> Report:
    return reconcile(target.settings(), mode, now=lambda: datetime.now(UTC) + timedelta(hours=hours))


def _annotations(target: Target, kind: str, name: str) -> dict[str, str]:
    return dict(target.get(kind, name)["metadata"].get("annotations") or {})


def _managers(target: Target, kind: str, name: str) -> set[str]:
    return {entry["manager"] for entry in target.get(kind, name)["metadata"]["managedFields"]}


def test_a_held_object_is_left_as_it_is(target: Target, hold: Callable[..., tuple[int, str]]) -> None:
    """Told until when and why, while it stands; corrected when it is over, and nothing of it is left."""
    target.write("web.yaml", DEPLOYMENT)
    target.apply()
    code, said = hold("deploy/web", "-n", target.namespace, "--for", "2h", "--reason", _REASON)
    assert (code, said.startswith(f"Deployment {target.namespace}/web is held until ")) == (0, True)
    assert target.diff(additive=AdditiveMode.REVERT).counts.drifted == 0
    target.kubectl("scale", "deployment/web", "--replicas=7")
    before = len(target.lab.audit())
    report = target.apply()
    assert (report.exit_code, report.counts.skipped, report.plan) == (ExitCode.OK, 1, ())
    (entry,) = report.entries
    assert entry.bucket is Bucket.SKIPPED
    assert entry.reason.startswith("held until ")
    assert entry.reason.endswith(f" UTC: {_REASON}")
    events = target.lab.audit()[before:]
    assert not [event.uri for event in events if "/deployments/web" in event.uri]  # found by the list alone
    assert target.get("deployment", "web")["spec"]["replicas"] == 7
    assert told(_later(target, Mode.DIFF, 3)) == {
        f"Deployment {target.namespace}/web": "drifted modified spec.replicas"
    }
    assert _later(target, Mode.APPLY, 3).exit_code is ExitCode.OK
    assert target.get("deployment", "web")["spec"]["replicas"] == 3
    assert HOLD not in _annotations(target, "deployment", "web")
    assert "recon-action-hold" not in _managers(target, "deployment", "web")
    assert target.diff().counts.mended == 0


def test_a_hold_that_is_over_is_no_difference(target: Target, hold: Callable[..., tuple[int, str]]) -> None:
    """In sync, with bookkeeping to mend; one that is ended by hand leaves nothing at all."""
    target.write("a.yaml", config_map("a"))
    target.apply()
    assert hold("configmap/a", "-n", target.namespace, "--reason", _REASON)[0] == 0
    report = _later(target, Mode.DIFF, 2)
    assert (report.exit_code, report.counts.in_sync, report.counts.mended) == (ExitCode.OK, 1, 1)
    assert report.entries[0].reason.startswith("its hold ended at ")
    assert hold("configmap/a", "-n", target.namespace, "--off") == (
        0,
        f"ConfigMap {target.namespace}/a is no longer held\n",
    )
    assert hold("configmap/a", "-n", target.namespace, "--off")[1].endswith("was not held\n")
    assert _managers(target, "configmap", "a") == {"recon-action"}
    report = target.diff()
    assert (report.counts.in_sync, report.counts.mended, report.asked) == (1, 0, 0)


def test_a_held_orphan_is_not_deleted(target: Target, hold: Callable[..., tuple[int, str]]) -> None:
    """It stays a member, and is deleted when the hold is over."""
    for name in "ab":
        target.write(f"{name}.yaml", config_map(name))
    target.apply()
    assert hold("cm/b", "-n", target.namespace, "--reason", _REASON, "--target", target.namespace)[0] == 0
    target.remove("b.yaml")
    for _ in range(2):
        report = target.apply()
        assert (report.exit_code, report.counts.skipped) == (ExitCode.OK, 1)
    assert _later(target, Mode.APPLY, 2).exit_code is ExitCode.OK
    assert target.kubectl("get", "configmap", "b", check=False) == ""


@pytest.mark.parametrize("named", ["deploy/web", "deployment.apps/web", "Deployment/web", "deployments.v1.apps/web"])
def test_kinds_are_spelled_as_for_kubectl(target: Target, hold: Callable[..., tuple[int, str]], named: str) -> None:
    """What is not ours may be held as well: nothing has to be applied before."""
    target.kubectl("create", "-f", "-", stdin=DEPLOYMENT)
    assert hold(named, "-n", target.namespace, "--reason", _REASON)[0] == 0
    assert _annotations(target, "deployment", "web")[HOLD].endswith(_REASON)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("cm/none", "--reason", "x"), "does not exist"),
        (("gizmo/a", "--reason", "x"), "no kind 'gizmo'"),
        (("cm/a",), "a hold needs a reason"),
        (("cm/a", "--reason", " \n"), "a hold needs a reason"),
        (("cm/a", "--reason", "x", "--for", "25h"), "25h is no part of a day"),
        (("cm/a", "--reason", "x", "--for", "0s"), "0s is no part of a day"),
        (("cm/a", "--reason", "x", "--for", "soon"), "'soon' is no duration"),
        (("a", "--reason", "x"), "'a' names no object"),
        (("cm/a", "--reason", "x", "--target", "other"), "is not managed by target other"),
    ],
)
def test_what_can_t_be_held(
    target: Target, hold: Callable[..., tuple[int, str]], arguments: tuple[str, ...], said: str
) -> None:
    """A wrong command: nothing is written."""
    target.write("a.yaml", config_map("a"))
    target.apply()
    code, text = hold(*arguments, "-n", target.namespace)
    assert (code, said in text) == (ExitCode.USAGE, True), text
    assert _annotations(target, "configmap", "a") == {}
