"""Only the plan that somebody has looked at is carried out: what spoils it, and what doesn't."""

from collections.abc import Callable
from pathlib import Path

import pytest
from command import ended, started
from target import DEPLOYMENT, Target, config_map

from recon_action.errors import ExitCode
from recon_action.lab import Lab
from recon_action.model import AdditiveMode, Limit
from recon_action.report import to_json
from recon_action.report.document import Report

_STATUS = '{"status":{"replicas":7,"conditions":[{"type":"Available","status":"False"}]}}'


@pytest.fixture
def target(lab: Lab, namespace: str, tmp_path: Path) -> Target:
    """Three objects applied, one of each about to be created, changed and deleted."""
    one = Target(lab, namespace, tmp_path / "manifests")
    one.write("web.yaml", DEPLOYMENT)
    for name in ("kept", "old"):
        one.write(f"{name}.yaml", config_map(name))
    one.apply()
    one.write("web.yaml", DEPLOYMENT.replace("replicas: 3", "replicas: 4"))
    one.write("new.yaml", config_map("new"))
    one.remove("old.yaml")
    return one


def _refusal(report: Report) -> str:
    assert (report.exit_code, report.result) == (ExitCode.REFUSED, "refused")
    assert not [entry for entry in report.entries if entry.outcome]
    (problem,) = report.problems
    return problem.message


def test_planning_again_gives_the_same_plan(target: Target) -> None:
    """Line by line, fingerprints and digest included; an apply of that digest carries it out."""
    one, two = target.diff(), target.diff()
    assert [line.action for line in one.plan] == ["create", "configure", "delete"]
    assert (one.plan, one.digest) == (two.plan, two.digest)
    done = target.apply(plan=one.digest)
    assert (done.exit_code, done.result) == (ExitCode.OK, "applied")
    assert (done.plan, done.digest) == (one.plan, one.digest)


def test_what_is_not_of_the_plan_does_not_spoil_it(target: Target) -> None:
    """A status, an object of somebody else, a permission, another way of asking."""
    digest = target.diff().digest
    target.kubectl("patch", "deployment", "web", "--subresource=status", "--type=merge", "-p", _STATUS)
    target.kubectl("create", "configmap", "somebody-s")
    target.kubectl("annotate", "configmap", "kept", "example.com/seen=1")
    permissions = {"allow_destructive": True, "max_prune": Limit(unlimited=True), "recreate": True}
    for options in ({}, permissions, {"proof": False}, {"read_only": True}):
        assert target.diff(**options).digest == digest
    assert target.apply(plan=digest[:16], **permissions).exit_code is ExitCode.OK


@pytest.mark.parametrize(
    ("spoil", "options", "said"),
    [
        pytest.param(
            lambda target: target.kubectl("scale", "deployment", "web", "--replicas=9"),
            {},
            "the objects changed",
            id="cluster",
        ),
        pytest.param(
            lambda target: target.write("kept.yaml", config_map("kept") + "  b: '2'\n"),
            {},
            "Git and the objects changed",
            id="git",
        ),
        pytest.param(lambda _: None, {"additive": AdditiveMode.REVERT}, "the options changed", id="options"),
        pytest.param(lambda _: None, {"prune": False}, "the options and the objects changed", id="no-prune"),
    ],
)
def test_what_has_changed_since_is_refused_and_named(
    target: Target, spoil: Callable[[Target], object], options: dict[str, object], said: str
) -> None:
    """Nothing is done, and the refusal says what it would be now."""
    digest = target.diff().digest
    spoil(target)
    report = target.apply(plan=digest, **options)
    message = _refusal(report)
    assert message.startswith(f"{said} since plan {digest} was made; it is {report.digest} now: ")
    assert report.show_plan
    assert target.kubectl("get", "configmap", "old", "-o", "name")
    assert target.apply(plan=report.digest, **options).exit_code in {ExitCode.OK, ExitCode.DIFFERENT}


def test_a_report_says_object_by_object_what_has_changed(target: Target, tmp_path: Path) -> None:
    """What is gone, what is new, what is another."""
    file = tmp_path / "plan.json"
    file.write_text(to_json(target.diff()), encoding="utf-8")
    target.kubectl("delete", "configmap", "old")
    target.kubectl("delete", "configmap", "kept")
    target.kubectl("scale", "deployment", "web", "--replicas=9")
    message = _refusal(target.apply(plan=str(file)))
    where = target.namespace
    assert f"gone: delete ConfigMap {where}/old" in message
    assert f"new: create ConfigMap {where}/kept" in message
    assert f"other: configure Deployment {where}/web, which has changed in Git or in the cluster" in message
    assert f"ConfigMap {where}/new" not in message
    file.write_text(to_json(target.diff()), encoding="utf-8")
    assert target.apply(plan=str(file)).exit_code is ExitCode.OK


def test_a_diff_says_whether_a_plan_still_stands(target: Target) -> None:
    """As it says of every refusal."""
    digest = target.diff().digest
    assert not any("would be refused" in note for note in target.diff(plan=digest).notes)
    target.kubectl("scale", "deployment", "web", "--replicas=9")
    assert any(f"changed since plan {digest} was made" in note for note in target.diff(plan=digest).notes)


def test_that_nothing_is_to_be_done_is_a_plan(target: Target) -> None:
    """In sync has a digest, and whoever approved it gets nothing else."""
    target.apply()
    digest = target.diff().digest
    assert target.apply(plan=digest).result == "in-sync"
    target.kubectl("delete", "configmap", "new")
    assert "new" not in _refusal(target.apply(plan=digest))
    assert not target.kubectl("get", "configmap", "new", "--ignore-not-found", "-o", "name")


def test_the_command_line_prints_what_it_takes(target: Target) -> None:
    """`diff --show-plan` ends with the digest; `apply --plan` takes it once, and refuses it the second time."""
    with started(target, "diff", "--show-plan") as process:
        code, out, _ = ended(process)
    assert code == ExitCode.DIFFERENT
    (line,) = [line for line in out.splitlines() if line.startswith("Digest of the plan: ")]
    digest = line.rpartition(" ")[2]
    with started(target, "apply", "--no-wait", "--plan", digest) as process:
        assert ended(process)[0] == ExitCode.OK
    with started(target, "apply", "--no-wait", "--plan", digest) as process:
        code, out, _ = ended(process)
    assert code == ExitCode.REFUSED
    assert "nothing would have been changed" in " ".join(out.split())


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "can't be read as a file"), ("{}", "no report of recon-action"), ("[", "not valid JSON")],
    ids=["missing", "no-report", "no-json"],
)
def test_what_is_neither_digest_nor_report(target: Target, tmp_path: Path, content: str | None, said: str) -> None:
    """It ends the run before the cluster is asked."""
    file = tmp_path / "plan.json"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    with started(target, "apply", "--plan", str(file)) as process:
        code, _, errors = ended(process)
    assert code == ExitCode.USAGE
    assert said in errors
