"""The server's OpenAPI, asked for as rarely as can be."""

from pathlib import Path

import pytest
from fake_cluster import FakeCluster
from objects import resource_of
from openapi import TYPES

from recon_action.analyze.schema import UNKNOWN, Schema
from recon_action.model import Problem, Trouble
from recon_action.observe.schema import read_schemas, usual_cache

_DEPLOYMENT = resource_of("Deployment", "apps/v1")
_CONFIG_MAP = resource_of()
_APPS = "/openapi/v3/apis/apps/v1"
_CORE = "/openapi/v3/api/v1"


def _cluster(hash_of_apps: str = "A1") -> FakeCluster:
    cluster = FakeCluster()
    cluster.documents = {
        "/openapi/v3": {
            "paths": {
                "apis/apps/v1": {"serverRelativeURL": f"{_APPS}?hash={hash_of_apps}"},
                "api/v1": {"serverRelativeURL": _CORE},
            }
        },
        _APPS: {"components": {"schemas": TYPES}},
        _CORE: {},
    }
    return cluster


def test_one_request_a_group_version(tmp_path: Path) -> None:
    """The index and each group version in use are read once; kinds without a schema are known to have none."""
    cluster = _cluster()
    found = read_schemas(cluster.door, [_DEPLOYMENT, _CONFIG_MAP, resource_of("Job", "batch/v1")], tmp_path / "new")
    assert cluster.calls == [("read", "/openapi/v3"), ("read", _CORE), ("read", _APPS)]
    deployment = found[_DEPLOYMENT]
    assert isinstance(deployment, Schema)
    assert deployment.field("spec").field("containers").keys == ("name",)
    assert found[_CONFIG_MAP] == found[resource_of("Job", "batch/v1")] == UNKNOWN


def test_documents_are_kept_by_their_hash(tmp_path: Path) -> None:
    """What is unchanged is not read again, and says the same; another hash replaces it."""
    first = read_schemas(_cluster().door, [_DEPLOYMENT], tmp_path)[_DEPLOYMENT]
    again = _cluster()
    second = read_schemas(again.door, [_DEPLOYMENT], tmp_path)[_DEPLOYMENT]
    assert again.calls == [("read", "/openapi/v3")]
    assert isinstance(first, Schema)
    assert isinstance(second, Schema)
    assert first.raw == second.raw
    changed = _cluster("B2")
    read_schemas(changed.door, [_DEPLOYMENT], tmp_path)
    assert ("read", _APPS) in changed.calls
    assert len(list(tmp_path.iterdir())) == 1


def test_servers_do_not_share(tmp_path: Path) -> None:
    """A server's hash says nothing of another server's document."""
    read_schemas(_cluster().door, [_DEPLOYMENT], tmp_path)
    other = _cluster()
    other.server = "https://other"
    read_schemas(other.door, [_DEPLOYMENT], tmp_path)
    assert ("read", _APPS) in other.calls


@pytest.mark.parametrize("damage", [b"", b"{", b"0" * 64 + b"{}"], ids=["empty", "cut-off", "another-digest"])
def test_a_damaged_file_is_read_anew(tmp_path: Path, damage: bytes) -> None:
    """A file that isn't as it was written counts for nothing, and is mended."""
    read_schemas(_cluster().door, [_DEPLOYMENT], tmp_path)
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    file.write_bytes(damage)
    cluster = _cluster()
    assert isinstance(read_schemas(cluster.door, [_DEPLOYMENT], tmp_path)[_DEPLOYMENT], Schema)
    assert ("read", _APPS) in cluster.calls
    assert file.read_bytes() == whole


def test_without_a_place_to_keep_them(tmp_path: Path) -> None:
    """A folder that can't be made costs requests, nothing else."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    found = read_schemas(_cluster().door, [_DEPLOYMENT], blocked / "cache")
    assert isinstance(found[_DEPLOYMENT], Schema)


def test_a_document_that_can_not_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is full in the middle leaves no half of a file."""

    def full(_source: object, _target: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert isinstance(read_schemas(_cluster().door, [_DEPLOYMENT], tmp_path)[_DEPLOYMENT], Schema)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", [pytest.param("/openapi/v3", id="index"), pytest.param(_APPS, id="document")])
def test_what_can_not_be_read(tmp_path: Path, path: str) -> None:
    """The kinds of a document that can't be read have a problem instead of a schema."""
    cluster = _cluster()
    cluster.refuse("read", path, Trouble.FORBIDDEN)
    problem = read_schemas(cluster.door, [_DEPLOYMENT], tmp_path)[_DEPLOYMENT]
    assert isinstance(problem, Problem)
    assert problem.trouble is Trouble.FORBIDDEN


def test_the_usual_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The user's cache folder, which XDG_CACHE_HOME moves."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert usual_cache().name == "openapi"
