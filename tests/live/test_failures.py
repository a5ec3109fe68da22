"""What a real server refuses or can't do just now: told as what it is, and sent again only if that passes."""

import json
import threading
import time
from pathlib import Path

import pytest
from target import Target, config_map, told
from webhook import Review, Webhook, allow, closing, denying, failing, installed, slow

from recon_action.errors import ExitCode
from recon_action.lab import Lab
from recon_action.model import Access, Outcome, Problem, Trouble
from recon_action.report.document import Entry, Report


@pytest.fixture
def target(lab: Lab, namespace: str, tmp_path: Path) -> Target:
    """An empty target."""
    return Target(lab, namespace, tmp_path)


def _only(report: Report) -> Entry:
    (entry,) = report.entries
    return entry


def _problem(report: Report) -> Problem:
    problem = _only(report).problem
    assert problem
    assert problem.hint
    return problem


def _pods(labels: str = "{app: a}") -> str:
    containers = "[{name: web, image: registry.example/web:1}]"
    return f"{{metadata: {{labels: {labels}}}, spec: {{containers: {containers}}}}}"


def _job(image: str) -> str:
    containers = f"[{{name: a, image: 'registry.example/web:{image}'}}]"
    template = f"{{spec: {{restartPolicy: Never, containers: {containers}}}}}"
    return f"apiVersion: batch/v1\nkind: Job\nmetadata: {{name: a}}\nspec: {{template: {template}}}\n"


def _workload(kind: str, app: str, more: str = "") -> str:
    spec = f"selector: {{matchLabels: {{app: {app}}}}}, template: {_pods(f'{{app: {app}}}')}{more}"
    return f"apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: a}}\nspec: {{{spec}}}\n"


def _stateful(service: str = "a", size: str = "1Gi") -> str:
    claim = f"{{accessModes: [ReadWriteOnce], resources: {{requests: {{storage: {size}}}}}}}"
    return _workload(
        "StatefulSet",
        "a",
        f", serviceName: {service}, volumeClaimTemplates: [{{metadata: {{name: d}}, spec: {claim}}}]",
    )


def _service(address: str) -> str:
    spec = f"{{clusterIP: {address}, ports: [{{port: 80}}]}}"
    return f"apiVersion: v1\nkind: Service\nmetadata: {{name: a}}\nspec: {spec}\n"


def _claim(mode: str) -> str:
    spec = f"{{storageClassName: none, accessModes: [{mode}], resources: {{requests: {{storage: 1Gi}}}}}}"
    return f"apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: a}}\nspec: {spec}\n"


def _plain(kind: str, fields: str, api: str = "v1", name: str = "a") -> str:
    return f"apiVersion: {api}\nkind: {kind}\nmetadata: {{name: {name}}}\n{fields}\n"


def _binding(role: str) -> str:
    group = "rbac.authorization.k8s.io"
    reference = f"roleRef: {{apiGroup: {group}, kind: ClusterRole, name: {role}}}"
    return _plain(
        "RoleBinding", f"{reference}\nsubjects: [{{kind: User, apiGroup: {group}, name: jane}}]", f"{group}/v1"
    )


def _storage(parameter: str) -> str:
    fields = f"provisioner: example.com/none\nparameters: {{type: {parameter}}}"
    return _plain("StorageClass", fields, "storage.k8s.io/v1", "NAMESPACE")


_CHANGES = {
    "job-template": (_job("1"), _job("2"), "spec.template", "containers[name=a].image"),
    "deployment-selector": (_workload("Deployment", "a"), _workload("Deployment", "b"), "spec.selector", "app"),
    "daemonset-selector": (_workload("DaemonSet", "a"), _workload("DaemonSet", "b"), "spec.selector", "app"),
    "statefulset-service": (_stateful("a"), _stateful("b"), "spec.serviceName", "spec.serviceName"),
    "claim-templates": (_stateful(), _stateful(size="2Gi"), "spec.volumeClaimTemplates", "storage"),
    "service-address": (_service("10.96.91.1"), _service("10.96.91.2"), "spec.clusterIPs[0]", "spec.clusterIP"),
    "claim": (_claim("ReadWriteOnce"), _claim("ReadWriteMany"), "spec", "spec.accessModes"),
    "secret-type": (_plain("Secret", "type: Opaque"), _plain("Secret", "type: example.com/a"), "type", "type"),
    "immutable-data": (
        _plain("ConfigMap", "immutable: true\ndata: {a: b}"),
        _plain("ConfigMap", "immutable: true\ndata: {a: c}"),
        "data",
        "data.a",
    ),
    "role-reference": (_binding("view"), _binding("edit"), "roleRef", "roleRef.name"),
    "storage-class": (_storage("slow"), _storage("fast"), "parameters", "parameters.type"),
}


