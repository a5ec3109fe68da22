"""The lab's own certificate authority: who is who, proven by client certificates. ECDSA, for speed."""

import datetime as dt
import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_LIFE = dt.timedelta(days=365)
_SKEW = dt.timedelta(hours=1)  # clocks of containers and hosts differ
_SERVER_NAMES = (
    x509.DNSName("localhost"),
    x509.DNSName("kubernetes"),
    x509.DNSName("kubernetes.default"),
    x509.DNSName("kubernetes.default.svc"),
    x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
    x509.IPAddress(ipaddress.ip_address("10.96.0.1")),
)


@dataclass(frozen=True, slots=True, repr=False)
class Pair:
    """A certificate and its private key, as PEM."""

    certificate: bytes
    key: bytes


class Authority:
    """Signs the certificates of one lab; its key exists only in this process."""

    def __init__(self, now: dt.datetime) -> None:
        self._now = now
        self._key = new_key()
        self._name = _name("recon-lab-ca")
        usage = x509.KeyUsage(
            digital_signature=True,
            key_cert_sign=True,
            crl_sign=True,
            content_commitment=False,
            key_encipherment=False,
            data_encipherment=False,
            key_agreement=False,
            encipher_only=False,
            decipher_only=False,
        )
        unsigned = self._unsigned(self._name, self._key, now + _LIFE)
        self._certificate = unsigned.add_extension(
            x509.BasicConstraints(ca=True, path_length=0), critical=True
        ).add_extension(usage, critical=True)
        self.certificate = _pem(self._certificate.sign(self._key, hashes.SHA256()))

    def server(self) -> Pair:
        """For whoever serves the API on this machine."""
        key = new_key()
        certificate = (
            self._unsigned(_name("kube-apiserver"), key, self._now + _LIFE)
            .add_extension(x509.SubjectAlternativeName(_SERVER_NAMES), critical=False)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        )
        return self._pair(certificate, key)

    def client(self, user: str, groups: Iterable[str] = (), *, expired: bool = False) -> Pair:
        """For the user `user` in `groups`; if `expired`, the server refuses it with 401."""
        key = new_key()
        end = self._now - dt.timedelta(minutes=1) if expired else self._now + _LIFE
        certificate = self._unsigned(_name(user, groups), key, end).add_extension(
            x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False
        )
        return self._pair(certificate, key)

    def _unsigned(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, end: dt.datetime
    ) -> x509.CertificateBuilder:
        # OpenSSL (Python's ssl with VERIFY_X509_STRICT) wants the key identifiers.
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(self._now - _SKEW)
            .not_valid_after(end)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
        )

    def _pair(self, unsigned: x509.CertificateBuilder, key: ec.EllipticCurvePrivateKey) -> Pair:
        return Pair(_pem(unsigned.sign(self._key, hashes.SHA256())), private_pem(key))


def new_key() -> ec.EllipticCurvePrivateKey:
    """A private key."""
    return ec.generate_private_key(ec.SECP256R1())


def private_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    """The key in the form that Kubernetes reads."""
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )


def public_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    """The public half of the key."""
    return key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _name(common_name: str, organizations: Iterable[str] = ()) -> x509.Name:
    """A subject as Kubernetes reads it: the common name is the user, each organization a group."""
    return x509.Name(
        [
            *(x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in organizations),
            x509.NameAttribute(NameOID.COMMON_NAME, common_name),
        ]
    )
