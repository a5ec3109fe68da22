"""What is deleted, and above all what isn't: whatever the namespace, the context or the target's name."""

from collections.abc import Callable

from target import Target, config_map, told

from recon_action.errors import ExitCode
from recon_action.model import Bucket, Limit, Outcome, Trouble


def _names(target: Target) -> set[str]:
    return set(target.kubectl("get", "configmaps", "-o", "name").split())


def test_a_prune_stays_within_its_target(target: Target, new_target: Callable[[], Target]) -> None:
    """Deleting all but one object of one namespace leaves another target's namespace as it is."""
    other = new_target()
    for one in (target, other):
        for name in ("a", "b", "c"):
            one.write(f"{name}.yaml", config_map(name))
        one.apply()
    target.remove("b.yaml")
    target.remove("c.yaml")
    assert target.apply(max_prune=Limit(unlimited=True)).exit_code is ExitCode.OK
    assert _names(target) == {"configmap/a"}
    assert _names(other) == {"configmap/a", "configmap/b", "configmap/c"}
    assert other.diff().counts.in_sync == 3


def test_the_context_s_namespace_decides_nothing_that_git_decides(target: Target) -> None:
    """Manifests that name their namespace are the same objects from wherever one looks; nothing is to be pruned."""
    for name in ("a", "b"):
        target.write(f"{name}.yaml", config_map(name).replace("metadata:", "metadata:\n  namespace: NAMESPACE"))
    target.apply()
    for namespace in ("default", "kube-system", "nowhere"):
        report = target.diff(namespace=namespace)
        assert (report.exit_code, report.counts.in_sync, report.counts.total) == (ExitCode.OK, 2, 2)


def test_a_namespace_that_is_going_takes_nothing_else_along(target: Target, new_target: Callable[[], Target]) -> None:
    """What is in it is refused by the server or gone already; the rest is applied, and nothing is pruned."""
    going = new_target()
    target.write("kept.yaml", config_map("kept"))
    target.write("going.yaml", config_map("going").replace("metadata:", f"metadata:\n  namespace: {going.namespace}"))
    target.apply()
    going.kubectl("delete", "namespace", going.namespace, "--wait=false")
    going.kubectl("delete", "configmap", "--all")
    target.write("kept.yaml", config_map("kept").replace('"1"', '"2"'))
    target.write("old.yaml", config_map("old"))
    report = target.apply()
    entries = {entry.ref.name: entry for entry in report.entries}
    assert report.exit_code is ExitCode.INCOMPLETE
    assert entries["going"].problem
    assert "being terminated" in entries["going"].problem.message
    assert entries["kept"].outcome is Outcome.CONFIGURED
    assert entries["old"].outcome is Outcome.CREATED
    target.remove("going.yaml")
    assert target.apply(max_prune=Limit(unlimited=True)).exit_code is ExitCode.OK
    assert target.diff().counts.total == 2


def test_a_target_under_a_new_name_deletes_nothing(target: Target) -> None:
    """Its objects belong to the old name: refused, and told whose they are."""
    for name in ("a", "b"):
        target.write(f"{name}.yaml", config_map(name))
    target.apply()
    report = target.apply(target=f"{target.namespace}-renamed")
    assert report.exit_code is ExitCode.REFUSED
    assert {entry.bucket for entry in report.entries} == {Bucket.FAILED}
    assert {entry.problem.trouble for entry in report.entries if entry.problem} == {Trouble.FOREIGN}
    assert _names(target) == {"configmap/a", "configmap/b"}
    assert target.diff().counts.in_sync == 2


_EVENT = """\
apiVersion: v1
kind: Event
metadata: {name: note}
involvedObject: {kind: Namespace, name: NAMESPACE, namespace: NAMESPACE}
reason: Noted
type: Normal
eventTime: "2026-01-01T00:00:00.000000Z"
reportingComponent: example.com/noter
reportingInstance: one
action: Note
"""


def test_an_object_that_git_names_under_another_group_is_not_deleted(target: Target) -> None:
    """One object under two groups: what was applied under the one is what the other would delete."""
    target.write("event.yaml", _EVENT)
    target.write("a.yaml", config_map("a"))
    assert target.apply().exit_code is ExitCode.OK
    uid = target.get("events.v1.", "note")["metadata"]["uid"]
    moved = _EVENT.replace("v1\n", "events.k8s.io/v1\n", 1).replace("involvedObject", "regarding")
    target.write("event.yaml", moved.replace("reportingComponent", "reportingController"))
    report = target.apply(max_prune=Limit(unlimited=True))
    assert report.exit_code is ExitCode.OK, told(report)
    assert target.get("events.v1.", "note")["metadata"]["uid"] == uid
    assert "Git declares the same object under another group" in " ".join(entry.reason for entry in report.entries)
