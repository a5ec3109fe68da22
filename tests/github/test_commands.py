"""Workflow commands and output entries, read back by the fake runner."""

import pytest
from fake_runner import COMMANDS, parse_command, parse_pairs
from hypothesis import given
from hypothesis import strategies as st

from recon_action.github.commands import MAX_MESSAGE, Annotation, Level, annotate, command, entry

# The runner reads a log line by line, and ends lines at LF; the fake does the same.
TEXT = st.text(st.characters(exclude_categories=("Cs",)))


@given(TEXT)
def test_message_survives(text: str) -> None:
    """A message arrives as it was, whatever is in it, and stays one line."""
    line = command("warning", text)
    found = parse_command(line, COMMANDS)
    assert "\n" not in line
    assert found is not None
    assert found.data == text


@given(TEXT.filter(str.strip), TEXT)
def test_properties_survive(title: str, message: str) -> None:
    """A property arrives as it was: it can neither end the command's head nor add a property."""
    found = parse_command(command("error", message, {"title": title, "file": "a.yaml"}), COMMANDS)
    assert found is not None
    assert found.name == "error"
    assert found.properties == {"title": title, "file": "a.yaml"}
    assert found.data == message


def test_empty_properties_are_left_out() -> None:
    """The runner would drop them anyway; the line stays readable."""
    assert command("error", "x", {"title": "", "file": ""}) == "::error::x"


def test_annotation_is_literal() -> None:
    """The whole line, once, as GitHub documents it."""
    annotation = Annotation(Level.ERROR, "100% wrong\nfix it", title="Deployment: a, b", file="k8s/a.yaml", line=3)
    assert annotate(annotation) == ("::error title=Deployment%3A a%2C b,file=k8s/a.yaml,line=3::100%25 wrong%0Afix it")


def test_annotation_without_file_has_no_line() -> None:
    """A line without a file would point into nothing."""
    assert annotate(Annotation(Level.NOTICE, "x", line=3)) == "::notice::x"


def test_long_message_is_cut_visibly() -> None:
    """The runner would cut it silently."""
    found = parse_command(annotate(Annotation(Level.NOTICE, "x" * 5000)), COMMANDS)
    assert found is not None
    assert len(found.data) == MAX_MESSAGE
    assert found.data.endswith("…")


@given(TEXT)
def test_output_survives(value: str) -> None:
    """An output arrives as it was: no value starts another entry."""
    assert parse_pairs(entry("a", value, "delimiter-7") + entry("b", "", "delimiter-8")) == {"a": value, "b": ""}


@pytest.mark.parametrize(
    ("name", "value"),
    [("a", "x\nD\nresult<<E"), ("aD", "x"), ("", "x"), ("a=b", "x"), ("a<<b", "x"), ("a\nb", "x")],
    ids=["delimiter in value", "delimiter in name", "no name", "equals sign", "heredoc", "line break"],
)
def test_entries_that_would_lie(name: str, value: str) -> None:
    """What the runner would read as something else is not written."""
    with pytest.raises(ValueError, match="output"):
        entry(name, value, "D")
