"""A file of settings: its value, and where each part of it stands."""

from pathlib import Path

import pytest

from recon_action.desired import config_document
from recon_action.model import Position

_TEXT = "# first\n---\na:\n- b: 1\n  c: [x, z]\n"


@pytest.mark.parametrize(
    ("path", "line", "column"),
    [((), 3, 1), (("a",), 3, 1), (("a", 0), 4, 3), (("a", 0, "c"), 5, 3), (("a", 0, "c", 1), 5, 10), (("a", 7), 3, 1)],
)
def test_places(tmp_path: Path, path: tuple[str | int, ...], line: int, column: int) -> None:
    """In the file's lines; of a field, its key's; of what isn't there, the nearest thing above it."""
    file = tmp_path / "settings.yaml"
    file.write_text(_TEXT)
    document = config_document(str(file))
    assert document.value == {"a": [{"b": 1, "c": ["x", "z"]}]}
    assert document.place(path) == Position(str(file), line, column)


def test_an_empty_file(tmp_path: Path) -> None:
    """It has no value, and every place in it is its beginning."""
    file = tmp_path / "settings.yaml"
    file.write_text("# nothing\n")
    document = config_document(str(file))
    assert (document.value, document.faults) == (None, ())
    assert document.place(("a",)) == Position(str(file), 1)


def test_a_file_that_can_t_be_read(tmp_path: Path) -> None:
    """Faults have their place; there is no value."""
    document = config_document(str(tmp_path / "none.yaml"))
    assert document.value is None
    assert len(document.faults) == 1
    (tmp_path / "bad.yaml").write_text("a: [\n")
    assert config_document(str(tmp_path / "bad.yaml")).faults
