"""What the pages say is there: what they link to, and the options and inputs that they name."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

import recon_action
from recon_action.cli.app import root
from recon_action.config import OPTIONS
from recon_action.config.inputs import INPUTS
from recon_action.github.deliver import OUTPUTS

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = Path(recon_action.__file__).parent  # which may be installed
DOCS = ROOT / "docs"
CHANGELOG = ROOT / "CHANGELOG.md"
PAGES = [ROOT / "README.md", CHANGELOG, *sorted((ROOT / ".github").glob("*.md")), *sorted(DOCS.rglob("*.md"))]
EXAMPLES = sorted((DOCS / "examples").glob("*.yml"))
CALLED = ROOT / ".github/workflows/reconcile.yml"
OUR_ACTIONS = ("recon-action/recon-action@", "recon-action/recon-action/composite@")
# Of other programs: named without them, and named first.
FOREIGN_OPTIONS = {"--api-versions", "--authentication-config", "--enable-helm", "--kube-version"}
FOREIGN_PROGRAMS = ("gh ", "git ", "helm ", "kube-apiserver ", "kubectl ", "kustomize ")
# Of `permissions:`, of the checkout, and of annotations in manifests.
FOREIGN_KEYS = {
    *("actions", "attestations", "checks", "contents", "id-token", "issues", "packages", "pull-requests"),
    *("security-events", "fetch-depth", "persist-credentials", "deletion", "force", "resource-policy"),
    "recon-action",  # the check run's name
}


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def tokens(page: Path) -> list[Token]:
    """The page as it is read: blocks, and what stands in them."""
    found = []
    for token in MarkdownIt("commonmark").enable("table").parse(page.read_text()):
        found += [token, *(token.children or [])]
    return found


def inline_code(page: Path) -> Iterator[str]:
    return (token.content for token in tokens(page) if token.type == "code_inline")


@cache
def anchors(page: Path) -> set[str]:
    """What `#…` may follow the page's name, as GitHub makes it of headings."""
    found: set[str] = set()
    parsed = tokens(page)
    for token, inner in pairwise(parsed):
        if token.type == "heading_open":
            text = re.sub(r"[^\w\- ]", "", inner.content.lower()).replace(" ", "-")
            found.add(text)
    return found


def links(page: Path) -> Iterator[tuple[str, str]]:
    """Each link, and each picture, with its text."""
    parsed = tokens(page)
    for index, token in enumerate(parsed):
        if token.type == "link_open":
            yield str(token.attrs["href"]), parsed[index + 1].content
        elif token.type == "image":
            yield str(token.attrs["src"]), token.content


