"""Admission webhooks: what they change, refuse, break or delay, and how often they are asked."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from local_server import Answer
from target import DEPLOYMENT, Target, config_map, told
from webhook import Behaviour, Review, allow, closing, denying, failing, installed, mutating, slow, when

from recon_action.errors import ExitCode
from recon_action.model import Bucket, Cause, IgnoreRule, Limit, Match, Outcome, Trouble
from recon_action.model.pattern import parse_field
from recon_action.report.document import Entry, Report

Body = dict[str, Any]
_WEB = "spec.template.spec.containers[name=web]"
_IMAGE = f"{_WEB}.image"
_CONTAINERS = "/spec/template/spec/containers"
_ROLE = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules:
- {apiGroups: [""], resources: [secrets], verbs: [get, list]}
"""


def _cached(body: Body) -> Sequence[Body]:
    """Images come from a cache, as a policy engine rewrites them."""
    containers = body.get("spec", {}).get("template", {}).get("spec", {}).get("containers", ())
    return [
        {
            "op": "replace",
            "path": f"{_CONTAINERS}/{number}/image",
            "value": container["image"].replace("registry.example", "cache.example"),
        }
        for number, container in enumerate(containers)
    ]


def _injected(body: Body) -> Sequence[Body]:
    """A sidecar and its mark, as a service mesh adds them."""
    if body["kind"] != "Deployment" or len(body["spec"]["template"]["spec"]["containers"]) > 1:
        return []
    mark = {"mesh.example.com/injected": "true"}
    return [
        {"op": "add", "path": f"{_CONTAINERS}/-", "value": {"name": "mesh", "image": "mesh.example/proxy:1"}},
        {"op": "add", "path": "/metadata/annotations", "value": mark | body["metadata"].get("annotations", {})},
    ]


def _is_real(review: Review) -> bool:
    return not review.is_dry_run


def _named(*names: str) -> Callable[[Review], bool]:
    return lambda review: review.name in names


def _entries(report: Report) -> dict[str, Entry]:
    return {entry.ref.name: entry for entry in report.entries}


def _versions(target: Target) -> str:
    return target.kubectl("get", "configmaps,deployments", "-o", "jsonpath={.items[*].metadata.resourceVersion}")


def test_images_that_a_webhook_rewrites(target: Target) -> None:
    """Git's value is not in the cluster, and no apply puts it there: told so, the same each time, and not tried.

    A rule that ignores the field is the way out.
    """
    target.write("web.yaml", DEPLOYMENT)
    target.write("a.yaml", config_map("a"))
    with installed(target, kind="Mutating") as hook:
        hook.behaviour = mutating(_cached)
        created = target.apply()
        assert (created.exit_code, {entry.outcome for entry in created.entries}) == (
            ExitCode.DIFFERENT,
            {Outcome.CREATED},
        )
        assert f"{_IMAGE}: overridden by admission" in _entries(created)["web"].reason
        before = _versions(target)
        first, again, applied = target.diff(), target.diff(), target.apply()
        for report in (first, again, applied):
            assert report.exit_code is ExitCode.DIFFERENT
            ((change,),) = [entry.changes for entry in report.entries]
            (entry,) = report.entries
            assert (entry.bucket, entry.cause, entry.outcome) == (Bucket.DRIFTED, Cause.CONTROLLER, None)
            assert "overridden by admission" in entry.reason
            assert (change.path, change.tool) == (_IMAGE, "mutating admission")
            assert (change.desired, change.live) == ("registry.example/web:1", "cache.example/web:1")
            assert report.plan == ()
        assert _versions(target) == before
        target.write("web.yaml", DEPLOYMENT.replace("replicas: 3", "replicas: 4"))
        assert told(target.diff()) == {f"Deployment {target.namespace}/web": f"drifted modified spec.replicas {_IMAGE}"}
        assert target.apply().exit_code is ExitCode.DIFFERENT
        assert target.get("deployment", "web")["spec"]["replicas"] == 4
        target.options["ignore"] = (IgnoreRule(Match(kind="Deployment"), (parse_field(_IMAGE),)),)
        assert target.apply().exit_code is ExitCode.OK
        settled = target.diff()
        assert (settled.exit_code, settled.counts.ignored, settled.plan) == (ExitCode.OK, 1, ())
        web = target.get("deployment", "web")["spec"]
        assert web["template"]["spec"]["containers"][0]["image"] == "cache.example/web:1"


def test_an_object_of_kubectl_s_is_taken_over_though_a_webhook_overrides_it(target: Target) -> None:
    """What can be done is done: afterwards it is ours, and only what no apply mends remains."""
    with installed(target, kind="Mutating") as hook:
        hook.behaviour = mutating(_cached)
        target.kubectl("apply", "-f", "-", stdin=DEPLOYMENT.replace("  replicas", "  minReadySeconds: 5\n  replicas"))
        target.write("web.yaml", DEPLOYMENT)
        (entry,) = target.diff().entries
        assert {change.path for change in entry.changes} == {_IMAGE, "spec.minReadySeconds"}
        applied = target.apply()
        assert (applied.exit_code, applied.entries[0].outcome) == (ExitCode.DIFFERENT, Outcome.CONFIGURED)
        after = target.diff()
        assert [change.path for change in after.entries[0].changes] == [_IMAGE]
        assert (after.counts.unmanaged, after.plan) == (0, ())
        managers = {entry["manager"] for entry in target.get("deployment", "web")["metadata"]["managedFields"]}
        assert managers == {"recon-action"}


