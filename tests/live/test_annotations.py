"""Annotations that people already have, on a real API server: what is skipped, kept, confirmed, created once."""

from pathlib import Path

import pytest
from target import Target, config_map, definition, told

from recon_action.errors import DesiredError, ExitCode
from recon_action.lab import Lab
from recon_action.model import Bucket, Outcome
from recon_action.model.settings import AdditiveMode
from recon_action.report.document import Report


@pytest.fixture
def target(lab: Lab, namespace: str, tmp_path: Path) -> Target:
    """An empty target in a namespace of its own."""
    return Target(lab, namespace, tmp_path)


def _annotated(name: str, *annotations: str) -> str:
    lines = "".join(f"\n    {annotation}" for annotation in annotations)
    return config_map(name).replace(f"  name: {name}", f"  name: {name}\n  annotations:{lines}")


def _reasons(report: Report) -> dict[str, str]:
    return {entry.ref.name: entry.reason for entry in report.entries if entry.bucket is Bucket.SKIPPED}


def _names(target: Target) -> set[str]:
    listed = target.kubectl("get", "configmap", "-o", "jsonpath={.items[*].metadata.name}")
    return set(listed.split()) - {"kube-root-ca.crt"}


def test_hooks_are_no_part_of_the_state(target: Target) -> None:
    """Neither applied nor asked about, whatever their kind; an ordinary object of Helm's crd-install is applied."""
    target.write("a.yaml", config_map("a"))
    target.write("hook.yaml", _annotated("hook", "argocd.argoproj.io/hook: PreSync"))
    target.write("test.yaml", _annotated("test", "helm.sh/hook: test"))
    target.write("crd.yaml", _annotated("crd", "helm.sh/hook: crd-install"))
    unknown = (
        "apiVersion: argoproj.io/v1\nkind: Workflow\nmetadata: {name: w, annotations: {helm.sh/hook: post-install}}"
    )
    target.write("workflow.yaml", unknown)
    before = len(target.lab.audit())
    report = target.apply()
    assert (report.exit_code, report.counts.skipped, report.counts.total) == (ExitCode.OK, 3, 5)
    assert _reasons(report) == {
        "hook": "left alone: argocd.argoproj.io/hook: PreSync",
        "test": "left alone: helm.sh/hook: test",
        "w": "left alone: helm.sh/hook: post-install",
    }
    assert _names(target) == {"a", "crd"}
    assert not [event.uri for event in target.lab.audit()[before:] if "/hook" in event.uri or "/test?" in event.uri]
    assert target.diff().exit_code is ExitCode.OK


def test_an_object_that_git_no_longer_reconciles(target: Target) -> None:
    """Not compared, not corrected, still a member; when Git takes it up again, what differs is told."""
    target.write("a.yaml", config_map("a"))
    target.apply()
    target.write("a.yaml", _annotated("a", "kustomize.toolkit.fluxcd.io/reconcile: disabled"))
    target.kubectl("patch", "configmap", "a", "-p", '{"data": {"a": "9"}}')
    report = target.apply()
    assert (report.exit_code, report.plan) == (ExitCode.OK, ())
    assert _reasons(report) == {"a": "left alone: kustomize.toolkit.fluxcd.io/reconcile: disabled"}
    assert target.get("configmap", "a")["data"] == {"a": "9"}
    target.write("a.yaml", config_map("a"))
    assert told(target.diff()) == {f"ConfigMap {target.namespace}/a": "drifted modified data.a"}


