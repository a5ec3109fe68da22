"""What the documentation says of commands, options, exit codes, layers and pictures is so."""

import html
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from recon_action.cli.app import root
from recon_action.errors import ExitCode
from recon_action.model import Output
from recon_action.report.codec import from_json
from recon_action.report.render import render

_ROOT = Path(__file__).resolve().parent.parent
_README = _ROOT / "README.md"
_DOCUMENTS = sorted([_README, *(_ROOT / "docs").rglob("*.md")])
_IMAGES = _ROOT / "docs" / "images"
_CODE = re.compile(r"```[^\n]*\n(?P<block>.*?)```|`(?P<span>[^`\n]+)`", re.DOTALL)
_GENERATED = re.compile(r"^<!-- (?P<name>\S+) -->\n.*?^<!-- /(?P=name) -->$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\((?P<target>[^)#\s]+)(?:#[^)]*)?\)")


def _commands() -> Iterator[tuple[str, str]]:
    """Each `recon-action …` that a document shows, and the document; generated blocks have tests of their own."""
    for document in _DOCUMENTS:
        for code in _CODE.finditer(_GENERATED.sub("", document.read_text())):
            for line in (code["block"] or code["span"]).splitlines():
                if called := re.search(r"\brecon-action(?: [^#)\"]+)?", line):
                    yield document.name, called[0].strip()


def _leaf(words: list[str]) -> tuple[list[str], click.Command, list[str]]:
    """The names of commands and sub-commands in `words`, the last of them, and what follows."""
    command: click.Command = root
    names: list[str] = []
    while isinstance(command, click.Group) and len(words) > len(names):
        found = command.get_command(click.Context(command), words[len(names)])
        if found is None:
            break
        names.append(words[len(names)])
        command = found
    return names, command, words[len(names) :]


def test_documents_show_commands() -> None:
    """The tests below have something to look at."""
    shown = {command.split()[1] for _, command in _commands() if " " in command}
    assert {"diff", "apply", "watch", "lab", "demo"} <= shown


@pytest.mark.parametrize(
    "shown", sorted({command for _, command in _commands()}), ids=lambda command: command.replace(" ", "-")
)
def test_commands_that_are_shown_exist(shown: str) -> None:
    """Each command and option of the documentation is one, and `--help` tells of it."""
    names, command, rest = _leaf(shlex.split(shown)[1:])
    assert names or not rest or rest[0].startswith("-"), f"there is no such command: {shown}"
    told = CliRunner().invoke(root, [*names, "--help"])
    assert told.exit_code == 0
    assert "Usage:" in told.output
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    own = rest[: rest.index("--")] if "--" in rest else rest
    assert {word for word in own if word.startswith("-")} <= known | {"--help", "-"}


def test_exit_codes_are_the_contract() -> None:
    """README's table holds every exit code, and no other."""
    section = _README.read_text().partition("## Exit codes")[2].partition("\n## ")[0]
    assert [int(code) for code in re.findall(r"^\| (\d+) \|", section, re.MULTILINE)] == sorted(ExitCode)


@pytest.mark.parametrize("document", _DOCUMENTS, ids=lambda path: str(path.relative_to(_ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    """Every relative link names a file of the repository."""
    targets = [match["target"] for match in _LINK.finditer(document.read_text())]
    local = [target for target in targets if "://" not in target]
    assert [target for target in local if not (document.parent / target).exists()] == []


def test_the_architecture_names_every_part() -> None:
    """docs/architecture.md shows the floors that import-linter enforces, and each module of the top level."""
    text = (_ROOT / "docs" / "architecture.md").read_text()
    contracts = tomllib.loads((_ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    floors = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    assert "```\n{}\n```".format("\n".join(floors)) in text
    parts = {
        path.name + "/" * path.is_dir()
        for path in (_ROOT / "recon_action").iterdir()
        if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    assert {part for part in parts - {"__init__.py"} if f"  {part} " not in text} == set()


def test_the_picture_is_the_report() -> None:
    """README's picture shows, line by line, what a terminal shows of the report that lies beside it."""
    svg = (_IMAGES / "drift.svg").read_text()
    report = from_json((_IMAGES / "drift.json").read_text())
    rows: dict[int, list[tuple[float, str]]] = {}
    for x, line, text in re.findall(r'<text [^>]*x="([\d.]+)"[^>]*line-(\d+)\)">(.*?)</text>', svg):
        rows.setdefault(int(line), []).append((float(x), html.unescape(text)))
    shown = ["".join(text for _, text in sorted(row)) for _, row in sorted(rows.items())]
    wanted = render(report, Output.TEXT, width=100).splitlines()
    assert _inked(shown) == _inked(wanted)
    assert "http" not in re.sub(r"https?://(www\.w3\.org|www\.textualize\.io|127\.0\.0\.1)", "", svg)


def _inked(lines: list[str]) -> list[str]:
    """The lines that show anything, without blanks: a picture places its words by coordinates."""
    return [inked for line in lines if (inked := "".join(line.split()))]
