"""Progress on stderr: only for what takes long, and never in the way of the report."""

import sys
import time

import pytest

from recon_action.cli.progress import StderrProgress


def _until(capsys: pytest.CaptureFixture[str], text: str) -> str:
    """What stderr said, once it says `text`; the test's own timeout ends a wait in vain."""
    said = ""
    while text not in said:
        said += capsys.readouterr().err
        time.sleep(0.01)
    return said


def test_a_short_step_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """What ends within a second is not worth a line."""
    with StderrProgress() as progress:
        for number in range(3):
            progress.step(f"step {number}", 10)
            progress.advance(10)
    assert capsys.readouterr() == ("", "")


@pytest.mark.timeout(30)
@pytest.mark.parametrize(("verbose", "total", "line"), [(0, 3, "observing (3) ..."), (1, None, "observing ...")])
def test_a_long_step_is_a_line(capsys: pytest.CaptureFixture[str], verbose: int, total: int | None, line: str) -> None:
    """Where there is no terminal; with -v at once."""
    with StderrProgress(verbose=verbose) as progress:
        progress.step("observing", total)
        progress.advance()
        assert _until(capsys, line) == f"{line}\n"


def test_a_note_is_a_line_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    """As it is: brackets are no markup, and what could move the cursor or begin a line is spelled out."""
    with StderrProgress() as progress:
        progress.note("Pod shop/web: [red]Waiting[/red]")
        progress.note("Pod shop/web: \x1b[2J\n::error::")
    said = "  Pod shop/web: [red]Waiting[/red]\n  Pod shop/web: \\x1b[2J\\n::error::\n"
    assert capsys.readouterr() == ("", said)


@pytest.mark.timeout(30)
def test_on_a_terminal_it_is_a_bar_that_leaves_nothing_behind(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bar counts, notes stand above it, and at the end the line is clean again."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    with StderrProgress(verbose=1) as progress:
        progress.step("applying", 4)
        progress.advance(3)
        _until(capsys, "applying")
        progress.advance()
        progress.note("a note")
        said = _until(capsys, "a note")
        progress.step("next")
    assert "4/4" in said + capsys.readouterr().err
