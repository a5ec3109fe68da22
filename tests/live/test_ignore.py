"""Fields that rules ignore, on a real API server: they keep their live value, whatever holds them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from target import DEPLOYMENT, Target, config_map, definition, told

from recon_action.errors import ExitCode
from recon_action.lab import Lab
from recon_action.model import Bucket, IgnoreRule, Match, Mode, Outcome, Quiet, RedactRule, Trouble
from recon_action.model.pattern import parse_field, parse_pointer
from recon_action.model.settings import AdditiveMode
from recon_action.reconcile import reconcile
from recon_action.report.document import Report

_IMAGE = "spec.template.spec.containers[name=web].image"
_ROLE = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: role
rules:
- apiGroups: [""]
  resources: [pods]
  verbs: [get]
- apiGroups: [""]
  resources: [secrets]
  verbs: [get]
"""


@pytest.fixture
def target(lab: Lab, namespace: str, tmp_path: Path) -> Target:
    """An empty target in a namespace of its own."""
    return Target(lab, namespace, tmp_path)


def _rule(*fields: str, managers: tuple[str, ...] = (), **match: str) -> IgnoreRule:
    return IgnoreRule(Match(**match), tuple(map(parse_field, fields)), managers, "not ours")


def _ignoring(target: Target, *rules: IgnoreRule) -> None:
    target.options["ignore"] = rules


def _dry_runs(target: Target, act: Callable[[], Report]) -> tuple[Report, int]:
    before = len(target.lab.audit())
    report = act()
    return report, sum("dryRun" in event.uri for event in target.lab.audit()[before:])


def _assert_settled(target: Target, *, ignored: int) -> None:
    """Nothing is left to do, an apply writes nothing, and the proof holds without a dry run."""
    versions = target.kubectl("get", "configmap,deployment,role", "-o", "jsonpath={.items[*].metadata.resourceVersion}")
    report = target.apply()
    assert (report.exit_code, report.counts.ignored, report.plan) == (ExitCode.OK, ignored, ())
    after = target.kubectl("get", "configmap,deployment,role", "-o", "jsonpath={.items[*].metadata.resourceVersion}")
    assert after == versions
    report, dry_runs = _dry_runs(target, target.diff)
    assert (report.exit_code, report.counts.ignored, report.counts.mended) == (ExitCode.OK, ignored, 0)
    assert dry_runs == 0
    unproven = target.diff(proof=False)
    assert (unproven.counts, unproven.entries) == (report.counts, report.entries)
    local = target.diff(proof=False, read_only=True)
    assert (local.counts.ignored, local.counts.in_sync) == (report.counts.ignored, report.counts.in_sync)


def test_a_map_s_field(target: Target) -> None:
    """Hidden, counted, disowned once and then kept, also when Git moves or drops it."""
    target.write("a.yaml", config_map("a") + '  b: "1"\n')
    target.apply()
    _ignoring(target, _rule("data.a", kind="ConfigMap"))
    target.kubectl("patch", "configmap", "a", "-p", '{"data": {"a": "live"}}')
    report = target.diff()
    assert (report.exit_code, report.counts.ignored, report.counts.total) == (ExitCode.OK, 1, 1)
    (entry,) = report.entries
    assert (entry.bucket, entry.reason, entry.changes) == (Bucket.IGNORED, "data.a (not ours)", ())
    assert "Rules hide 1 differing field of 1 object." in report.notes
    target.apply()
    assert target.get("configmap", "a")["data"] == {"a": "live", "b": "1"}
    _assert_settled(target, ignored=1)
    target.write("a.yaml", config_map("a").replace('a: "1"', 'b: "2"'))
    assert told(target.diff()) == {f"ConfigMap {target.namespace}/a": "pending modified data.b"}
    target.apply()
    assert target.get("configmap", "a")["data"] == {"a": "live", "b": "2"}
    _assert_settled(target, ignored=0)


def test_a_field_that_is_ours_is_disowned_before_it_is_left_out(target: Target) -> None:
    """Equal on both sides and ours: the next apply gives it up, and only then Git may drop it."""
    target.write("a.yaml", config_map("a") + '  b: "1"\n')
    target.apply()
    _ignoring(target, _rule("data.a"))
    report, dry_runs = _dry_runs(target, target.diff)
    assert (report.exit_code, report.counts.in_sync, report.counts.mended, dry_runs) == (ExitCode.OK, 1, 1, 1)
    target.apply()
    _assert_settled(target, ignored=0)
    target.write("a.yaml", config_map("a").replace('a: "1"', 'b: "1"'))
    assert target.apply().exit_code is ExitCode.OK
    assert target.get("configmap", "a")["data"] == {"a": "1", "b": "1"}


