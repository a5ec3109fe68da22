"""Credentials that may only read: the verdict is worked out here, and is the server's on nearly every object."""

import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from corpus_app import App, read_app, settle
from meddling import meddle
from proving import is_refused
from target import DEPLOYMENT, Target, config_map, told

from recon_action.cluster import connect
from recon_action.errors import ExitCode, UsageError
from recon_action.lab import Lab
from recon_action.model import Access, Bucket, Mode, Trouble
from recon_action.observe.schema import read_schemas
from recon_action.reconcile import reconcile
from recon_action.report.document import Entry, Report

_IMAGE = "spec.template.spec.containers[name=web].image"


_TENANT = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: NAME, namespace: NAMESPACE}
rules:
- {apiGroups: ["", apps], resources: [configmaps, deployments], verbs: [get, list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: NAME, namespace: NAMESPACE}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: NAME}
subjects:
- {apiGroup: rbac.authorization.k8s.io, kind: User, name: NAME}
"""


@pytest.fixture
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, lab: Lab) -> Path:
    """An empty cache of schemas; `lab` comes first, as its programs lie in the usual one."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder


@pytest.fixture
def target(lab: Lab, namespace: str, tmp_path: Path, cache: Path) -> Target:
    """An applied Deployment and two ConfigMaps, and who may only read them."""
    target = Target(lab, namespace, tmp_path)
    target.write("web.yaml", DEPLOYMENT)
    target.write("one.yaml", config_map("one"))
    target.write("two.yaml", config_map("two"))
    assert target.apply().exit_code is ExitCode.OK
    return target


def _as_reader(target: Target, *rules: str) -> Access:
    return target.user('{apiGroups: ["*"], resources: ["*"], verbs: [get, list]}', *rules)


def _requests(target: Target, act: Callable[[], Report]) -> tuple[Report, Counter[str]]:
    """What `act` reports, and how often it sent each verb; of schemas, by path."""
    before = len(target.lab.audit())
    report = act()
    events = target.lab.audit()[before:]
    sent = Counter(event.verb for event in events)
    return report, sent + Counter(event.uri.partition("?")[0] for event in events if "/openapi/" in event.uri)


def test_without_the_right_to_patch(target: Target) -> None:
    """One refused dry run a kind with a suspect; then the comparison is local, and says so."""
    access = _as_reader(target)
    target.kubectl("set", "image", "deployment/web", "web=registry.example/web:2")
    target.kubectl("patch", "configmap", "one", "-p", '{"data": {"a": "2"}}')
    target.kubectl("delete", "configmap", "two")
    report, sent = _requests(target, lambda: target.diff(access=access, concurrency=1))
    assert report.exit_code is ExitCode.DIFFERENT
    assert told(report) == {
        f"ConfigMap {target.namespace}/one": "drifted modified data.a",
        f"ConfigMap {target.namespace}/two": "drifted missing",
        f"Deployment {target.namespace}/web": f"drifted modified {_IMAGE}",
    }
    assert (report.counts.local, [entry.local for entry in report.entries]) == (3, [True] * 3)
    assert any("local verdict" in note for note in report.notes)
    assert sent["patch"] == 2
    assert sent["/openapi/v3"] == 1


def test_read_only_sends_nothing_else(target: Target) -> None:
    """With read-only nothing but reads is sent, by whomever; in sync costs no schema, as it is proven."""
    report, sent = _requests(target, lambda: target.diff(read_only=True))
    assert (report.exit_code, report.counts.in_sync, report.counts.local) == (ExitCode.OK, 3, 0)
    assert set(sent) == {"get", "list"}
    report, sent = _requests(target, lambda: target.diff(read_only=True, proof=False))
    assert (report.exit_code, report.counts.in_sync, report.counts.local) == (ExitCode.OK, 3, 3)
    assert set(sent) == {"get", "list", "/openapi/v3", "/openapi/v3/api/v1", "/openapi/v3/apis/apps/v1"}


