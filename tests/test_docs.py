"""What is said in several places is the same in all of them."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from recon_action.config import OPTIONS
from recon_action.config.inputs import INPUTS
from recon_action.github.deliver import OUTPUTS
from scripts import ROOT, script

docs = script("docs")

ACTION, COMPOSITE = ROOT / "action.yml", ROOT / "composite/action.yml"
CALLED = ROOT / ".github/workflows/reconcile.yml"
PAGE = ROOT / "docs/inputs.md"


def read(file: Path) -> dict[Any, Any]:
    """A YAML file, as the runner reads it."""
    return dict(yaml.safe_load(file.read_text()))


def test_generated_text_is_fresh() -> None:
    """What `make docs` writes is as it would write it."""
    texts = docs.generated(docs.blocks())
    assert {ACTION, COMPOSITE, CALLED, PAGE, ROOT / "README.md"} <= set(texts)
    for file, text in texts.items():
        assert file.read_text() == text


def test_action_inputs() -> None:
    """The inputs are the action's own and every option that is meant for it."""
    shared = [option.name for option in OPTIONS if option.action]
    assert [option.name for option in INPUTS][-len(shared) :] == shared
    inputs = read(ACTION)["inputs"]
    assert list(inputs) == [option.name for option in INPUTS]
    for option in INPUTS:
        declared = inputs[option.name]
        assert declared.get("default", "") == option.default
        assert "required" not in declared  # recon.yaml may say it
        assert declared["description"].startswith(option.help)


def test_action_outputs() -> None:
    """The outputs are those that a run writes."""
    assert list(read(ACTION)["outputs"]) == list(OUTPUTS)


def test_action_passes_no_arguments() -> None:
    """The runner quotes arguments naively; inputs travel as variables alone."""
    assert read(ACTION)["runs"] == {"using": "docker", "image": "Dockerfile"}


def test_composite() -> None:
    """The composite action takes and gives the same, and hands every input on under the name that we read."""
    action, composite = read(ACTION), read(COMPOSITE)
    assert composite["inputs"] == action["inputs"]
    values = {name: one.pop("value") for name, one in composite["outputs"].items()}
    assert composite["outputs"] == action["outputs"]
    assert values == {name: f"${{{{ steps.run.outputs.{name} }}}}" for name in OUTPUTS}
    (run,) = (step for step in composite["runs"]["steps"] if step.get("id") == "run")
    assert {name: value for name, value in run["env"].items() if name.startswith("INPUT_")} == {
        f"INPUT_{name.upper().replace('-', '_')}": f"${{{{ inputs.{name} }}}}" for name in action["inputs"]
    }


def test_called_workflow() -> None:
    """The reusable workflow takes every input, credentials as secrets, and gives every output."""
    action, workflow = read(ACTION), read(CALLED)
    called = workflow[True]["workflow_call"]  # YAML reads `on` as a boolean
    secrets = {"kubeconfig", "github-token"}
    assert set(called["secrets"]) == secrets
    own = {"runs-on", "environment", "timeout-minutes"}
    assert set(called["inputs"]) == own | set(action["inputs"]) - secrets
    for name, one in called["inputs"].items():
        if name not in own:
            assert one.pop("type") == "string"
            assert one == action["inputs"][name]
    job = workflow["jobs"]["reconcile"]
    (step,) = (step for step in job["steps"] if step.get("id") == "recon")
    passed = {name: f"${{{{ inputs.{name} }}}}" for name in action["inputs"]}
    passed |= {"kubeconfig": "${{ secrets.kubeconfig }}", "github-token": "${{ secrets.github-token || github.token }}"}
    assert step["with"] == passed
    assert job["outputs"] == {name: f"${{{{ steps.recon.outputs.{name} }}}}" for name in OUTPUTS}
    assert {name: one["value"] for name, one in called["outputs"].items()} == {
        name: f"${{{{ jobs.reconcile.outputs.{name} }}}}" for name in OUTPUTS
    }


def test_table() -> None:
    """The table has every input, option and variable, and the default of each."""
    rows = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in PAGE.read_text().splitlines()
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


@pytest.mark.parametrize("text", ["", "<!-- a -->\n<!-- /a -->\n" * 2], ids=["none", "two"])
def test_block_that_is_not_there_once(text: str) -> None:
    """A lost marker is an error, not a file left alone."""
    with pytest.raises(ValueError, match="instead of one"):
        docs.rewritten(text, "a", "new")
