"""What a build is known by."""

from dataclasses import replace
from pathlib import Path

import pytest

from recon_action.programs.program import GoModule, Platform, Program, expand, this_platform


@pytest.fixture
def module(tmp_path: Path) -> GoModule:
    (tmp_path / "go.mod").write_text("module a\n")
    (tmp_path / "main.go").write_text("package main\n")
    return GoModule("suite", "the suite", "1.0.0", tmp_path, ".", ("tool",))


def test_the_fingerprint_is_stable(module: GoModule) -> None:
    """The same sources are the same build."""
    assert module.fingerprint == replace(module).fingerprint
    assert len(module.fingerprint) == 12


@pytest.mark.parametrize("file", ["go.mod", "main.go", "go.sum"])
def test_the_fingerprint_follows_every_file(module: GoModule, file: str) -> None:
    """Yesterday's build never serves today's sources."""
    before = module.fingerprint
    (module.folder / file).write_text("changed\n")
    assert module.fingerprint != before


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"package": "./cmd"}, id="package"),
        pytest.param({"variables": ("a.b=1",)}, id="variables"),
        pytest.param({"names": ("tool", "other")}, id="names"),
    ],
)
def test_the_fingerprint_follows_the_recipe(module: GoModule, change: dict[str, object]) -> None:
    """Other flags make another build."""
    assert replace(module, **change).fingerprint != module.fingerprint


def test_a_releases_texts_are_filled_in() -> None:
    """Version and platform have their places."""
    program = Program("tool", "1.2.3")
    expanded = expand("v{version}/{os}-{arch}", program, Platform("linux", "arm64"))
    assert expanded == "v1.2.3/linux-arm64"


def test_this_platform_is_in_gos_words() -> None:
    """Release files are named so."""
    assert this_platform().os in {"linux", "darwin"}
    assert this_platform().arch not in {"x86_64", "aarch64"}
