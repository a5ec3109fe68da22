"""A report that another run has left: read within limits, and only if it is one."""

import os
from pathlib import Path

import pytest

from recon_action.errors import ExitCode, PublishError, UsageError
from recon_action.github.artifact import LIMIT, read_artifact
from recon_action.model import Mode
from recon_action.report import to_json
from recon_action.report.document import Report

REPORT = Report(Mode.VALIDATE, "shop", "valid", ExitCode.OK)
DEEP = to_json(REPORT).replace('"notes": []', '"notes": ' + "[" * 900 + "]" * 900)


def test_a_file_or_its_folder(tmp_path: Path) -> None:
    """Of a folder the file counts that a validation of the target leaves; without it there is nothing to tell."""
    file = tmp_path / "shop-validate.json"
    assert read_artifact(str(tmp_path), "shop") is None
    file.write_text(to_json(REPORT))
    (tmp_path / "prod-validate.json").write_text("{")
    assert read_artifact(str(tmp_path), "shop") == REPORT
    assert read_artifact(str(file), "other") == REPORT


def test_no_such_file(tmp_path: Path) -> None:
    """A wrong path is the workflow's mistake."""
    with pytest.raises(UsageError, match=r"no such file: .*gone\.json"):
        read_artifact(str(tmp_path / "gone.json"), "shop")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param(b"", "not valid JSON", id="empty"),
        pytest.param(b"PK\x03\x04", "not valid JSON", id="archive"),
        pytest.param(b"\xff\xfe{", "no UTF-8", id="no text"),
        pytest.param(b"{}", "no report", id="other JSON"),
        pytest.param(b'{"auths": {"ghcr.io": {"auth": "planted"}}}', "no report", id="somebody's credentials"),
        pytest.param(to_json(REPORT).replace('"mode"', '"mood"').encode(), "unknown key", id="key"),
        pytest.param(to_json(REPORT).replace("v1", "v2").encode(), "has schema", id="later version"),
        pytest.param(b'{"schema":' + b"[" * 5_000 + b"]" * 5_000 + b"}", "not valid JSON", id="too deep"),
        pytest.param(DEEP.encode(), "wrong type", id="deep"),
    ],
)
def test_what_is_no_report(tmp_path: Path, text: bytes, why: str) -> None:
    """It is told as what it is, and nothing of what it holds is quoted."""
    file = tmp_path / "report.json"
    file.write_bytes(text)
    with pytest.raises(PublishError, match=why) as caught:
        read_artifact(str(file), "shop")
    assert caught.value.exit_code is ExitCode.PUBLISH
    assert "planted" not in caught.value.message


def test_a_huge_file(tmp_path: Path) -> None:
    """As an archive of a few bytes may unpack to: it is not read to its end."""
    file = tmp_path / "report.json"
    with file.open("wb") as stream:
        stream.truncate(50 * 1024**3)
    with pytest.raises(PublishError, match="larger than 8 MiB"):
        read_artifact(str(file), "shop")
    file.write_text(to_json(REPORT).ljust(LIMIT))
    assert read_artifact(str(file), "shop") == REPORT


def test_links_and_pipes(tmp_path: Path) -> None:
    """An archive may hold a link that leads anywhere: it is not followed, and nothing waits for a pipe."""
    (tmp_path / "real.json").write_text(to_json(REPORT))
    link, pipe = tmp_path / "shop-validate.json", tmp_path / "pipe"
    link.symlink_to(tmp_path / "real.json")
    os.mkfifo(pipe)
    for path in (link, tmp_path, pipe, Path("/dev/zero")):
        with pytest.raises(PublishError, match=r"not read|no file"):
            read_artifact(str(path), "shop")