def test_a_field_that_git_drops_while_it_is_ours(target: Target) -> None:
    """In one apply: disowned, and therefore kept."""
    target.write("a.yaml", config_map("a") + '  b: "1"\n')
    target.apply()
    _ignoring(target, _rule("data.a"))
    target.write("a.yaml", config_map("a").replace('a: "1"', 'b: "1"'))
    assert target.apply().exit_code is ExitCode.OK
    assert target.get("configmap", "a")["data"] == {"a": "1", "b": "1"}
    _assert_settled(target, ignored=0)


def test_inside_a_keyed_item(target: Target) -> None:
    """The item's other fields stay ours."""
    target.write("web.yaml", DEPLOYMENT)
    target.apply()
    _ignoring(
        target, IgnoreRule(Match("apps", "Deployment"), (parse_pointer("/spec/template/spec/containers/0/image"),))
    )
    target.kubectl("set", "image", "deployment/web", "web=registry.example/web:live")
    assert target.diff().counts.ignored == 1
    target.write("web.yaml", DEPLOYMENT.replace("containerPort: 80", "containerPort: 81").replace("web:1", "web:2"))
    found = told(target.diff())[f"Deployment {target.namespace}/web"]
    assert found.startswith("pending modified spec.template.spec.containers[name=web].ports")
    assert _IMAGE not in found
    target.apply()
    (container,) = target.get("deployment", "web")["spec"]["template"]["spec"]["containers"]
    assert (container["image"], container["ports"][0]["containerPort"]) == ("registry.example/web:live", 81)
    _assert_settled(target, ignored=1)


def test_a_keyed_item_that_live_lacks_is_made_whole(target: Target) -> None:
    """Half an item would be refused, or worse, accepted."""
    target.write("web.yaml", DEPLOYMENT)
    _ignoring(target, _rule("spec.template.spec.containers[*].image"))
    target.apply()
    more = "      - name: log\n        image: registry.example/log:1\n"
    target.write("web.yaml", DEPLOYMENT + more)
    assert target.apply().exit_code is ExitCode.OK
    containers = target.get("deployment", "web")["spec"]["template"]["spec"]["containers"]
    assert [container["image"] for container in containers] == ["registry.example/web:1", "registry.example/log:1"]
    target.apply()
    _assert_settled(target, ignored=0)


def test_inside_a_list_that_is_replaced_whole(target: Target) -> None:
    """The live value goes back with Git's rest; nothing is lost, and half a rule is never sent."""
    target.write("role.yaml", _ROLE)
    target.apply()
    _ignoring(target, _rule("rules[0].verbs", kind="Role"))
    verbs = '[{"op": "replace", "path": "/rules/0/verbs", "value": ["get", "list"]}]'
    target.kubectl("patch", "role", "role", "--type=json", "-p", verbs)
    assert target.diff().counts.ignored == 1
    target.write("role.yaml", _ROLE.replace("[secrets]", "[configmaps]"))
    assert told(target.diff()) == {f"Role {target.namespace}/role": "drifted modified rules[1].resources"}
    assert target.apply().exit_code is ExitCode.OK
    rules = target.get("role", "role")["rules"]
    assert [rule["verbs"] for rule in rules] == [["get", "list"], ["get"]]
    assert rules[1]["resources"] == ["configmaps"]
    _assert_settled(target, ignored=1)


class _Meddler(Quiet):
    """Someone who writes between the reading and the writing."""

    def __init__(self, meddle: Callable[[], object]) -> None:
        self._meddle = meddle

    def step(self, title: str, total: int | None = None) -> None:  # noqa: ARG002 - the protocol's
        if title.startswith("applying"):
            self._meddle()


def test_a_copy_that_became_stale_is_refused(target: Target) -> None:
    """A live value is only sent to the version that it was read from."""
    target.write("role.yaml", _ROLE)
    target.apply()
    _ignoring(target, _rule("rules[0].verbs"))
    verbs = '[{"op": "replace", "path": "/rules/0/verbs", "value": ["%s"]}]'
    target.kubectl("patch", "role", "role", "--type=json", "-p", verbs % "list")
    target.write("role.yaml", _ROLE.replace("[secrets]", "[configmaps]"))
    meddler = _Meddler(lambda: target.kubectl("patch", "role", "role", "--type=json", "-p", verbs % "watch"))
    (entry,) = reconcile(target.settings(), Mode.APPLY, progress=meddler).entries
    assert entry.outcome is Outcome.FAILED
    assert entry.problem
    assert entry.problem.trouble is Trouble.CONFLICT
    assert target.get("role", "role")["rules"][0]["verbs"] == ["watch"]
    assert target.apply().exit_code is ExitCode.OK
    assert [rule["verbs"] for rule in target.get("role", "role")["rules"]] == [["watch"], ["get"]]


