"""Names that would act on a terminal or on a runner: refused, or shown as they are, and obeyed by nobody."""

import json
import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from fake_runner import COMMANDS, parse_command
from report_scenarios import SCENARIOS

from recon_action.cli.app import run
from recon_action.cli.options import Harmless
from recon_action.desired import ManifestError, load
from recon_action.model import Output
from recon_action.report.render import render

_COMMAND = "::error file=a.yaml::gone ##[add-mask]x"
_HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"


def _obeyed(text: str) -> list[str]:
    """The lines that a runner would take for commands."""
    return [line for line in text.splitlines() if parse_command(line, COMMANDS)]


@pytest.fixture
def call(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str]]:
    """`call("diff", …)`: the command line in an empty folder, and all that it prints."""
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments: str) -> tuple[int, str]:
        code = run(arguments)
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return invoke


@pytest.mark.parametrize("character", ["\x1b", "\n", "\r", "\t", "\x00", "\x85", "\u202e", "\u200b"], ids=ascii)
@pytest.mark.parametrize("field", ["name", "namespace", "kind", "apiVersion"])
def test_an_identity_that_cannot_be_shown(field: str, character: str, tmp_path: Path) -> None:
    """A fault with the field's place; the character itself is not in it."""
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "b"}}
    holder = body if field in body else body["metadata"]
    holder[field] = f"x{character}::error::y"  # type: ignore[index]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(body))
    with pytest.raises(ManifestError) as caught:
        load([str(path)])
    (fault,) = caught.value.faults
    assert "can't be shown" in fault.message
    assert character not in str(fault)


def test_an_error_is_no_command(call: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    """Neither a file's name, at the beginning of its line, nor a repeated key."""
    for name in ("::error file=x::a.yaml", "##[error]b.yaml", "c\n::error::.yaml", "d\x1b[2J.yaml"):
        (tmp_path / name).write_text(f"{_HEAD}? '{_COMMAND}'\n: 1\n? '{_COMMAND}'\n: 1\n")
    code, printed = call("diff", ".")
    assert code == 3
    assert printed.count("is repeated") == 4
    assert _obeyed(printed) == []
    assert "\x1b" not in printed.replace("\x1b[", "", 4)  # the four colours of our own


def test_an_object_that_is_declared_twice_is_no_command(call: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    """Names that no Kubernetes object may have are shown all the same."""
    body = _HEAD.replace("name: a", f"name: '{_COMMAND}'")
    (tmp_path / "a.yaml").write_text(f"{body}---\n{body}")
    _, printed = call("diff", "--kubeconfig", "nowhere", "a.yaml")
    assert _obeyed(printed) == []


@pytest.mark.parametrize("output", list(Output))
@pytest.mark.parametrize("color", [False, True], ids=["plain", "colour"])
def test_a_report_is_no_command(output: Output, *, color: bool) -> None:
    """In no form, though it holds names, values and messages that look like one."""
    report = SCENARIOS["hostile-text"]()
    entry = report.entries[0]
    assert entry.problem or entry.changes
    hostile = replace(report, notes=(_COMMAND, f"x\n{_COMMAND}"), target=_COMMAND)
    for width in (40, 100):
        text = render(hostile, output, width=width, color=color)
        assert "gone" in text
        assert _obeyed(text) == []


def test_a_log_is_no_command() -> None:
    """A server's message may quote anything."""
    record = logging.makeLogRecord({"msg": "%s", "args": (f"{_COMMAND}\x1b[2J\n{_COMMAND}",)})
    text = Harmless().format(record)
    assert "gone" in text
    assert _obeyed(text) == []
    assert "\x1b" not in text
