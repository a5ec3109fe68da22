"""Downloads one file and lets nobody see it before its checksum is the pinned one.

Resumes nothing and retries nothing: the file appears whole and verified, or not at all.
What to download, and what to do when it fails, is `obtain`'s.
"""

import hashlib
import http.client
import os
import socket
import ssl
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from recon_action.errors import ProgramError
from recon_action.model.progress import Progress

CONNECT_LIMIT = 5.0  # seconds: on a machine without network the next way is tried soon
_READ_LIMIT = 30.0  # seconds without a single byte
_CHUNK = 256 * 1024
_MEGABYTE = 1_000_000


class UnreachableError(ProgramError):
    """The file can't be had now: no network, no such file, or a transfer that was cut."""


class ChecksumError(ProgramError):
    """The file arrived, and is not the one that was pinned. Never worked around."""


def download(
    url: str,
    sha256: str,
    target: Path,
    *,
    title: str,
    progress: Progress,
    connect_limit: float = CONNECT_LIMIT,
) -> None:
    """Put the file at `url` to `target`, if its checksum is `sha256` (hexadecimal).

    Raises:
        UnreachableError: it can't be had.
        ChecksumError: it is another file than the pinned one.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as out:
            digest = hashlib.sha256()
            for chunk in _chunks(url, title, progress, connect_limit):
                digest.update(chunk)
                out.write(chunk)
        if digest.hexdigest() != sha256.lower():
            raise ChecksumError(
                f"{url} has sha256 {digest.hexdigest()}, but {sha256} is pinned; the file was thrown away",
                hint="something between here and there changed the file: a proxy, a mirror, or worse",
            )
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def read_text(url: str, *, limit: int = 1 << 20) -> str:
    """The small text file at `url`, such as a published list of checksums."""
    with _opened(url, CONNECT_LIMIT) as response:
        return response.read(limit).decode(errors="replace")


def _chunks(url: str, title: str, progress: Progress, connect_limit: float) -> Iterator[bytes]:
    """The file's bytes; a transfer that ends early is an error."""
    with _opened(url, connect_limit) as response:
        length = response.headers.get("Content-Length")
        total = int(length) if length else None
        progress.step(f"{title} (MB)", total and max(total // _MEGABYTE, 1))
        count = 0
        while chunk := response.read(_CHUNK):
            progress.advance((count + len(chunk)) // _MEGABYTE - count // _MEGABYTE)
            count += len(chunk)
            yield chunk
    if total is not None and count != total:
        raise UnreachableError(f"{url}: the transfer was cut after {count} of {total} bytes", hint="try again")


@contextmanager
def _opened(url: str, connect_limit: float) -> Iterator[http.client.HTTPResponse]:
    """An answer to GET `url`; what goes wrong before or while it is read is translated."""
    opener = urllib.request.build_opener(_Plain(), _Secure(context=ssl.create_default_context()))
    try:
        with opener.open(url, timeout=connect_limit) as response:
            yield response
    except urllib.error.HTTPError as error:
        with error:
            raise UnreachableError(f"{url}: the server answers {error.code} {error.reason}") from error
    except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        raise UnreachableError(
            f"{url} can't be read: {reason}", hint="is there a network, and does it need HTTPS_PROXY?"
        ) from error


def _connect(address: tuple[str, int], timeout: float, source_address: tuple[str, int] | None = None) -> socket.socket:
    """As socket.create_connection, but the limit is for all addresses of a host together, not for each."""
    end = time.monotonic() + timeout
    failure: OSError = TimeoutError(f"no connection within {timeout:g} s")
    for family, kind, protocol, _, place in socket.getaddrinfo(*address, type=socket.SOCK_STREAM):
        left = end - time.monotonic()
        if left <= 0:
            break
        connection = socket.socket(family, kind, protocol)
        try:
            connection.settimeout(left)
            if source_address:
                connection.bind(source_address)
            connection.connect(place)
        except OSError as error:
            connection.close()
            failure = error
        else:
            connection.settimeout(_READ_LIMIT)
            return connection
    raise failure


class _Connection(http.client.HTTPConnection):
    """Connects within one limit; reading has another."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._create_connection = _connect


class _SecureConnection(http.client.HTTPSConnection):
    """The same over TLS."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._create_connection = _connect


class _Plain(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_Connection, req)


class _Secure(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_SecureConnection, req, context=self._context)  # type: ignore[attr-defined]
