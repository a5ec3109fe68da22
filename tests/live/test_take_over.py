"""Objects that another tool applied before us: what would go, and who lets go of what."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from target import Target

from recon_action.act.handover import hand_over
from recon_action.analyze.handover import handover_patch
from recon_action.cluster import connect, discover
from recon_action.errors import ExitCode
from recon_action.lab import Lab
from recon_action.model import (
    Access,
    AdditiveMode,
    Bucket,
    Cause,
    Handover,
    Limit,
    LiveObject,
    Mode,
    Outcome,
    Quiet,
    ref_of,
)
from recon_action.reconcile import reconcile
from recon_action.report.document import Report

_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_UNIT = "{namespace}:apps/Deployment:{namespace}/web"


def _config_map(**data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data}


def _deployment(*env: str, **spec: Any) -> dict[str, Any]:
    container: dict[str, Any] = {"name": "web", "image": "registry.example/web:1"}
    if env:
        container["env"] = [{"name": name, "value": "1"} for name in env]
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "labels": {"app": "web"}},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": template, **spec},
    }


# What Git has, what the predecessor had beside it, and the paths of that.
_GIT = (_config_map(a="1"), _deployment("KEPT"))
_THEIRS = (_config_map(a="1", b="2"), _deployment("KEPT", "OLD", minReadySeconds=5))
_EXTRA = {"data.b", "spec.minReadySeconds", "spec.template.spec.containers[name=web].env[name=OLD]"}


@dataclass(frozen=True)
class _Tool:
    """How a predecessor writes: kubectl's verb and options; and what it leaves on the objects."""

    verb: tuple[str, ...]
    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)
    owner: str = ""  # the living owner that `--take-over` has to name
    tracked: frozenset[str] = frozenset()  # paths of what would go besides, if it isn't the owner's own marks
    copy: str = ""  # an annotation that holds the object as it was applied

    def put(self, target: Target, bodies: Iterable[dict[str, Any]]) -> None:
        for body in bodies:
            marked = json.loads(json.dumps(body))
            metadata = marked["metadata"]
            if self.copy:
                metadata["annotations"] = {self.copy: json.dumps(body)}
            if self.labels:
                metadata["labels"] = metadata.get("labels", {}) | self.labels
            if self.annotations:
                metadata["annotations"] = metadata.get("annotations", {}) | self.annotations
            target.kubectl(*self.verb, "-f", "-", stdin=json.dumps(marked))


def _update(manager: str) -> tuple[str, ...]:
    return ("create", f"--field-manager={manager}")


def _apply(manager: str) -> tuple[str, ...]:
    return ("apply", "--server-side", "--force-conflicts", f"--field-manager={manager}")


_HELM_LABEL = {"app.kubernetes.io/managed-by": "Helm"}
_HELM = {"meta.helm.sh/release-name": "shop", "meta.helm.sh/release-namespace": "default"}
_ARGO = {"argocd.argoproj.io/tracking-id": "shop:apps/Deployment:x/web"}
_FLUX = {"kustomize.toolkit.fluxcd.io/name": "shop", "kustomize.toolkit.fluxcd.io/namespace": "flux-system"}
_FLUX_HELM = {"helm.toolkit.fluxcd.io/name": "shop", "helm.toolkit.fluxcd.io/namespace": "flux-system"}
_TOOLS = {
    "kubectl-client-side": _Tool(("apply",)),
    "kubectl-server-side": _Tool(("apply", "--server-side")),
    "kubectl-client-side-under-another-name": _Tool(("apply", "--field-manager=deployer")),
    "helm-3": _Tool(_update("helm"), _HELM_LABEL, _HELM, "helm"),
    "helm-3-capital": _Tool(_update("Helm"), _HELM_LABEL, _HELM, "helm"),
    "helm-4": _Tool(_apply("helm"), _HELM_LABEL, _HELM, "helm"),
    "argocd-client-side": _Tool(("apply", "--field-manager=argocd-controller"), {}, _ARGO, "argocd"),
    "argocd-server-side": _Tool(_apply("argocd-controller"), {}, _ARGO, "argocd"),
    "argocd-by-label": _Tool(_apply("argocd-controller"), {"app.kubernetes.io/instance": "shop"}, {}, "argocd"),
    "argocd-application-controller": _Tool(_update("argocd-application-controller"), {}, _ARGO, "argocd"),
    "flux-kustomize": _Tool(_apply("kustomize-controller"), _FLUX, {}, "flux"),
    "flux-helm": _Tool(_update("helm-controller"), _FLUX_HELM | _HELM_LABEL, _HELM, "flux"),
    "kapp": _Tool(
        _update("kapp"),
        {"kapp.k14s.io/app": "1"},
        {"kapp.k14s.io/identity": "v1;x"},
        tracked=frozenset({'metadata.labels["kapp.k14s.io/app"]', 'metadata.annotations["kapp.k14s.io/identity"]'}),
    ),
    "kapp-with-its-copy": _Tool(_update("kapp"), copy="kapp.k14s.io/original"),
    "terraform": _Tool(_update("HashiCorp")),
    "terraform-manifest": _Tool(_apply("Terraform")),
}