def test_schemas_are_kept(target: Target, cache: Path) -> None:
    """A second run asks for the index alone; a damaged file is asked for again."""
    first = target.diff(read_only=True, proof=False)
    again, sent = _requests(target, lambda: target.diff(read_only=True, proof=False))
    assert [path for path in sent if "openapi" in path] == ["/openapi/v3"]
    assert (again.counts, again.entries) == (first.counts, first.entries)
    files = list(cache.rglob("*.json"))
    assert len(files) == 2
    for file in files:
        file.write_bytes(file.read_bytes()[:-1])
    _, sent = _requests(target, lambda: target.diff(read_only=True, proof=False))
    assert len([path for path in sent if "openapi" in path]) == 3


def test_an_apply_is_refused(target: Target) -> None:
    """An apply that may not write is no apply."""
    with pytest.raises(UsageError, match="read-only"):
        target.apply(read_only=True)


def test_the_right_to_patch_one_kind(target: Target) -> None:
    """Where the server may be asked, it is: only the other kinds are compared here."""
    access = _as_reader(target, "{apiGroups: [apps], resources: [deployments], verbs: [patch]}")
    report = target.diff(access=access, proof=False)
    assert (report.exit_code, report.counts.in_sync, report.counts.local) == (ExitCode.OK, 3, 2)


def test_two_namespaces_only(lab: Lab, namespace: str, tmp_path: Path, cache: Path) -> None:
    """What may be read is compared, namespace by namespace; the rest failed, with the rule that is missing: exit 4."""
    target = Target(lab, namespace, tmp_path)
    spaces = [f"{namespace}-{letter}" for letter in "abc"]
    for space in spaces:
        target.kubectl("create", "namespace", space)
        for name in ("one", "two"):
            body = config_map(name).replace("name: ", f"namespace: {space}\n  name: ")
            target.write(f"{space}-{name}.yaml", body)
        target.write(
            f"{space}-web.yaml", DEPLOYMENT.replace("  name: web\n", f"  name: web\n  namespace: {space}\n", 1)
        )
    assert target.apply().exit_code is ExitCode.OK
    user = f"tenant-{namespace}"
    for space in spaces[:2]:
        target.kubectl("apply", "-n", space, "-f", "-", stdin=_TENANT.replace("NAMESPACE", space).replace("NAME", user))
    target.kubectl("patch", "configmap", "one", "-n", spaces[0], "-p", '{"data": {"a": "2"}}')
    target.kubectl("patch", "configmap", "one", "-n", spaces[2], "-p", '{"data": {"a": "2"}}')
    access = Access(str(lab.kubeconfig_for(user, [])))
    before = len(lab.audit())
    report = target.diff(access=access)
    lists = [event for event in lab.audit()[before:] if event.verb == "list" and event.resource in _READ]
    assert report.exit_code is ExitCode.CLUSTER
    assert (report.counts.in_sync, report.counts.drifted, report.counts.failed) == (5, 1, 3)
    assert _by_bucket(report, Bucket.DRIFTED) == {f"ConfigMap {spaces[0]}/one"}
    failed = {f"ConfigMap {spaces[2]}/one", f"ConfigMap {spaces[2]}/two", f"Deployment {spaces[2]}/web"}
    assert _by_bucket(report, Bucket.FAILED) == failed
    for entry in report.entries:
        if entry.problem:
            assert entry.problem.trouble is Trouble.FORBIDDEN
            assert 'verbs: ["list"]' in entry.problem.hint
            assert spaces[2] in entry.problem.message
    # Of each kind: the whole cluster, refused; then the three namespaces.
    assert Counter((event.resource, event.namespace) for event in lists) == Counter(
        {(resource, space): 1 for resource in _READ for space in ("", *spaces)}
    )


_READ = ("configmaps", "deployments")


def _by_bucket(report: Report, bucket: Bucket) -> set[str]:
    return {str(entry.ref) for entry in report.entries if entry.bucket is bucket}


# --- Agreement with the server -------------------------------------------------------------------------

