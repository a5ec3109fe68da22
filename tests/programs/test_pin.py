"""The maintainer's command writes what is published, and only that."""

import json
from pathlib import Path
from typing import Any

import pytest

from recon_action.programs.checksums import TABLE, Checksums, read_checksums, write_checksums
from recon_action.programs.pin import main, pin
from recon_action.programs.program import Platform, Program, Release

LINUX, MAC = Platform("linux", "amd64"), Platform("darwin", "arm64")
A, B = "a" * 64, "b" * 64


def program(pages: Any, sums: str = "/tool-{os}-{arch}.sha256") -> Program:
    return Program("tool", "1.2.3", release=Release(pages.url + "/tool-{os}-{arch}", pages.url + sums))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(A, id="alone"),
        pytest.param(f"{A}\n", id="with a newline"),
        pytest.param(f"{A.upper()}  tool-linux-amd64\n", id="with its name"),
        pytest.param(f"{B}  tool-darwin-arm64\n{A}  tool-linux-amd64\n", id="a list"),
        pytest.param(f"{B} *tool-darwin-arm64\n{A} *tool-linux-amd64\n", id="binary mode"),
        pytest.param(f"{A}  ./tool-linux-amd64\n", id="from a folder"),
    ],
)
def test_every_published_form_is_read(pages: Any, text: str) -> None:
    """Projects publish a bare sum, a line of sha256sum, or a list of all files."""
    pages.files["/tool-linux-amd64.sha256"] = text.encode()
    checksums, missing = pin([program(pages)], [LINUX])
    assert checksums.of(program(pages), LINUX) == A
    assert missing == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{B}  tool-darwin-arm64\n", id="another file's"),
        pytest.param(f"{A}\n{B}\n", id="two without names"),
        pytest.param("<html>sorry</html>", id="a page"),
        pytest.param("a" * 63, id="too short"),
    ],
)
def test_nothing_is_made_up(pages: Any, text: str) -> None:
    """What isn't plainly this file's checksum is none."""
    pages.files["/tool-linux-amd64.sha256"] = text.encode()
    checksums, missing = pin([program(pages)], [LINUX])
    assert checksums.of(program(pages), LINUX) == ""
    assert len(missing) == 1
    assert "holds no checksum of tool-linux-amd64" in missing[0]


def test_a_platform_without_release_gets_no_entry(pages: Any) -> None:
    """The others do, and the absent one is named."""
    pages.files["/tool-linux-amd64.sha256"] = A.encode()
    checksums, missing = pin([program(pages), Program("git", "2.0.0")], [LINUX, MAC])
    assert checksums.table == {"tool": {"1.2.3": {"linux/amd64": A}}}
    assert [line.split(":")[0] for line in missing] == ["tool 1.2.3 for darwin/arm64"]


def test_the_command_writes_the_table(
    pages: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Programs that it wasn't asked about keep their entries."""
    (tmp_path / "described.py").write_text(
        "from recon_action.programs.program import Program, Release\n"
        f"PROGRAMS = [Program('tool', '1.2.3', release=Release('x/tool', '{pages.url}/sums'))]\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    pages.files["/sums"] = A.encode()
    table = tmp_path / "checksums.json"
    write_checksums(Checksums({"other": {"1": {"linux/amd64": B}}}), table)
    assert main(["described"], table, [LINUX]) == 0
    assert json.loads(table.read_text()) == {
        "other": {"1": {"linux/amd64": B}},
        "tool": {"1.2.3": {"linux/amd64": A}},
    }
    del pages.files["/sums"]
    assert main(["described"], table, [LINUX]) == 1
    assert "not published: tool 1.2.3 for linux/amd64" in capsys.readouterr().err


def test_the_committed_table_is_well_formed() -> None:
    """Each entry is a sha256 of a version and platform; absent ones are allowed."""
    for versions in read_checksums(TABLE).table.values():
        for platforms in versions.values():
            for platform, sha256 in platforms.items():
                assert platform.count("/") == 1
                assert len(bytes.fromhex(sha256)) == 32
