"""What requests prove who we are with: a token or password of the configuration, or a token that is renewed.

Decides what is sent, what is tried when the server does not take it, and what to do about it then. Where the
credentials stand is `kubeconfig`'s.
"""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from recon_action.cluster.kube import Configuration
from recon_action.errors import ClusterError
from recon_action.model import Bearer
from recon_action.model.bearer import claims_of, moment

_SCHEME = "Bearer "
_READ_AGAIN = 60.0  # seconds: kubelet renews a token when a fifth of its time is left
_RENEW = "renew the kubeconfig's credentials"


class Credentials:
    """Those of one connection; safe to use from several threads."""

    def __init__(self, configuration: Configuration, bearer: Bearer | None = None) -> None:
        """Take what `configuration` holds, or if given `bearer`'s tokens in its place."""
        self._configuration = configuration
        self._bearer = bearer
        self._lock = threading.Lock()
        self._sent = ""

    def header(self) -> str:
        """The Authorization header to send now, "" for none.

        Raises:
            ClusterError: there is no token.
        """
        if self._bearer:
            self._sent = _SCHEME + self._bearer.token()
            return self._sent
        with self._lock:  # an exec plugin that renews a token must run once, not once a thread
            settings = self._configuration.auth_settings()
        bearer = settings.get("BearerToken")
        self._sent = str(bearer["value"]) if bearer else ""
        return self._sent

    def another(self, refused: str) -> str:
        """A header in place of one that the server did not take; "" if there is no other."""
        if self._bearer is None:
            return ""
        self._sent = _SCHEME + self._bearer.token(refused.removeprefix(_SCHEME))
        return self._sent if self._sent != refused else ""

    def hidden(self, said: bytes) -> bytes:
        """What a server, or a proxy, said, without our token, should it quote that."""
        secret = self._sent.rpartition(" ")[2].encode()
        return said.replace(secret, b"***") if secret else said

    def remedy(self) -> str:
        """What to do about a server that does not know who we are."""
        if self._bearer:
            return self._bearer.remedy()
        now = datetime.now(UTC)
        token = self.header().removeprefix(_SCHEME)
        for what, end in (("token", _token_end(token)), ("client certificate", self._certificate_end())):
            if end and end <= now:
                return f"the {what} expired at {end:%Y-%m-%d %H:%M} UTC; {_RENEW}"
        if not token and not self._configuration.cert_file:
            return "the kubeconfig's user has neither token nor client certificate; add one"
        return f"the token or client certificate is wrong, withdrawn or another cluster's; {_RENEW}"

    def _certificate_end(self) -> datetime | None:
        file = self._configuration.cert_file
        if not file:
            return None
        from cryptography import x509  # noqa: PLC0415 - only a refusal needs it

        try:
            return x509.load_pem_x509_certificate(Path(file).read_bytes()).not_valid_after_utc
        except (OSError, ValueError):
            return None


class TokenFile:
    """The token of a file that somebody else renews, such as a pod's service account."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        """Read nothing yet; `clock` gives monotonic seconds."""
        self._path = path
        self._clock = clock
        self._lock = threading.Lock()
        self._token = ""
        self._read_at = 0.0

    def token(self, refused: str = "") -> str:
        """What the file holds; it is read again each minute, and when its token is refused.

        Raises:
            ClusterError: it holds nothing, or can't be read.
        """
        with self._lock:
            now = self._clock()
            if not self._token or now - self._read_at >= _READ_AGAIN or refused == self._token:
                self._token, self._read_at = self._read(), now
            return self._token

    def remedy(self) -> str:
        """That the file is to be looked at."""
        end = _token_end(self._token)
        if end and end <= datetime.now(UTC):
            return f"the token in {self._path} expired at {end:%Y-%m-%d %H:%M} UTC; see what should renew the file"
        return f"the token in {self._path} is wrong, withdrawn or another cluster's"

    def _read(self) -> str:
        try:
            token = self._path.read_text(encoding="utf-8").strip()
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it holds no text"
            raise ClusterError(f"no token: {self._path}: {reason}", hint="mount the token's file there") from error
        if not token or len(token.split()) > 1:
            raise ClusterError(f"no token: {self._path} holds none", hint="see what should write the file")
        return token


def _token_end(token: str) -> datetime | None:
    end = moment(claims_of(token), "exp")
    try:
        return datetime.fromtimestamp(end, UTC) if end is not None else None
    except (OverflowError, ValueError, OSError):
        return None
