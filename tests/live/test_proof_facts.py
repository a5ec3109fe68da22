"""What a walk of managedFields can't see, fact by fact, on a real server: the proof must not be fooled."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from target import DEPLOYMENT, Target, config_map

from recon_action.lab import Lab
from recon_action.model import Bucket, Cause, Trouble
from recon_action.report.document import Report

_WIDGETS = Path(__file__).parent / "proof" / "widgets.yaml"
_POLICY = """\
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: override}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps]}
  matchConditions:
  - {name: ours, expression: 'object.metadata.name == "a"'}
  reinvocationPolicy: Never
  failurePolicy: Fail
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: 'Object{data: {"a": "policy"}}'}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: override}
spec: {policyName: override}
"""
_REFUSAL = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: refuse}
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules:
    - {apiGroups: [example.com], apiVersions: ["*"], operations: [CREATE, UPDATE], resources: [widgets]}
  validations:
  - {expression: "false", message: no widgets any more}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: refuse}
spec: {policyName: refuse, validationActions: [Deny]}
"""
_ITEM = """\
apiVersion: example.com/v1
kind: Widget
metadata: {name: one}
spec: {keyed: [{port: 1, value: x}]}
"""


@pytest.fixture
def target(lab: Lab, namespace: str, tmp_path: Path) -> Target:
    """An empty target on the shared lab."""
    return Target(lab, namespace, tmp_path)


@pytest.fixture
def own(own_lab: Callable[..., Lab], tmp_path: Path) -> Target:
    """An empty target on a lab of its own, which knows widgets."""
    target = Target(own_lab(), "default", tmp_path)
    target.kubectl("apply", "-f", str(_WIDGETS))
    target.kubectl("wait", "--for=condition=Established", "crd/widgets.example.com", "--timeout=30s")
    return target


def _paths(report: Report) -> list[str]:
    return [change.path for entry in report.entries for change in entry.changes]


def _both(target: Target) -> Report:
    """A diff, which says the same with and without the proof."""
    proven, asked = target.diff(), target.diff(proof=False)
    assert (proven.counts, _paths(proven)) == (asked.counts, _paths(asked))
    return proven


def test_1_list_order(target: Target) -> None:
    """Git swaps two env variables: the fields are all owned and equal, and yet an apply reorders them."""
    env = "        env:\n        - {name: A, value: x}\n        - {name: B, value: x}\n"
    target.write("web.yaml", DEPLOYMENT + env)
    target.apply()
    target.write("web.yaml", DEPLOYMENT + env.replace("A", "C").replace("B", "A").replace("C", "B"))
    assert _paths(_both(target)) == ["spec.template.spec.containers[name=web].env"]


def test_2_a_definition_turns_a_list_atomic(own: Target) -> None:
    """After a CRD upgrade the next apply would delete another manager's item: the epoch sees it."""
    own.write("w.yaml", _ITEM)
    own.apply()
    other = _ITEM.replace("port: 1, value: x", "port: 2, value: z")
    own.kubectl("apply", "--server-side", "--field-manager=other", "-f", "-", stdin=other)
    assert _both(own).exit_code == 0
    definition = _WIDGETS.read_text().replace("x-kubernetes-list-type: map", "x-kubernetes-list-type: atomic")
    keys = "                x-kubernetes-list-map-keys: [port, protocol]\n"
    own.kubectl("apply", "-f", "-", stdin=definition.replace(keys, ""))
    report = _both(own)
    assert report.exit_code == 1
    assert _paths(report) == ["spec.keyed[port=2,protocol=TCP]"]


