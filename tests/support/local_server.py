"""A small HTTP server on 127.0.0.1 that answers as a test tells it, and remembers what it was asked."""

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Answer:
    """One answer.

    Args:
        body: JSON, or bytes as they are.
        status: the HTTP code.
        headers: more headers.
        chunks: a body sent chunk by chunk instead.
        reset: break the connection without any answer, or after the last chunk.
    """

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    chunks: tuple[bytes, ...] = ()
    reset: bool = False


@dataclass(frozen=True)
class Asked:
    """One request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body, decoded."""
        return json.loads(self.body)


class LocalServer:
    """Gives its answers in turn, the last one for ever."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.asked: list[Asked] = []
        self.url = ""
        self._lock = threading.Lock()

    def next(self, request: Asked) -> Answer:
        """Remember `request`; gives what to say to it."""
        with self._lock:
            self.asked.append(request)
            return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else a body waits 40 ms for the header's acknowledgement
    script: LocalServer

    def handle_one_request(self) -> None:
        try:
            self._handle()
        except (ConnectionError, ssl.SSLError):  # the client has left
            self.close_connection = True

    def _handle(self) -> None:
        self.raw_requestline = self.rfile.readline()
        if not self.raw_requestline or not self.parse_request():
            self.close_connection = True
            return
        length = int(self.headers.get("Content-Length") or 0)
        self._give(self.script.next(Asked(self.command, self.path, dict(self.headers), self.rfile.read(length))))

    def _give(self, answer: Answer) -> None:
        if answer.reset and not answer.chunks:
            self.close_connection = True
            return
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.chunks:
            self._give_chunks(answer)
            return
        body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _give_chunks(self, answer: Answer) -> None:
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for chunk in answer.chunks:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            self.wfile.flush()
        if answer.reset:
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class' name
        """A test's output is its own."""


@contextmanager
def local_server(script: LocalServer | None = None, tls: ssl.SSLContext | None = None) -> Iterator[LocalServer]:
    """A running server; gone at the end.

    Args:
        script: what it says; without one, what the test puts among its answers.
        tls: the certificate, if it is to speak HTTPS.
    """
    script = script or LocalServer()
    with ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"script": script})) as http:
        http.daemon_threads = True
        if tls:  # each connection shakes hands in its own thread
            http.socket = tls.wrap_socket(http.socket, server_side=True, do_handshake_on_connect=False)
        script.url = f"{'https' if tls else 'http'}://127.0.0.1:{http.server_port}"
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield script
        finally:
            http.shutdown()
            thread.join()


def status(code: int, reason: str = "", message: str = "", **headers: str) -> Answer:
    """The API server's `Status` object for a refusal."""
    body = {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "reason": reason,
        "message": message,
        "code": code,
    }
    return Answer(body, code, {name.replace("_", "-"): value for name, value in headers.items()})