def _stripped(body: Body) -> Sequence[Body]:
    """A variable and a verb are taken out, as a policy does that forbids them."""
    path, held = {"Deployment": (f"{_CONTAINERS}/0/env", "env"), "Role": ("/rules/0/verbs", "verbs")}.get(
        body["kind"], ("", "")
    )
    items = body["rules"][0][held] if held == "verbs" else _container(body).get(held, ()) if held else ()
    return [{"op": "replace", "path": path, "value": items[:1]}] if len(items) > 1 else []


def _container(body: Body) -> Body:
    container: Body = body["spec"]["template"]["spec"]["containers"][0]
    return container


def test_what_a_webhook_takes_away_is_told(target: Target) -> None:
    """An item of a keyed list by its name, of one that is replaced whole the list."""
    env = "        env:\n        - {name: A, value: x}\n        - {name: B, value: x}\n"
    target.write("web.yaml", DEPLOYMENT + env)
    target.write("role.yaml", _ROLE)
    with installed(target, kind="Mutating") as hook:
        hook.behaviour = mutating(_stripped)
        target.apply()
        report = target.diff()
        assert told(report) == {
            f"Deployment {target.namespace}/web": f"drifted modified {_WEB}.env[name=B]",
            f"Role {target.namespace}/reader": "drifted modified rules[0].verbs",
        }
        assert all("overridden by admission" in entry.reason for entry in report.entries)


def test_what_a_webhook_adds_is_no_difference_and_hides_none(target: Target) -> None:
    """A sidecar and an annotation: in sync without asking, and a change beside them is told with its own path."""
    target.write("web.yaml", DEPLOYMENT)
    with installed(target, kind="Mutating") as hook:
        hook.behaviour = mutating(_injected)
        assert target.apply().exit_code is ExitCode.OK
        assert len(target.get("deployment", "web")["spec"]["template"]["spec"]["containers"]) == 2
        hook.reviews.clear()
        report = target.diff()
        assert (report.exit_code, report.entries, hook.calls) == (ExitCode.OK, (), (0, 0))
        assert target.diff(proof=False).entries == ()
        target.kubectl("set", "image", "deployment/web", "web=registry.example/web:hacked")
        assert told(target.diff()) == {f"Deployment {target.namespace}/web": f"drifted modified {_IMAGE}"}
        assert target.apply().exit_code is ExitCode.OK
        containers = target.get("deployment", "web")["spec"]["template"]["spec"]["containers"]
        assert [container["image"] for container in containers] == ["registry.example/web:1", "mesh.example/proxy:1"]
        assert target.diff().entries == ()


def test_a_webhook_that_changes_real_writes_alone(target: Target) -> None:
    """The server's own prediction is wrong, then; what was stored is still told as a difference, each time."""
    target.write("web.yaml", DEPLOYMENT)
    with installed(target, kind="Mutating") as hook:
        hook.behaviour = when(_is_real, mutating(_cached))
        target.apply()
        for _ in range(2):
            report = target.diff()
            assert told(report) == {f"Deployment {target.namespace}/web": f"drifted modified {_IMAGE}"}
            target.apply()


def test_a_webhook_that_denies(target: Target) -> None:
    """Failed with its own words; the other objects go on, nothing is pruned, and the next run finishes."""
    for name in ("old", "good", "bad"):
        target.write(f"{name}.yaml", config_map(name))
    target.apply()
    target.remove("old.yaml")
    for name in ("good", "bad"):
        target.write(f"{name}.yaml", config_map(name).replace('"1"', '"2"'))
    target.write("new.yaml", config_map("new"))
    with installed(target) as hook:
        hook.behaviour = when(_named("bad", "new"), denying("not on a Friday"))
        diff = _entries(target.diff())
        assert {name for name, entry in diff.items() if entry.bucket is Bucket.FAILED} == {"bad", "new"}
        report = target.apply()
        entries = _entries(report)
        assert report.exit_code is ExitCode.INCOMPLETE
        for entry in (diff["bad"], diff["new"], entries["bad"], entries["new"]):
            assert entry.problem
            assert entry.problem.trouble is Trouble.DENIED
            assert "not on a Friday" in entry.problem.message
        assert entries["good"].outcome is Outcome.CONFIGURED
        assert target.get("configmap", "old")["data"] == {"a": "1"}
        hook.behaviour = allow
        assert target.apply(max_prune=Limit(unlimited=True)).exit_code is ExitCode.OK
    assert target.diff().counts.in_sync == 3


