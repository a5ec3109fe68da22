"""The programs that render sources, and a folder to render in."""

from pathlib import Path

import pytest
from sourcing import tools

__all__ = ["folder", "tools"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, in which no key is known."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nobody"))
    for name in ("SOPS_AGE_KEY", "SOPS_AGE_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path