@pytest.mark.parametrize(
    ("before", "after", "field", "changed"), [pytest.param(*one, id=name) for name, one in _CHANGES.items()]
)
def test_a_field_that_can_not_be_changed(target: Target, before: str, after: str, field: str, changed: str) -> None:
    """A difference like any other in a diff; an apply sends nothing, fails, and says what would do."""
    target.write("a.yaml", before)
    assert target.apply().exit_code is ExitCode.OK
    target.write("a.yaml", after)
    found = target.diff()
    entry = _only(found)
    assert found.exit_code is ExitCode.DIFFERENT
    assert told(found)[str(entry.ref)].startswith("pending modified ")
    assert any(changed in change.path for change in entry.changes)
    assert entry.reason.startswith(f"{field}: ")
    assert "--recreate" in entry.reason
    assert entry.problem is None
    live = target.get(entry.ref.kind, entry.ref.name)
    done = target.apply()
    assert done.exit_code is ExitCode.INCOMPLETE
    assert (_only(done).outcome, _problem(done).trouble) == (Outcome.FAILED, Trouble.IMMUTABLE)
    assert target.get(entry.ref.kind, entry.ref.name) == live


def test_what_is_also_invalid_is_no_matter_of_recreation(target: Target) -> None:
    """Deleted, it could not be created: a selector that fits no label of the pods."""
    target.write("a.yaml", _workload("Deployment", "a"))
    target.apply()
    target.write("a.yaml", _workload("Deployment", "b").replace("labels: {app: b}", "labels: {app: c}"))
    found = target.diff(recreate=True)
    assert found.exit_code is ExitCode.DESIRED
    assert _problem(found).trouble is Trouble.INVALID
    assert "spec.template.metadata.labels" in _problem(found).message


@pytest.mark.parametrize(
    ("manifest", "words"),
    [
        pytest.param(config_map("a").replace("\ndata:", "\ndate:"), ".date: field not declared", id="unknown-field"),
        pytest.param(_workload("Deployment", "a", ", replicas: two"), "spec.replicas: expected", id="type"),
        pytest.param(
            _service("None").replace("port: 80", "port: 99999, targetPort: -1"),
            "spec.ports[0].port: Invalid value: 99999: must be between 1 and 65535, inclusive; spec.ports[0].target",
            id="two-fields",
        ),
    ],
)
def test_an_invalid_manifest(target: Target, manifest: str, words: str) -> None:
    """Each field and the server's reason."""
    target.write("a.yaml", manifest)
    found = target.diff()
    assert found.exit_code is ExitCode.DESIRED
    assert _problem(found).trouble is Trouble.INVALID
    assert words in _problem(found).message


def _count(target: Target, **used: str) -> None:
    """Do the work of the controller that counts what a quota limits."""
    counted = json.dumps({"status": {"hard": {"configmaps": "1"}, "used": used}})
    target.kubectl("patch", "resourcequota", "small", "--subresource=status", "--type=merge", "-p", counted)


@pytest.fixture
def quota(target: Target) -> None:
    """One ConfigMap is allowed, and nobody counts."""
    target.kubectl("create", "quota", "small", "--hard=configmaps=1")
    target.write("a.yaml", config_map("a"))


