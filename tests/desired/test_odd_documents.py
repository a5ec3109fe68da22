"""Our reader against the table of odd documents; the live test holds kubectl to the same table."""

import runpy
from pathlib import Path
from typing import Any

import orjson
import pytest

from recon_action.desired import ManifestError, load

TABLE = runpy.run_path(str(Path(__file__).with_name("odd_documents.py")))
HEAD = TABLE["HEAD"]


def exactly(value: Any) -> bytes:
    """JSON in which types and values, but not the order of keys, tell."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def bodies(path: Path, data: bytes) -> list[Any]:
    path.write_bytes(data)
    return [manifest.body for manifest in load([str(path)]).manifests]


def faults(path: Path, data: bytes) -> list[str]:
    path.write_bytes(data)
    with pytest.raises(ManifestError) as caught:
        load([str(path)])
    assert all(fault.hint for fault in caught.value.faults)
    return [str(fault).removeprefix(f"{path}:") for fault in caught.value.faults]


@pytest.mark.parametrize("text", TABLE["SCALARS"])
def test_scalar(text: str, tmp_path: Path) -> None:
    """A scalar in value position means what it means to kubectl, type included."""
    body = bodies(tmp_path / "a.yaml", f"{HEAD}data:\n  v: {text}\n".encode())[0]
    assert exactly(body["data"]["v"]) == exactly(TABLE["SCALARS"][text])


@pytest.mark.parametrize("text", TABLE["BAD_SCALARS"])
def test_bad_scalar(text: str, tmp_path: Path) -> None:
    """A scalar that kubectl refuses is a fault that says why."""
    found = faults(tmp_path / "a.yaml", f"{HEAD}data:\n  v: {text}\n".encode())
    assert len(found) == 1
    assert TABLE["BAD_SCALARS"][text] in found[0]


@pytest.mark.parametrize("text", TABLE["KEYS"])
def test_key(text: str, tmp_path: Path) -> None:
    """A key becomes the text that kubectl makes of it."""
    body = bodies(tmp_path / "a.yaml", f"{HEAD}data:\n  {text}: x\n".encode())[0]
    assert body["data"] == {TABLE["KEYS"][text]: "x"}


@pytest.mark.parametrize("text", TABLE["BAD_KEYS"])
def test_bad_key(text: str, tmp_path: Path) -> None:
    """A key that kubectl refuses is a fault that says why."""
    found = faults(tmp_path / "a.yaml", f"{HEAD}data:\n  {text}: x\n".encode())
    assert len(found) == 1
    assert TABLE["BAD_KEYS"][text] in found[0]


@pytest.mark.parametrize("row", TABLE["DOCUMENTS"], ids=lambda row: row.name)
def test_document(row: Any, tmp_path: Path) -> None:
    """A file holds the objects that the table says, or has exactly its faults, at their places."""
    path = tmp_path / f"a{row.suffix}"
    if row.faults:
        found = faults(path, row.data)
        assert len(found) == len(row.faults), found
        for ours, expected in zip(found, row.faults, strict=True):
            assert ours.startswith(expected)
    else:
        assert [exactly(body) for body in bodies(path, row.data)] == [exactly(body) for body in row.objects]


def test_the_table_is_whole() -> None:
    """The table has the size it was agreed to have, and names no row twice."""
    names = [row.name for row in TABLE["DOCUMENTS"]]
    assert len(set(names)) == len(names) >= 80
    assert len(TABLE["SCALARS"]) >= 80
