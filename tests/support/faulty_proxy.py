"""A proxy between a process and an API server that does to requests what networks and busy servers do.

Plain HTTP on 127.0.0.1 in front, the lab's TLS and administrator behind. Which request meets which fault is drawn
from a seed, in the order of arrival.
"""

import http.client
import json
import random
import socket
import ssl
import threading
import time
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

FAULTS = ("latency", "429", "500", "503", "refused", "lost answer", "half a body", "slow headers", "watch cut")
_HOP = frozenset({"connection", "keep-alive", "transfer-encoding", "content-length", "host"})
_MESSAGES = {429: "too many requests", 500: "etcdserver: leader changed", 503: "the server is shutting down"}


@dataclass
class Weather:
    """What requests meet.

    Args:
        seed: of the draws.
        share: of the requests that meet a fault, 0 to 1.
        faults: those that may be drawn.
        before: called with method and path of each request before anything is done with it.
        met: how often each fault was met.
        writes: when, by the monotonic clock, each request that writes an object came in.
    """

    seed: int = 0
    share: float = 0.0
    faults: tuple[str, ...] = FAULTS
    before: Callable[[str, str], object] = lambda _method, _path: None
    met: Counter[str] = field(default_factory=Counter)
    writes: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        self._lock = threading.Lock()

    def draw(self, *, watch: bool) -> str:
        """The fault that the next request meets; "" mostly."""
        with self._lock:
            # There are few watches among the requests, and a cut does them no harm that others would not show.
            if self._random.random() >= (0.5 if watch and self.share else self.share):
                return ""
            chosen = [one for one in self.faults if (one == "watch cut") is watch]
            if not chosen:
                return ""
            fault = self._random.choice(chosen)
            self.met[fault] += 1
            return fault


class _Proxy(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, upstream: str, context: ssl.SSLContext, weather: Weather) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.upstream = urlsplit(upstream)
        self.context = context
        self.weather = weather

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that ended early is what this is about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Proxy

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        pass

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        watch = "watch=1" in self.path
        self.server.weather.before(self.command, self.path)
        if self.command in {"PATCH", "DELETE"} and "/leases/" not in self.path and "dryRun" not in self.path:
            self.server.weather.writes.append(time.monotonic())
        fault = self.server.weather.draw(watch=watch)
        match fault:
            case "latency":
                time.sleep(0.3)
            case "429" | "500" | "503":
                self._refuse(int(fault))
                return
            case "refused":
                self._hang_up()
                return
        connection = http.client.HTTPSConnection(
            str(self.server.upstream.hostname), self.server.upstream.port, timeout=120, context=self.server.context
        )
        try:
            headers = {name: value for name, value in self.headers.items() if name.lower() not in _HOP}
            connection.request(self.command, self.path, body or None, headers)
            answer = connection.getresponse()
            if watch:
                self._stream(answer, cut=fault == "watch cut")
            else:
                self._answer(answer, answer.read(), fault)
        except (OSError, http.client.HTTPException):
            self._hang_up()
        finally:
            connection.close()

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _serve  # noqa: N815 - the base class's names

    def _answer(self, answer: http.client.HTTPResponse, body: bytes, fault: str) -> None:
        if fault == "lost answer":
            self._hang_up()
            return
        if fault == "slow headers":
            time.sleep(0.5)
        self.send_response(answer.status)
        self._copy_headers(answer.headers.items())
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if fault == "half a body" and len(body) > 1:
            self.wfile.write(body[: len(body) // 2])
            self._hang_up()
            return
        self.wfile.write(body)

    def _stream(self, answer: http.client.HTTPResponse, *, cut: bool) -> None:
        self.send_response(answer.status)
        self._copy_headers(answer.headers.items())
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while chunk := answer.read1(65536):
            piece = chunk[: len(chunk) // 2] if cut else chunk
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            if cut:
                self._hang_up()
                return
        self.wfile.write(b"0\r\n\r\n")

    def _copy_headers(self, headers: Any) -> None:
        for name, value in headers:
            if name.lower() not in _HOP:
                self.send_header(name, value)

    def _refuse(self, status: int) -> None:
        body = b'{"kind":"Status","status":"Failure","message":"%s","code":%d}' % (_MESSAGES[status].encode(), status)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        if status == 429:
            self.send_header("Retry-After", "1")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _hang_up(self) -> None:
        self.close_connection = True
        with suppress(OSError):
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")  # a reset
            self.connection.close()


@contextmanager
def faulty_proxy(kubeconfig: Path, weather: Weather) -> Iterator[Path]:
    """A kubeconfig that leads through a proxy to the server, and as the user, of `kubeconfig` (a lab's)."""
    config = json.loads(kubeconfig.read_text())
    cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
    with TemporaryDirectory() as folder:
        pair = Path(folder, "pair.pem")
        pair.write_bytes(b64decode(user["client-certificate-data"]) + b64decode(user["client-key-data"]))
        context = ssl.create_default_context(cadata=b64decode(cluster["certificate-authority-data"]).decode())
        context.load_cert_chain(pair)
        server = _Proxy(cluster["server"], context, weather)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        config["clusters"][0]["cluster"] = {"server": f"http://127.0.0.1:{server.server_port}"}
        config["users"][0]["user"] = {}
        path = Path(folder, "kubeconfig")
        path.write_text(json.dumps(config))
        try:
            yield path
        finally:
            server.shutdown()
            server.server_close()
            thread.join()
