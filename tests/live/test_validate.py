"""Manifests tried on a throw-away control plane: what its API server says, object by object, with the lines."""

from pathlib import Path

import pytest

from recon_action.errors import ExitCode
from recon_action.lab.binaries import Binaries
from recon_action.model import Settings
from recon_action.report.document import Report
from recon_action.validate import validate

_SET = """\
apiVersion: v1
kind: Namespace
metadata:
  name: shop
  labels: {owner: web, pod-security.kubernetes.io/enforce: restricted}
---
apiVersion: v1
kind: Namespace
metadata: {name: nobodys}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replcas: 2
  selector:
    matchLabels: {app: web}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: shop}
spec:
  selector:
    matchLabels: {app: api}
  template:
    metadata:
      labels: {app: api}
    spec:
      containers:
      - name: web
        image: web
        ports:
        - containerPort: 70000
---
apiVersion: v1
kind: Pod
metadata: {name: root, namespace: shop}
spec:
  containers:
  - {name: web, image: web}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: few, namespace: shop}
spec:
  hard: {count/services: "0"}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec:
  ports: [{port: 80}]
---
apiVersion: v1
kind: Secret
metadata: {name: db, namespace: elsewhere}
data:
  password: hunter2-hunter2-!
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            x-kubernetes-validations: [{rule: self.size < 5, message: too large}]
            properties:
              size: {type: integer}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: small}
spec:
  size: 4
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: large}
spec:
  size: 7
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: odd}
spec:
  size: seven
---
apiVersion: example.com/v1
kind: Gadget
metadata: {name: g}
---
apiVersion: v1
kind: Endpoints
metadata: {name: e, namespace: shop}
---
apiVersion: policy/v1beta1
kind: PodDisruptionBudget
metadata: {name: old, namespace: shop}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: owners}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [namespaces]}
  validations:
  - expression: "has(object.metadata.labels) && 'owner' in object.metadata.labels"
    message: an owner is needed
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: owners}
spec: {policyName: owners, validationActions: [Deny]}
"""
_FAULTS = {
    ("replcas: 2", "Deployment shop/web: spec.replcas: field not declared in schema"),
    ("containerPort: 70000", "Deployment shop/api: spec.template.spec.containers[0].ports[0].containerPort: Invalid"),
    ("metadata: {name: root", 'Pod shop/root: pods "root" is forbidden: violates PodSecurity "restricted:latest"'),
    (
        "metadata: {name: web, namespace: shop}\nspec:\n  ports",
        'Service shop/web: services "web" is forbidden: exceeded',
    ),
    ("metadata: {name: db", "Secret elsewhere/db: "),
    ("metadata: {name: nobodys", "Namespace nobodys: "),
    ("spec:\n  size: 7", "Widget default/large: spec: Invalid value: too large"),
    ("size: seven", "Widget default/odd: spec.size: expected numeric (int or float), got string"),
    (
        "metadata: {name: g}",
        "Gadget g: not checked: PATHs hold no CustomResourceDefinition for Gadget in example.com/v1",
    ),
    (
        "metadata: {name: old",
        "PodDisruptionBudget shop/old: Kubernetes 1.37 has no kind PodDisruptionBudget in policy/",
    ),
}


def _line(text: str) -> int:
    """The line on which `text` begins in the set, or its object does, if it is about that."""
    at = _SET.index(text)
    if text.startswith("metadata"):
        at = _SET.rindex("apiVersion", 0, at)
    return _SET.count("\n", 0, at) + 1


def _tried(tmp_path: Path, text: str, kubernetes: str) -> Report:
    (tmp_path / "set.yaml").write_text(text)
    return validate(Settings((str(tmp_path),)), kubernetes=kubernetes)


def test_a_set(binaries: Binaries, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fields, types, rules of CRDs, policies, quotas, pod security: each with its line; the unknown is no success."""
    monkeypatch.setenv("KUBECONFIG", "/nowhere")
    report = _tried(tmp_path, _SET, "1.37")
    assert report.exit_code is ExitCode.DESIRED
    told = {(fault.place.line, fault.message) for fault in report.faults}
    expected = {(_line(text), message) for text, message in _FAULTS}
    assert len(told) == len(expected), told
    for line, message in expected:
        assert any(at == line and said.startswith(message) for at, said in told), (line, message, told)
    assert "hunter2" not in repr(report)
    notes = "\n".join(report.notes)
    assert "Endpoints shop/e: v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice" in notes
    assert "taken to be there, without labels: Namespace elsewhere." in notes
    assert report.server_version.startswith("v1.37")


def test_an_older_version(binaries: Binaries, tmp_path: Path) -> None:
    """What is new in 1.37 is unknown to 1.36; what a later version says of a kind is told once."""
    text = (
        "apiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\nmetadata: {name: new}\n---\n"
        "apiVersion: v1\nkind: Endpoints\nmetadata: {name: e}\n"
    )
    report = _tried(tmp_path, text, "1.36")
    assert report.server_version.startswith("v1.36")
    assert [note.count("is deprecated in v1.33+") for note in report.notes] == [1]
    assert [fault.message for fault in report.faults] == [
        "DeviceTaintRule new: Kubernetes 1.36 has no kind DeviceTaintRule in resource.k8s.io/v1"
    ]
