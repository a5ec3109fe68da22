"""The TLS of a connection, made once and whole: what is wrong with a certificate is said before anything is sent.

What a failed handshake means is in `meanings`.
"""

import base64
import binascii
import ssl
from pathlib import Path

from urllib3.util import create_urllib3_context

from recon_action.cluster.kube import Configuration
from recon_action.errors import UsageError

_PEM = "-----BEGIN CERTIFICATE-----"


def tls_context(configuration: Configuration) -> ssl.SSLContext:
    """How `configuration` has a server's certificate checked, and shows its own.

    Raises:
        UsageError: a certificate or key can't be used.
    """
    mode = ssl.CERT_REQUIRED if configuration.verify_ssl else ssl.CERT_NONE
    context = create_urllib3_context(cert_reqs=mode)
    # As kubectl does it, whatever this Python's default is: chain, time and name are checked, the form is not. From
    # 3.13 on an authority without key identifiers would be refused, as EKS makes them.
    context.verify_flags = context.verify_flags & ~ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN
    if configuration.verify_ssl:
        _trust(context, configuration)
    if configuration.cert_file:
        try:  # the password is for keys that want one: without it OpenSSL would ask at the terminal
            context.load_cert_chain(configuration.cert_file, configuration.key_file, password="")
        except (ssl.SSLError, OSError) as error:
            raise UsageError(
                f"the client certificate can't be used: {_reason(error)}",
                hint="the kubeconfig's client-certificate and client-key must be PEM, unencrypted, and belong together",
            ) from error
    return context


def authority_pem(given: str) -> str:
    """The certificates that `given` means: a file's, or its own text's, plain or in base64.

    Raises:
        UsageError: it means none.
    """
    if _PEM in given:
        return given
    try:
        text = base64.b64decode("".join(given.split()), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        text = ""
    if _PEM in text:
        return text
    try:
        text = Path(given).expanduser().read_text(encoding="utf-8")
    except (OSError, ValueError):  # a name that can't be one, among others
        shown = repr(given) if len(given) <= 100 else f"{given[:20]!r}… ({len(given)} characters)"
        raise UsageError(
            f"certificate-authority: no such file: {shown}",
            hint="give a path that the run sees, or the certificate itself, as PEM or in base64",
        ) from None
    if _PEM not in text:
        raise UsageError(
            f"certificate-authority: {given} holds no certificate", hint=f"it must be PEM, and begin with {_PEM}"
        )
    return text


def _trust(context: ssl.SSLContext, configuration: Configuration) -> None:
    if not configuration.ssl_ca_cert and not configuration.ca_cert_data:
        context.load_default_certs()
        return
    try:
        context.load_verify_locations(cafile=configuration.ssl_ca_cert, cadata=configuration.ca_cert_data)
    except (ssl.SSLError, OSError) as error:
        raise UsageError(
            f"the certificate authority can't be used: {_reason(error)}",
            hint="it must be a certificate as PEM (in certificate-authority-data, base64 of that)",
        ) from error


def _reason(error: OSError) -> str:
    """OpenSSL's word for it."""
    return str(getattr(error, "reason", "") or error.strerror or type(error).__name__).replace("_", " ").lower()
