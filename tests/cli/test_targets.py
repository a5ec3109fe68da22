"""A command about several targets."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from report_scenarios import clean, drift_of_a_person

from recon_action.cli.targets import tell_each
from recon_action.errors import ClusterError, ExitCode, FailOn, Interrupted, LockedError, ReconError, UsageError
from recon_action.model import Output, Progress, ReportFile, Settings
from recon_action.report.document import Report

_TWO = (Settings(("a",), target="shop"), Settings(("b",), target="blog"))


def _answering(**answers: Report | ReconError) -> Callable[[Settings, Progress], Report]:
    def run(target: Settings, _progress: Progress) -> Report:
        answer = answers[target.target]
        if isinstance(answer, ReconError):
            raise answer
        return replace(answer, target=target.target)

    return run


@pytest.mark.parametrize(
    ("shop", "blog", "fail_on", "code"),
    [
        pytest.param(clean(), clean(), FailOn.DRIFT, ExitCode.OK, id="clean"),
        pytest.param(clean(), drift_of_a_person(), FailOn.DRIFT, ExitCode.DIFFERENT, id="one-differs"),
        pytest.param(clean(), drift_of_a_person(), FailOn.ERROR, ExitCode.OK, id="masked"),
        pytest.param(drift_of_a_person(), LockedError("held"), FailOn.DRIFT, ExitCode.LOCKED, id="one-is-stopped"),
        pytest.param(ClusterError("down"), LockedError("held"), FailOn.DRIFT, ExitCode.CLUSTER, id="the-worse-of-two"),
    ],
)
def test_one_exit_code(shop: Report, blog: Report, fail_on: FailOn, code: ExitCode) -> None:
    """The first of all that occurred, in the order of `errors`."""
    targets = [replace(one, fail_on=fail_on) for one in _TWO]
    assert tell_each(targets, _answering(shop=shop, blog=blog)) == code


def test_each_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """With its name, and though another one was stopped."""
    tell_each(_TWO, _answering(shop=ClusterError("down", hint="start it"), blog=clean()))
    said = capsys.readouterr()
    assert "error: shop: down" in said.err
    assert "blog: in sync" in said.out


def test_each_has_its_file(tmp_path: Path) -> None:
    """A second report doesn't take the first one's place; a single target's file is named as it was asked for."""
    files = (ReportFile(Output.JSON, str(tmp_path / "drift.v1.json")),)
    targets = [replace(one, reports=files) for one in _TWO]
    tell_each(targets, _answering(shop=clean(), blog=clean()))
    tell_each(targets[:1], _answering(shop=clean()))
    assert {file.name for file in tmp_path.iterdir()} == {
        "drift.v1-shop.json", "drift.v1-blog.json", "drift.v1.json",
    }  # fmt: skip


def test_json_is_one_document_after_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    """As jq takes them, with nothing in between."""
    tell_each([replace(one, output=Output.JSON) for one in _TWO], _answering(shop=clean(), blog=clean()))
    assert "}\n{" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "what"),
    [({"output": Output.SARIF}, "-o sarif"), ({"plan": "9f86d081884c7d65"}, "--plan")],
    ids=["sarif", "plan"],
)
def test_what_is_for_one_target(options: dict[str, object], what: str) -> None:
    """It says so before anything runs."""
    targets = [replace(one, **options) for one in _TWO]  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=f"{what} takes one target"):
        tell_each(targets, _answering())
    assert tell_each(targets[:1], _answering(shop=clean())) == ExitCode.OK


def test_an_interrupted_run_is_not_followed_by_another() -> None:
    """Whether it still came to a report or not."""
    settled = replace(clean(), exit_code=ExitCode.INTERRUPTED)
    assert tell_each(_TWO, _answering(shop=settled)) == ExitCode.INTERRUPTED
    with pytest.raises(Interrupted):
        tell_each(_TWO, _answering(shop=Interrupted("by SIGINT")))


def test_the_only_target_s_error_is_the_command_s() -> None:
    """Who told of one run so far hears the same."""
    with pytest.raises(ClusterError):
        tell_each(_TWO[:1], _answering(shop=ClusterError("down")))
