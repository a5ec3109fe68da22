"""A report, to stdout and to files."""

from pathlib import Path

import pytest

from recon_action.cli.report import show, write_files
from recon_action.errors import UsageError
from recon_action.model import Output, Settings
from recon_action.model.settings import ReportFile
from recon_action.report.codec import from_json, to_json
from recon_action.report.document import Report

_GOLDEN = Path(__file__).parents[1] / "report" / "golden" / "applied" / "report.json"


@pytest.fixture
def report() -> Report:
    """One of the reports whose looks are tested elsewhere."""
    return from_json(_GOLDEN.read_text(encoding="utf-8"))


def test_stdout_carries_the_report_alone(report: Report, capsys: pytest.CaptureFixture[str]) -> None:
    """Byte for byte, so that it can be piped into a file and read back."""
    show(report, Settings((), output=Output.JSON))
    assert capsys.readouterr() == (to_json(report), "")


def test_piped_text_has_no_colours(report: Report, capsys: pytest.CaptureFixture[str]) -> None:
    """Where there is no terminal, escape sequences are noise."""
    show(report, Settings(()))
    out = capsys.readouterr().out
    assert report.target in out
    assert "\x1b" not in out


def test_reports_are_written_beside_it(report: Report, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every form that was asked for, and nothing on stdout."""
    files = {output: tmp_path / f"report.{output}" for output in Output}
    write_files(report, Settings((), reports=tuple(ReportFile(output, str(file)) for output, file in files.items())))
    assert from_json(files[Output.JSON].read_text(encoding="utf-8")) == report
    assert "\x1b" not in files[Output.TEXT].read_text(encoding="utf-8")
    assert report.target in files[Output.MARKDOWN].read_text(encoding="utf-8")
    assert capsys.readouterr() == ("", "")


def test_a_file_that_can_not_be_written_is_named(report: Report, tmp_path: Path) -> None:
    """A folder that is not there is the user's to make."""
    settings = Settings((), reports=(ReportFile(Output.JSON, str(tmp_path / "gone" / "r.json")),))
    with pytest.raises(UsageError, match=r"--report json=.*gone/r\.json: No such file") as caught:
        write_files(report, settings)
    assert caught.value.hint
