"""A new namespace, or a new kind, in the same change: what a diff says before they exist, and what an apply makes.

Each on first diff, apply, second diff. None of it fails for what an apply brings along, and all that is really wrong
is told at once.
"""

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from target import DEPLOYMENT, Target, config_map, definition, told

from recon_action.errors import ExitCode
from recon_action.lab import Lab
from recon_action.model import Bucket, Outcome, Trouble
from recon_action.report.document import Entry, Report

_numbers = itertools.count(1)
_POD = """\
apiVersion: v1
kind: Pod
metadata: {name: job, namespace: NAMESPACE}
spec:
  serviceAccountName: worker
  containers: [{name: job, image: registry.example/job:1}]
"""
_ACCOUNT = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: worker, namespace: NAMESPACE}\n"
_NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: NAMESPACE}\n"


@dataclass
class New:
    """A target whose namespace, and whose kind, only Git knows."""

    target: Target
    kind: str

    @property
    def plural(self) -> str:
        """The kind in URLs."""
        return f"{self.kind.lower()}s"

    def crd(self, properties: str, *versions: str) -> str:
        """The CRD of the kind; `versions` come first, and the last of all is v1."""
        text = definition(self.kind, self.plural, properties)
        head, _, first = text.partition("  - name: v1\n")
        others = "".join(f"  - name: {name}\n" + first.replace("storage: true", "storage: false") for name in versions)
        return f"{head}{others}  - name: v1\n{first}"

    def object(self, spec: str, name: str = "one", version: str = "v1") -> str:
        """An object of the kind."""
        metadata = f"{{name: {name}, namespace: NAMESPACE}}"
        return f"apiVersion: example.com/{version}\nkind: {self.kind}\nmetadata: {metadata}\nspec: {spec}\n"

    def name(self, name: str = "one") -> str:
        """An object of the kind, as reports print it."""
        return f"{self.kind} {self.target.namespace}/{name}"


@pytest.fixture
def new(cases_lab: Lab, tmp_path: Path) -> Iterator[New]:
    """The target; what it makes is gone afterwards, for the namespaces of others are not its business."""
    number = next(_numbers)
    target = Target(cases_lab, f"new-{number}", tmp_path)
    yield New(target, f"Novelty{number}")
    target.kubectl("delete", "namespace", target.namespace, "--wait=false", "--ignore-not-found")
    target.kubectl("delete", "crd", f"novelty{number}s.example.com", "--ignore-not-found")


def _in_new(manifest: str) -> str:
    return manifest.replace("metadata:\n", "metadata:\n  namespace: NAMESPACE\n", 1)


def _entries(report: Report) -> dict[str, Entry]:
    return {entry.ref.name: entry for entry in report.entries}


def _settles(target: Target) -> None:
    """An apply makes everything, and the next diff finds it so."""
    applied = target.apply()
    assert applied.exit_code is ExitCode.OK, [entry.problem for entry in applied.entries]
    assert {entry.outcome for entry in applied.entries} == {Outcome.CREATED}
    after = target.diff()
    assert (after.exit_code, after.entries) == (ExitCode.OK, ())


def test_a_namespace_and_what_is_in_it(new: New) -> None:
    """Nothing fails; the report says once what could not be asked, and never where it was tried."""
    target = new.target
    target.write("all.yaml", f"{_NAMESPACE}---\n{_in_new(DEPLOYMENT)}---\n{_in_new(config_map('a'))}")
    report = target.diff()
    assert report.exit_code is ExitCode.DIFFERENT
    assert set(told(report).values()) == {"pending missing"}
    assert len(report.entries) == 3
    (note,) = [note for note in report.notes if "in another namespace" in note]
    assert note.startswith("2 objects were checked in another namespace, as theirs is new too")
    assert "default" not in repr(report.entries)
    _settles(target)


def test_what_is_wrong_in_a_new_namespace(new: New) -> None:
    """All of it at once, in the manifest's own names: values, unknown fields, names that are none."""
    target = new.target
    target.write("ns.yaml", _NAMESPACE)
    target.write("web.yaml", _in_new(DEPLOYMENT).replace("replicas: 3", "replicas: -3"))
    target.write("a.yaml", _in_new(config_map("a")).replace("\ndata", "\ndate"))
    target.write("b.yaml", _in_new(config_map("B_b")))
    target.write("good.yaml", _in_new(config_map("good")))
    report = target.diff()
    assert report.exit_code is ExitCode.DESIRED
    failed = {name: entry.problem.message for name, entry in _entries(report).items() if entry.problem}
    assert set(failed) == {"web", "a", "B_b"}
    assert 'Deployment.apps "web" is invalid: spec.replicas' in failed["web"]
    assert f"({target.namespace}/a; /v1, Kind=ConfigMap): .date: field not declared in schema" in failed["a"]
    assert 'metadata.name: Invalid value: "B_b"' in failed["B_b"]
    applied = _entries(target.apply())
    assert {name for name, entry in applied.items() if entry.outcome is Outcome.FAILED} == set(failed)
    assert applied["good"].outcome is Outcome.CREATED
    again = target.diff()
    assert again.counts.in_sync == 2
    assert {entry.ref.name for entry in again.entries if entry.problem} == set(failed)


