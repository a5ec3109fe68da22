"""Fields that a person's tool added and Git does not mention: told, taken back on demand, or passed over."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from target import DEPLOYMENT, Target, config_map, definition

from recon_action.errors import ExitCode
from recon_action.lab import Lab
from recon_action.model import AdditiveMode, Bucket, Cause, Outcome, Severity
from recon_action.report.document import Report

_SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports: [{port: 80}]
"""
_WEB = "spec.template.spec.containers[name=web]"
_SIDECAR = {"name": "side", "image": "registry.example/side:1"}
_PROBE = {"httpGet": {"path": "/healthz", "port": 80}}

_UDP = json.dumps(
    [
        {
            "op": "add",
            "path": "/spec/template/spec/containers/0/ports/-",
            "value": {"containerPort": 80, "protocol": "UDP"},
        }
    ]
)


def _container(**fields: Any) -> str:
    return json.dumps({"spec": {"template": {"spec": {"containers": [{"name": "web", **fields}]}}}})


def _pod(**fields: Any) -> str:
    return json.dumps({"spec": {"template": {"spec": fields}}})


# What a person does, and the paths that a report names for it.
_SORTS: dict[str, tuple[tuple[str, ...], set[str]]] = {
    "env": (("set", "env", "deployment/web", "X=1"), {f"{_WEB}.env[name=X]"}),
    "label": (("label", "deployment/web", "team=blue"), {"metadata.labels.team"}),
    "label-of-pods": (
        ("patch", "deployment/web", "-p", json.dumps({"spec": {"template": {"metadata": {"labels": {"team": "x"}}}}})),
        {"spec.template.metadata.labels.team"},
    ),
    "annotation": (("annotate", "configmap/a", "why=because"), {"metadata.annotations.why"}),
    "container-port": (
        ("patch", "deployment/web", "-p", _container(ports=[{"containerPort": 81}])),
        {f"{_WEB}.ports[containerPort=81,protocol=TCP]"},
    ),
    "same-port-udp": (
        ("patch", "deployment/web", "--type=json", "-p", _UDP),
        {f"{_WEB}.ports[containerPort=80,protocol=UDP]"},
    ),
    "service-port": (
        ("patch", "service/web", "-p", '{"spec":{"ports":[{"port":80,"name":"a"},{"port":81,"name":"b"}]}}'),
        {"spec.ports[port=80,protocol=TCP].name", "spec.ports[port=81,protocol=TCP]"},
    ),
    "sidecar": (
        ("patch", "deployment/web", "-p", json.dumps({"spec": {"template": {"spec": {"containers": [_SIDECAR]}}}})),
        {"spec.template.spec.containers[name=side]"},
    ),
    "service-type": (("patch", "service/web", "-p", '{"spec":{"type":"NodePort"}}'), {"spec.type"}),
    "config-map-key": (("patch", "configmap/a", "-p", '{"data":{"z":"1"}}'), {"data.z"}),
    "probe": (
        ("patch", "deployment/web", "-p", _container(livenessProbe=_PROBE)),
        {f"{_WEB}.livenessProbe.httpGet.path", f"{_WEB}.livenessProbe.httpGet.port"},
    ),
    "limits": (
        ("set", "resources", "deployment/web", "--limits=memory=1Gi"),
        {f"{_WEB}.resources.limits.memory"},
    ),
    "pull-policy": (
        ("patch", "deployment/web", "-p", _container(imagePullPolicy="Always")),
        {f"{_WEB}.imagePullPolicy"},
    ),
    "service-account": (
        ("set", "serviceaccount", "deployment/web", "admin"),
        {"spec.template.spec.serviceAccountName", "spec.template.spec.serviceAccount"},
    ),
    "host-network": (("patch", "deployment/web", "-p", _pod(hostNetwork=True)), {"spec.template.spec.hostNetwork"}),
    "toleration": (
        ("patch", "deployment/web", "-p", _pod(tolerations=[{"key": "x", "operator": "Exists"}])),
        {"spec.template.spec.tolerations"},
    ),
    "volume": (
        ("patch", "deployment/web", "-p", _pod(volumes=[{"name": "v", "emptyDir": {}}])),
        {"spec.template.spec.volumes[name=v]"},
    ),
    "finalizer": (
        ("patch", "configmap/a", "-p", '{"metadata":{"finalizers":["example.com/stay"]}}'),
        {"metadata.finalizers[=example.com/stay]"},
    ),
}


