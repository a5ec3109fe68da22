"""Objects deleted and created anew, on a control plane whose controllers run: what they own goes with them."""

import json
from pathlib import Path

import pytest
from target import Target
from webhook import denying, installed, when

from recon_action.errors import ExitCode
from recon_action.lab import Lab
from recon_action.model import Outcome, Severity, Trouble
from recon_action.report.document import Entry, Report

_POD = "containers: [{name: web, image: 'registry.example/web:VERSION'}]"
_JOB = f"""\
apiVersion: batch/v1
kind: Job
metadata: {{name: migrate}}
spec: {{template: {{spec: {{restartPolicy: Never, {_POD}}}}}}}
"""
_ALL = f"""\
{_JOB}---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web}}
spec:
  replicas: 2
  selector: {{matchLabels: {{app: web, version: "VERSION"}}}}
  template: {{metadata: {{labels: {{app: web, version: "VERSION"}}}}, spec: {{{_POD}}}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: db}}
spec:
  serviceName: db-VERSION
  selector: {{matchLabels: {{app: db}}}}
  template: {{metadata: {{labels: {{app: db}}}}, spec: {{{_POD}}}}}
---
apiVersion: v1
kind: Service
metadata: {{name: web}}
spec: {{clusterIP: 10.96.92.VERSION, ports: [{{port: 80}}], selector: {{app: web}}}}
---
apiVersion: v1
kind: Secret
metadata: {{name: key}}
type: example.com/VERSION
stringData: {{key: hunter2hunter2}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {{name: jane}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: role-VERSION}}
subjects: [{{kind: User, apiGroup: rbac.authorization.k8s.io, name: jane}}]
"""
_CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {storageClassName: none-VERSION, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
"""
_VOLUME = """\
apiVersion: v1
kind: PersistentVolume
metadata: {name: NAMESPACE}
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /VERSION}}
"""


@pytest.fixture
def target(controllers_lab: Lab, controllers_namespace: str, tmp_path: Path) -> Target:
    """An empty target on a lab with controllers."""
    return Target(controllers_lab, controllers_namespace, tmp_path)


def _version(target: Target, manifest: str, version: int) -> None:
    target.write("all.yaml", manifest.replace("VERSION", str(version)))


def _only(report: Report) -> Entry:
    (entry,) = report.entries
    return entry


def _uids(target: Target) -> set[str]:
    kinds = "job,deployment,statefulset,service,secret,rolebinding"
    items = json.loads(target.kubectl("get", kinds, "-o", "json"))["items"]
    return {item["metadata"]["uid"] for item in items}


def test_one_of_each(target: Target) -> None:
    """With --recreate all are pending, and dangerous; an apply replaces them, and the next diff is in sync."""
    _version(target, _ALL, 1)
    assert target.apply().exit_code is ExitCode.OK
    before = _uids(target)
    _version(target, _ALL, 2)
    found = target.diff(recreate=True)
    assert found.exit_code is ExitCode.DIFFERENT
    assert {entry.severity for entry in found.entries} == {Severity.DESTRUCTIVE}
    assert [action.action for action in found.plan] == ["recreate"] * 6
    done = target.apply(recreate=True)
    assert done.exit_code is ExitCode.OK
    assert {entry.outcome for entry in done.entries} == {Outcome.RECREATED}
    after = _uids(target)
    assert (len(after), after & before) == (6, set())
    pods = json.loads(target.kubectl("get", "pods", "-l", "app=web,version=1", "-o", "json"))["items"]
    assert pods == []
    assert target.diff().exit_code is ExitCode.OK
    assert target.get("secret", "key")["type"] == "example.com/2"


@pytest.mark.parametrize(
    "annotation",
    [
        "recon-action.github.io/recreate: enabled",
        "argocd.argoproj.io/sync-options: 'Force=true,Replace=true'",
        "kustomize.toolkit.fluxcd.io/force: enabled",
    ],
    ids=["ours", "argocd", "flux"],
)
def test_an_annotation_allows_it_for_one_object(target: Target, annotation: str) -> None:
    """The report names it; nothing else is recreated."""
    job = _JOB.replace("{name: migrate}", f"{{name: migrate, annotations: {{{annotation}}}}}")
    other = _JOB.replace("migrate", "other")
    _version(target, f"{job}---\n{other}", 1)
    target.apply()
    _version(target, f"{job}---\n{other}", 2)
    report = target.apply()
    assert report.exit_code is ExitCode.INCOMPLETE
    entries = {entry.ref.name: entry for entry in report.entries}
    assert entries["migrate"].outcome is Outcome.RECREATED
    assert annotation.partition(":")[0] in entries["migrate"].reason
    assert entries["other"].outcome is Outcome.FAILED


def test_an_object_that_would_be_refused_is_not_deleted(target: Target) -> None:
    """The server is asked first whether it would take it anew: here a webhook lets nothing be created."""
    _version(target, _JOB, 1)
    target.apply()
    before = _uids(target)
    _version(target, _JOB, 2)
    with installed(target) as webhook:
        webhook.behaviour = when(lambda review: review.operation == "CREATE", denying("nothing new today"))
        report = target.apply(recreate=True)
    entry = _only(report)
    assert (report.exit_code, entry.outcome) == (ExitCode.INCOMPLETE, Outcome.FAILED)
    assert entry.problem
    assert entry.problem.trouble is Trouble.DENIED
    assert "not deleted" in entry.problem.message
    assert "nothing new today" in entry.problem.message
    assert _uids(target) == before


def test_an_object_that_is_held(target: Target) -> None:
    """A finalizer is named when time is up; once it is gone, the next apply creates the object."""
    _version(target, _JOB, 1)
    target.apply()
    hold = '{"metadata": {"finalizers": ["example.com/hold"]}}'
    target.kubectl("patch", "job", "migrate", "--type=merge", "-p", hold)
    _version(target, _JOB, 2)
    report = target.apply(recreate=True, timeout=1.0)
    entry = _only(report)
    assert (report.exit_code, entry.outcome) == (ExitCode.INCOMPLETE, Outcome.FAILED)
    assert entry.problem
    assert "example.com/hold" in entry.problem.message
    assert "deletionTimestamp" in target.get("job", "migrate")["metadata"]
    target.kubectl("patch", "job", "migrate", "--type=merge", "-p", '{"metadata": {"finalizers": null}}')
    target.kubectl("wait", "--for=delete", "job/migrate", "--timeout=20s")
    report = target.apply(recreate=True)
    assert (report.exit_code, _only(report).outcome) == (ExitCode.OK, Outcome.CREATED)
    assert target.diff().exit_code is ExitCode.OK


def test_a_claim_takes_two_flags(target: Target) -> None:
    """Its data goes with it."""
    _version(target, _CLAIM, 1)
    target.apply()
    _version(target, _CLAIM, 2)
    report = target.apply(recreate=True)
    entry = _only(report)
    assert (report.exit_code, entry.outcome) == (ExitCode.INCOMPLETE, Outcome.FAILED)
    assert "--allow-destructive" in entry.reason
    report = target.apply(recreate=True, allow_destructive=True)
    assert (report.exit_code, _only(report).outcome) == (ExitCode.OK, Outcome.RECREATED)
    assert target.get("pvc", "data")["spec"]["storageClassName"] == "none-2"


def test_a_volume_never_is(target: Target) -> None:
    """Whatever is allowed."""
    _version(target, _VOLUME, 1)
    target.apply()
    uid = target.get("pv", target.namespace)["metadata"]["uid"]
    _version(target, _VOLUME, 2)
    report = target.apply(recreate=True, allow_destructive=True)
    entry = _only(report)
    assert (report.exit_code, entry.outcome) == (ExitCode.INCOMPLETE, Outcome.FAILED)
    assert "never deleted" in entry.reason
    assert target.get("pv", target.namespace)["metadata"]["uid"] == uid