@cache
def known_options() -> set[str]:
    """Every option of every command."""
    found = {"--help"}
    commands: list[click.Command] = [root]
    while commands:
        command = commands.pop()
        found |= {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
        if isinstance(command, click.Group):
            commands += [
                known
                for each in command.list_commands(click.Context(command))
                if (known := command.get_command(click.Context(command), each))
            ]
    return found


@pytest.mark.parametrize("page", [*PAGES, *(ROOT / "tests").rglob("README.md")], ids=name)
def test_links(page: Path) -> None:
    """A relative link leads to a file that is there, its anchor to a heading; a test that is named is in its file."""
    broken = []
    for target, text in links(page):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        named = re.fullmatch(r"test_\w+", text)
        if (
            not file.exists()
            or not file.is_relative_to(ROOT)
            or (anchor and file.suffix == ".md" and anchor not in anchors(file))
            or (named and file.suffix == ".py" and text != file.stem and f"def {text}(" not in file.read_text())
        ):
            broken.append((target, text))
    assert broken == []


def test_every_page_is_found() -> None:
    """From the README one comes to every page."""
    seen: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in seen or page.suffix != ".md":
            continue
        seen.add(page)
        targets = (target.partition("#")[0] for target, _ in links(page) if not re.match(r"[a-z]+:", target))
        waiting += [file for target in targets if target and (file := (page.parent / target).resolve()).is_file()]
    decisions = set((DOCS / "decisions").glob("*.md"))  # a folder is linked as a whole
    assert set(PAGES) - seen - decisions - {CHANGELOG} == set()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_options(page: Path) -> None:
    """An option that is named is one of ours, or known as another program's."""
    lines = [
        line
        for token in tokens(page)
        if token.type == "fence"
        for line in token.content.splitlines()
        if re.match(r"(\$ )?recon-action ", line)
    ]
    texts = [*lines, *(text for text in inline_code(page) if not text.startswith(FOREIGN_PROGRAMS))]
    named = {option for text in texts for option in re.findall(r"(?<!\S)--[a-z][\w-]*", text)}
    assert named - known_options() - FOREIGN_OPTIONS == set()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_variables(page: Path) -> None:
    """A variable of ours that is named is read somewhere."""
    named = {found for text in inline_code(page) for found in re.findall(r"\bRECON_[A-Z_]+", text)}
    unknown = named - {option.variable for option in OPTIONS} - {"RECON_"}
    sources = [*PACKAGE.rglob("*.py"), *(ROOT / "tests").rglob("*.py"), ROOT / "Makefile"]
    read = "".join(source.read_text() for source in sources if source != Path(__file__)) if unknown else ""
    assert {each for each in unknown if each not in read} == set()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_inputs(page: Path) -> None:
    """An input that is named with its value is one of the action's, or known as something else's."""
    matches = (re.fullmatch(r"([a-z]+(?:-[a-z]+)*): [\w.-]+", text) for text in inline_code(page))
    named = {match[1] for match in matches if match}
    called = yaml.safe_load(CALLED.read_text())[True]["workflow_call"]["inputs"]
    inputs = {option.name for option in INPUTS} | set(called)
    assert named - inputs - FOREIGN_KEYS == set()


def test_permissions() -> None:
    """The page has every permission that a request of ours asks for, and an event's job has those of its channels."""
    needed = {
        permission
        for file in (PACKAGE / "github").glob("*.py")
        for permission in re.findall(r'"([a-z-]+: (?:read|write))"', file.read_text())
    }
    rows = re.findall(r"^\| `([a-z-]+): (read|write)` \|", (DOCS / "permissions.md").read_text(), re.MULTILINE)
    granted = {(name, access) for name, right in rows for access in ("read", right)}
    assert needed
    assert {tuple(permission.split(": ")) for permission in needed} <= granted


def workflows() -> Iterator[tuple[str, dict[str, Any]]]:
    """Each workflow that people are to copy."""
    for example in EXAMPLES:
        yield name(example), yaml.safe_load(example.read_text())


@pytest.mark.parametrize(("file", "workflow"), list(workflows()), ids=[file for file, _ in workflows()])
def test_examples(file: str, workflow: dict[str, Any]) -> None:
    """An example uses the inputs and outputs that there are, and says of each permission what it is for."""
    called = yaml.safe_load(CALLED.read_text())[True]["workflow_call"]
    for job in workflow["jobs"].values():
        if "uses" in job:
            assert job["uses"].startswith("recon-action/recon-action/.github/workflows/reconcile.yml@")
            assert set(job["with"]) <= set(called["inputs"])
            assert set(job["secrets"]) <= set(called["secrets"])
            continue
        ours = [step for step in job["steps"] if step.get("uses", "").startswith(OUR_ACTIONS)]
        assert ours
        for step in ours:
            assert set(step["with"]) <= {option.name for option in INPUTS}
    text = (ROOT / file).read_text()
    for step, output in re.findall(r"steps\.([\w-]+)\.outputs\.([\w-]+)", text):
        assert (step, output) in {("recon", known) for known in OUTPUTS}
    granted = re.findall(r"^ +[a-z-]+: (?:read|write)\b.*$", text, re.MULTILINE)
    assert granted
    assert [line for line in granted if " # " not in line and "contents: read" not in line] == []


def test_every_example_is_shown() -> None:
    """What the linters read is what people read."""
    shown = "".join(page.read_text() for page in PAGES)
    assert EXAMPLES
    for example in EXAMPLES:
        assert f"<!-- docs/examples/{example.name} -->\n```yaml\n{example.read_text()}```\n" in shown
