"""Waiting for health on a control plane whose controllers run and whose nodes are played."""

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from target import DEPLOYMENT, Target, config_map, definition

from recon_action.errors import ExitCode
from recon_action.lab import Lab
from recon_action.model import Mode, Outcome, Quiet, Trouble
from recon_action.reconcile import reconcile

_UNSCHEDULABLE = DEPLOYMENT.replace("      containers:", "      nodeSelector: {disk: none}\n      containers:")
_CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: nobody-serves-it
  resources: {requests: {storage: 1Gi}}
"""

_LATE = """\
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: late}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
"""

_JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: migrate}
spec:
  ttlSecondsAfterFinished: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{name: migrate, image: registry.example/migrate:1}]
"""

_BALANCED = """\
apiVersion: v1
kind: Service
metadata:
  name: web
  annotations: {recon-action.github.io/timeout: TIMEOUT}
spec: {type: LoadBalancer, ports: [{port: 80}], selector: {app: web}}
"""


@pytest.fixture
def target(controllers_lab: Lab, controllers_namespace: str, tmp_path: Path) -> Target:
    """An empty target on a lab with controllers."""
    return Target(controllers_lab, controllers_namespace, tmp_path, {"wait": True, "timeout": 60.0})


def test_an_apply_waits_until_what_it_made_is_healthy(target: Target) -> None:
    """When an apply returns 0 the Deployment is available, and the report says Current."""
    target.write("web.yaml", DEPLOYMENT)
    report = target.apply()
    assert report.exit_code is ExitCode.OK
    assert [entry.health for entry in report.entries] == ["Current"]
    assert target.get("deployment", "web")["status"]["availableReplicas"] == 3


@pytest.mark.parametrize(
    ("manifest", "reason"),
    [
        pytest.param(_UNSCHEDULABLE, "0 of 3 replicas ready; Pod web-", id="unschedulable"),
        pytest.param(_CLAIM, "the claim is Pending", id="unbound-claim"),
    ],
)
def test_what_does_not_become_healthy_in_time(manifest: str, reason: str, target: Target) -> None:
    """Time up: exit 6, and the report says what was waited for and how far it came."""
    target.write("m.yaml", manifest)
    report = target.apply(timeout=3.0)
    assert (report.exit_code, report.result) == (ExitCode.UNHEALTHY, "unhealthy")
    (entry,) = report.entries
    assert entry.health == "InProgress"
    assert entry.problem
    assert entry.problem.trouble is Trouble.TIMEOUT
    assert entry.problem.message.startswith("not healthy within 3 s: ")
    assert reason in entry.problem.message


def test_a_rollout_that_failed_before_is_still_told(target: Target) -> None:
    """A second apply has nothing to change, but does not call the broken rollout a success."""
    target.write("web.yaml", _UNSCHEDULABLE)
    target.apply(timeout=1.0)
    report = target.apply(timeout=1.0)
    assert (report.exit_code, report.counts.in_sync) == (ExitCode.UNHEALTHY, 1)


def test_a_failed_rollout_ends_the_waiting(target: Target) -> None:
    """What can't heal is not waited for until the time is up."""
    target.write("web.yaml", _UNSCHEDULABLE.replace("  replicas: 3", "  replicas: 3\n  progressDeadlineSeconds: 2"))
    report = target.apply(timeout=600.0)
    assert report.exit_code is ExitCode.UNHEALTHY
    (entry,) = report.entries
    assert entry.health == "Failed"
    assert entry.problem
    assert entry.problem.trouble is Trouble.UNHEALTHY
    assert "ProgressDeadlineExceeded" in entry.problem.message


def test_a_scale_by_hand_is_undone_down_to_the_pods(target: Target) -> None:
    """After the correction the pods are as many as Git says."""
    target.write("web.yaml", DEPLOYMENT)
    target.apply()
    target.kubectl("scale", "deployment/web", "--replicas=5")
    assert target.apply().exit_code is ExitCode.OK
    target.kubectl("wait", "--for=jsonpath={.status.replicas}=3", "deployment/web", "--timeout=30s")
    pods = target.kubectl("get", "pods", "-l", "app=web", "--field-selector=status.phase=Running", "-o", "name")
    assert len([line for line in pods.splitlines() if line]) == 3


def test_waiting_without_the_right_to_watch(target: Target) -> None:
    """Where watching is forbidden, listing every second will do."""
    access = target.user('{apiGroups: ["*"], resources: ["*"], verbs: [get, list, create, patch]}')
    target.write("web.yaml", DEPLOYMENT)
    report = target.apply(access=access)
    assert (report.exit_code, report.problems) == (ExitCode.OK, ())
    assert [entry.health for entry in report.entries] == ["Current"]