_APPS = ("cert-manager", "istio-samples", "k8s-docs", "k8s-examples", "kube-prometheus", "online-boutique")
_ALL = os.environ.get("RECON_LOCAL_APPS", "")  # "all", or names joined by commas: for a soak
_ROUNDS = int(os.environ.get("RECON_LOCAL_ROUNDS", "2"))
_AGREED = 0.99
# App, round, object -> why our verdict is another than the server's.
_DISAGREEMENTS = {
    ("k8s-docs", 1, "ReplicationController default/nginx"): (
        "Git drops the selector: the server fills it in from the labels of the pod template, elsewhere in the object"
    ),
}


def _apps(corpus: Path) -> list[str]:
    if _ALL == "all":
        return sorted(folder.name for folder in corpus.iterdir() if folder.is_dir())
    return _ALL.split(",") if _ALL else list(_APPS)


@dataclass
class _Tally:
    """How often both said the same."""

    compared: int = 0
    refused: int = 0

    def disagreements(self, server: Report, local: Report) -> dict[str, tuple[object, object]]:
        """Objects on which the two differ. What the server refuses to predict has no verdict of its."""
        asked, ours = _verdicts(server), _verdicts(local)
        refused = {str(entry.ref) for entry in server.entries if is_refused(entry)}
        assert server.counts.total == local.counts.total
        self.refused += len(refused)
        self.compared += server.counts.total - len(refused)
        names = (asked.keys() | ours.keys()) - refused
        return {name: (asked.get(name), ours.get(name)) for name in names if asked.get(name) != ours.get(name)}


def _verdicts(report: Report) -> dict[str, tuple[object, ...]]:
    return {str(entry.ref): _said(entry) for entry in report.entries}


def _said(entry: Entry) -> tuple[object, ...]:
    paths = sorted(change.path for change in entry.changes)
    return entry.bucket, entry.drift, entry.reason, *paths


def _both(app: App) -> tuple[Report, Report]:
    asked = reconcile(replace(app.settings, proof=False), Mode.DIFF)
    return asked, reconcile(replace(app.settings, proof=False, read_only=True), Mode.DIFF)


def _await_schemas(app: App, cache: Path) -> None:
    """The server publishes the schema of a new CRD a moment after it serves the kind."""
    cluster = connect(app.settings.access, concurrency=4)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        schemas = read_schemas(cluster, set(app.resources.values()), cache)
        if all(getattr(schema, "declared", None) for schema in schemas.values()):
            return
        time.sleep(0.5)
    raise AssertionError([resource.kind for resource, schema in schemas.items() if not getattr(schema, "declared", 0)])


def test_the_local_verdict_is_the_server_s(
    corpus: Path,
    own_lab: Callable[..., Lab],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """On real applications, in sync and after seeded changes on both sides; what differs is known, with its reason."""
    tally = _Tally()
    found: dict[tuple[str, int, str], tuple[object, object]] = {}
    apps = _apps(corpus)
    for name in apps:
        folder = tmp_path / name
        folder.mkdir()
        app = read_app(corpus / name, own_lab(), folder)
        settle(app)
        _await_schemas(app, tmp_path / "schemas")
        in_git = list(app.manifests)
        asked, local = _both(app)
        assert local.counts.in_sync == local.counts.local == len(app.manifests), local.entries
        assert tally.disagreements(asked, local) == {}
        for number in range(_ROUNDS):
            meddle(app, connect(app.settings.access, concurrency=4), random.Random(f"{name}/{number}"))
            wrong = tally.disagreements(*_both(app))
            found |= {(name, number, ref): said for ref, said in wrong.items()}
            app.manifests = list(in_git)
            app.write()
            if number + 1 < _ROUNDS:
                app.run(Mode.APPLY)
    with capsys.disabled():
        sys.stdout.write(f" {tally.compared} compared, {len(found)} differ, {tally.refused} refused by the server ")
    assert len(found) <= (1 - _AGREED) * tally.compared, found
    expected = {key for key in _DISAGREEMENTS if key[0] in apps and key[1] < _ROUNDS}
    assert set(found) == expected, found
