"""A run that a signal ends, at whatever point: settled within seconds, told, and the next one goes on."""

import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command import Locks, ended, started, until
from fake_runner import FakeRunner
from target import DEPLOYMENT, Target, config_map

from recon_action.lab import Lab
from recon_action.model import Limit

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_OBJECTS = 120
_BOUND = 10.0  # seconds: twice of what is promised, as the machine may be busy


@contextmanager
def _paused(lab: Lab) -> Iterator[None]:
    """The API server takes connections, and says nothing."""
    os.kill(lab.pids["kube-apiserver"], signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(lab.pids["kube-apiserver"], signal.SIGCONT)


@pytest.fixture
def target(lab: Lab, namespace: str, tmp_path: Path) -> Target:
    """An empty target."""
    return Target(lab, namespace, tmp_path)


def _write(target: Target, objects: int = _OBJECTS, value: int = 1) -> None:
    target.write("all.yaml", "---\n".join(config_map(f"c{n}").replace('"1"', f'"{value}"') for n in range(objects)))


def _stored(target: Target) -> set[str]:
    """The ConfigMaps that carry our label."""
    names = target.kubectl("get", "configmap", "-l", "applyset.kubernetes.io/part-of", "-o", "name")
    return {name.rpartition("/")[2] for name in names.split()}


def _interrupted(run: "subprocess.Popen[str]", *numbers: signal.Signals) -> tuple[int, str, str]:
    """What a run says that gets these signals; it has to end in time."""
    begun = time.monotonic()
    for number in numbers:
        run.send_signal(number)
    end = ended(run)
    assert time.monotonic() - begun < _BOUND
    return end


@pytest.mark.parametrize(("number", "seed"), list(itertools.product(_SIGNALS, range(2))), ids=str)
def test_an_apply_is_settled_wherever_it_is(target: Target, number: signal.Signals, seed: int) -> None:
    """Exit 130 with a report that is true, no lock left behind, and the next apply does the rest."""
    locks = Locks(target)
    _write(target)
    with started(target, "apply", "--no-wait", "--concurrency=2", "-o", "json") as run:
        until(locks.exists, "locked", run)
        time.sleep(random.Random(seed).uniform(0, 1))
        code, out, _ = _interrupted(run, number)
    assert not locks.exists()
    if code == 130 and out:
        _check(json.loads(out), _stored(target), number)
    else:  # before it had begun anything, or after it was done
        assert (code, _stored(target)) in [(130, set()), (0, {f"c{n}" for n in range(_OBJECTS)})]
    assert target.apply().exit_code == 0
    assert len(_stored(target)) == _OBJECTS
    assert target.diff().counts.in_sync == _OBJECTS


def _check(report: dict[str, Any], stored: set[str], number: signal.Signals) -> None:
    """What the report says of each object is so."""
    assert (report["result"], report["exitCode"]) == ("interrupted", 130)
    (problem,) = report["problems"]
    assert problem["message"] == f"the run was interrupted by {number.name}"
    outcomes = {entry["ref"]["name"]: entry["outcome"] for entry in report["entries"]}
    assert len(outcomes) == _OBJECTS
    created = {name for name, outcome in outcomes.items() if outcome == "created"}
    skipped = {name for name, outcome in outcomes.items() if outcome == "skipped"}
    assert created | skipped == set(outcomes)
    assert created == stored


def test_pruning_is_settled(target: Target) -> None:
    """What was not deleted yet is still known, and deleted by the next run."""
    locks = Locks(target)
    _write(target)
    target.apply()
    _write(target, objects=1)
    with started(target, "apply", "--no-wait", "--max-prune=all", "--concurrency=2", "-o", "json") as run:
        until(lambda: len(_stored(target)) < _OBJECTS, "deleting", run)
        code, out, _ = _interrupted(run, signal.SIGTERM)
    assert code == 130
    outcomes = [entry["outcome"] for entry in json.loads(out)["entries"]]
    assert outcomes.count("skipped") == len(_stored(target)) - 1
    assert not locks.exists()
    assert target.apply(max_prune=Limit(unlimited=True)).exit_code == 0
    assert _stored(target) == {"c0"}


@pytest.mark.parametrize("numbers", [(signal.SIGINT,), (signal.SIGINT, signal.SIGTERM)], ids=["one", "both-at-once"])
def test_waiting_ends(target: Target, numbers: tuple[signal.Signals, ...]) -> None:
    """What was applied is told, and how far it got."""
    locks = Locks(target)
    target.write("web.yaml", DEPLOYMENT)  # nobody makes it healthy here
    with started(target, "apply", "-o", "json") as run:
        until(lambda: bool(target.kubectl("get", "deployment", "web", "--ignore-not-found")), "applied", run)
        time.sleep(0.5)
        code, out, _ = _interrupted(run, *numbers)
    (entry,) = json.loads(out)["entries"]
    assert (code, entry["outcome"], entry["health"]) == (130, "created", "InProgress")
    assert not locks.exists()
    assert target.diff().exit_code == 0


def test_waiting_for_the_lock_ends(target: Target) -> None:
    """Exit 130, and the other's lock stays."""
    locks = Locks(target)
    locks.put(holderIdentity="somebody#1", leaseDurationSeconds=60)
    _write(target, objects=1)
    with started(target, "apply") as run:
        assert run.stderr
        until(lambda: "somebody" in run.stderr.readline(), "waiting")  # type: ignore[union-attr]
        code, out, errors = _interrupted(run, signal.SIGTERM)
    assert (code, out) == (130, "")
    assert "error: the run was interrupted by SIGTERM" in errors
    assert locks.holder() == "somebody#1"


def test_a_server_that_stops_answering_is_left(own_lab: Callable[..., Lab], tmp_path: Path) -> None:
    """Asked or written to: what was sent may have been done, the inventory knows of it, and the next run goes on."""
    target = Target(own_lab(), "default", tmp_path)
    locks = Locks(target)
    _write(target)
    with started(target, "diff") as run, _paused(target.lab):
        time.sleep(2)
        assert _interrupted(run, signal.SIGTERM)[:2] == (130, "")
    with started(target, "apply", "--no-wait", "--concurrency=2") as run:
        until(locks.exists, "locked", run)
        until(lambda: bool(_stored(target)), "applying", run)
        with _paused(target.lab):
            code, _, errors = _interrupted(run, signal.SIGINT)
    assert code == 130
    assert "could not be given back" in errors or "before all was settled" in errors
    if locks.exists():  # the server may have read what we sent last, once it went on
        locks.change(leaseDurationSeconds=1)
    assert target.apply().exit_code == 0
    assert len(_stored(target)) == _OBJECTS
    assert not locks.exists()


def test_the_step_of_a_cancelled_job(target: Target, tmp_path: Path) -> None:
    """The runner sends SIGINT, and more only seconds later: outputs and summary tell how far it got."""
    target = replace(target, folder=tmp_path / "manifests")
    _write(target)
    fake = FakeRunner(tmp_path / "runner")
    inputs = {
        "paths": str(target.folder),
        "mode": "apply",
        "target": target.namespace,
        "namespace": target.namespace,
        "kubeconfig": target.lab.kubeconfig.read_text(),
        "wait": "false",
        "concurrency": "2",
    }
    environ = fake.environ("workflow_dispatch", {}, inputs=inputs)
    locks = Locks(target)
    with subprocess.Popen(
        [sys.executable, "-m", "recon_action", "action"],
        cwd=fake.workspace,
        env=dict(os.environ) | environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as step:
        until(locks.exists, "locked", step)
        until(lambda: bool(_stored(target)), "applying", step)
        code, out, _ = _interrupted(step, signal.SIGINT)
    done = fake.read(out, code)
    assert done.errors == ()
    assert (done.result, done.outputs["exit-code"], done.outputs["result"]) == (130, "130", "interrupted")
    assert "Interrupted" in done.summary
    assert (fake.workspace / done.outputs["report-path"]).is_file()
    assert not locks.exists()
