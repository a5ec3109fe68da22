"""Golden cases: one folder a scenario, with the report as JSON and every text format rendered from it."""

from pathlib import Path

import pytest
from report_scenarios import BUDGET, SCENARIOS, WIDTH

from recon_action.model import Output
from recon_action.report import from_json, render, to_json
from recon_action.report.document import Report

GOLDEN = Path(__file__).parent / "golden"
EXPECTED = ("report.md", "terminal-color.txt", "terminal.txt")


def rendered(report: Report) -> dict[str, str]:
    return {
        "report.md": render(report, Output.MARKDOWN, budget=BUDGET),
        "terminal-color.txt": render(report, Output.TEXT, width=WIDTH, color=True),
        "terminal.txt": render(report, Output.TEXT, width=WIDTH, color=False),
    }


@pytest.mark.parametrize("name", SCENARIOS)
def test_report_and_every_format_are_as_reviewed(name: str, *, rewrite_golden: bool) -> None:
    """What a run builds is the golden JSON, and that JSON alone renders to the golden texts."""
    folder = GOLDEN / name
    report = SCENARIOS[name]()
    if rewrite_golden:
        (folder / "expected").mkdir(parents=True, exist_ok=True)
        (folder / "report.json").write_text(to_json(report), encoding="utf-8", newline="")
        for file, text in rendered(report).items():
            (folder / "expected" / file).write_text(text, encoding="utf-8", newline="")
    saved = (folder / "report.json").read_bytes().decode()
    assert to_json(report) == saved
    assert rendered(from_json(saved)) == {file: (folder / "expected" / file).read_bytes().decode() for file in EXPECTED}


def test_every_golden_folder_is_a_scenario() -> None:
    """A scenario that went away leaves nothing behind that nobody compares."""
    assert sorted(folder.name for folder in GOLDEN.iterdir()) == sorted(SCENARIOS)
    for folder in GOLDEN.iterdir():
        files = sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())
        assert files == [*(f"expected/{file}" for file in EXPECTED), "report.json"]
