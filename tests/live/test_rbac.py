"""The least roles: with them everything works, and without any one rule of them something named does not."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from granted import Lacking, Trial, by_user, grant, parts
from repository import git
from target import Target, config_map, definition

from recon_action.analyze.built_in import built_in
from recon_action.cluster import Cluster, RequestError, connect, discover
from recon_action.errors import ExitCode
from recon_action.lab import Lab, LabOptions, start
from recon_action.lab.binaries import Binaries
from recon_action.model import Access, Mode, ObjectRef, Resource
from recon_action.model.capabilities import BUILT_IN, LEASE
from recon_action.model.permissions import Account, Permit, Purpose, Reach
from recon_action.preview import preview
from recon_action.rbac import permit
from recon_action.reconcile import reconcile
from recon_action.report.permissions import roles

_DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "registry.example/web:REVISION"}]
"""
_SCALER = """\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec: {maxReplicas: 2, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
"""
_CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, annotations: {revision: "REVISION"}}
spec: {accessModes: [ReadWriteOnce], storageClassName: late, resources: {requests: {storage: 1Gi}}}
"""
_CLASS = """\
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: late}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
"""
_ROLES = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, annotations: {revision: "REVISION"}}
rules:
- {apiGroups: [""], resources: [secrets], verbs: [get], resourceNames: [login]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: viewer, annotations: {revision: "REVISION"}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: ServiceAccount, name: default, namespace: NAMESPACE}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: gatherer-NAMESPACE, annotations: {revision: "REVISION"}}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {gathered: by-nobody}}]}
"""
_WIDGET = """\
apiVersion: example.com/v1
kind: Widget
metadata: {name: small, annotations: {revision: "REVISION"}}
spec: {size: 1}
"""
_DEFINITION = definition("Widget", "widgets", "{size: {type: integer}}")
_NO_PODS = """\
apiVersion: v1
kind: ResourceQuota
metadata: {name: none}
spec: {hard: {pods: "0"}}
"""
_GIT = {"web.yaml": _DEPLOYMENT, "data.yaml": _CLAIM, "roles.yaml": _ROLES, "small.yaml": _WIDGET}


@pytest.fixture(scope="module")
def plane(binaries: Binaries) -> Iterator[Lab]:
    """A control plane of this module's own: it gets a CRD, and many users."""
    with start(LabOptions(controllers=True)) as lab:
        yield lab


def _target(lab: Lab, namespace: str, folder: Path, **options: Any) -> Target:
    target = Target(lab, namespace, folder, {"wait": True, "timeout": 30.0} | options)
    target.kubectl("create", "namespace", namespace)
    return target


def _write(target: Target, revision: int) -> None:
    """Git at one of two revisions: every object but one differs between them, one is new and one is gone."""
    for name, manifest in {**_GIT, "same.yaml": config_map("same")}.items():
        target.write(name, manifest.replace("REVISION", str(revision)))
    for name in ("one", "two"):
        (target.folder / f"{name}.yaml").unlink(missing_ok=True)
    name = ("one", "two")[revision]
    target.write(f"{name}.yaml", config_map(name))
    target.write("settings.yaml", config_map("settings").replace('"1"', f'"{revision}"'))


# --- Everything works ----------------------------------------------------------------------------------


@pytest.fixture
def account(plane: Lab, tmp_path: Path) -> Callable[[Target, Reach], Access]:
    """Applies what is printed, as an administrator does, and logs in as the ServiceAccount that it made."""

    def log_in(target: Target, reach: Reach) -> Access:
        made = permit(target.settings(), [reach], Account())
        subprocess.run(
            [plane.kubectl, "apply", "-f", "-"],
            env=plane.env(),
            input=roles(made),
            text=True,
            check=True,
            capture_output=True,
        )
        token = target.kubectl("create", "token", made.name(reach), "-n", "recon-system").strip()
        return Access(str(plane.kubeconfig_with_token(token, namespace=target.namespace)))

    return log_in