def _waits(reason: str, message: str) -> dict[str, Any]:
    """A pod's status as a kubelet writes it when its container doesn't come up."""
    state = {"waiting": {"reason": reason, "message": message}}
    unready = {"type": "Ready", "status": "False", "reason": "ContainersNotReady"}
    container = {"name": "web", "image": "x", "imageID": "", "ready": False, "restartCount": 3, "state": state}
    return {"status": {"conditions": [unready], "containerStatuses": [container]}}


@pytest.mark.parametrize(
    ("reason", "message"),
    [
        pytest.param("CrashLoopBackOff", "back-off 40s restarting failed container=web", id="crash-loop"),
        pytest.param("ImagePullBackOff", 'Back-off pulling image "registry.example/web:1"', id="image-pull"),
    ],
)
def test_pods_say_why_their_deployment_is_not_healthy(reason: str, message: str, target: Target) -> None:
    """The newest ReplicaSet's: what their containers wait for, and how many of them do."""
    target.write("web.yaml", DEPLOYMENT)
    target.apply()
    pods = target.kubectl("get", "pods", "-o", "name").split()
    for pod in pods:
        patch = json.dumps(_waits(reason, message))
        target.kubectl("patch", pod, "--subresource=status", "--type=strategic", "-p", patch)
    target.kubectl("wait", "deployment/web", "--for=jsonpath={.status.unavailableReplicas}=3", "--timeout=20s")
    report = target.apply(timeout=1.0)
    assert report.exit_code is ExitCode.UNHEALTHY
    (entry,) = report.entries
    assert f"and 2 more: {reason}: {message}" in entry.health_message


class _Notes(Quiet):
    def __init__(self) -> None:
        self.said: list[str] = []

    def note(self, text: str) -> None:
        self.said.append(text)


def test_no_message_gives_a_secret_away(target: Target) -> None:
    """A pod may quote what it must not; neither the log nor the report repeats it."""
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {password: s3cr3t-p4ss}\n"
    target.write("web.yaml", secret + "---\n" + DEPLOYMENT)
    target.apply()
    for pod in target.kubectl("get", "pods", "-o", "name").split():
        patch = json.dumps(_waits("CreateContainerError", "no user with s3cr3t-p4ss"))
        target.kubectl("patch", pod, "--subresource=status", "--type=strategic", "-p", patch)
    target.kubectl("wait", "deployment/web", "--for=jsonpath={.status.unavailableReplicas}=3", "--timeout=20s")
    notes = _Notes()
    report = reconcile(target.settings(timeout=4.0), Mode.APPLY, progress=notes)
    (entry,) = report.entries
    assert entry.problem
    said = [*notes.said, entry.health_message, entry.problem.message]
    assert len(said) == 3
    assert all("CreateContainerError: no user with ***" in text for text in said)


def test_warnings_say_what_a_status_does_not(target: Target) -> None:
    """A StatefulSet writes nothing of the quota that keeps it from making pods; the event does."""
    target.kubectl("create", "quota", "none", "--hard=pods=0")
    stateful = DEPLOYMENT.replace("kind: Deployment", "kind: StatefulSet")
    target.write("web.yaml", stateful)
    report = target.apply(timeout=3.0)
    assert report.exit_code is ExitCode.UNHEALTHY
    (entry,) = report.entries
    assert "0 of 3 replicas created; FailedCreate: " in entry.health_message
    assert "exceeded quota: none" in entry.health_message


def test_a_job_with_a_time_to_live_is_done_when_it_is_gone(target: Target) -> None:
    """It runs, ends and is collected while it is waited for."""
    target.write("job.yaml", _JOB)
    report = target.apply()
    assert (report.exit_code, report.problems) == (ExitCode.OK, ())
    assert [entry.health for entry in report.entries] == ["Current"]
    target.kubectl("wait", "job/migrate", "--for=delete", "--timeout=20s")


def test_a_claim_waits_for_its_first_pod(target: Target) -> None:
    """Where the storage class wants it so, nothing is wrong with a claim that is not bound."""
    target.write("claim.yaml", _LATE + "---\n" + _CLAIM.replace("nobody-serves-it", "late"))
    report = target.apply(timeout=5.0)
    target.kubectl("delete", "storageclass", "late")
    assert report.exit_code is ExitCode.OK
    assert {entry.health for entry in report.entries} == {"Current"}


