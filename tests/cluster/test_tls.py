"""Who the server is, and what is said where its certificate or ours does not fit."""

import base64
import logging
import ssl
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from fake_issuer import server_tls
from local_server import Answer, LocalServer, local_server

from recon_action.cluster import Cluster, RequestError, connect
from recon_action.cluster.tls import authority_pem
from recon_action.errors import UsageError
from recon_action.lab.pki import Authority, Pair, new_key
from recon_action.model import Access

Write = Callable[..., str]


class Secure:
    """A server that speaks TLS, and its authority."""

    def __init__(self, server: LocalServer, authority: Path) -> None:
        self.server = server
        self.authority = authority

    def cluster(self, **more: Any) -> list[dict[str, Any]]:
        """The clusters of a kubeconfig that trusts it."""
        held = {"server": self.server.url, "certificate-authority": str(self.authority)} | more
        return [{"name": "lab", "cluster": {key: value for key, value in held.items() if value is not None}}]


@pytest.fixture
def secure(tmp_path: Path) -> Iterator[Secure]:
    """It answers as an API server."""
    authority = tmp_path / "ca.pem"
    with local_server(tls=server_tls(tmp_path, authority)) as running:
        running.answers = [Answer({"gitVersion": "v1"})]
        yield Secure(running, authority)


def _encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _connect(kubeconfig: Write, secure: Secure, user: dict[str, Any] | None = None, **more: Any) -> Cluster:
    return connect(Access(kubeconfig("", user, clusters=secure.cluster(**more))), concurrency=1)


def _refusal(cluster: Cluster) -> RequestError:
    with pytest.raises(RequestError) as caught:
        cluster.read("/version")
    assert "\n" not in caught.value.hint
    return caught.value


def test_its_authority_decides(kubeconfig: Write, secure: Secure) -> None:
    """In a file, or within the kubeconfig."""
    assert _connect(kubeconfig, secure).read("/version")
    data = {"certificate-authority": None, "certificate-authority-data": _encoded(secure.authority.read_bytes())}
    assert _connect(kubeconfig, secure, **data).read("/version")


@pytest.mark.parametrize("data", [None, _encoded(Authority(datetime.now(UTC)).certificate)], ids=["system", "other"])
def test_another_authority(kubeconfig: Write, secure: Secure, data: str | None) -> None:
    """Is told as what it is, with where to look."""
    error = _refusal(
        _connect(kubeconfig, secure, **{"certificate-authority": None, "certificate-authority-data": data})
    )
    assert "of an authority that is not trusted" in error.message
    assert "certificate-authority-data is missing or another cluster's" in error.hint
    assert error.tries == 1


def test_another_name(kubeconfig: Write, secure: Secure) -> None:
    """A tunnel's address is not in the certificate; tls-server-name says which name is."""
    error = _refusal(_connect(kubeconfig, secure, **{"tls-server-name": "elsewhere.example"}))
    assert "for another name" in error.message
    assert "tls-server-name" in error.hint
    assert _connect(kubeconfig, secure, **{"tls-server-name": "kubernetes.default"}).read("/version")


def test_no_check_at_all(kubeconfig: Write, secure: Secure, caplog: pytest.LogCaptureFixture) -> None:
    """insecure-skip-tls-verify does what it says, and is said once."""
    with caplog.at_level(logging.WARNING):
        cluster = _connect(kubeconfig, secure, **{"certificate-authority": None, "insecure-skip-tls-verify": True})
        cluster.read("/version")
        cluster.read("/version")
    assert len(caplog.records) == 1
    assert "insecure-skip-tls-verify" in caplog.text


def test_a_server_without_tls(kubeconfig: Write, server: LocalServer) -> None:
    """Https at a port that speaks plain HTTP."""
    server.answers = [Answer({})]
    error = _refusal(connect(Access(kubeconfig(server.url.replace("http:", "https:"))), concurrency=1))
    assert "it does not speak TLS" in error.message


def test_an_authority_without_key_identifiers(kubeconfig: Write, tmp_path: Path) -> None:
    """Managed clusters have such: strict as Python 3.13 is by default, none of them could be reached."""
    key, name = new_key(), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "kubernetes")])
    own = new_key()
    signer = _plain(name, name, key, key).add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    authority = signer.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    server = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "kube-apiserver")])
    names = x509.SubjectAlternativeName([x509.DNSName("kubernetes")])
    signed = _plain(server, name, own, key).add_extension(names, critical=False).sign(key, hashes.SHA256())
    private = own.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (tmp_path / "both.pem").write_bytes(signed.public_bytes(serialization.Encoding.PEM) + private)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "both.pem")
    with local_server(tls=context) as running:
        running.answers = [Answer({"gitVersion": "v1"})]
        cluster = {"server": running.url, "certificate-authority-data": _encoded(authority)}
        held = [{"name": "lab", "cluster": cluster | {"tls-server-name": "kubernetes"}}]
        found = connect(Access(kubeconfig("", clusters=held)), concurrency=1)
        assert not found._pool.connection_pool_kw["ssl_context"].verify_flags & ssl.VERIFY_X509_STRICT
        assert found.read("/version")