@pytest.fixture
def controlled(controllers_lab: Lab, tmp_path: Path) -> Iterator[Target]:
    """A target where the server looks for accounts before it takes a Pod; its namespace is Git's to make."""
    target = Target(controllers_lab, f"new-pods-{next(_numbers)}", tmp_path)
    yield target
    target.kubectl("delete", "namespace", target.namespace, "--wait=false", "--ignore-not-found")


@pytest.mark.parametrize("manifests", [_ACCOUNT, f"{_NAMESPACE}---\n{_ACCOUNT}"], ids=["account", "and-namespace"])
def test_a_pod_and_the_account_that_it_runs_as(controlled: Target, manifests: str) -> None:
    """What the server wants to see first comes with the set: not checked, and why; an apply makes it first."""
    if _NAMESPACE not in manifests:
        controlled.kubectl("create", "namespace", controlled.namespace)
    controlled.write("pod.yaml", f"{_POD}---\n{manifests}")
    report = controlled.diff()
    assert report.exit_code is ExitCode.DIFFERENT
    needed = f"it needs ServiceAccount {controlled.namespace}/worker, which is new too"
    assert _entries(report)["job"].reason == f"could not be checked: {needed}"
    assert any(note.startswith("1 objects could not be checked") for note in report.notes)
    _settles(controlled)


def test_a_pod_in_a_new_namespace(controlled: Target) -> None:
    """The account that every namespace gets may take a moment."""
    controlled.write("pod.yaml", f"{_NAMESPACE}---\n{_POD}".replace("  serviceAccountName: worker\n", ""))
    assert controlled.diff().exit_code is ExitCode.DIFFERENT
    _settles(controlled)


def test_what_another_namespace_forbids(new: New, new_target: Callable[[], Target]) -> None:
    """A quota, or a level of pod security, of the namespace that stands in says nothing of the new one."""
    target, stand_in = new.target, Target(new.target.lab, "default", Path())
    target.write("all.yaml", f"{_NAMESPACE}---\n{_in_new(config_map('a'))}")
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "full"}, "spec": {"hard": {}}}
    quota["spec"]["hard"] = {"configmaps": "0"}  # type: ignore[index]
    stand_in.kubectl("create", "-f", "-", stdin=json.dumps(quota))
    try:
        status = {"status": {"hard": {"configmaps": "0"}, "used": {"configmaps": "0"}}}
        patch = ("patch", "quota", "full", "--subresource=status", "--type=merge", "-p", json.dumps(status))
        stand_in.kubectl(*patch)
        report = target.diff()
    finally:
        stand_in.kubectl("delete", "quota", "full")
    assert report.exit_code is ExitCode.DIFFERENT, report.entries
    entry = _entries(report)["a"]
    assert entry.bucket is Bucket.PENDING
    assert entry.reason.endswith("the one that it was tried in has a quota")
    _settles(target)


def test_a_kind_and_objects_of_it(new: New) -> None:
    """An object is judged by the schema in Git: accepted without a word, or with all that is wrong."""
    target = new.target
    target.write("crd.yaml", new.crd("{size: {type: integer, minimum: 1}, mode: {enum: [a, b], type: string}}"))
    target.write("ns.yaml", _NAMESPACE)
    target.write("good.yaml", new.object("{size: 1, mode: a}"))
    report = target.diff()
    assert report.exit_code is ExitCode.DIFFERENT
    assert told(report)[new.name()] == "pending missing"
    assert any("1 objects were checked by the schema" in note for note in report.notes)
    _settles(target)
    target.write("bad.yaml", new.object("{size: x, colour: red}", "two"))
    assert target.diff().exit_code is ExitCode.DESIRED  # the server's own word by now


