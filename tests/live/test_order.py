"""Order on a real control plane: one run is enough, whatever needs what; and deletion is the way back."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from target import Target, config_map, definition

from recon_action.errors import DesiredError, ExitCode
from recon_action.lab import Lab
from recon_action.model import Limit, ObjectRef, Outcome, Output, Trouble
from recon_action.report import render
from recon_action.report.document import Report

_READY_AFTER = 3  # seconds that a Deployment takes: what came too early came that much too early
_DEPLOYMENT = f"""\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: NAME, labels: {{app: NAME}}, ANNOTATIONS}}
spec:
  minReadySeconds: {_READY_AFTER}
  selector: {{matchLabels: {{app: NAME}}}}
  template:
    metadata: {{labels: {{app: NAME}}}}
    spec:
      MORE
      containers: [{{name: web, image: registry.example/web:1}}]
"""


def _deployment(name: str, annotations: str = "annotations: {}", more: str = "") -> str:
    return _DEPLOYMENT.replace("NAME", name).replace("ANNOTATIONS", annotations).replace("MORE", more)


def _annotated(name: str, annotation: str) -> str:
    return config_map(name).replace(f"name: {name}\n", f"name: {name}\n  annotations: {{{annotation}}}\n")


# Whoever applies this in another order is refused: by the server, or by the webhook, behind which nobody answers.
_SET = f"""\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {{name: widgets}}
webhooks:
- name: widgets.example.com
  failurePolicy: Fail
  sideEffects: None
  admissionReviewVersions: [v1]
  timeoutSeconds: 1
  clientConfig: {{service: {{name: hooks, namespace: fresh}}}}
  rules: [{{apiGroups: [example.com], apiVersions: ["*"], operations: ["*"], resources: ["*"]}}]
