"""recon.yaml: what is taken, and how a mistake is told."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from recon_action.config.file import ConfigFile, read_config, schema, with_file
from recon_action.errors import UsageError
from recon_action.model import IgnoreRule, Match, RedactRule, Settings
from recon_action.model.pattern import parse_field, parse_pointer

_ROOT = Path(__file__).parents[2]
_WHOLE = """\
# yaml-language-server: $schema=https://example.com/recon.schema.json
ignore:
- match: {group: apps, kind: Deployment, namespace: "shop-*", name: web}
  pointers: [/spec/replicas]
  fields: ["spec.template.spec.containers[name=web].image"]
  managers: ["my-*"]
  reason: The rollout tool owns it.
- match: {kind: "*"}
  fields: ['metadata.annotations["example.com/seen"]']
redact:
- match: {kind: Widget}
  fields: ["spec.users[*].token"]
"""


def _read(folder: Path, text: str) -> ConfigFile:
    file = folder / "recon.yaml"
    file.write_text(text, encoding="utf-8")
    return read_config(str(file))


def test_rules(tmp_path: Path) -> None:
    """Every key becomes its part of a rule."""
    assert _read(tmp_path, _WHOLE) == ConfigFile(
        ignore=(
            IgnoreRule(
                Match("apps", "Deployment", "shop-*", "web"),
                (parse_field("spec.template.spec.containers[name=web].image"), parse_pointer("/spec/replicas")),
                ("my-*",),
                "The rollout tool owns it.",
            ),
            IgnoreRule(Match(kind="*"), (parse_field('metadata.annotations["example.com/seen"]'),)),
        ),
        redact=(RedactRule(Match(kind="Widget"), (parse_field("spec.users[*].token"),)),),
    )


@pytest.mark.parametrize(("option", "used"), [("", "uid-file"), ("uid-option", "uid-option")], ids=["file", "option"])
def test_the_only_cluster(tmp_path: Path, option: str, used: str) -> None:
    """It stands in the repository; an option outweighs it."""
    file = tmp_path / "recon.yaml"
    file.write_text("clusterUID: uid-file\n", encoding="utf-8")
    assert with_file(Settings(("manifests",), cluster_uid=option), str(file)).cluster_uid == used


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "{}\n", "ignore: []\nredact: []\n"])
def test_nothing_said(tmp_path: Path, text: str) -> None:
    """A file may be empty."""
    assert _read(tmp_path, text) == ConfigFile()


def test_the_current_folder_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """recon.yaml is found where one is; elsewhere, nothing is said."""
    monkeypatch.chdir(tmp_path)
    assert read_config() == ConfigFile()
    (tmp_path / "recon.yaml").write_text(_WHOLE)
    assert len(read_config().ignore) == 2


def test_a_file_that_was_named_must_be_there(tmp_path: Path) -> None:
    """A wrong name is no empty file."""
    with pytest.raises(UsageError, match="can't be read"):
        read_config(str(tmp_path / "other.yaml"))


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        pytest.param("ignored: []\n", ["1:1: unknown key 'ignored' — did you mean 'ignore'?"], id="key"),
        pytest.param(
            "x: 1\n",
            ["1:1: unknown key 'x' — known here: clusterUID, targets, defaults, ignore, sources, redact"],
            id="no-near-key",
        ),
        pytest.param(
            "ignore:\n- match: {Kind: X, nam: y}\n  field: [a]\n",
            [
                "2:3: the rule names nothing to ignore — add pointers, fields or managers",
                "2:11: unknown key 'Kind' — did you mean 'kind'?",
                "2:20: unknown key 'nam' — did you mean 'name'?",
                "3:3: unknown key 'field' — did you mean 'fields'?",
            ],
            id="several-in-order",
        ),
        pytest.param("clusteruid: a\n", ["1:1: unknown key 'clusteruid' — did you mean 'clusterUID'?"], id="case"),
        pytest.param('clusterUID: ""\n', ["1:1: clusterUID is empty — name something, or take it out"], id="no-uid"),
        pytest.param("ignore: {a: b}\n", ["1:1: ignore must be a list"], id="no-list"),
        pytest.param("- a\n", ["1:1: this must be a mapping"], id="no-mapping"),
        pytest.param("redact:\n- 5\n", ["2:3: this must be a mapping"], id="item-no-mapping"),
        pytest.param(
            "ignore:\n- match: {name: 5}\n  fields: [a]\n",
            ["2:11: name must be a text; quote it if it looks like something else"],
            id="number",
        ),
        pytest.param("redact:\n- {}\n", ["2:3: the rule lacks match and fields"], id="lacking"),
        pytest.param("ignore:\n- match: {}\n  fields: [a]\n", ["2:3: match is empty — name something, or take it out"]),
        pytest.param(
            "redact:\n- match: {kind: X}\n  fields: []\n", ["3:3: fields is empty — name something, or take it out"]
        ),
        pytest.param(
            "ignore:\n- match: {kind: X}\n  fields:\n  - spec.a\n  - metadata.annotations.a/b\n  pointers: [spec]\n",
            [
                "5:5: 'metadata.annotations.a/b' can't be read from character 23 on; write keys with other characters",
                "6:14: a JSON pointer begins with /",
            ],
            id="patterns",
        ),
        pytest.param(
            "a: 1\na: 2\n", ["2:1: the key 'a' is repeated, first in line 1 — keep one of the two"], id="repeated"
        ),
        pytest.param("a: 1\n---\nb: 1\n", ["3:1: a second document begins here — keep one of the two"], id="two"),
        pytest.param("--- a\n", ["1:1: only a comment may follow --- on its line"], id="separator"),
    ],
)
def test_faults(tmp_path: Path, text: str, faults: list[str]) -> None:
    """All at once, each with file, line and column, in their order."""
    with pytest.raises(UsageError) as caught:
        _read(tmp_path, text)
    lines = caught.value.message.splitlines()
    assert len(lines) == len(faults)
    for line, fault in zip(lines, faults, strict=True):
        assert line.startswith(f"{tmp_path / 'recon.yaml'}:{fault}")


def test_the_schema() -> None:
    """It is a valid one, describes everything, and docs has the same."""
    Draft202012Validator.check_schema(schema())
    assert json.loads((_ROOT / "docs/recon.schema.json").read_text()) == schema()
    for name, described in _properties(schema()):
        of = schema()["$defs"][described["$ref"].rpartition("/")[2]] if "$ref" in described else described
        assert described.get("description") or of.get("description"), name


def _properties(node: Any) -> Iterator[tuple[str, Any]]:
    """Every property that a schema describes, wherever."""
    if isinstance(node, dict):
        yield from node.get("properties", {}).items()
    for below in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _properties(below)


def test_the_guide_s_example(tmp_path: Path) -> None:
    """What people copy is right."""
    (text,) = re.findall(r"```yaml\n(# yaml-language-server.*?)```", (_ROOT / "docs/guide.md").read_text(), re.DOTALL)
    config = _read(tmp_path, text)
    assert (len(config.ignore), len(config.redact)) == (3, 1)
    assert schema()["$id"] in text


def test_the_reference_names_every_key() -> None:
    """And no other."""
    reference = (_ROOT / "docs/reference.md").read_text()
    keys_of = "clusterUID|defaults|ignore|redact|sources|targets"
    named = set(re.findall(rf"^\| `((?:{keys_of})[\w\[\].]*):?` \|", reference, re.MULTILINE))
    properties, shared = schema()["properties"], schema()["$defs"]
    keys = {f"ignore[].{key}" for key in shared["ignore"]["items"]["properties"]} | properties.keys()
    keys |= {f"targets[].{key}" for key in properties["targets"]["items"]["properties"]}
    keys |= {f"targets[].access.{key}" for key in shared["access"]["properties"]}
    sources = properties["sources"]["properties"]
    keys |= {f"sources.{key}" for key in sources}
    keys |= {f"sources.charts[].{key}" for key in sources["charts"]["items"]["properties"]}
    assert named == keys


def test_jsonschema_is_not_imported_for_nothing(tmp_path: Path) -> None:
    """Most runs have no recon.yaml."""
    code = (
        "import sys; from recon_action.config.file import read_config as r; r(); sys.exit('jsonschema' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env={"PYTHONPATH": str(_ROOT)}, check=True)
