"""The lock on a real API server: of several runs of one target, one acts at a time."""

import itertools
import json
import signal
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest
from command import Locks, ended, started, until
from target import DEPLOYMENT, Target, config_map

from recon_action.errors import ClusterError, ExitCode
from recon_action.lab import AuditEvent, Lab
from recon_action.model import Access
from recon_action.report.document import Report

_WRITES = frozenset({"create", "update", "patch", "delete"})
_OTHER = {
    "holderIdentity": "https://example.com/runs/7#1f2e",
    "leaseDurationSeconds": 60,
    "acquireTime": "2026-11-30T14:02:11.000000Z",
    "renewTime": "2026-11-30T14:02:11.000000Z",
}


@pytest.fixture
def target(lab: Lab, namespace: str, tmp_path: Path) -> Target:
    """An empty target."""
    return Target(lab, namespace, tmp_path)


@pytest.fixture
def locks(target: Target) -> Locks:
    """Its lock."""
    return Locks(target)


def test_applies_at_once_never_interleave(target: Target, locks: Locks) -> None:
    """Whatever the first one sends is answered before the second one sends anything but "may I?"."""
    users = [f"{target.namespace}-{letter}" for letter in "abc"]
    before = len(target.lab.audit())
    with ExitStack() as stack:
        runs = []
        for number, user in enumerate(users):
            folder = target.folder / user
            folder.mkdir()
            own = Target(target.lab, target.namespace, folder)
            own.write("all.yaml", "---\n".join(config_map(f"c{n}").replace('"1"', f'"{number}"') for n in range(60)))
            access = target.lab.kubeconfig_for(user, ["system:masters"])
            runs.append(
                stack.enter_context(started(own, "apply", "--no-wait", "--take-over-target", kubeconfig=access))
            )
        codes = [ended(run)[0] for run in runs]
    assert codes == [0, 0, 0]
    events = [event for event in target.lab.audit()[before:] if event.user in users]
    spans = sorted(_span([event for event in events if event.user == user]) for user in users)
    assert all(first[1] <= second[0] for first, second in itertools.pairwise(spans)), spans
    assert not locks.exists()
    stored = json.loads(target.kubectl("get", "configmaps", "-l", "applyset.kubernetes.io/part-of", "-o", "json"))
    assert len(stored["items"]) == 60
    assert len({item["data"]["a"] for item in stored["items"]}) == 1


def _span(events: list[AuditEvent]) -> tuple[str, str]:
    """From when a run held the lock until when; everything it did to the target lies within."""
    leases = [event for event in events if event.resource == "leases" and event.code < 300]
    taken = min(_moment(event, "stageTimestamp") for event in leases if event.verb in {"create", "patch"})
    given = max(_moment(event, "requestReceivedTimestamp") for event in leases if event.verb == "delete")
    others = [event for event in events if event.resource == "configmaps"]
    assert {event.verb for event in others} & _WRITES
    assert taken <= min(_moment(event, "requestReceivedTimestamp") for event in others)
    assert max(_moment(event, "stageTimestamp") for event in others) <= given
    return taken, given


def _moment(event: AuditEvent, name: str) -> str:
    return str(event.raw[name])


def test_a_holder_is_named_and_left_alone(target: Target, locks: Locks) -> None:
    """Exit 7: who holds it and since when, and nothing was asked of the target but its lock."""
    target.write("a.yaml", config_map("a"))
    locks.put(**_OTHER)
    with started(target, "apply", "--lock-timeout", "0s") as run:
        code, out, errors = ended(run)
    assert (code, out) == (7, "")
    assert "https://example.com/runs/7, since 2026-11-30 14:02:11 UTC" in errors
    assert locks.exists()
    assert target.kubectl("get", "configmap", "a", "--ignore-not-found") == ""


def test_a_diff_takes_no_lock(target: Target, locks: Locks) -> None:
    """It changes nothing, so it may run beside an apply."""
    target.write("a.yaml", config_map("a"))
    locks.put(**_OTHER)
    before = len(target.lab.audit())
    assert target.diff().exit_code is ExitCode.DIFFERENT
    assert not [event for event in target.lab.audit()[before:] if event.resource == "leases"]


def test_a_killed_runs_lock_ends_by_itself(target: Target, locks: Locks) -> None:
    """Nobody has to remove it: after its time the next run takes it over, and finishes the work."""
    target.write("all.yaml", "---\n".join(config_map(f"c{number}") for number in range(200)))
    with started(target, "apply", "--no-wait") as run:
        until(locks.exists, "locked", run)
        run.send_signal(signal.SIGKILL)
        run.wait()
    assert locks.exists()
    locks.change(leaseDurationSeconds=2)
    report = target.apply()
    assert report.exit_code == 0
    assert 2 <= report.seconds < 30
    assert not locks.exists()
    assert target.diff().exit_code == 0


def test_a_lost_lock_ends_the_run(target: Target, locks: Locks) -> None:
    """Somebody took it: nothing more is written, not even the inventory, and the other's lock stays."""
    target.write("web.yaml", DEPLOYMENT)  # which nobody ever makes healthy here
    reports: list[Report] = []
    run = threading.Thread(target=lambda: reports.append(target.apply(wait=True, timeout=50.0, lock_duration=2.0)))
    run.start()
    until(lambda: bool(target.kubectl("get", "deployment", "web", "--ignore-not-found")), "applied")
    before = len(target.lab.audit())
    locks.change(holderIdentity="somebody#1")
    run.join(30)
    (report,) = reports
    assert report.exit_code is ExitCode.LOCKED
    assert report.result == "locked"
    assert any("the lock was lost: another run has taken it" in problem.message for problem in report.problems)
    assert locks.holder() == "somebody#1"
    events = target.lab.audit()[before:]
    assert not [event for event in events if event.verb in _WRITES and event.resource != "leases"]


def test_it_is_renewed_for_as_long_as_the_run_lasts(target: Target, locks: Locks) -> None:
    """A run that outlives the duration of its lock keeps it."""
    target.write("web.yaml", DEPLOYMENT)
    report = target.apply(wait=True, timeout=3.0, lock_duration=1.0)
    assert report.exit_code is ExitCode.UNHEALTHY
    assert not locks.exists()


@pytest.fixture
def access(target: Target) -> Access:
    """Of somebody who may do anything in the namespace, but nothing with locks."""
    return target.user('{apiGroups: [""], resources: ["*"], verbs: ["*"]}')


def test_without_permission_there_is_no_apply(target: Target, access: Access) -> None:
    """The missing rule is named, and nothing was done."""
    target.write("a.yaml", config_map("a"))
    with pytest.raises(ClusterError) as caught:
        target.apply(access=access)
    assert caught.value.exit_code is ExitCode.CLUSTER
    assert 'verbs: ["create"], resources: ["leases"], apiGroups: ["coordination.k8s.io"]' in caught.value.hint
    assert target.kubectl("get", "configmap", "a", "--ignore-not-found") == ""
