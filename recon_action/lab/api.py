"""What the lab itself asks its API server: is it ready, and here are your nodes. Over verified TLS.

It isn't a client for anything else: whoever uses the lab brings its own.
"""

import http.client
import json
import ssl
from pathlib import Path
from typing import Any

_LIMIT = 5.0  # seconds


class Api:
    """The lab's own door to its server, as the user that the audit log leaves out."""

    def __init__(self, port: int, authority: Path, certificate: Path, key: Path) -> None:
        self._port = port
        self._context = ssl.create_default_context(cafile=authority)
        self._context.load_cert_chain(certificate, key)

    def is_ready(self) -> bool:
        """Whether the server says that all of it is ready."""
        return self._ask("GET", "/readyz")[0] == 200

    def exists(self, path: str) -> bool:
        """Whether there is an object at `path`."""
        return self._ask("GET", path)[0] == 200

    def get(self, path: str) -> dict[str, Any]:
        """The object at `path`, {} if there is none or no answer."""
        status, body = self._ask("GET", path)
        return dict(json.loads(body)) if status == 200 else {}

    def create(self, path: str, body: dict[str, Any]) -> bool:
        """Create an object; whether it is there now."""
        return self._ask("POST", path, body)[0] in {201, 409}

    def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> tuple[int, bytes]:
        """Status and body of one answer; 0 if there is none."""
        connection = http.client.HTTPSConnection("127.0.0.1", self._port, timeout=_LIMIT, context=self._context)
        try:
            headers = {"Content-Type": "application/json", "User-Agent": "recon-lab"}
            connection.request(method, path, json.dumps(body) if body else None, headers)
            response = connection.getresponse()
            return response.status, response.read()
        except (OSError, http.client.HTTPException):
            return 0, b""
        finally:
            connection.close()