def _plain(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, _signer: object
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now.replace(year=now.year - 1, day=1))
        .not_valid_after(now.replace(year=now.year + 1, day=1))
    )


def _client(pair: Pair) -> dict[str, str]:
    return {"client-certificate-data": _encoded(pair.certificate), "client-key-data": _encoded(pair.key)}


def test_a_client_certificate_that_cannot_be_used(kubeconfig: Write, secure: Secure) -> None:
    """Garbage, another's key, or one that wants a password (at no terminal): said before anything is sent."""
    one, two = (Authority(datetime.now(UTC)).client("me") for _ in range(2))
    key = serialization.load_pem_private_key(one.key, None)
    locked = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.BestAvailableEncryption(b"pw")
    )
    for pair in (Pair(one.certificate, two.key), Pair(b"no PEM", one.key), Pair(one.certificate, locked)):
        with pytest.raises(UsageError, match="the client certificate can't be used") as caught:
            _connect(kubeconfig, secure, _client(pair))
        assert "belong together" in caught.value.hint


def test_an_authority_that_is_none(kubeconfig: Write, secure: Secure) -> None:
    """A key in its place, say."""
    with pytest.raises(UsageError, match="the certificate authority can't be used"):
        _connect(kubeconfig, secure, **{"certificate-authority-data": _encoded(b"no PEM")})


@pytest.mark.parametrize("expired", [True, False])
def test_an_expired_client_certificate(kubeconfig: Write, secure: Secure, expired: bool) -> None:
    """The server says 401, and the certificate why."""
    pair = Authority(datetime.now(UTC)).client("me", expired=expired)
    secure.server.answers = [Answer({"message": "Unauthorized"}, 401)]
    hint = _refusal(_connect(kubeconfig, secure, _client(pair))).hint
    assert ("the client certificate expired at" in hint) is expired


# --- Proxies -------------------------------------------------------------------------------------------


@pytest.fixture
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("_no_proxies")
def test_proxy_url(kubeconfig: Write, server: LocalServer) -> None:
    """The kubeconfig's proxy is asked for the server; one that refuses, or is not there, is told as that."""
    server.answers = [Answer(None, 403)]
    cluster = {"server": "https://10.0.0.1:6443", "proxy-url": server.url}
    error = _refusal(connect(Access(kubeconfig("", clusters=[{"name": "lab", "cluster": cluster}])), concurrency=1))
    assert "the proxy does not lead there: Tunnel connection failed: 403 Forbidden" in error.message
    assert "proxy-url" in error.hint
    assert {(one.method, one.path) for one in server.asked} == {("CONNECT", "10.0.0.1:6443")}
    cluster["proxy-url"] = "http://127.0.0.1:9"
    error = _refusal(connect(Access(kubeconfig("", clusters=[{"name": "lab", "cluster": cluster}])), concurrency=1))
    assert "the proxy does not lead there" in error.message
    assert "))" not in error.message


@pytest.mark.usefixtures("_no_proxies")
@pytest.mark.parametrize("proxy", ["socks5://user:s3cret@127.0.0.1:1080", "ftp://user:s3cret@x", "http://[x"])
def test_a_proxy_that_cannot_be_used(kubeconfig: Write, proxy: str) -> None:
    """It is said without its password."""
    cluster = {"server": "https://10.0.0.1:6443", "proxy-url": proxy}
    with pytest.raises(UsageError, match="the proxy's address can't be used") as caught:
        connect(Access(kubeconfig("", clusters=[{"name": "lab", "cluster": cluster}])), concurrency=1)
    assert "s3cret" not in caught.value.message


# --- An authority that was given -----------------------------------------------------------------------


def test_an_authority_in_each_form(tmp_path: Path) -> None:
    """A path, the text, or base64 of it, in lines or not."""
    pem = Authority(datetime.now(UTC)).certificate.decode()
    file = tmp_path / "ca.pem"
    file.write_text(pem)
    lines = base64.encodebytes(pem.encode()).decode()
    assert {authority_pem(form) for form in (str(file), pem, lines, _encoded(pem.encode()))} == {pem}


@pytest.mark.parametrize(
    ("given", "message"),
    [("/nowhere/ca.pem", "no such file: '/nowhere/ca.pem'"), ("x" * 5000, "(5000 characters)"), ("\0", "no such file")],
    ids=["path", "long", "odd"],
)
def test_an_authority_that_means_nothing(given: str, message: str) -> None:
    """It is shown in part only, if it is no path."""
    with pytest.raises(UsageError) as caught:
        authority_pem(given)
    assert message in caught.value.message
    assert len(caught.value.message) < 200


def test_a_file_without_a_certificate(tmp_path: Path) -> None:
    """A key, or an empty file."""
    file = tmp_path / "ca.pem"
    file.write_text("")
    with pytest.raises(UsageError, match="holds no certificate"):
        authority_pem(str(file))