def test_a_webhook_that_denies_a_deletion(target: Target) -> None:
    """The object stays a member: told as failed, and deleted by a later run, not forgotten."""
    for name in ("a", "b"):
        target.write(f"{name}.yaml", config_map(name))
    target.apply()
    target.remove("b.yaml")
    with installed(target) as hook:
        hook.behaviour = when(lambda review: review.operation == "DELETE", denying("it is still in use"))
        report = target.apply()
        (entry,) = report.entries
        assert (report.exit_code, entry.outcome) == (ExitCode.INCOMPLETE, Outcome.FAILED)
        assert entry.problem
        assert "it is still in use" in entry.problem.message
    assert told(target.diff()) == {f"ConfigMap {target.namespace}/b": "pending orphaned"}
    assert target.apply().exit_code is ExitCode.OK
    assert target.diff().counts.total == 1


def test_a_webhook_that_refuses_dry_runs(target: Target) -> None:
    """What is proven needs none, and what is new is made; what has changed can't be predicted and is failed."""
    for name in ("same", "changed"):
        target.write(f"{name}.yaml", config_map(name))
    target.apply()
    with installed(target) as hook:
        hook.behaviour = when(lambda review: review.is_dry_run, denying("no dry runs here"))
        assert target.diff().exit_code is ExitCode.OK
        target.write("changed.yaml", config_map("changed").replace('"1"', '"2"'))
        target.write("new.yaml", config_map("new"))
        diff = target.diff()
        assert (diff.exit_code, diff.counts.failed, diff.counts.in_sync) == (ExitCode.DESIRED, 2, 1)
        entries = _entries(target.apply())
        assert entries["new"].outcome is Outcome.CREATED
        assert entries["changed"].problem
        assert "no dry runs here" in entries["changed"].problem.message


_BROKEN: dict[str, tuple[Behaviour, str]] = {
    "broken": (failing(), "an error on the server"),
    "hanging-up": (closing, "EOF"),
    "slow": (slow(2), "context deadline exceeded"),
}


def _breaking(review: Review) -> Body | Answer:
    """Breaks in the way that the object is named after."""
    return (_BROKEN[review.name][0] if review.name in _BROKEN else allow)(review)


def test_a_webhook_that_does_not_work(target: Target) -> None:
    """Tried for a while; then its objects are failed, with the reason, and the others go on; a later run ends it."""
    for name in (*_BROKEN, "fine"):
        target.write(f"{name}.yaml", config_map(name))
    with installed(target, timeout=1) as hook:
        hook.behaviour = _breaking
        report = target.apply()
        entries = _entries(report)
        assert (report.exit_code, entries["fine"].outcome) == (ExitCode.INCOMPLETE, Outcome.CREATED)
        for name, (_, words) in _BROKEN.items():
            problem = entries[name].problem
            assert problem
            assert (entries[name].outcome, problem.trouble) == (Outcome.FAILED, Trouble.UNAVAILABLE)
            assert "failed calling webhook" in problem.message
            assert words in problem.message
        hook.behaviour = allow
        assert target.apply().exit_code is ExitCode.OK
    assert target.diff().counts.in_sync == 4


def test_a_webhook_that_comes_back(target: Target) -> None:
    """What broke once is tried again within the run."""
    for name in _BROKEN:
        target.write(f"{name}.yaml", config_map(name))
    with installed(target, timeout=1) as hook:
        hook.behaviour = when(lambda review: [asked.name for asked in hook.reviews].count(review.name) == 1, _breaking)
        assert target.apply().exit_code is ExitCode.OK
        assert hook.calls == (0, 2 * len(_BROKEN))


def test_a_webhook_that_does_not_work_and_may_be_passed_over(target: Target) -> None:
    """Under `failurePolicy: Ignore` the server goes on without it, and so do we."""
    for name in _BROKEN:
        target.write(f"{name}.yaml", config_map(name))
    with installed(target, failure_policy="Ignore", timeout=1) as hook:
        hook.behaviour = _breaking
        assert target.apply().exit_code is ExitCode.OK
        assert hook.calls == (0, len(_BROKEN))


@pytest.mark.parametrize("kind", ["Validating", "Mutating"])
def test_how_often_a_webhook_is_asked(target: Target, kind: str) -> None:
    """Never about what is in sync; once a dry run for what changed, and once more when it is applied."""
    for number in range(10):
        target.write(f"{number}.yaml", config_map(f"c{number}"))
    with installed(target, kind=kind) as hook:

        def asked(run: Callable[[], Report], code: ExitCode) -> tuple[int, int]:
            hook.reviews.clear()
            assert run().exit_code is code
            return hook.calls

        assert asked(target.apply, ExitCode.OK) == (0, 10)
        assert asked(target.diff, ExitCode.OK) == (0, 0)
        assert asked(target.apply, ExitCode.OK) == (0, 0)
        for number in range(3):
            target.write(f"{number}.yaml", config_map(f"c{number}").replace('"1"', '"2"'))
        assert asked(target.diff, ExitCode.DIFFERENT) == (3, 0)
        assert asked(target.apply, ExitCode.OK) == (3, 3)
        assert asked(lambda: target.diff(proof=False), ExitCode.OK) == (10, 0)
        assert asked(lambda: target.diff(proof=False, read_only=True), ExitCode.OK) == (0, 0)