def test_an_object_that_vanishes_is_not_made_of_what_is_left(target: Target) -> None:
    """What was to keep its live values has none any more: refused, and the next run makes it as Git says."""
    target.write("a.yaml", config_map("a") + '  b: "1"\n')
    target.apply()
    _ignoring(target, _rule("data.a"))
    target.apply()
    target.write("a.yaml", config_map("a") + '  b: "2"\n')
    meddler = _Meddler(lambda: target.kubectl("delete", "configmap", "a"))
    (entry,) = reconcile(target.settings(), Mode.APPLY, progress=meddler).entries
    assert entry.problem
    assert (entry.outcome, entry.problem.trouble) == (Outcome.FAILED, Trouble.CONFLICT)
    assert target.apply().exit_code is ExitCode.OK
    assert target.get("configmap", "a")["data"] == {"a": "1", "b": "2"}


def test_inside_a_map_that_is_replaced_whole(target: Target) -> None:
    """A node selector has one owner: the ignored label goes back with Git's rest."""
    selector = "    spec:\n      nodeSelector: {disk: ssd, zone: a}\n"
    target.write("web.yaml", DEPLOYMENT.replace("    spec:\n", selector))
    target.apply()
    _ignoring(target, _rule("spec.template.spec.nodeSelector.zone"))
    patch = {"spec": {"template": {"spec": {"nodeSelector": {"zone": "b"}}}}}
    target.kubectl("patch", "deployment", "web", "-p", json.dumps(patch))
    assert target.diff().counts.ignored == 1
    target.write("web.yaml", DEPLOYMENT.replace("    spec:\n", selector.replace("ssd", "hdd")))
    assert target.apply().exit_code is ExitCode.OK
    spec = target.get("deployment", "web")["spec"]["template"]["spec"]
    assert spec["nodeSelector"] == {"disk": "hdd", "zone": "b"}
    _assert_settled(target, ignored=1)


def test_what_a_manager_owns(target: Target) -> None:
    """Whatever it is, as long as that manager owns it."""
    target.write("a.yaml", config_map("a") + '  b: "1"\n')
    target.apply()
    _ignoring(target, _rule(managers=("rotator*",)))
    theirs = '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": "theirs"}}'
    command = ["apply", "--server-side", "--force-conflicts", "--field-manager=rotator-7", "-f", "-"]
    target.kubectl(*command, stdin=theirs)
    assert target.diff().counts.ignored == 1
    target.write("a.yaml", config_map("a") + '  b: "2"\n')
    target.apply()
    assert target.get("configmap", "a")["data"] == {"a": "theirs", "b": "2"}
    _assert_settled(target, ignored=1)
    _ignoring(target)
    target.apply()
    assert target.get("configmap", "a")["data"] == {"a": "1", "b": "2"}


def test_an_object_that_is_new_starts_as_git_says(target: Target) -> None:
    """There is no live value to keep; one that is made anew starts over."""
    target.write("a.yaml", config_map("a") + '  b: "1"\n')
    _ignoring(target, _rule("data.a"))
    target.apply()
    assert target.get("configmap", "a")["data"] == {"a": "1", "b": "1"}
    target.kubectl("delete", "configmap", "a")
    target.apply()
    assert target.get("configmap", "a")["data"] == {"a": "1", "b": "1"}
    target.apply()
    _assert_settled(target, ignored=0)


def test_what_a_person_added_and_a_rule_ignores_is_no_additive_drift(target: Target) -> None:
    """Told of neither, reverted neither."""
    target.write("a.yaml", config_map("a"))
    target.apply()
    target.kubectl("annotate", "configmap", "a", "example.com/seen=yes", "example.com/other=yes")
    _ignoring(target, _rule('metadata.annotations["example.com/seen"]'))
    assert target.diff().counts.additive == 1
    target.apply(additive=AdditiveMode.REVERT)
    assert target.get("configmap", "a")["metadata"]["annotations"] == {"example.com/seen": "yes"}


def test_a_take_over_leaves_ignored_fields_to_nobody(target: Target) -> None:
    """What kubectl applied and a rule ignores keeps its live value through the take-over."""
    target.write("a.yaml", config_map("a") + '  b: "1"\n')
    target.kubectl("apply", "-f", str(target.folder))
    target.write("a.yaml", config_map("a").replace('a: "1"', 'c: "1"'))
    _ignoring(target, _rule("data.a"))
    assert target.apply().exit_code is ExitCode.OK
    assert target.get("configmap", "a")["data"] == {"a": "1", "c": "1"}
    _assert_settled(target, ignored=0)