def test_3_mutating_admission_installed_later(own: Target) -> None:
    """A policy that came after the object: told before an apply, and still told when an apply has run through it."""
    own.write("a.yaml", config_map("a"))
    own.apply()
    assert own.diff().exit_code == 0
    own.kubectl("apply", "-f", "-", stdin=_POLICY)
    _until(lambda: own.diff().exit_code == 1)
    before = _both(own)
    assert _paths(before) == ["data.a"]
    own.apply()
    assert own.get("configmap", "a")["data"] == {"a": "policy"}
    after = own.diff()
    (entry,) = after.entries
    assert (after.exit_code, entry.bucket, entry.cause) == (1, Bucket.DRIFTED, Cause.CONTROLLER)
    assert "overridden by admission" in entry.reason
    assert [(change.path, change.desired, change.live) for change in entry.changes] == [("data.a", "1", "policy")]
    assert own.apply().exit_code == 1


def test_4_a_dry_run_that_is_refused_though_nothing_changes(own: Target) -> None:
    """A validating policy newer than the object refuses the dry run; the proof doesn't need it."""
    own.write("w.yaml", _ITEM)
    own.apply()
    own.kubectl("apply", "-f", "-", stdin=_REFUSAL)
    _until(lambda: own.diff(proof=False).counts.failed == 1)
    (entry,) = own.diff(proof=False).entries
    assert entry.problem
    assert entry.problem.trouble is Trouble.DENIED
    assert own.diff().exit_code == 0


def test_5_terminating(target: Target) -> None:
    """An object that is going is in sync for the walk and for the server; it is told."""
    finalizer = "metadata:\n  finalizers: [example.com/held]"
    target.write("a.yaml", config_map("a").replace("metadata:", finalizer))
    target.apply()
    target.kubectl("delete", "configmap", "a", "--wait=false")
    report = _both(target)
    assert [(entry.bucket, entry.reason) for entry in report.entries] == [(Bucket.IN_SYNC, "it is being deleted")]


def test_6_key_defaults(own: Target) -> None:
    """Git drops `protocol: UDP`, a key field: not a default filled in, but another item."""
    own.write("w.yaml", _ITEM.replace("port: 1", "port: 1, protocol: UDP"))
    own.apply()
    own.write("w.yaml", _ITEM)
    assert _paths(_both(own)) == [
        "spec.keyed[port=1,protocol=TCP]",
        "spec.keyed[port=1,protocol=UDP]",
    ]


def test_6_one_port_in_two_protocols(target: Target) -> None:
    """53/TCP beside 53/UDP is proven like anything else."""
    ports = "        - {containerPort: 53, name: dns}\n        - {containerPort: 53, protocol: UDP, name: dns-udp}\n"
    target.write("web.yaml", DEPLOYMENT + ports)
    target.apply()
    before = len(target.lab.audit())
    assert target.diff().exit_code == 0
    assert not [event for event in target.lab.audit()[before:] if "dryRun" in event.uri]


def test_7_types(own: Target) -> None:
    """True is not 1, nor 1.5 another 1.5: a free-form value changes its type in Git."""
    own.write("w.yaml", _ITEM.replace("keyed: [{port: 1, value: x}]", "free: {a: 1}"))
    own.apply()
    own.write("w.yaml", _ITEM.replace("keyed: [{port: 1, value: x}]", "free: {a: true}"))
    assert _paths(_both(own)) == ["spec.free.a"]


def test_8_another_version(own: Target) -> None:
    """Git moves to another version of the kind: the old entry proves nothing in the new one."""
    own.write("w.yaml", _ITEM)
    own.apply()
    own.write("w.yaml", _ITEM.replace("/v1", "/v2"))
    before = len(own.lab.audit())
    report = own.diff()
    assert [event for event in own.lab.audit()[before:] if "dryRun" in event.uri]
    assert report.counts.in_sync == 1
    own.apply()
    entries = json.loads(own.kubectl("get", "widget", "one", "-o", "json", "--show-managed-fields"))
    versions = {entry["apiVersion"] for entry in entries["metadata"]["managedFields"]}
    assert versions == {"example.com/v2"}


def _until(condition: Callable[[], bool]) -> None:
    """A policy takes a moment to be enforced."""
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.5)