@pytest.fixture
def target(lab: Lab, namespace: str, tmp_path: Path) -> Target:
    """A target with a ConfigMap, a Service and a Deployment, in sync."""
    target = Target(lab, namespace, tmp_path)
    target.write("a.yaml", config_map("a"))
    target.write("service.yaml", _SERVICE)
    target.write("web.yaml", DEPLOYMENT)
    assert target.apply().exit_code is ExitCode.OK
    return target


def _bodies(target: Target) -> list[dict[str, Any]]:
    """Everything that Git decides on, as it is stored."""
    bodies = [target.get(kind, name) for kind, name in (("cm", "a"), ("svc", "web"), ("deploy", "web"))]
    for body in bodies:
        for moving in ("managedFields", "resourceVersion", "generation"):
            body["metadata"].pop(moving, None)
    return bodies


def _paths(report: Report) -> set[str]:
    return {change.path for entry in report.entries for change in entry.changes}


@pytest.mark.parametrize("sort", _SORTS)
def test_what_a_person_adds_is_told_and_taken_back_on_demand(target: Target, sort: str) -> None:
    """Told apart and no failure; passed over if asked; a failure and undone, exactly, where it is to be reverted."""
    arguments, paths = _SORTS[sort]
    before = _bodies(target)
    target.kubectl(*arguments)

    told = target.diff()
    assert (told.exit_code, told.counts.in_sync, told.counts.additive) == (ExitCode.OK, 3, 1)
    (entry,) = told.entries
    assert (entry.bucket, entry.drift) == (Bucket.IN_SYNC, None)
    assert _paths(told) == paths
    for change in entry.changes:
        assert (change.additive, change.has_desired, change.cause) == (True, False, Cause.MANUAL)
        assert change.tool.startswith("kubectl")
        assert change.since
        assert change.place
    changed = _bodies(target)
    assert target.apply().exit_code is ExitCode.OK
    assert _bodies(target) == changed

    ignored = target.diff(additive=AdditiveMode.IGNORE)
    assert (ignored.exit_code, ignored.entries, ignored.counts.additive) == (ExitCode.OK, (), 0)

    revert = {"additive": AdditiveMode.REVERT}
    assert target.diff(**revert).exit_code is ExitCode.DIFFERENT
    done = target.apply(**revert)
    assert done.exit_code is ExitCode.OK, done.entries
    assert [entry.outcome for entry in done.entries] == [Outcome.CONFIGURED]
    clean = target.diff(**revert)
    assert (clean.exit_code, clean.counts.in_sync, clean.entries) == (ExitCode.OK, 3, ())
    assert _bodies(target) == before


def test_a_dangerous_addition_says_so(target: Target) -> None:
    """Severity is that of the field, whatever the bucket."""
    target.kubectl("patch", "deployment/web", "-p", _pod(hostNetwork=True))
    (entry,) = target.diff().entries
    assert entry.severity is Severity.SECURITY


def test_a_restart_is_nobody_s_drift(target: Target) -> None:
    """`kubectl rollout restart` leaves an annotation that is neither told of nor taken back."""
    target.kubectl("rollout", "restart", "deployment/web")
    assert target.diff().entries == ()
    target.kubectl("set", "env", "deployment/web", "X=1")
    assert _paths(target.diff()) == {f"{_WEB}.env[name=X]"}
    assert target.apply(additive=AdditiveMode.REVERT).exit_code is ExitCode.OK
    template = target.get("deployment", "web")["spec"]["template"]
    assert "kubectl.kubernetes.io/restartedAt" in template["metadata"]["annotations"]
    assert "env" not in template["spec"]["containers"][0]


def test_a_restart_beside_another_annotation(target: Target) -> None:
    """Only the other one goes."""
    target.kubectl("rollout", "restart", "deployment/web")
    more = json.dumps({"spec": {"template": {"metadata": {"annotations": {"x": "1"}}}}})
    target.kubectl("patch", "deployment/web", "--field-manager=kubectl-rollout", "-p", more)
    assert _paths(target.diff()) == {"spec.template.metadata.annotations.x"}
    assert target.apply(additive=AdditiveMode.REVERT).exit_code is ExitCode.OK
    annotations = target.get("deployment", "web")["spec"]["template"]["metadata"]["annotations"]
    assert set(annotations) == {"kubectl.kubernetes.io/restartedAt"}


def test_scaling_is_the_subresource_s(target: Target) -> None:
    """Replicas that Git leaves open are the scaler's business, and never taken back."""
    target.write("web.yaml", DEPLOYMENT.replace("  replicas: 3\n", ""))
    target.apply()
    target.kubectl("scale", "deployment/web", "--replicas=4")
    assert target.diff().entries == ()
    assert target.apply(additive=AdditiveMode.REVERT).entries == ()
    assert target.get("deployment", "web")["spec"]["replicas"] == 4


