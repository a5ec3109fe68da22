"""GitHub's OIDC issuer, as a job and an API server meet it: it mints tokens, and publishes the key that signs them."""

import base64
import json
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from local_server import Answer, Asked, LocalServer, local_server

from recon_action.lab.pki import Authority

ISSUER = "https://token.actions.githubusercontent.com"
SECRET = "planted-request-secret"
_CLAIMS = {
    "iss": ISSUER,
    "sub": "repo:acme/shop:ref:refs/heads/main",
    "repository": "acme/shop",
    "repository_id": "1296269",
    "repository_owner": "acme",
    "repository_owner_id": "583231",
    "ref": "refs/heads/main",
    "event_name": "push",
    "sha": "a" * 40,
    "run_id": "123",
    "run_attempt": "1",
}


class FakeIssuer(LocalServer):
    """Answers at /token, as the runner's variables name it, at /disc and at /jwks.

    Attributes:
        life: seconds that a token lives.
        claims: what it says, beside its times.
        minted: the tokens so far.
        authority: that signed the server's certificate, as a file.
    """

    def __init__(self, authority: Path) -> None:
        super().__init__()
        self.authority = authority
        self.life = 300
        self.claims: dict[str, Any] = dict(_CLAIMS)
        self.minted: list[str] = []
        self.answers = []  # each takes the place of a token, once
        self._key = _key()

    @property
    def variables(self) -> dict[str, str]:
        """What a runner hands to a job that may have tokens."""
        url = f"{self.url}/token?api-version=2.0"
        return {"ACTIONS_ID_TOKEN_REQUEST_URL": url, "ACTIONS_ID_TOKEN_REQUEST_TOKEN": SECRET}

    def next(self, request: Asked) -> Answer:
        """What is at the path."""
        with self._lock:
            self.asked.append(request)
            url = urlsplit(request.path)
            match url.path:
                case "/disc":
                    known = {"issuer": ISSUER, "jwks_uri": f"{self.url}/jwks"}
                    return Answer(known | {"id_token_signing_alg_values_supported": ["RS256"]})
                case "/jwks":
                    return Answer({"keys": [self._public()]})
            if request.headers.get("Authorization") != f"Bearer {SECRET}":
                return Answer({"message": "Unauthorized"}, 401)
            if self.answers:
                return self.answers.pop(0)
            (audience,) = parse_qs(url.query)["audience"]
            self.minted.append(self.mint(aud=audience))
            return Answer({"count": len(self.minted[-1]), "value": self.minted[-1]})

    def mint(self, **claims: Any) -> str:
        """A token that is issued now; `claims` count before the issuer's own."""
        now = int(time.time())
        times = {"iat": now, "nbf": now - 600, "exp": now + self.life, "jti": f"{len(self.minted)}"}
        parts = ({"typ": "JWT", "alg": "RS256", "kid": "1"}, self.claims | times | claims)
        signed = b".".join(_encoded(json.dumps(part).encode()) for part in parts)
        signature = self._key.sign(signed, padding.PKCS1v15(), hashes.SHA256())
        return b".".join((signed, _encoded(signature))).decode()

    def _public(self) -> dict[str, str]:
        numbers = self._key.public_key().public_numbers()
        sizes = {"n": (numbers.n, 256), "e": (numbers.e, 3)}
        key = {name: _encoded(value.to_bytes(size, "big")).decode() for name, (value, size) in sizes.items()}
        return {"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "1"} | key


@contextmanager
def fake_issuer(folder: Path) -> Iterator[FakeIssuer]:
    """A running one, over TLS; its certificate's authority lies in `folder`."""
    issuer = FakeIssuer(folder / "issuer-ca.pem")
    with local_server(issuer, tls=server_tls(folder, issuer.authority)):
        yield issuer


def server_tls(folder: Path, authority: Path) -> ssl.SSLContext:
    """TLS for a server on this machine; the certificate of its authority is put into the file `authority`."""
    signer = Authority(datetime.now(UTC))
    authority.write_bytes(signer.certificate)
    pair = signer.server()
    file = folder / "server.pem"
    file.write_bytes(pair.certificate + pair.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


@cache
def _key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)  # takes a while


def _encoded(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")