def test_all_that_is_wrong_with_objects_of_a_new_kind(new: New) -> None:
    """Every object with every field, in one diff; an apply makes the good ones and is told the same by the server."""
    target = new.target
    target.write("all.yaml", f"{_NAMESPACE}---\n" + new.crd("{size: {type: integer, minimum: 1}}"))
    target.write("good.yaml", new.object("{size: 1}", "good"))
    target.write("bad.yaml", new.object("{size: x, colour: red}", "bad"))
    target.write("worse.yaml", new.object("{size: 0}", "worse"))
    report = target.diff()
    assert report.exit_code is ExitCode.DESIRED
    failed = {name: entry.problem for name, entry in _entries(report).items() if entry.problem}
    assert set(failed) == {"bad", "worse"}
    assert {problem.trouble for problem in failed.values()} == {Trouble.INVALID}
    assert failed["bad"].message.endswith(
        'spec.colour: field not declared in schema; spec.size: Invalid value: "x": must be of type integer'
    )
    assert failed["worse"].message.endswith("spec.size: Invalid value: 0: should be greater than or equal to 1")
    applied = _entries(target.apply())
    assert {name for name, entry in applied.items() if entry.outcome is Outcome.FAILED} == {"bad", "worse"}
    assert applied["good"].outcome is Outcome.CREATED


def test_a_kind_that_the_server_refuses(new: New) -> None:
    """Its objects are not tried: they are told to wait for it."""
    target = new.target
    target.write("all.yaml", f"{_NAMESPACE}---\n" + new.crd("{size: {type: number, multipleOf: x}}"))
    target.write("one.yaml", new.object("{size: 1}"))
    report = target.diff()
    assert report.exit_code is ExitCode.DESIRED
    assert [entry.ref.kind for entry in report.entries if entry.problem] == ["CustomResourceDefinition"]
    applied = {entry.ref.kind: entry for entry in target.apply().entries}
    assert applied["CustomResourceDefinition"].outcome is Outcome.FAILED
    skipped = applied[new.kind]
    assert skipped.outcome is Outcome.SKIPPED
    assert skipped.problem
    assert skipped.problem.trouble is Trouble.PREREQUISITE


def test_a_field_that_the_kind_gains_with_the_set(new: New) -> None:
    """The server refuses it by its old schema; the new one is what an apply will meet."""
    target = new.target
    target.write("crd.yaml", f"{_NAMESPACE}---\n" + new.crd("{size: {type: integer}}"))
    target.write("one.yaml", new.object("{size: 1}"))
    _settles(target)
    target.write("crd.yaml", f"{_NAMESPACE}---\n" + new.crd("{size: {type: integer}, colour: {type: string}}"))
    target.write("one.yaml", new.object("{size: 2, colour: red}"))
    target.write("two.yaml", new.object("{colour: blue}", "two"))
    target.write("bad.yaml", new.object("{colour: 1}", "bad"))
    report = target.diff()
    assert report.exit_code is ExitCode.DESIRED
    assert told(report)[new.name()] == "pending modified spec.size spec.colour"
    assert told(report)[new.name("two")] == "pending missing"
    bad = _entries(report)["bad"].problem
    assert bad
    assert bad.message.endswith("in Git: spec.colour: Invalid value: 1: must be of type string")
    target.remove("bad.yaml")
    assert target.diff().exit_code is ExitCode.DIFFERENT
    applied = target.apply()
    assert applied.exit_code is ExitCode.OK, applied.entries
    assert target.diff().entries == ()


def test_a_field_that_the_kind_loses_with_the_set(new: New) -> None:
    """What is in sync today would be refused after an apply: the diff says it."""
    target = new.target
    target.write("crd.yaml", f"{_NAMESPACE}---\n" + new.crd("{size: {type: integer}, colour: {type: string}}"))
    target.write("one.yaml", new.object("{size: 1, colour: red}"))
    _settles(target)
    target.write("crd.yaml", f"{_NAMESPACE}---\n" + new.crd("{size: {type: integer}}"))
    report = target.diff()
    assert report.exit_code is ExitCode.DESIRED
    problem = _entries(report)["one"].problem
    assert problem
    assert problem.message.endswith("in Git: spec.colour: field not declared in schema")


def test_a_rule_that_the_server_has_already_stands(new: New) -> None:
    """What the old schema doesn't explain is the server's last word, though the schema changes as well."""
    ruled = '{size: {type: integer, x-kubernetes-validations: [{rule: "self < 9", message: too large}]}}'
    target = new.target
    target.write("crd.yaml", f"{_NAMESPACE}---\n" + new.crd(ruled))
    target.write("one.yaml", new.object("{size: 1}"))
    _settles(target)
    target.write("crd.yaml", f"{_NAMESPACE}---\n" + new.crd(ruled.replace("{size", "{colour: {type: string}, size")))
    target.write("one.yaml", new.object("{size: 10}"))
    problem = _entries(target.diff())["one"].problem
    assert problem
    assert "too large" in problem.message


