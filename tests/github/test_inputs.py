"""Inputs in every spelling that reaches us."""

import pytest

from recon_action.errors import UsageError
from recon_action.github.inputs import read_flag, read_input, read_list


@pytest.mark.parametrize("variable", ["INPUT_FAIL-ON", "INPUT_FAIL_ON"])
def test_both_spellings(variable: str) -> None:
    """The runner keeps the dash, others turn it into an underscore; white space around a value is nobody's."""
    assert read_input({variable: " drift\n"}, "fail-on") == "drift"


def test_runner_spelling_wins() -> None:
    """Where both are set the runner's own is the input; an empty one is none."""
    assert read_input({"INPUT_FAIL-ON": "drift", "INPUT_FAIL_ON": "never"}, "fail-on") == "drift"
    assert read_input({"INPUT_FAIL-ON": "", "INPUT_FAIL_ON": "never"}, "fail-on") == "never"


def test_unset_is_empty() -> None:
    """No variable, no value."""
    assert read_input({}, "fail-on") == ""


@pytest.mark.parametrize(
    ("text", "value"),
    [("true", True), ("True", True), ("TRUE", True), ("false", False), ("False", False), ("FALSE", False)],
)
@pytest.mark.parametrize("default", [True, False])
def test_booleans(text: str, value: bool, default: bool) -> None:
    """The six spellings of GitHub's toolkit; the default plays no part."""
    assert read_flag({"INPUT_WAIT": text}, "wait", default=default) is value


@pytest.mark.parametrize("default", [True, False])
def test_empty_boolean_is_its_default(default: bool) -> None:
    """An input passed on from an unset one is empty."""
    assert read_flag({"INPUT_WAIT": ""}, "wait", default=default) is default


@pytest.mark.parametrize("text", ["yes", "1", "on", "tRuE", "null"])
def test_other_booleans_are_refused(text: str) -> None:
    """A guess here could delete things: the message names the input and the way out."""
    with pytest.raises(UsageError, match="input allow-destructive") as raised:
        read_flag({"INPUT_ALLOW-DESTRUCTIVE": text}, "allow-destructive", default=False)
    assert raised.value.hint == "write true or false"


@pytest.mark.parametrize(
    "text", ["k8s\ncharts/web", "k8s, charts/web", "\n k8s ,\n\ncharts/web\r\n"], ids=["lines", "commas", "untidy"]
)
def test_lists(text: str) -> None:
    """Lines or commas; blanks and empty items don't count."""
    assert read_list({"INPUT_PATHS": text}, "paths") == ("k8s", "charts/web")