---
apiVersion: example.com/v1
kind: Widget
metadata: {{name: one, namespace: fresh}}
spec: {{size: 3}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {{name: hooks, namespace: fresh}}
spec: {{minAvailable: 1, selector: {{matchLabels: {{app: hooks}}}}}}
---
{_deployment("hooks", "namespace: fresh", "serviceAccountName: hooks")}\
---
apiVersion: v1
kind: Service
metadata: {{name: hooks, namespace: fresh}}
spec: {{selector: {{app: hooks}}, ports: [{{port: 443}}]}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {{name: hooks, namespace: fresh}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: Role, name: hooks}}
subjects: [{{kind: ServiceAccount, name: hooks}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {{name: hooks, namespace: fresh}}
rules: [{{apiGroups: [""], resources: [secrets], verbs: [get]}}]
---
apiVersion: v1
kind: ServiceAccount
metadata: {{name: hooks, namespace: fresh}}
---
{definition("Widget", "widgets", "{size: {type: integer}}")}\
---
apiVersion: v1
kind: Namespace
metadata: {{name: fresh}}
"""
_BEFORE = (  # in an order in which they may be applied: those of one row at any time of it
    {"namespaces", "customresourcedefinitions"},
    {"serviceaccounts", "roles", "services", "widgets"},
    {"rolebindings"},
    {"deployments"},
    {"poddisruptionbudgets"},
    {"validatingwebhookconfigurations"},
)


@pytest.fixture
def target(lab: Lab, namespace: str, tmp_path: Path) -> Target:
    """An empty target on a server without controllers."""
    return Target(lab, namespace, tmp_path)


@pytest.fixture
def running(controllers_lab: Lab, controllers_namespace: str, tmp_path: Path) -> Target:
    """An empty target where workloads get ready."""
    return Target(controllers_lab, controllers_namespace, tmp_path, {"wait": True, "timeout": 60.0})


def _sent(target: Target, verb: str, run: Callable[[], Report]) -> list[str]:
    """The kinds of the requests that `run` sends for objects of the set, in their order."""
    before = len(target.lab.audit())
    report = run()
    assert report.exit_code is ExitCode.OK, [entry.problem for entry in report.entries]
    ours = set().union(*_BEFORE)
    return [
        event.resource
        for event in target.lab.audit()[before:]
        if event.verb == verb and event.resource in ours and event.name != "recon-system" and "dryRun" not in event.uri
    ]


def _rows(kinds: list[str]) -> list[int]:
    row = {kind: number for number, kinds in enumerate(_BEFORE) for kind in kinds}
    return [row[kind] for kind in kinds]


def _seconds(earlier: str, later: str) -> float:
    return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds()


def _made(target: Target, kind: str, name: str) -> str:
    return str(target.get(kind, name)["metadata"]["creationTimestamp"])


def test_one_run_there_and_one_back(own_lab: Callable[..., Lab], tmp_path: Path) -> None:
    """Kind, namespace, rights, workload and the webhook that it serves; gone again, the webhook first."""
    target = Target(own_lab(controllers=True), "default", tmp_path, {"wait": True, "timeout": 60.0})
    target.write("keep.yaml", config_map("keep"))
    target.write("set.yaml", _SET)
    there = _rows(_sent(target, "patch", target.apply))
    assert len(there) == 10
    assert there == sorted(there)
    target.namespace = "fresh"
    waited = _seconds(_made(target, "deployment", "hooks"), _made(target, "validatingwebhookconfiguration", "widgets"))
    assert waited >= _READY_AFTER
    target.namespace = "default"
    target.remove("set.yaml")
    back = _rows(_sent(target, "delete", lambda: target.apply(allow_destructive=True, max_prune=Limit(unlimited=True))))
    assert len(back) == 10
    assert back[0] == _rows(["validatingwebhookconfigurations"])[0]
    assert back[-1] == 0
    of_rights = [row for row in back if row in _rows(["rolebindings", "deployments", "poddisruptionbudgets"])]
    assert of_rights == sorted(of_rights, reverse=True)


@pytest.mark.parametrize(
    "annotation",
    [
        pytest.param('argocd.argoproj.io/sync-wave: "1"', id="wave"),
        pytest.param("config.kubernetes.io/depends-on: apps/namespaces/NAMESPACE/Deployment/web", id="depends-on"),
    ],
)
def test_what_was_told_to_wait_waits(running: Target, annotation: str) -> None:
    """It comes when the workload before it is ready; what was not told so doesn't, and a lower wave comes first."""
    running.write("web.yaml", _deployment("web"))
    running.write("late.yaml", _annotated("late", annotation))
    running.write("early.yaml", _annotated("early", 'argocd.argoproj.io/sync-wave: "-1"'))
    running.write("beside.yaml", config_map("beside"))
    report = running.apply()
    assert report.exit_code is ExitCode.OK, [entry.problem for entry in report.entries]
    web = _made(running, "deployment", "web")
    after = {name: _seconds(web, _made(running, "configmap", name)) for name in ("early", "beside", "late")}
    assert max(after["early"], after["beside"]) < _READY_AFTER <= after["late"]
    versions = [
        int(running.get("configmap", name)["metadata"]["resourceVersion"]) for name in ("early", "beside", "late")
    ]
    assert versions == sorted(versions)


def test_what_does_not_get_ready_holds_up_only_what_waits_for_it(running: Target) -> None:
    """Whether it is new or was there before; --no-wait keeps the order and waits for nothing."""
    running.write("web.yaml", _deployment("web", more="nodeSelector: {no: such-node}"))
    name = f"apps/namespaces/{running.namespace}/Deployment/web"
    running.write("asked.yaml", _annotated("asked", f"config.kubernetes.io/depends-on: {name}"))
    running.write("beside.yaml", config_map("beside"))
    running.write(
        "budget.yaml",
        "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web}\n"
        "spec: {minAvailable: 0, selector: {matchLabels: {app: web}}}\n",
    )
    first = running.apply(timeout=2.0)
    _check_held_up(first, {"web": Outcome.CREATED, "beside": Outcome.CREATED})
    assert {entry.ref.kind: entry.outcome for entry in first.entries}["PodDisruptionBudget"] is Outcome.CREATED
    _check_held_up(running.apply(timeout=2.0), {})
    assert running.apply(wait=False).exit_code is ExitCode.OK
    assert running.diff().exit_code is ExitCode.OK


def _check_held_up(report: Report, others: dict[str, Outcome]) -> None:
    entries = {entry.ref.name: entry for entry in report.entries if entry.ref.kind != "PodDisruptionBudget"}
    asked = entries.pop("asked")
    assert report.exit_code is ExitCode.INCOMPLETE
    assert asked.outcome is Outcome.SKIPPED
    assert asked.problem
    assert asked.problem.trouble is Trouble.PREREQUISITE
    assert "web is not ready: " in asked.problem.message
    assert {name: entries[name].outcome for name in others} == others
    assert entries["web"].health == "InProgress"


def test_an_operator_goes_after_what_only_it_can_let_go(own_lab: Callable[..., Lab], tmp_path: Path) -> None:
    """It is waited for until the object is gone; in vain, and the operator stays."""
    target = Target(own_lab(), "default", tmp_path)
    target.write("keep.yaml", config_map("keep"))
    target.write("crd.yaml", definition("Widget", "widgets", "{size: {type: integer}}"))
    target.apply()
    target.write("operator.yaml", _deployment("operator"))
    held = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: one, finalizers: [example.com/clean-up]}\n"
    target.write("one.yaml", held)
    assert target.apply().exit_code is ExitCode.OK
    target.remove("operator.yaml")
    target.remove("one.yaml")
    first = target.apply(wait=True, timeout=2.0, max_prune=Limit(unlimited=True))
    assert first.exit_code is ExitCode.INCOMPLETE
    assert {entry.ref.name: entry.outcome for entry in first.entries} == {
        "one": Outcome.DELETED,
        "operator": Outcome.SKIPPED,
    }
    (skipped,) = [entry.problem.message for entry in first.entries if entry.ref.name == "operator" and entry.problem]
    assert skipped.startswith("Widget default/one is not gone")
    again = target.apply(wait=True, timeout=2.0, max_prune=Limit(unlimited=True))
    assert {entry.ref.name: entry.outcome for entry in again.entries}["operator"] is Outcome.SKIPPED
    target.kubectl("patch", "widget", "one", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
    done = target.apply(wait=True, timeout=2.0, max_prune=Limit(unlimited=True))
    assert {entry.ref.name: entry.outcome for entry in done.entries} == {"operator": Outcome.DELETED}


_BAD = """\
apiVersion: v1
kind: Secret
metadata: {name: bad}
type: kubernetes.io/tls
"""
_SCALER = """\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
"""


def test_a_failure_skips_what_depends_on_it_and_nothing_else(target: Target) -> None:
    """All along the chain with the name of what failed; also what is in a later wave."""
    target.write("bad.yaml", _BAD)
    target.write("web.yaml", _deployment("web", more="volumes: [{name: v, secret: {secretName: bad}}]"))
    target.write("scaler.yaml", _SCALER)
    target.write("api.yaml", _deployment("api"))
    target.write("late.yaml", _annotated("late", 'argocd.argoproj.io/sync-wave: "1"'))
    report = target.apply()
    assert report.exit_code is ExitCode.INCOMPLETE
    assert {(entry.ref.kind, entry.ref.name): entry.outcome for entry in report.entries} == {
        ("Secret", "bad"): Outcome.FAILED,
        ("Deployment", "web"): Outcome.SKIPPED,
        ("HorizontalPodAutoscaler", "web"): Outcome.SKIPPED,
        ("ConfigMap", "late"): Outcome.SKIPPED,
        ("Deployment", "api"): Outcome.CREATED,
    }
    told = {entry.problem.message for entry in report.entries if entry.outcome is Outcome.SKIPPED and entry.problem}
    assert told == {f"Secret {target.namespace}/bad was not applied"}
    target.write("bad.yaml", _BAD + "stringData: {tls.crt: a, tls.key: b}\n")
    assert target.apply().exit_code is ExitCode.OK
    target.write("bad.yaml", _BAD.replace("kubernetes.io/tls", "Opaque"))  # which no update may do
    target.write("web.yaml", _deployment("web", more="volumes: [{name: w, secret: {secretName: bad}}]"))
    again = {entry.ref.name: entry for entry in target.apply().entries}
    assert again["web"].outcome is Outcome.SKIPPED


def test_a_circle_is_told_before_anything_is_done(target: Target) -> None:
    """By a diff and by an apply, with what makes it."""
    a, b = (f"/namespaces/{target.namespace}/ConfigMap/{name}" for name in "ab")
    target.write("a.yaml", _annotated("a", f"config.kubernetes.io/depends-on: {b}"))
    target.write("b.yaml", _annotated("b", f"config.kubernetes.io/depends-on: {a}"))
    for run in (target.diff, target.apply):
        with pytest.raises(DesiredError) as caught:
            run()
        assert caught.value.exit_code is ExitCode.DESIRED
        first, *steps = caught.value.message.splitlines()
        assert first.count(" → ") == 2
        assert len(steps) == 2
    assert "configmap" not in target.kubectl("get", "configmaps", "-o", "name").replace(
        "configmap/kube-root-ca.crt", ""
    )


def test_the_plan_is_shown_as_it_will_run(target: Target) -> None:
    """Every action, stage by stage, with what it waits for; without the option the report stays short."""
    target.write("web.yaml", _deployment("web", more="serviceAccountName: web"))
    target.write("account.yaml", "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: web}\n")
    target.write("z.yaml", _annotated("z", 'argocd.argoproj.io/sync-wave: "5"'))
    where = target.namespace
    planned = [(action.stage, action.ref, action.needs) for action in target.diff().plan]
    account = ObjectRef("", "ServiceAccount", where, "web")
    assert planned == [
        (1, account, ()),
        (2, ObjectRef("apps", "Deployment", where, "web"), (account,)),
        (3, ObjectRef("", "ConfigMap", where, "z"), ()),
    ]
    text = render(target.diff(show_plan=True), Output.TEXT)
    assert (
        f"""\
An apply would
1. create 1 (wave 0)
   create ServiceAccount {where}/web
2. create 1 (wave 0)
   create Deployment {where}/web  after ServiceAccount {where}/web
3. create 1 (wave 5)
   create ConfigMap {where}/z
"""
        in text
    )
    assert "after ServiceAccount" not in render(target.diff(), Output.TEXT)
