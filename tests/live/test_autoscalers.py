"""Autoscalers and Git on a real control plane: each keeps what is its own."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from target import DEPLOYMENT, Target, told

from recon_action.errors import ExitCode
from recon_action.lab import Lab
from recon_action.model import Access, Cause, Outcome

_HPA = """\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  minReplicas: 5
  maxReplicas: 9
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
"""
_LEFT = "Left to autoscalers: spec.replicas of Deployment {} (HorizontalPodAutoscaler web)."
_BARE = DEPLOYMENT.replace("  replicas: 3\n", "")
_STAND_IN = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: PLURAL.GROUP
  annotations: {api-approved.kubernetes.io: "unapproved, a stand-in"}
spec:
  group: GROUP
  scope: Namespaced
  names: {kind: KIND, plural: PLURAL, singular: SINGULAR, listKind: KINDList}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""


@pytest.fixture
def target(lab: Lab, namespace: str, tmp_path: Path) -> Target:
    """An empty target in a namespace of its own."""
    return Target(lab, namespace, tmp_path)


def _replicas(target: Target) -> int:
    return int(target.get("deployment", "web")["spec"]["replicas"])


def _stand_in(kind: str, group: str) -> str:
    name = kind.lower()
    text = _STAND_IN.replace("PLURAL", f"{name}s").replace("GROUP", group)
    return text.replace("KIND", kind).replace("SINGULAR", name)


def test_an_autoscaler_really_scales(controllers_lab: Lab, controllers_namespace: str, tmp_path: Path) -> None:
    """Git's number is the first one only; what the autoscaler makes of it is in sync, and stays."""
    target = Target(controllers_lab, controllers_namespace, tmp_path)
    target.write("web.yaml", DEPLOYMENT)
    target.write("hpa.yaml", _HPA)
    created = target.apply()
    assert created.exit_code is ExitCode.OK
    assert {entry.outcome for entry in created.entries} == {Outcome.CREATED}
    deadline = time.monotonic() + 120
    while _replicas(target) != 5 and time.monotonic() < deadline:
        time.sleep(1)
    assert _replicas(target) == 5
    report = target.diff()
    assert (report.exit_code, report.counts.in_sync, report.counts.total) == (ExitCode.OK, 2, 2)
    assert _LEFT.format(f"{target.namespace}/web") in report.notes
    target.apply()
    assert _replicas(target) == 5


def test_a_scale_beside_an_autoscaler_in_git(target: Target) -> None:
    """New, with Git's number; then the field is disowned, and no number of Git's ever counts again."""
    target.write("web.yaml", DEPLOYMENT)
    target.write("hpa.yaml", _HPA)
    target.apply()
    assert _replicas(target) == 3
    report = target.diff()
    assert (report.exit_code, report.counts.mended) == (ExitCode.OK, 1)
    target.apply()
    target.kubectl("scale", "deployment/web", "--replicas=7")
    target.write("web.yaml", DEPLOYMENT.replace("replicas: 3", "replicas: 4"))
    before = len(target.lab.audit())
    report = target.diff()
    assert (report.exit_code, report.counts.in_sync, report.counts.mended) == (ExitCode.OK, 2, 0)
    assert not any("dryRun" in event.uri for event in target.lab.audit()[before:])
    assert target.apply().exit_code is ExitCode.OK
    assert _replicas(target) == 7


def test_an_autoscaler_that_only_the_cluster_has(target: Target) -> None:
    """Somebody else made it: it counts all the same. Without it, Git's number counts again."""
    target.write("web.yaml", DEPLOYMENT)
    target.apply()
    target.kubectl("apply", "-f", "-", stdin=_HPA)
    target.kubectl("scale", "deployment/web", "--replicas=6")
    report = target.diff()
    assert (report.exit_code, report.counts.in_sync) == (ExitCode.OK, 1)
    assert _LEFT.format(f"{target.namespace}/web") in report.notes
    target.apply()
    assert _replicas(target) == 6
    target.kubectl("delete", "hpa", "web")
    (entry,) = target.diff().entries
    assert ([change.path for change in entry.changes], entry.cause) == (["spec.replicas"], Cause.MANUAL)


@pytest.mark.parametrize("scaled_to", [3, 7])
def test_git_drops_replicas_while_an_autoscaler_is_at_work(target: Target, scaled_to: int) -> None:
    """Never reset to 1, though the field is ours: also when the autoscaler arrives in the same change."""
    target.write("web.yaml", DEPLOYMENT)
    target.apply()
    target.kubectl("scale", "deployment/web", f"--replicas={scaled_to}")
    target.write("web.yaml", _BARE)
    target.write("hpa.yaml", _HPA)
    # The same number, and the field is still ours: that is to be mended. Another, and it isn't any more.
    mended = {f"Deployment {target.namespace}/web": "in sync"} if scaled_to == 3 else {}
    assert told(target.diff()) == mended | {f"HorizontalPodAutoscaler {target.namespace}/web": "pending missing"}
    assert target.apply().exit_code is ExitCode.OK
    assert _replicas(target) == scaled_to
    report = target.diff()
    assert (report.exit_code, report.counts.mended) == (ExitCode.OK, 0)
    target.apply()
    assert _replicas(target) == scaled_to


