"""A release page on this machine, and places that hold nothing."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from recon_action.programs.places import Places
from recon_action.programs.program import Platform


@dataclass
class Pages:
    """Files that the server gives, by path; what is asked for is remembered."""

    url: str
    files: dict[str, bytes] = field(default_factory=dict)
    cut: set[str] = field(default_factory=set)
    redirects: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)


class _Handler(BaseHTTPRequestHandler):
    pages: Pages

    def do_GET(self) -> None:
        pages, path = self.pages, self.path
        pages.asked.append(path)
        if path in pages.redirects:
            self.send_response(302)
            self.send_header("Location", pages.url + pages.redirects[path])
            self.end_headers()
        elif path in pages.files:
            body = pages.files[path]
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if path in pages.cut else body)
        else:
            self.send_error(404)

    def log_message(self, *args: object) -> None:
        """Say nothing: tests read stderr."""


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pages]:
    """A server on 127.0.0.1."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {})) as server:
        served = Pages(f"http://127.0.0.1:{server.server_address[1]}")
        server.RequestHandlerClass.pages = served
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield served
        server.shutdown()
        thread.join()


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """A machine on which nothing is."""
    (tmp_path / "path").mkdir()
    return Places((), str(tmp_path / "path"), tmp_path / "cache", Platform("linux", "amd64"))


@dataclass
class Told:
    """A display that remembers."""

    steps: list[tuple[str, int | None]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    count: int = 0

    def step(self, title: str, total: int | None = None) -> None:
        """Remember."""
        self.steps.append((title, total))

    def advance(self, count: int = 1) -> None:
        """Count."""
        self.count += count

    def note(self, text: str) -> None:
        """Remember."""
        self.notes.append(text)


@pytest.fixture
def told() -> Told:
    """A display that remembers what it was told."""
    return Told()