def test_everything_works(plane: Lab, tmp_path: Path, account: Callable[[Target, Reach], Access]) -> None:
    """From nothing to an applied, changed, pruned, previewed and healthy target, by the printed roles alone.

    With a namespace, a CRD and its object, an autoscaler, a claim, roles and bindings.
    """
    target = Target(plane, "whole", tmp_path, {"wait": True, "timeout": 60.0})
    for name, manifest in {**_GIT, "scaler.yaml": _SCALER}.items():
        target.write(name, manifest.replace("REVISION", "1"))
    target.write("crd.yaml", definition("Gadget", "gadgets", "{size: {type: integer}}"))
    target.write("gadget.yaml", _WIDGET.replace("Widget", "Gadget").replace("REVISION", "1"))
    target.write("namespace.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: whole, labels: {a: b}}\n")
    for name in ("settings", "extra"):
        target.write(f"{name}.yaml", config_map(name))
    target.remove("small.yaml")
    target.kubectl("apply", "-f", "-", stdin=_CLASS)
    access = account(target, Reach.APPLY)
    report = target.apply(access=access)
    assert report.exit_code is ExitCode.OK, (report.entries, report.problems)
    target.remove("extra.yaml")
    target.write("web.yaml", _DEPLOYMENT.replace("REVISION", "2"))
    target.kubectl("patch", "configmap", "settings", "-p", '{"data": {"a": "2"}}')
    changed = target.apply(access=access)
    assert changed.exit_code is ExitCode.OK, (changed.entries, changed.problems)
    outcomes = {str(entry.ref): entry.outcome for entry in changed.entries}
    assert outcomes["ConfigMap whole/extra"] == "deleted"
    assert outcomes["ConfigMap whole/settings"] == outcomes["Deployment whole/web"] == "configured"
    for reach, options in ((Reach.READ_ONLY, {"read_only": True}), (Reach.PREVIEW, {}), (Reach.APPLY, {})):
        looked = target.diff(access=account(target, reach), proof=False, **options)
        assert (looked.exit_code, looked.counts.in_sync) == (ExitCode.OK, looked.counts.total), (reach, looked.entries)
        local = {str(entry.ref).partition(" ")[0] for entry in looked.entries if entry.local}
        if reach is Reach.PREVIEW:
            assert local <= {"Role", "RoleBinding", "ClusterRole"}
    # Whether the whole cluster may be listed is found out by trying it.
    events = by_user(plane.audit())["system:serviceaccount:recon-system:recon-action-whole-apply"]
    denied = {(event.verb, event.resource, event.namespace) for event in events if event.code == 403}
    assert {(verb, namespace) for verb, _, namespace in denied} == {("list", "")}, denied


