"""What is said in several places is the same in all of them."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from recon_action.config import OPTIONS
from recon_action.config.inputs import INPUTS, REQUIRED
from recon_action.github.deliver import OUTPUTS

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def docs() -> ModuleType:
    """scripts/docs.py, which writes them."""
    spec = importlib.util.spec_from_file_location("docs", ROOT / "scripts/docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def action() -> dict[str, Any]:
    """action.yml, as the runner reads it."""
    return dict(yaml.safe_load((ROOT / "action.yml").read_text()))


def test_generated_text_is_fresh(docs: ModuleType) -> None:
    """action.yml and README.md are as `make docs` writes them."""
    texts = docs.generated(docs.blocks())
    assert set(texts) == {ROOT / "action.yml", ROOT / "README.md"}
    for file, text in texts.items():
        assert file.read_text() == text


def test_action_inputs(action: dict[str, Any]) -> None:
    """The inputs are the action's own and every option that is meant for it."""
    own = ["paths", "mode", "self-heal", "apply-branches"]
    publishing = ["github-token", "comment", "comment-on", "check-run", "ssl-verify"]
    shared = [option.name for option in OPTIONS if option.action]
    assert list(action["inputs"]) == [*own, *publishing, *shared]
    for option in INPUTS:
        declared = action["inputs"][option.name]
        assert declared.get("default", "") == option.default
        assert declared.get("required", False) is (option.name in REQUIRED)
        assert declared["description"].startswith(option.help)


def test_action_outputs(action: dict[str, Any]) -> None:
    """The outputs are the contract's."""
    assert list(action["outputs"]) == list(OUTPUTS)
    assert list(OUTPUTS) == [
        "result",
        "exit-code",
        *("in-sync", "pending", "drifted", "ignored", "skipped", "failed"),
        "digest",
        "report-path",
    ]


def test_action_passes_no_arguments(action: dict[str, Any]) -> None:
    """The runner quotes arguments naively; inputs travel as variables alone."""
    assert action["runs"] == {"using": "docker", "image": "Dockerfile"}


def test_readme_table() -> None:
    """The README's table has every input, option and variable, and the default of each."""
    rows = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in (ROOT / "README.md").read_text().splitlines()
        if re.match(r"\| (`[a-z-]+`|–) \| .*\| .*\| .*\|", line)
    ]
    by_input = {row[0].strip("`"): row for row in rows if row[0] != "–"}
    assert list(by_input) == [option.name for option in INPUTS]
    by_variable = {row[2].strip("`"): row for row in rows if row[2] != "–"}
    assert set(by_variable) == {option.variable for option in OPTIONS}
    for option in OPTIONS:
        row = by_variable[option.variable]
        assert f"`--{option.name}`" in row[1]
        assert (f"`{option.default}`" in row[3]) is bool(option.default)
        assert (row[0] == f"`{option.name}`") is option.action


def test_readme_shows_the_examples() -> None:
    """The example that the linters read is the one that people read."""
    readme = (ROOT / "README.md").read_text()
    examples = sorted((ROOT / "docs/examples").glob("*.yml"))
    assert examples
    for example in examples:
        assert f"```yaml\n{example.read_text()}```" in readme


@pytest.mark.parametrize("text", ["", "<!-- a -->\n<!-- /a -->\n" * 2], ids=["none", "two"])
def test_block_that_is_not_there_once(docs: ModuleType, text: str) -> None:
    """A lost marker is an error, not a file left alone."""
    with pytest.raises(ValueError, match="instead of one"):
        docs.rewritten(text, "a", "new")