def test_autoscalers_are_listed_once_and_only_if_there_is_something_to_scale(target: Target) -> None:
    """One LIST more, for the one kind that is served."""
    target.write("hpa.yaml", _HPA.replace("kind: Deployment, name: web", "kind: Deployment, name: other"))
    target.apply()
    counts = []
    for _ in range(2):
        before = len(target.lab.audit())
        target.diff()
        events = target.lab.audit()[before:]
        counts.append(sum(event.verb == "list" and event.resource == "horizontalpodautoscalers" for event in events))
        target.write("web.yaml", DEPLOYMENT)
        target.apply()
    assert counts == [1, 2]


def test_autoscalers_that_may_not_be_read(target: Target) -> None:
    """Those in Git are known; that others may exist is said."""
    target.write("web.yaml", DEPLOYMENT)
    target.apply()
    rules = "deployments.apps,configmaps,namespaces"
    target.kubectl(
        "create", "clusterrole", f"{target.namespace}-few", "--verb=get,list,patch,create", f"--resource={rules}"
    )
    target.kubectl(
        *("create", "clusterrolebinding", f"{target.namespace}-few"),
        *(f"--clusterrole={target.namespace}-few", f"--user={target.namespace}"),
    )
    access = Access(str(target.lab.kubeconfig_for(target.namespace, [])))
    report = target.diff(access=access)
    assert report.counts.in_sync == 1
    (note,) = [note for note in report.notes if "HorizontalPodAutoscaler" in note]
    assert "only those in Git are known" in note
    assert "forbidden" in note


def test_keda_and_vertical_autoscalers(own_lab: Callable[..., Lab], tmp_path: Path) -> None:
    """A ScaledObject owns the number of replicas, a VerticalPodAutoscaler that acts the containers' resources."""
    target = Target(own_lab(), "default", tmp_path)
    target.kubectl("apply", "-f", "-", stdin=_stand_in("ScaledObject", "keda.sh"))
    target.kubectl("apply", "-f", "-", stdin=_stand_in("VerticalPodAutoscaler", "autoscaling.k8s.io"))
    for definition in ("scaledobjects.keda.sh", "verticalpodautoscalers.autoscaling.k8s.io"):
        target.kubectl("wait", "--for=condition=Established", f"crd/{definition}")
    resources = "        resources: {requests: {cpu: 100m}}\n        ports:\n"
    target.write("web.yaml", DEPLOYMENT.replace("        ports:\n", resources))
    target.apply()
    target.kubectl("set", "resources", "deployment/web", "--requests=cpu=250m")
    target.kubectl("scale", "deployment/web", "--replicas=6")
    assert len(target.diff().entries[0].changes) == 2
    keda = "apiVersion: keda.sh/v1\nkind: ScaledObject\nmetadata: {name: k}\nspec: {scaleTargetRef: {name: web}}\n"
    target.write("keda.yaml", keda)
    vertical = (
        "apiVersion: autoscaling.k8s.io/v1\nkind: VerticalPodAutoscaler\nmetadata: {name: v}\n"
        "spec: {targetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, updatePolicy: {updateMode: MODE}}\n"
    )
    target.kubectl("apply", "-f", "-", stdin=vertical.replace("MODE", '"Off"'))
    (change,) = next(entry for entry in target.diff().entries if entry.ref.kind == "Deployment").changes
    assert change.path == "spec.template.spec.containers[name=web].resources.requests.cpu"
    target.kubectl("apply", "-f", "-", stdin=vertical.replace("MODE", "Auto"))
    assert told(target.diff()) == {"ScaledObject default/k": "pending missing"}
    report = target.apply()
    assert report.exit_code is ExitCode.OK
    (note,) = report.notes
    assert note == (
        "Left to autoscalers: spec.replicas of Deployment default/web (ScaledObject k); "
        "spec.template.spec.containers[*].resources of Deployment default/web (VerticalPodAutoscaler v)."
    )
    spec = target.get("deployment", "web")["spec"]
    assert spec["replicas"] == 6
    assert spec["template"]["spec"]["containers"][0]["resources"] == {"requests": {"cpu": "250m"}}
    assert target.diff().exit_code is ExitCode.OK