def test_what_a_controller_holds_is_spared(target: Target) -> None:
    """Alone, or together with a person: its fields are its own, also beside what goes."""
    fields = ("annotate", "configmap/a")
    target.kubectl(*fields, "mine=1", "--field-manager=some-controller")
    target.kubectl(*fields, "theirs=1")
    together = json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"z": "1"}})
    target.kubectl("patch", "configmap/a", "-p", '{"data":{"z":"1"}}')
    target.kubectl("apply", "--server-side", "--field-manager=some-operator", "-f", "-", stdin=together)
    assert _paths(target.diff()) == {"metadata.annotations.theirs"}
    assert target.apply(additive=AdditiveMode.REVERT).exit_code is ExitCode.OK
    body = target.get("configmap", "a")
    assert body["metadata"]["annotations"] == {"mine": "1"}
    assert body["data"] == {"a": "1", "z": "1"}
    assert target.diff().entries == ()


def test_a_field_that_git_dropped_and_a_person_keeps(target: Target) -> None:
    """No apply removes it, for someone else holds it too; so it is told of, and reverted on demand."""
    target.write("a.yaml", config_map("a") + '  b: "2"\n')
    target.apply()
    target.kubectl("patch", "configmap/a", "-p", '{"data":{"b":"x"}}')
    target.kubectl("patch", "configmap/a", "-p", '{"data":{"b":"2"}}')
    target.apply()
    assert target.diff().entries == ()
    target.write("a.yaml", config_map("a"))
    target.apply()
    told = target.diff()
    assert (told.exit_code, _paths(told)) == (ExitCode.OK, {"data.b"})
    assert target.apply(additive=AdditiveMode.REVERT).exit_code is ExitCode.OK
    assert target.get("configmap", "a")["data"] == {"a": "1"}
    assert target.diff().entries == ()


def test_what_the_server_fills_in_is_no_addition(lab: Lab, namespace: str, tmp_path: Path) -> None:
    """`kubectl create` owns every default of the objects that it made; none of them is worth a word."""
    target = Target(lab, namespace, tmp_path)
    for name, manifest in (("a", config_map("a")), ("service", _SERVICE), ("web", DEPLOYMENT)):
        target.write(f"{name}.yaml", manifest)
        target.kubectl("create", "-f", str(target.folder / f"{name}.yaml"))
    assert target.diff().entries == ()
    target.apply()
    before = _bodies(target)
    assert target.diff(additive=AdditiveMode.REVERT).entries == ()
    assert target.apply(additive=AdditiveMode.REVERT).entries == ()
    assert _bodies(target) == before


def test_drift_and_addition_of_one_object(target: Target) -> None:
    """Both are told, each as what it is; without the option an apply undoes the drift alone."""
    target.kubectl("set", "image", "deployment/web", "web=registry.example/web:2")
    target.kubectl("set", "env", "deployment/web", "X=1")
    report = target.diff()
    (entry,) = report.entries
    assert {change.path: change.additive for change in entry.changes} == {
        f"{_WEB}.image": False,
        f"{_WEB}.env[name=X]": True,
    }
    assert (entry.bucket, report.exit_code, report.counts.additive) == (Bucket.DRIFTED, ExitCode.DIFFERENT, 1)
    target.apply()
    assert _paths(target.diff()) == {f"{_WEB}.env[name=X]"}


_DEFINITION = definition(
    "Box", "boxes", "{own: {type: string}, size: {type: integer, default: 3}, mine: {type: string}}"
)
_BOX = """\
apiVersion: example.com/v1
kind: Box
metadata: {name: one}
spec: {own: a}
"""


@pytest.mark.parametrize("manager", ["kubectl-create", "helm"])
def test_defaults_of_a_custom_resource(own_lab: Callable[..., Lab], tmp_path: Path, manager: str) -> None:
    """They are the schema's, whoever's entry holds them; what the creator added besides is told, or goes."""
    target = Target(own_lab(), "default", tmp_path)
    target.write("crd.yaml", _DEFINITION)
    assert target.apply().exit_code is ExitCode.OK
    box = _BOX.replace("own: a", "own: a, mine: b")
    target.kubectl("create", f"--field-manager={manager}", "-f", "-", stdin=box)
    target.write("box.yaml", _BOX)
    assert _paths(target.diff()) == {"spec.mine"}
    assert target.apply(additive=AdditiveMode.REVERT).exit_code is ExitCode.OK
    assert target.get("box", "one")["spec"] == {"own": "a", "size": 3}
    assert target.diff().entries == ()
