"""A download is whole and verified, or it isn't there."""

import hashlib
import socket
from pathlib import Path
from typing import Any

import pytest

from recon_action.programs.download import ChecksumError, UnreachableError, download, read_text

CONTENT = b"\x7fELF a program " * 250_000


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_the_right_file_arrives(pages: Any, told: Any, tmp_path: Path) -> None:
    """The file is at its place, and the display was told of every megabyte."""
    pages.files["/tool"] = CONTENT
    download(f"{pages.url}/tool", sha256(CONTENT), tmp_path / "new" / "tool", title="tool", progress=told)
    assert (tmp_path / "new" / "tool").read_bytes() == CONTENT
    assert told.steps == [("tool (MB)", 3)]
    assert told.count == 3


def test_the_checksum_may_be_in_capitals(pages: Any, told: Any, tmp_path: Path) -> None:
    """Hexadecimal has no case."""
    pages.files["/tool"] = CONTENT
    download(f"{pages.url}/tool", sha256(CONTENT).upper(), tmp_path / "tool", title="tool", progress=told)
    assert (tmp_path / "tool").exists()


def test_redirects_are_followed(pages: Any, told: Any, tmp_path: Path) -> None:
    """Release pages send elsewhere for the file itself."""
    pages.files["/storage/tool"] = CONTENT
    pages.redirects["/tool"] = "/storage/tool"
    download(f"{pages.url}/tool", sha256(CONTENT), tmp_path / "tool", title="tool", progress=told)
    assert (tmp_path / "tool").read_bytes() == CONTENT


def test_a_wrong_checksum_leaves_nothing(pages: Any, told: Any, tmp_path: Path) -> None:
    """Another file than the pinned one is thrown away; both checksums are named."""
    pages.files["/tool"] = b"something else"
    with pytest.raises(ChecksumError) as caught:
        download(f"{pages.url}/tool", sha256(CONTENT), tmp_path / "tool", title="tool", progress=told)
    assert sha256(b"something else") in caught.value.message
    assert sha256(CONTENT) in caught.value.message
    assert caught.value.hint
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_checksum_keeps_what_was_there(pages: Any, told: Any, tmp_path: Path) -> None:
    """A bad download doesn't cost the good file of before."""
    pages.files["/tool"] = b"something else"
    (tmp_path / "tool").write_bytes(b"good")
    with pytest.raises(ChecksumError):
        download(f"{pages.url}/tool", sha256(CONTENT), tmp_path / "tool", title="tool", progress=told)
    assert (tmp_path / "tool").read_bytes() == b"good"


def test_a_cut_transfer_leaves_nothing(pages: Any, told: Any, tmp_path: Path) -> None:
    """Half a file is no file; the message says how much came."""
    pages.files["/tool"] = CONTENT
    pages.cut.add("/tool")
    with pytest.raises(UnreachableError, match=rf"cut after {len(CONTENT) // 2} of {len(CONTENT)} bytes"):
        download(f"{pages.url}/tool", sha256(CONTENT), tmp_path / "tool", title="tool", progress=told)
    assert list(tmp_path.iterdir()) == []


def test_an_absent_file_is_said(pages: Any, told: Any, tmp_path: Path) -> None:
    """The server's own words are shown."""
    with pytest.raises(UnreachableError, match="404 Not Found"):
        download(f"{pages.url}/tool", sha256(CONTENT), tmp_path / "tool", title="tool", progress=told)
    assert list(tmp_path.iterdir()) == []


def test_a_refused_connection_is_said(told: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody listens: the message names the file, the hint the network."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.raises(UnreachableError, match="Connection refused") as caught:
        download(f"http://127.0.0.1:{port}/tool", "0" * 64, tmp_path / "tool", title="tool", progress=told)
    assert "network" in caught.value.hint
    assert list(tmp_path.iterdir()) == []


def test_a_silent_network_is_given_up(told: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Packets that vanish, as behind a firewall, end in the connect limit and not in a hang."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with socket.socket() as full, socket.socket() as first, socket.socket() as second:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for occupant in (first, second):  # a full backlog: further connections get no answer
            occupant.settimeout(0)
            occupant.connect_ex(full.getsockname())
        url = f"http://127.0.0.1:{full.getsockname()[1]}/tool"
        with pytest.raises(UnreachableError, match="timed out"):
            download(url, "0" * 64, tmp_path / "tool", title="tool", progress=told, connect_limit=0.2)


def test_an_unknown_host_is_said(told: Any, tmp_path: Path) -> None:
    """Without name resolution there is no network either."""
    with pytest.raises(UnreachableError, match="can't be read"):
        download("http://nowhere.invalid/tool", "0" * 64, tmp_path / "tool", title="tool", progress=told)


def test_a_text_is_read(pages: Any) -> None:
    """A published list of checksums is a text."""
    pages.files["/sums"] = b"abc  tool\n"
    assert read_text(f"{pages.url}/sums") == "abc  tool\n"