@pytest.fixture
def target(lab: Lab, namespace: str, tmp_path: Path) -> Target:
    """An empty target in a namespace of its own."""
    return Target(lab, namespace, tmp_path)


def _write(target: Target, bodies: Iterable[dict[str, Any]]) -> None:
    for body in bodies:
        target.write(f"{body['metadata']['name']}.yaml", json.dumps(body))


def _live(target: Target) -> dict[str, dict[str, Any]]:
    return {"a": target.get("configmap", "a"), "web": target.get("deployment", "web")}


def _versions(target: Target) -> dict[str, str]:
    return {name: body["metadata"]["resourceVersion"] for name, body in _live(target).items()}


def _changes(report: Report) -> dict[str, Any]:
    return {change.path: change for entry in report.entries for change in entry.changes}


def _managers(body: dict[str, Any]) -> set[tuple[str, str, str]]:
    return {
        (entry["manager"], entry["operation"], entry.get("subresource", ""))
        for entry in body["metadata"]["managedFields"]
    }


@pytest.mark.parametrize("name", _TOOLS)
def test_a_predecessor_is_taken_over(target: Target, name: str) -> None:
    """The first diff names what would go and whose it is; an apply removes just that; the second diff is clean."""
    tool = _TOOLS[name]
    tool.put(target, _THEIRS)
    target.kubectl(
        *("patch", "deployment", "web", "--subresource=status", "--field-manager=kube-controller-manager"),
        *("--type=merge", "-p", '{"status":{"replicas":1}}'),
    )
    _write(target, _GIT)
    take_over = {"take_over": frozenset({tool.owner})} if tool.owner else {}

    first = target.diff(**take_over)
    changes = _changes(first)
    assert first.exit_code is ExitCode.DIFFERENT
    assert set(changes) - _marks(tool) == _EXTRA | tool.tracked
    assert {(change.cause, change.has_desired, change.additive) for change in changes.values()} == {
        (Cause.GIT, False, False)
    }
    assert all(change.tool and change.since for change in changes.values())
    assert (first.counts.pending, first.counts.unmanaged) == (2, 2)

    done = target.apply(**take_over)
    assert done.exit_code is ExitCode.OK, [entry.problem for entry in done.entries]
    assert {entry.outcome for entry in done.entries} == {Outcome.CONFIGURED}
    second = target.diff()
    assert (second.exit_code, second.counts.in_sync, second.entries) == (ExitCode.OK, 2, ())

    live = _live(target)
    assert live["a"]["data"] == {"a": "1"}
    assert not live["a"]["metadata"].get("annotations")
    assert set(live["web"]["metadata"]["labels"]) == {"app", "applyset.kubernetes.io/part-of"}
    assert "annotations" not in live["web"]["metadata"]
    assert "minReadySeconds" not in live["web"]["spec"]
    assert live["web"]["spec"]["template"]["spec"]["containers"][0]["env"] == [{"name": "KEPT", "value": "1"}]
    assert _managers(live["a"]) == {("recon-action", "Apply", "")}
    assert _managers(live["web"]) == {
        ("recon-action", "Apply", ""),
        ("kube-controller-manager", "Update", "status"),
    }
    before = _versions(target)
    assert target.apply().entries == ()
    assert _versions(target) == before


def _marks(tool: _Tool) -> set[str]:
    """The paths of a living owner's marks: they go with a take-over."""
    if not tool.owner:
        return set()
    marks = [("labels", name) for name in tool.labels] + [("annotations", name) for name in tool.annotations]
    return {f'metadata.{kind}["{name}"]' for kind, name in marks}