def test_a_version_that_the_kind_gains_with_the_set(new: New) -> None:
    """An object that exists is not new: it is read in the version that there is, and moves to the other."""
    target = new.target
    properties = "{size: {type: integer}}"
    target.write("crd.yaml", f"{_NAMESPACE}---\n" + new.crd(properties))
    target.write("one.yaml", new.object("{size: 1}"))
    target.write("same.yaml", new.object("{size: 5}", "same"))
    _settles(target)
    uid = target.get(new.plural, "one")["metadata"]["uid"]
    target.write("crd.yaml", f"{_NAMESPACE}---\n" + new.crd(properties, "v2"))
    target.write("one.yaml", new.object("{size: 2}", version="v2"))
    target.write("same.yaml", new.object("{size: 5}", "same", version="v2"))
    target.write("two.yaml", new.object("{size: 3}", "two", version="v2"))
    target.write("bad.yaml", new.object("{size: x}", "bad", version="v2"))
    report = target.diff()
    assert report.exit_code is ExitCode.DESIRED
    assert told(report) == {
        f"CustomResourceDefinition {new.plural}.example.com": "pending modified spec.versions",
        new.name(): "pending modified apiVersion spec.size",
        new.name("same"): "pending modified apiVersion",
        new.name("two"): "pending missing",
        new.name("bad"): "failed",
    }
    target.remove("bad.yaml")
    applied = target.apply()
    assert applied.exit_code is ExitCode.OK, applied.entries
    assert {entry.ref.name: entry.outcome for entry in applied.entries if entry.ref.kind == new.kind} == {
        "one": Outcome.CONFIGURED,
        "same": Outcome.CONFIGURED,
        "two": Outcome.CREATED,
    }
    assert target.get(new.plural, "one")["metadata"]["uid"] == uid
    assert target.diff().entries == ()


def test_a_version_that_objects_are_stored_in(new: New) -> None:
    """The server's refusal is told by the diff, and what is of the kind waits in an apply."""
    target = new.target
    target.write("crd.yaml", f"{_NAMESPACE}---\n" + new.crd("{size: {type: integer}}"))
    target.write("one.yaml", new.object("{size: 1}"))
    _settles(target)
    renamed = new.crd("{size: {type: integer}}").replace("  - name: v1", "  - name: v2")
    target.write("crd.yaml", f"{_NAMESPACE}---\n{renamed}")
    target.write("one.yaml", new.object("{size: 1}", version="v2"))
    target.write("a.yaml", _in_new(config_map("a")))
    report = target.diff()
    assert report.exit_code is ExitCode.DESIRED
    (failed,) = [entry for entry in report.entries if entry.problem]
    assert failed.problem
    assert "status.storedVersions[0]" in failed.problem.message
    applied = target.apply()
    assert applied.exit_code is ExitCode.INCOMPLETE
    assert _entries(applied)["a"].outcome is Outcome.CREATED
    assert target.get(new.plural, "one")["spec"] == {"size": 1}


def test_read_only_says_the_same_without_asking(new: New) -> None:
    """The schema in Git is there to read; what is in a new namespace has a local verdict."""
    target = new.target
    target.write("all.yaml", f"{_NAMESPACE}---\n{_in_new(config_map('a'))}---\n" + new.crd("{size: {type: integer}}"))
    target.write("bad.yaml", new.object("{size: x}"))
    report = target.diff(read_only=True)
    assert report.exit_code is ExitCode.DESIRED
    assert [entry.ref.name for entry in report.entries if entry.problem] == ["one"]
    assert _entries(report)["a"].local


def test_what_it_costs(new: New) -> None:
    """One dry run for each object that is missing, wherever it is tried; none for those of a new kind."""
    target = new.target
    target.write("ns.yaml", _NAMESPACE)
    target.write("crd.yaml", new.crd("{size: {type: integer}}"))
    for name in ("a", "b", "c"):
        target.write(f"{name}.yaml", _in_new(config_map(name)))
        target.write(f"{name}-new.yaml", new.object("{size: 1}", name))
    before = len(target.lab.audit())
    report = target.diff()
    dry_runs = [event for event in target.lab.audit()[before:] if "dryRun" in event.uri]
    assert len(dry_runs) == 5
    assert report.asked == 5
