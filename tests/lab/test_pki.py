"""The lab's certificates, read back."""

import datetime as dt
import ssl
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from recon_action.lab.pki import Authority, Pair, new_key, private_pem, public_pem

NOW = dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC)


@pytest.fixture
def authority() -> Authority:
    return Authority(NOW)


def test_a_users_name_and_groups_are_in_the_subject(authority: Authority) -> None:
    """Kubernetes reads the user from CN and the groups from O."""
    certificate = x509.load_pem_x509_certificate(authority.client("alice", ["devs", "ops"]).certificate)
    assert [each.value for each in certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)] == ["alice"]
    organizations = certificate.subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)
    assert [each.value for each in organizations] == ["devs", "ops"]


def test_certificates_are_signed_by_the_authority(authority: Authority) -> None:
    """And by no other."""
    ca = x509.load_pem_x509_certificate(authority.certificate)
    for pair in (authority.server(), authority.client("alice")):
        x509.load_pem_x509_certificate(pair.certificate).verify_directly_issued_by(ca)
    other = x509.load_pem_x509_certificate(Authority(NOW).server().certificate)
    with pytest.raises(InvalidSignature):
        other.verify_directly_issued_by(ca)


def test_each_certificate_belongs_to_its_key(authority: Authority, tmp_path: Path) -> None:
    """OpenSSL refuses a pair that isn't one."""
    server, client = authority.server(), authority.client("alice")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

    def load(pair: Pair) -> None:
        (tmp_path / "crt").write_bytes(pair.certificate)
        (tmp_path / "key").write_bytes(pair.key)
        context.load_cert_chain(tmp_path / "crt", tmp_path / "key")

    load(server)
    load(client)
    with pytest.raises(ssl.SSLError, match="KEY_VALUES_MISMATCH"):
        load(Pair(server.certificate, client.key))


def test_it_is_valid_from_before_now_to_after(authority: Authority) -> None:
    """A clock that is a little behind doesn't matter."""
    certificate = x509.load_pem_x509_certificate(authority.client("alice").certificate)
    assert certificate.not_valid_before_utc < NOW < certificate.not_valid_after_utc


def test_an_expired_one_was_valid_once(authority: Authority) -> None:
    """It ends before now, and after it began."""
    certificate = x509.load_pem_x509_certificate(authority.client("alice", expired=True).certificate)
    assert certificate.not_valid_before_utc < certificate.not_valid_after_utc < NOW


def test_keys_are_of_one_pair() -> None:
    """The public half verifies what the private half signs."""
    key = new_key()
    private = serialization.load_pem_private_key(private_pem(key), None)
    assert isinstance(private, ec.EllipticCurvePrivateKey)
    assert public_pem(private) == public_pem(key)


def test_a_pair_does_not_show_its_key() -> None:
    """Not in a traceback, not in a test's output."""
    assert "PRIVATE" not in repr(Pair(b"certificate", b"PRIVATE"))