@pytest.mark.parametrize("name", [name for name, tool in _TOOLS.items() if tool.owner])
def test_beside_a_living_owner_we_only_look(target: Target, name: str) -> None:
    """Without --take-over the object is compared, but for the owner's marks; nothing is planned and nothing done."""
    tool = _TOOLS[name]
    tool.put(target, _THEIRS)
    _write(target, _GIT)
    before = _versions(target)
    for report in (target.diff(), target.apply()):
        assert report.exit_code is ExitCode.DIFFERENT
        assert set(_changes(report)) == _EXTRA
        assert {entry.bucket for entry in report.entries} == {Bucket.PENDING}
        assert all(f"--take-over {tool.owner}" in entry.reason for entry in report.entries)
        assert report.plan == ()
        assert any("manages 2 of the objects" in note for note in report.notes)
    assert _versions(target) == before
    _write(target, _THEIRS)
    same = target.diff()
    assert (same.exit_code, same.counts.in_sync, same.entries) == (ExitCode.OK, 2, ())
    assert target.apply().exit_code is ExitCode.OK
    assert _versions(target) == before


def test_what_should_go_from_a_living_owner_s_object_remains_a_difference(target: Target) -> None:
    """Under --additive revert a field that a person added is a failure, also where we may not take it away."""
    _TOOLS["argocd-server-side"].put(target, [_GIT[0]])
    target.kubectl("annotate", "configmap/a", "why=because")
    _write(target, [_GIT[0]])
    assert target.diff().exit_code is ExitCode.OK
    for report in (target.diff(additive=AdditiveMode.REVERT), target.apply(additive=AdditiveMode.REVERT)):
        (entry,) = report.entries
        assert (report.exit_code, entry.bucket, entry.outcome) == (ExitCode.DIFFERENT, Bucket.IN_SYNC, None)
        assert set(_changes(report)) == {"metadata.annotations.why"}
        assert "--take-over argocd" in entry.reason
    assert target.get("configmap", "a")["metadata"]["annotations"]["why"] == "because"


def test_marks_that_git_declares_are_no_owner(target: Target) -> None:
    """Manifests rendered from a chart may carry Helm's label and annotations: they are Git's, then."""
    tool = _TOOLS["helm-3"]
    body = _config_map(a="1")
    body["metadata"] |= {"labels": tool.labels, "annotations": tool.annotations}
    _write(target, [body])
    assert target.apply().exit_code is ExitCode.OK
    report = target.diff()
    assert (report.exit_code, report.counts.in_sync, report.entries) == (ExitCode.OK, 1, ())
    target.remove("a.yaml")
    _write(target, [_deployment()])
    assert target.apply(max_prune=Limit(unlimited=True)).exit_code is ExitCode.OK
    assert "configmap/a" not in target.kubectl("get", "configmaps", "-o", "name")


def test_what_an_owner_manages_now_is_not_pruned(target: Target) -> None:
    """An object that left Git for an Argo CD application stays, although it was ours."""
    _write(target, _GIT)
    target.apply()
    tool = _TOOLS["argocd-server-side"]
    tool.put(target, [_GIT[0]])
    target.remove("a.yaml")
    report = target.apply()
    (entry,) = report.entries
    assert (entry.bucket, report.exit_code) == (Bucket.SKIPPED, ExitCode.OK)
    assert "Argo CD manages it now" in entry.reason
    assert target.get("configmap", "a")["data"] == {"a": "1"}


def test_a_predecessor_that_comes_back_is_named(target: Target) -> None:
    """After a take-over, its next write is drift of its tool, and the report says that it is still active."""
    tool = _TOOLS["kubectl-client-side"]
    tool.put(target, _THEIRS)
    _write(target, _GIT)
    target.apply()
    tool.put(target, _THEIRS)
    found = target.diff()
    assert set(_changes(found)) == _EXTRA
    assert {(entry.bucket, entry.cause) for entry in found.entries} == {(Bucket.DRIFTED, Cause.MANUAL)}
    assert all("still applied by kubectl-client-side-apply (last wrote 2" in entry.reason for entry in found.entries)
    assert target.apply().exit_code is ExitCode.OK
    assert target.diff().entries == ()
    tool.put(target, _GIT)
    again = target.diff()
    assert (again.exit_code, again.counts.in_sync, again.counts.mended) == (ExitCode.OK, 2, 2)
    assert all("still applied by kubectl-client-side-apply" in entry.reason for entry in again.entries)
    target.apply()
    assert target.diff().entries == ()
    assert _LAST_APPLIED not in target.get("configmap", "a")["metadata"].get("annotations", {})


def test_what_another_keeps_is_not_promised(target: Target) -> None:
    """A field that a controller holds as well stays after a take-over, so the diff doesn't say that it goes."""
    _TOOLS["terraform"].put(target, [_THEIRS[0]])
    kept = _config_map(b="2")
    target.kubectl(*_apply("some-controller"), "-f", "-", stdin=json.dumps(kept))
    _write(target, [_GIT[0]])
    report = target.diff()
    assert (report.exit_code, report.entries) == (ExitCode.OK, ())
    assert target.apply().exit_code is ExitCode.OK
    assert target.get("configmap", "a")["data"] == {"a": "1", "b": "2"}
    assert target.diff().entries == ()