def test_kept_objects_stay_and_stay_known(target: Target) -> None:
    """Each tool's way to say so; the report goes on telling of them, until the annotation is gone."""
    keep = {
        "argo": 'argocd.argoproj.io/sync-options: "Prune=false,Validate=false"',
        "flux": "kustomize.toolkit.fluxcd.io/prune: Disabled",
        "kapp": "kapp.k14s.io/delete-strategy: orphan",
        "kpt": "client.lifecycle.config.k8s.io/deletion: detach",
        "helm": "helm.sh/resource-policy: keep",
        "ours": "recon-action.github.io/prune: disabled",
    }
    for name, annotation in keep.items():
        target.write(f"{name}.yaml", _annotated(name, annotation))
    target.write("a.yaml", config_map("a"))
    target.write("gone.yaml", config_map("gone"))
    target.apply()
    for name in (*keep, "gone"):
        target.remove(f"{name}.yaml")
    report = target.apply()
    assert (report.exit_code, report.counts.skipped) == (ExitCode.OK, len(keep))
    assert _reasons(report)["helm"] == "kept: helm.sh/resource-policy: keep"
    assert _reasons(report)["argo"] == "kept: argocd.argoproj.io/sync-options: Prune=false"
    assert _names(target) == {"a", *keep}
    assert target.apply().counts.skipped == len(keep)
    target.kubectl("annotate", "configmap", "helm", "helm.sh/resource-policy-")
    assert target.apply().exit_code is ExitCode.OK
    assert _names(target) == {"a", *keep} - {"helm"}


def test_a_namespace_stays_for_what_is_kept_in_it(target: Target) -> None:
    """It would take the kept object along; the others in it go."""
    home = f"{target.namespace}-home"
    target.write("a.yaml", config_map("a"))
    target.write("home.yaml", f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: {home}}}\n")
    for name, annotation in (("kept", "helm.sh/resource-policy: keep"), ("gone", "a: b")):
        text = _annotated(name, annotation).replace(f"  name: {name}", f"  name: {name}\n  namespace: {home}")
        target.write(f"{name}.yaml", text)
    target.apply()
    for name in ("home", "kept", "gone"):
        target.remove(f"{name}.yaml")
    report = target.apply()
    assert report.exit_code is ExitCode.OK
    assert _reasons(report) == {
        home: f"kept: ConfigMap {home}/kept is in it",
        "kept": "kept: helm.sh/resource-policy: keep",
    }
    left = target.kubectl("get", "configmap", "-n", home, "-o", "name")
    assert left.split() == ["configmap/kept"]


def test_a_deletion_that_is_to_be_confirmed(target: Target) -> None:
    """Refused, naming the annotation, until destructive deletions are allowed."""
    target.write("a.yaml", config_map("a"))
    target.write("b.yaml", _annotated("b", 'argocd.argoproj.io/sync-options: "Prune=confirm"'))
    target.apply()
    target.remove("b.yaml")
    refused = target.apply()
    assert refused.exit_code is ExitCode.REFUSED
    assert "Prune=confirm" in refused.problems[0].message
    assert _names(target) == {"a", "b"}
    assert target.apply(allow_destructive=True).exit_code is ExitCode.OK
    assert _names(target) == {"a"}


def test_created_once(target: Target) -> None:
    """Created where it is missing, then left alone, also by a change in Git; deleted, it is created again."""
    once = _annotated("a", "kustomize.toolkit.fluxcd.io/ssa: IfNotPresent")
    target.write("a.yaml", once)
    assert [entry.outcome for entry in target.apply().entries] == [Outcome.CREATED]
    target.kubectl("patch", "configmap", "a", "-p", '{"data": {"a": "9"}}')
    target.write("a.yaml", once.replace('a: "1"', 'a: "2"'))
    before = len(target.lab.audit())
    report = target.apply()
    assert (report.exit_code, report.plan) == (ExitCode.OK, ())
    assert "created once, and left alone since: kustomize.toolkit.fluxcd.io/ssa: IfNotPresent" in _reasons(report)["a"]
    assert not any("dryRun" in event.uri for event in target.lab.audit()[before:])
    assert target.get("configmap", "a")["data"] == {"a": "9"}
    target.kubectl("delete", "configmap", "a")
    assert target.apply().exit_code is ExitCode.OK
    assert target.get("configmap", "a")["data"] == {"a": "2"}


