"""Waiting for health on a control plane whose controllers run and whose nodes are played."""

from pathlib import Path

import pytest
from target import DEPLOYMENT, Target

from recon_action.errors import ExitCode
from recon_action.lab import Lab
from recon_action.model import Access

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

_ROLE = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: waiter}
rules:
- {apiGroups: ["*"], resources: ["*"], verbs: [get, list, create, patch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: waiter}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: waiter}
subjects:
- {apiGroup: rbac.authorization.k8s.io, kind: User, name: waiter}
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
        pytest.param(_UNSCHEDULABLE, "0 of 3 replicas", id="unschedulable"),
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
    assert reason in entry.health_message


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
    assert report.entries[0].health == "Failed"


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
    target.kubectl("apply", "-f", "-", stdin=_ROLE)
    access = Access(str(target.lab.kubeconfig_for("waiter", [])))
    target.write("web.yaml", DEPLOYMENT)
    report = target.apply(access=access)
    assert (report.exit_code, report.problems) == (ExitCode.OK, ())
    assert [entry.health for entry in report.entries] == ["Current"]