def test_an_object_from_before_owners_were_tracked(target: Target) -> None:
    """Without managedFields the first apply can't tell; the next sees by last-applied what had been kubectl's."""
    _TOOLS["kubectl-client-side"].put(target, _THEIRS)
    for kind, name in (("configmap", "a"), ("deployment", "web")):
        target.kubectl("patch", kind, name, "--type=merge", "-p", '{"metadata":{"managedFields":[{}]}}')
    _write(target, _GIT)
    assert target.apply().exit_code is ExitCode.OK
    assert ("before-first-apply", "Update", "") in _managers(target.get("configmap", "a"))
    found = target.diff()
    assert set(_changes(found)) == _EXTRA
    assert target.apply().exit_code is ExitCode.OK
    assert target.get("configmap", "a")["data"] == {"a": "1"}
    assert target.diff().entries == ()


def test_what_git_drops_of_an_object_from_before_owners_were_tracked(target: Target) -> None:
    """We had applied it, so it goes, though the server's own entry holds it too; what only that entry holds stays."""
    target.kubectl("create", "-f", "-", stdin=json.dumps(_THEIRS[0]))
    target.kubectl("patch", "configmap/a", "--type=merge", "-p", '{"metadata":{"managedFields":[{}]},"data":{"c":"3"}}')
    _write(target, [_THEIRS[0]])
    assert target.apply().exit_code is ExitCode.OK
    assert ("before-first-apply", "Update", "") in _managers(target.get("configmap", "a"))
    assert target.diff().entries == ()
    _write(target, [_GIT[0]])
    found = target.diff()
    ((path, change),) = _changes(found).items()
    assert (path, change.cause, change.tool, change.since) == ("data.b", Cause.GIT, "before-first-apply", "")
    assert found.counts.pending == 1
    assert target.apply().exit_code is ExitCode.OK
    assert target.get("configmap", "a")["data"] == {"a": "1", "c": "3"}
    assert target.diff().entries == ()


@dataclass
class _Meddler(Quiet):
    """Writes to an object just before it is applied, as a controller might."""

    target: Target

    def step(self, title: str, total: int | None = None) -> None:  # noqa: ARG002 - the protocol's
        if title.startswith("applying"):
            self.target.kubectl("annotate", "configmap/a", "example.com/seen=1", "--field-manager=some-controller")


def test_a_write_in_between_is_kept(target: Target) -> None:
    """The guarded patch meets a real conflict, is made anew, and the other's write stays."""
    _TOOLS["kubectl-client-side"].put(target, _THEIRS)
    _write(target, _GIT)
    before = len(target.lab.audit())
    report = reconcile(target.settings(), Mode.APPLY, progress=_Meddler(target))
    assert report.exit_code is ExitCode.OK
    patches = [
        event.code
        for event in target.lab.audit()[before:]
        if (event.verb, event.resource, event.name) == ("patch", "configmaps", "a") and "force=" not in event.uri
        if "annotate" not in event.raw["userAgent"] and "kubectl" not in event.raw["userAgent"]
    ]
    assert patches == [409, 200]
    body = target.get("configmap", "a")
    assert body["data"] == {"a": "1"}
    assert body["metadata"]["annotations"] == {"example.com/seen": "1"}
    assert target.diff().entries == ()


def test_killed_between_patch_and_apply(target: Target) -> None:
    """When only ownership has moved, the next run sees what is ours and not Git's, and finishes."""
    _TOOLS["kubectl-client-side"].put(target, _THEIRS)
    _write(target, _GIT)
    cluster = connect(Access(str(target.lab.kubeconfig)), concurrency=1)
    capabilities = discover(cluster)
    for body in _live(target).values():
        live = LiveObject(ref_of(body), body)
        resource = capabilities.find(live.ref.group, live.ref.kind)
        assert resource is not None
        handover = Handover(frozenset({("kubectl-client-side-apply", "Update")}), drop_annotations=(_LAST_APPLIED,))
        hand_over(cluster, resource, live, handover)
        after = LiveObject(live.ref, cluster.get(resource, live.ref))
        assert handover_patch(after, handover) == []
    assert target.get("configmap", "a")["data"] == {"a": "1", "b": "2"}
    found = target.diff()
    assert set(_changes(found)) >= _EXTRA
    assert target.apply().exit_code is ExitCode.OK
    assert target.diff().entries == ()
    assert target.get("configmap", "a")["data"] == {"a": "1"}