def test_a_quota(target: Target, quota: None) -> None:
    """Denied, with the numbers; nothing to wait for."""
    _count(target, configmaps="1")
    began = time.monotonic()
    report = target.apply()
    assert report.exit_code is ExitCode.INCOMPLETE
    assert _problem(report).trouble is Trouble.DENIED
    assert "exceeded quota: small" in _problem(report).message
    assert "quota" in _problem(report).hint
    assert time.monotonic() - began < 10


def test_a_quota_that_is_not_counted_yet(target: Target, quota: None) -> None:
    """It is, a moment later."""
    _count(target)
    counting = threading.Timer(1, _count, [target], {"configmaps": "0"})
    counting.start()
    report = target.apply()
    counting.join()
    assert (report.exit_code, _only(report).outcome) == (ExitCode.OK, Outcome.CREATED)


def test_pod_security(target: Target) -> None:
    """Denied, with what to correct."""
    target.kubectl("label", "namespace", target.namespace, "pod-security.kubernetes.io/enforce=restricted")
    target.write("a.yaml", _plain("Pod", "spec: {containers: [{name: a, image: registry.example/web:1}]}"))
    report = target.diff()
    assert report.exit_code is ExitCode.DESIRED
    assert _problem(report).trouble is Trouble.DENIED
    assert "allowPrivilegeEscalation != false" in _problem(report).message
    assert "pod-security.kubernetes.io/enforce" in _problem(report).hint


def test_a_webhook_that_denies(target: Target) -> None:
    """Its words, and no second attempt."""
    target.write("a.yaml", config_map("a"))
    with installed(target) as webhook:
        webhook.behaviour = denying("not on a Friday")
        report = target.apply()
        assert webhook.calls == (0, 1)
    assert report.exit_code is ExitCode.INCOMPLETE
    assert _problem(report).trouble is Trouble.DENIED
    assert "not on a Friday" in _problem(report).message


@pytest.mark.parametrize("fault", [closing, failing(503), slow(2)], ids=["hangs-up", "breaks-down", "too-slow"])
def test_a_webhook_that_comes_up(target: Target, fault: object) -> None:
    """Its server starts a moment later, as after a rollout: the request is sent again."""
    target.write("a.yaml", config_map("a"))
    with installed(target, timeout=1) as webhook:
        webhook.behaviour = _twice(webhook, fault)
        report = target.apply()
        assert len(webhook.reviews) >= 3
    assert (report.exit_code, _only(report).outcome) == (ExitCode.OK, Outcome.CREATED)


def _twice(webhook: Webhook, fault: object) -> object:
    def behave(review: Review) -> object:
        return fault(review) if len(webhook.reviews) <= 2 else allow(review)  # type: ignore[operator]

    return behave


_THROTTLE = """\
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: NAMESPACE}
spec:
  type: Limited
  limited: {nominalConcurrencyShares: 0, lendablePercent: 0, borrowingLimitPercent: 0, limitResponse: {type: Reject}}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: NAMESPACE}
spec:
  matchingPrecedence: 2
  priorityLevelConfiguration: {name: NAMESPACE}
  rules:
  - subjects: [{kind: User, user: {name: NAMESPACE}}]
    resourceRules: [{verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"], clusterScope: true}]
    nonResourceRules: [{verbs: ["*"], nonResourceURLs: ["*"]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: NAMESPACE}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: User, apiGroup: rbac.authorization.k8s.io, name: NAMESPACE}]
"""


def test_too_many_requests(target: Target) -> None:
    """The server takes one request at a time from us, and refuses the others: 429 with Retry-After."""
    user = target.namespace
    throttle = _THROTTLE.replace("NAMESPACE", user)
    for number in range(16):
        target.write(f"{number}.yaml", config_map(f"c{number}"))
    access = Access(str(target.lab.kubeconfig_for(user)))
    target.kubectl("apply", "-f", "-", stdin=throttle)
    try:
        before = len(target.lab.audit())
        report = target.apply(access=access)
        refused = sum(event.code == 429 for event in target.lab.audit()[before:])
    finally:
        target.kubectl("delete", "-f", "-", stdin=throttle)
    assert report.exit_code is ExitCode.OK
    assert [entry.outcome for entry in report.entries] == [Outcome.CREATED] * 16
    assert refused