def test_a_preview(
    plane: Lab, tmp_path: Path, account: Callable[[Target, Reach], Access], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two commits are compared beside the cluster by the roles for it."""
    monkeypatch.chdir(tmp_path)
    target = _target(plane, "previewed", tmp_path)
    target.write("settings.yaml", config_map("settings"))
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "one")
    assert target.apply().exit_code is ExitCode.OK
    target.write("settings.yaml", config_map("settings").replace('"1"', '"2"'))
    target.write("more.yaml", config_map("more"))
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "two")
    report = preview(target.settings(access=account(target, Reach.PREVIEW)), "HEAD^", "HEAD")
    assert (report.exit_code, report.counts.pending, report.counts.local) == (ExitCode.DIFFERENT, 2, 0)


# --- Nothing is too much -------------------------------------------------------------------------------


def _reset(target: Target, admin: Cluster) -> None:
    """As the first revision, applied; Git as the second; and a lock that nobody holds any more."""
    lock = ObjectRef(LEASE.group, LEASE.kind, "recon-system", f"recon-action-{target.namespace}")
    with suppress(RequestError):
        found = admin.get(LEASE, lock)
        admin.delete(LEASE, lock, uid=found["metadata"]["uid"])
    _write(target, 0)
    report = reconcile(target.settings(wait=False), Mode.APPLY)
    assert report.exit_code is ExitCode.OK, (report.entries, report.problems)
    _write(target, 1)
    body = {"apiVersion": LEASE.api_version, "kind": LEASE.kind}
    admin.create(LEASE, body | {"metadata": {"name": lock.name, "namespace": lock.namespace}, "spec": {}})


@pytest.fixture(scope="module")
def trial(plane: Lab, tmp_path_factory: pytest.TempPathFactory) -> Trial:
    """The target that all try."""
    target = _target(plane, "tried", tmp_path_factory.mktemp("tried"))
    for manifest in (_DEFINITION, _CLASS, _SCALER):
        target.kubectl("apply", "-f", "-", stdin=manifest)
    target.kubectl("wait", "--for=condition=Established", "crd/widgets.example.com")
    _write(target, 0)
    report = target.apply()
    assert report.exit_code is ExitCode.OK, (report.entries, report.problems)
    settings = target.settings(timeout=2.0, cluster_uid=report.cluster_uid)
    admin = connect(target.settings().access, concurrency=16)
    return Trial(plane, target, admin, settings, partial(_reset, target, admin))


@pytest.mark.parametrize("reach", [Reach.READ_ONLY, Reach.PREVIEW])
def test_to_look(trial: Trial, reach: Reach) -> None:
    """Of a diff each rule is needed, and each verb: without it something fails, is compared here, or costs more."""
    trial.reset()
    made = permit(trial.target.settings(), [reach], Account())
    users = _users(f"look-{reach}", made, _is_tried)
    lines = trial.run(made, users, Mode.DIFF, read_only=reach is Reach.READ_ONLY)
    assert trial.judge(users, lines, ExitCode.DIFFERENT) == {}


def test_to_apply(trial: Trial) -> None:
    """Of an apply each rule is needed, and each verb: without it the apply fails, waits otherwise, or costs more."""
    made = permit(trial.target.settings(), [Reach.APPLY], Account())
    later = {Purpose.CAUSES, Purpose.HOME}  # are needed where something is wrong, or for the first time
    users = _users("apply", made, lambda one: _is_tried(one) and one.rule.purpose not in later)
    assert trial.judge(users, trial.run(made, users, Mode.APPLY), ExitCode.OK) == {}


def test_to_say_why(trial: Trial) -> None:
    """Why a rollout does not get on is told only to who may see ReplicaSets, pods and events."""
    made = permit(trial.target.settings(), [Reach.APPLY], Account())
    users = _users("why", made, lambda one: one.rule.purpose is Purpose.CAUSES and len(one.rule.resources) == 1)

    def stick() -> None:
        trial.reset()
        trial.target.write("web.yaml", _DEPLOYMENT.replace("REVISION", "never"))

    trial.target.kubectl("apply", "-f", "-", stdin=_NO_PODS)
    try:
        lines = replace(trial, reset=stick).run(made, users, Mode.APPLY)
    finally:
        trial.target.kubectl("delete", "resourcequota", "none")
    assert any("exceeded quota" in line for line in lines["why-0"]), lines["why-0"]
    assert trial.judge(users, lines, ExitCode.UNHEALTHY) == {}


def test_for_the_first_time(trial: Trial, tmp_path: Path) -> None:
    """What is needed only where there is no inventory yet: to create it, in a namespace that is there."""
    target = _target(trial.lab, "first", tmp_path)
    target.write("a.yaml", config_map("a"))
    made = permit(target.settings(), [Reach.APPLY], Account())
    verbs = {Purpose.HOME: ("get",), Purpose.INVENTORY: ("create",)}
    users = _users("first", made, lambda one: one.rule.verbs == verbs.get(one.rule.purpose))
    assert len(users) == 1 + len(verbs)
    inventory = ObjectRef("", "ConfigMap", "recon-system", "recon-action-first")

    def forget() -> None:
        target.kubectl("delete", "configmap", "a", "--ignore-not-found")
        target.kubectl("delete", "configmap", inventory.name, "-n", inventory.namespace, "--ignore-not-found")

    own = replace(trial, target=target, settings=target.settings(), reset=forget)
    assert own.judge(users, own.run(made, users, Mode.APPLY), ExitCode.OK) == {}


# --- What is known without a cluster -------------------------------------------------------------------


def test_built_in_kinds(trial: Trial) -> None:
    """Of each of Kubernetes' own kinds plural and scope are known as the server has them."""
    wrong = {}
    for (group, kind), versions in discover(trial.admin).resources.items():
        served = versions[0]
        if group not in BUILT_IN or "patch" not in served.verbs:
            continue
        known = built_in(group, kind, served.version)
        if known is None or _facts(known) != _facts(served):
            wrong[group, kind] = known
    assert wrong == {}


def _facts(resource: Resource) -> tuple[str, bool, bool]:
    return resource.plural, resource.namespaced, "scale" in resource.subresources


def test_offline(trial: Trial, tmp_path: Path) -> None:
    """Without a cluster the roles are the same, if the CRD is in Git, and nothing is left to prune."""
    target = Target(trial.lab, "offline", tmp_path, {"wait": False})
    for name, manifest in {**_GIT, "crd.yaml": _DEFINITION, "scaler.yaml": _SCALER}.items():
        target.write(name, manifest.replace("REVISION", "1"))
    asked, assumed = (permit(target.settings(), tuple(Reach), Account(), offline=offline) for offline in (False, True))
    assert [grants.rules for grants in asked.grants] == [grants.rules for grants in assumed.grants]
    target.remove("crd.yaml")
    unknown = permit(target.settings(), [Reach.APPLY], Account(), offline=True)
    assert unknown.unknown_kinds == (("example.com", "Widget"),)


def test_what_the_inventory_holds(trial: Trial, tmp_path: Path) -> None:
    """What Git no longer has, and an apply has to prune, counts as well if the cluster is asked."""
    target = _target(trial.lab, "held", tmp_path, wait=False)
    target.write("a.yaml", config_map("a"))
    target.write("b.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: b}\n")
    assert target.apply().exit_code is ExitCode.OK
    target.remove("b.yaml")
    made = permit(target.settings(), [Reach.APPLY], Account())
    (rule,) = [rule for rule in made.grants[0].rules["held"] if rule.purpose is Purpose.OBJECTS]
    assert rule.resources == ("configmaps", "secrets")


def test_everywhere(trial: Trial, tmp_path: Path) -> None:
    """Rights in all namespaces bring back one that was deleted, with all that Git has in it."""
    target = Target(trial.lab, "everywhere", tmp_path, {"wait": True, "timeout": 30.0})
    target.write("namespace.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: everywhere}\n")
    target.write("a.yaml", config_map("a"))
    made = permit(target.settings(), [Reach.APPLY], Account("User", "everywhere"), everywhere=True)
    grant(trial.admin, [made])
    access = Access(str(trial.lab.kubeconfig_for("everywhere", [])))
    assert set(made.grants[0].rules) == {"", "recon-system"}
    for again in (False, True):
        if again:
            target.kubectl("delete", "namespace", "everywhere")
        diff = target.diff(access=access)
        assert (diff.exit_code, diff.counts.total) == (ExitCode.DIFFERENT, 2), diff.entries
        assert target.apply(access=access).exit_code is ExitCode.OK


def _users(prefix: str, made: Permit, chosen: Callable[[Lacking], bool]) -> dict[str, Lacking | None]:
    """The user who has it all, and all who lack something that is asked for here."""
    found: list[Lacking | None] = [None, *filter(chosen, parts(made.grants[0]))]
    return {f"{prefix}-{number}": one for number, one in enumerate(found)}


def _is_tried(one: Lacking) -> bool:
    """Whether the target asks for what is lacking: of all kinds alike, but it is ConfigMaps that are new and gone.

    What holds of one kind holds of all: they are one row of the table. Only Deployments take their time.
    """
    rule = one.rule
    if rule.purpose is Purpose.INVENTORY and rule.verbs == ("create",):
        return False
    if rule.purpose is not Purpose.OBJECTS or len(rule.verbs) > 1:
        return True
    wanted = {"list", "patch"} | ({"get", "create", "delete"} if rule.resources == ("configmaps",) else set())
    return rule.verbs[0] in wanted | ({"watch"} if rule.resources == ("deployments",) else set())