def test_merged_objects(target: Target) -> None:
    """What others add is not told, whoever added it, nor taken away; what Git says is corrected all the same."""
    target.write("a.yaml", _annotated("a", "kustomize.toolkit.fluxcd.io/ssa: Merge"))
    target.apply()
    target.kubectl("patch", "configmap", "a", "-p", '{"data": {"a": "9", "b": "2"}}')
    report = target.diff(additive=AdditiveMode.REVERT)
    assert told(report) == {f"ConfigMap {target.namespace}/a": "drifted modified data.a"}
    assert any("kustomize.toolkit.fluxcd.io/ssa: Merge" in note for note in report.notes)
    assert target.apply(additive=AdditiveMode.REVERT).exit_code is ExitCode.OK
    assert target.get("configmap", "a")["data"] == {"a": "1", "b": "2"}


@pytest.mark.parametrize(
    "annotation",
    [
        'argocd.argoproj.io/sync-options: "Replace=true,Force=true"',
        "kustomize.toolkit.fluxcd.io/force: enabled",
        "kapp.k14s.io/update-strategy: fallback-on-replace",
        "recon-action.github.io/recreate: enabled",
    ],
)
def test_an_annotation_allows_to_create_anew(target: Target, annotation: str) -> None:
    """Of the object that has it, and of no other; which one decided is told."""
    for name in "ab":
        target.write(f"{name}.yaml", config_map(name) + "immutable: true\n")
    target.apply()
    changed = _annotated("a", annotation).replace('a: "1"', 'a: "2"') + "immutable: true\n"
    target.write("a.yaml", changed)
    target.write("b.yaml", config_map("b").replace('a: "1"', 'a: "2"') + "immutable: true\n")
    report = target.diff()
    assert [action.ref.name for action in report.plan if action.action == "recreate"] == ["a"]
    (reason,) = [entry.reason for entry in report.entries if entry.ref.name == "a"]
    assert annotation.partition(":")[0] in reason


def test_what_means_nothing_is_noted_and_what_is_broken_is_an_error(target: Target) -> None:
    """A typo is told; an order that can't be read ends the run, with file and line."""
    target.write("a.yaml", _annotated("a", "recon-action.github.io/prunes: disabled"))
    assert any("recon-action.github.io/prunes means nothing" in note for note in target.diff().notes)
    broken = _annotated("b", "a: b", "config.kubernetes.io/depends-on: ConfigMap/a")
    target.write("b.yaml", "# first\n---\n" + broken)
    with pytest.raises(DesiredError) as caught:
        target.diff()
    assert "b.yaml:9: each part of config.kubernetes.io/depends-on must name an object" in caught.value.message


def test_an_object_of_a_new_kind_may_be_annotated_too(lab: Lab, target: Target) -> None:
    """Its definition comes with the same set, and nobody asks for what is passed over."""
    plural = f"gadget{target.namespace.replace('-', '')}s"
    target.write("crd.yaml", definition("Gadget", plural, "{a: {type: string}}"))
    target.write(
        "gadget.yaml",
        "apiVersion: example.com/v1\nkind: Gadget\n"
        "metadata: {name: g, annotations: {recon-action.github.io/reconcile: disabled}}\n",
    )
    report = target.diff()
    assert _reasons(report) == {"g": "left alone: recon-action.github.io/reconcile: disabled"}


def test_what_is_passed_over_takes_no_rights(target: Target) -> None:
    """A hook's kind is not even listed; and where admission can't be read, nothing is made of what is left alone."""
    target.write("a.yaml", _annotated("a", "kustomize.toolkit.fluxcd.io/ssa: IfNotPresent"))
    target.apply()
    hook = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: hook, annotations: {helm.sh/hook: post-install}}\n"
    target.write("hook.yaml", hook)
    access = target.user('{apiGroups: [""], resources: [configmaps, namespaces], verbs: [get, list, patch]}')
    before = len(target.lab.audit())
    report = target.diff(access=access)
    assert (report.exit_code, report.counts.skipped, report.counts.total) == (ExitCode.OK, 2, 2)
    assert not [event.uri for event in target.lab.audit()[before:] if event.resource == "jobs"]
