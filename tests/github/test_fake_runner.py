"""The fake is no kinder than the runner: what the runner rejects, it rejects."""

from pathlib import Path

import pytest
from fake_runner import COMMANDS, FakeRunner, parse_command, parse_pairs


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param("a<<X\nvalue\nX", None, id="no line break after the last delimiter"),
        pytest.param("a<<X\nvalueX\n", "Matching delimiter not found", id="delimiter not on a line of its own"),
        pytest.param("a<<X\nvalue", "EOF marker missing new line", id="value without an end"),
        pytest.param("<<X\nvalue\nX\n", "must not be empty", id="no name"),
        pytest.param("a\n", "Invalid format", id="neither form"),
        pytest.param("a<<X\r\nvalue\r\nX\n", "Matching delimiter not found", id="CRLF is no line end"),
    ],
)
def test_malformed_output_file(text: str, complaint: str | None) -> None:
    """An output file the runner fails the step for is an error; one it lets pass is read."""
    if complaint is None:
        assert parse_pairs(text) == {"a": "value"}
    else:
        with pytest.raises(ValueError, match=complaint):
            parse_pairs(text)


def test_short_form_is_injectable() -> None:
    """In the short form a line break starts an entry: the reason never to write it."""
    assert parse_pairs("a=1\nexit-code=0\n") == {"a": "1", "exit-code": "0"}


@pytest.mark.parametrize(
    ("line", "name"),
    [
        pytest.param("::error::x", "error", id="today's form"),
        pytest.param("  ::error file=a::x", "error", id="indented"),
        pytest.param("text ##[error]x", "error", id="old form, anywhere in the line"),
        pytest.param("text ::error::x", None, id="not at the start"),
        pytest.param("::unknown::x", None, id="unknown"),
        pytest.param("::error", None, id="unfinished"),
    ],
)
def test_lines_that_are_commands(line: str, name: str | None) -> None:
    """A line is a command wherever the runner would take it for one."""
    found = parse_command(line, COMMANDS)
    assert (found.name if found else None) == name


def test_deprecated_command_is_an_error(tmp_path: Path) -> None:
    """`::set-output` is what foreign text would love to say."""
    step = FakeRunner(tmp_path).read("::set-output name=result::in-sync\n")
    assert step.errors
    assert not step.outputs


def test_oversize_summary_is_discarded(tmp_path: Path) -> None:
    """One byte too many and nothing is shown."""
    runner = FakeRunner(tmp_path)
    runner.file("GITHUB_STEP_SUMMARY").write_bytes(b"x" * (1024 * 1024 + 1))
    step = runner.read("")
    assert step.summary == ""
    assert step.errors


def test_masks_apply_from_then_on(tmp_path: Path) -> None:
    """A mask hides its value in later lines and in the summary, each line of it too."""
    runner = FakeRunner(tmp_path)
    runner.file("GITHUB_STEP_SUMMARY").write_text("hunter2\n")
    step = runner.read("hunter2\n::add-mask::hunter2%0Asecond\nhunter2 second\n")
    assert step.log[:2] == ("hunter2", "*** ***")
    assert step.summary == "***\n"
