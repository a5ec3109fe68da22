"""Where a program may already be, and which one is taken."""

from dataclasses import replace
from pathlib import Path

import pytest

from recon_action.programs.places import Places, find, usual_places
from recon_action.programs.program import GoModule, Program

TOOL = Program("tool", "1.37.2", ("version", "--client"))


def executable(file: Path, output: str = "", code: int = 0) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\necho '{output}'\nexit {code}\n")
    file.chmod(0o755)
    return file


def test_nothing_is_found_where_nothing_is(places: Places) -> None:
    """None, and nothing is made."""
    assert find(TOOL, places) is None
    assert not places.cache.exists()


def test_the_users_folder_comes_first_and_is_taken_as_it_is(places: Places, tmp_path: Path) -> None:
    """Whoever names a folder means what lies there, whatever its version."""
    named = executable(tmp_path / "assets" / "tool", "v1.20.0")
    executable(Path(places.path) / "tool", "v1.37.2")
    assert find(TOOL, replace(places, folders=(tmp_path / "assets",))) == named


@pytest.mark.parametrize(
    ("output", "code", "taken"),
    [
        pytest.param("Client Version: v1.37.2", 0, True, id="the version"),
        pytest.param("Client Version: v1.37.9", 0, True, id="another patch"),
        pytest.param("Client Version: v1.32.4-dispatcher", 0, False, id="another minor"),
        pytest.param("Client Version: v11.37.2", 0, False, id="another major"),
        pytest.param("who knows", 0, False, id="no version"),
        pytest.param("v1.37.2", 1, False, id="fails"),
    ],
)
def test_what_is_on_path_is_taken_if_its_version_fits(places: Places, output: str, code: int, *, taken: bool) -> None:
    """A kubectl of years ago would be another program."""
    file = executable(Path(places.path) / "tool", output, code)
    assert find(TOOL, places) == (file if taken else None)


def test_a_tool_of_any_version_is_not_asked_for_it(places: Places) -> None:
    """The user's own is what the user's own files are for; asking would cost as much as using it."""
    file = executable(Path(places.path) / "tool", "v0.1", 1)
    assert find(replace(TOOL, any_version=True), places) == file


def test_a_broken_file_on_path_is_passed_over(places: Places) -> None:
    """An executable that can't be run is no program."""
    file = executable(Path(places.path) / "tool")
    file.write_bytes(b"\x7fELF nothing")
    assert find(TOOL, places) is None


def test_the_cache_is_last(places: Places, tmp_path: Path) -> None:
    """What was downloaded or built before is found again, under its version."""
    (tmp_path / "source").mkdir()
    source = GoModule("suite", "the suite", "1.37.2", tmp_path / "source", ".", ("tool",))
    program = replace(TOOL, source=source)
    built = executable(places.built(source) / "tool")
    assert find(program, places) == built
    assert find(TOOL, places) is None
    downloaded = executable(places.downloaded(program))
    assert find(program, places) == downloaded
    assert find(replace(TOOL, version="1.38.0"), places) is None


def test_a_file_that_cannot_be_run_is_none(places: Places) -> None:
    """Half an installation is none."""
    places.downloaded(TOOL).parent.mkdir(parents=True)
    places.downloaded(TOOL).write_bytes(b"")
    assert find(TOOL, places) is None


def test_usual_places_read_the_environment() -> None:
    """The named variable holds the user's folder; unset or empty, there is none."""
    assert usual_places({"ASSETS": "/opt/bin", "PATH": "/bin"}, variable="ASSETS").folders == (Path("/opt/bin"),)
    assert usual_places({"ASSETS": ""}, variable="ASSETS").folders == ()
    assert usual_places({"PATH": "/bin"}).path == "/bin"