@pytest.mark.parametrize(
    ("timeout", "code", "health"), [("1s", ExitCode.UNHEALTHY, "InProgress"), ("0s", ExitCode.OK, "")]
)
def test_an_object_has_its_own_time(timeout: str, code: ExitCode, health: str, target: Target) -> None:
    """Nobody gives addresses here; an annotation says how long that is waited for, if at all."""
    target.write("web.yaml", _BALANCED.replace("TIMEOUT", timeout))
    began = time.monotonic()
    report = target.apply()
    assert time.monotonic() - began < 20
    assert report.exit_code is code
    assert [entry.health for entry in report.entries] == [health]


def test_a_timeout_that_can_not_be_read_is_told(target: Target) -> None:
    """And does not count."""
    target.write("web.yaml", _BALANCED.replace("TIMEOUT", "soon"))
    (note,) = [note for note in target.diff().notes if "timeout" in note]
    assert "'soon'" in note


def test_what_is_deleted_is_waited_for(target: Target) -> None:
    """An apply is not over before it is gone; who holds it is named, and once it is let go, it is gone."""
    held = config_map("held").replace("  name: held", "  name: held\n  finalizers: [example.com/keep]")
    target.write("kept.yaml", config_map("kept"))
    target.write("held.yaml", held)
    target.apply()
    target.remove("held.yaml")
    let_go = ("patch", "configmap", "held", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
    report = target.apply(timeout=2.0)
    assert report.exit_code is ExitCode.UNHEALTHY
    (entry,) = report.entries
    assert (entry.outcome, entry.health) == (Outcome.DELETED, "Terminating")
    assert entry.problem
    assert "not gone within 2 s: it is being deleted, held by its finalizers: example.com/keep" in entry.problem.message
    target.kubectl(*let_go)
    target.write("held.yaml", held)
    target.apply()
    target.remove("held.yaml")
    controller = _meanwhile(
        lambda: target.kubectl("wait", "configmap/held", "--for=jsonpath={.metadata.deletionTimestamp}"),
        lambda: target.kubectl(*let_go),
    )
    report = target.apply()
    controller.join()
    assert report.exit_code is ExitCode.OK
    assert [entry.health for entry in report.entries] == ["NotFound"]
    assert not target.kubectl("get", "configmap", "held", "--ignore-not-found")


def _meanwhile(*steps: Callable[[], object]) -> threading.Thread:
    """`steps`, one after the other, while the test goes on."""
    thread = threading.Thread(target=lambda: [step() for step in steps])
    thread.start()
    return thread


def test_a_custom_resource_is_waited_for(own_lab: Callable[..., Lab], tmp_path: Path) -> None:
    """Its controller has not said a word when the apply ends; then it says no, and at last yes."""
    target = Target(own_lab(), "default", tmp_path, {"wait": True, "timeout": 60.0})
    crd = definition("Widget", "widgets", "{size: {type: integer}}")
    for before, more in (
        ("        properties:\n", "          status: {type: object, x-kubernetes-preserve-unknown-fields: true}\n"),
        ("    storage: true\n", "    subresources: {status: {}}\n"),
    ):
        crd = crd.replace(before, before + more)
    target.write("crd.yaml", crd)
    target.write("widget.yaml", "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 1}\n")

    def say(ready: str) -> None:
        condition = {"type": "Ready", "status": ready, "reason": "Why"}
        patch = json.dumps({"status": {"conditions": [condition]}})
        for _ in range(100):
            if target.kubectl("get", "widgets", "-o", "name", check=False):
                break
            time.sleep(0.1)
        target.kubectl("patch", "widget", "a", "--subresource=status", "--type=merge", "-p", patch)

    controller = _meanwhile(lambda: say("False"), lambda: time.sleep(6), lambda: say("True"))
    report = target.apply()
    controller.join()
    assert report.exit_code is ExitCode.OK
    assert {entry.health for entry in report.entries} == {"Current"}
    assert report.seconds > 5


def test_a_watch_that_is_cut(own_lab: Callable[..., Lab], tmp_path: Path) -> None:
    """The API server crashes and comes back while something is waited for."""
    lab = own_lab(controllers=True)
    target = Target(lab, "default", tmp_path, {"wait": True, "timeout": 120.0})
    target.write("web.yaml", _UNSCHEDULABLE)
    node = target.kubectl("get", "nodes", "-o", "name").split()[0]
    crash = _meanwhile(
        lambda: target.kubectl("wait", "deployment/web", "--for=create", "--timeout=30s"),
        lambda: time.sleep(2),
        lambda: lab.stop_server(grace=0),
        lambda: time.sleep(2),
        lab.start_server,
        lambda: target.kubectl("label", node, "disk=none"),
    )
    report = target.apply()
    crash.join()
    assert (report.exit_code, report.problems) == (ExitCode.OK, ())
    assert [entry.health for entry in report.entries] == ["Current"]
