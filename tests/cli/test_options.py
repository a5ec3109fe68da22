"""From what click parsed, the environment's default file included, to settings."""

from pathlib import Path
from typing import Any

import pytest

from recon_action.cli.options import read_settings
from recon_action.config import OPTIONS
from recon_action.errors import UsageError
from recon_action.model import Match

_IGNORE = "ignore:\n- match: {kind: KIND}\n  pointers: [/spec/replicas]\n"


def _values(**given: Any) -> dict[str, Any]:
    return {option.key: option.default for option in OPTIONS} | {"verbose": 0, "report": ()} | given


def test_recon_yaml_is_found_beside_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder's counts unless another is named."""
    monkeypatch.chdir(tmp_path)
    assert read_settings(["x"], _values()).ignore == ()
    Path("recon.yaml").write_text(_IGNORE.replace("KIND", "A"))
    Path("other.yaml").write_text(_IGNORE.replace("KIND", "B"))
    assert [rule.match for rule in read_settings(["x"], _values()).ignore] == [Match(kind="A")]
    assert [rule.match for rule in read_settings(["x"], _values(config="other.yaml")).ignore] == [Match(kind="B")]


def test_a_wrong_recon_yaml_stops_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is never passed over: a rule that isn't read would let an apply write what it must not."""
    monkeypatch.chdir(tmp_path)
    Path("recon.yaml").write_text("ignored: []\n")
    with pytest.raises(UsageError, match="did you mean 'ignore'"):
        read_settings(["x"], _values())
