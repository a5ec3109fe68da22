"""The plan that somebody has looked at, from the option that names it."""

from dataclasses import replace
from pathlib import Path

import pytest
from report_scenarios import SCENARIOS

from recon_action.errors import UsageError
from recon_action.model import Approved
from recon_action.reconcile.approval import read_approved
from recon_action.report import to_json

_DIGEST = "9f86d081884c7d65-a1b2c3d4"


@pytest.mark.parametrize("text", [_DIGEST, _DIGEST[:16]], ids=["whole", "first-digits"])
def test_a_digest(text: str) -> None:
    """Is the plan's name, and says nothing of objects."""
    assert read_approved(text) == Approved(text)


def test_no_plan_is_any_plan() -> None:
    """An apply without the option carries out what it plans."""
    assert read_approved("") is None


def test_a_report(tmp_path: Path) -> None:
    """Names the digest, and every action with its fingerprint."""
    report = SCENARIOS["missing-and-orphaned"]()
    file = tmp_path / "plan.json"
    file.write_text(to_json(report), encoding="utf-8")
    approved = read_approved(str(file))
    assert approved is not None
    assert approved.digest == report.digest == _DIGEST
    assert approved.actions == {line.ref: (line.action, line.fingerprint) for line in report.plan}
    assert len(approved.actions) == 3


def test_a_report_without_a_digest(tmp_path: Path) -> None:
    """Could stand for any plan."""
    file = tmp_path / "plan.json"
    file.write_text(to_json(replace(SCENARIOS["in-sync"](), digest="")), encoding="utf-8")
    with pytest.raises(UsageError, match="holds no plan"):
        read_approved(str(file))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing.json", "No such file or directory"),
        (".", "Is a directory"),
        ("a\0b", "no file has such a name"),
        ("9f86d081884c7d6", "No such file"),
    ],
    ids=["missing", "folder", "no-name", "a-digit-short"],
)
def test_what_can_not_be_read(name: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is a wrong option, with both forms in the hint."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=said) as caught:
        read_approved(name)
    assert "--show-plan" in caught.value.hint