def test_redacted_paths(target: Target) -> None:
    """Values at paths that recon.yaml names are in no output."""
    target.write("a.yaml", config_map("a").replace('"1"', "hunter-in-git"))
    target.apply()
    target.kubectl("patch", "configmap", "a", "-p", '{"data": {"a": "hunter-in-live"}}')
    rules = (RedactRule(Match(kind="ConfigMap"), (parse_field("data.a"),)),)
    assert "hunter-in-live" in repr(target.diff())
    report = target.diff(redact=rules)
    (change,) = report.entries[0].changes
    assert (change.path, change.redacted, change.desired, change.live) == ("data.a", True, None, None)
    assert "hunter" not in repr(report)


_GENERATORS = """\
apiVersion: example.com/v1
kind: Generated
metadata: {name: one}
spec:
  wave: WAVE
  generators:
  - list: {elements: [{cluster: a}]}
  - git: {repo: "https://git.example/shop"}
"""
_GENERATED = definition(
    "Generated",
    "generateds",
    "{wave: {type: integer}, "
    "generators: {type: array, items: {type: object, x-kubernetes-preserve-unknown-fields: true}}}",
)
_HOOK = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: hook}
webhooks:
- name: a.example.com
  failurePolicy: FAILPOLICY
  sideEffects: None
  admissionReviewVersions: [v1]
  clientConfig:
    service: {name: hook, namespace: default}
  rules:
  - {apiGroups: [nothing.example.com], apiVersions: [v1], operations: [CREATE], resources: [things]}
"""


@pytest.mark.parametrize(
    "path", ["spec.generators", "spec.generators[0].list.elements", "spec.generators[*]", "spec.generators[0].list"]
)
def test_a_custom_resource_s_list_loses_nothing(own_lab: Callable[..., Lab], tmp_path: Path, path: str) -> None:
    """A list without keys, ignored in part or whole: live keeps every item as it is."""
    target = Target(own_lab(), "default", tmp_path)
    target.write("crd.yaml", _GENERATED)
    target.write("one.yaml", _GENERATORS.replace("WAVE", "1"))
    target.apply()
    _ignoring(target, _rule(path, kind="Generated"))
    elements = [{"cluster": "a"}, {"cluster": "b"}]
    patch = [{"op": "replace", "path": "/spec/generators/0/list/elements", "value": elements}]
    target.kubectl("patch", "generated", "one", "--type=json", "-p", json.dumps(patch))
    assert target.diff().counts.ignored == 1
    target.write("one.yaml", _GENERATORS.replace("WAVE", "2"))
    assert target.apply().exit_code is ExitCode.OK
    spec = target.get("generated", "one")["spec"]
    assert spec == {
        "wave": 2,
        "generators": [{"list": {"elements": elements}}, {"git": {"repo": "https://git.example/shop"}}],
    }
    report, dry_runs = _dry_runs(target, target.diff)
    assert (report.exit_code, report.counts.ignored, report.counts.mended, dry_runs) == (ExitCode.OK, 1, 0, 0)


def test_a_bundle_that_a_controller_injects(own_lab: Callable[..., Lab], tmp_path: Path) -> None:
    """Git has an old one, the controller the right one; both go on without a word to each other."""
    target = Target(own_lab(), "default", tmp_path)
    target.write(
        "hook.yaml", _HOOK.replace("FAILPOLICY", "Ignore").replace("    service:", "    caBundle: b2xk\n    service:")
    )
    target.apply()
    theirs = json.dumps([{"op": "replace", "path": "/webhooks/0/clientConfig/caBundle", "value": "bmV3"}])
    inject = [
        "patch",
        "validatingwebhookconfiguration",
        "hook",
        "--type=json",
        "--field-manager=cainjector",
        "-p",
        theirs,
    ]
    target.kubectl(*inject)
    _ignoring(target, _rule(managers=("cainjector",), kind="ValidatingWebhookConfiguration"))
    assert target.diff().counts.ignored == 1
    target.write(
        "hook.yaml", _HOOK.replace("FAILPOLICY", "Fail").replace("    service:", "    caBundle: b2xk\n    service:")
    )
    assert target.apply().exit_code is ExitCode.OK
    (hook,) = target.get("validatingwebhookconfiguration", "hook")["webhooks"]
    assert (hook["failurePolicy"], hook["clientConfig"]["caBundle"]) == ("Fail", "bmV3")
    report = target.diff()
    assert (report.exit_code, report.counts.ignored) == (ExitCode.OK, 1)
