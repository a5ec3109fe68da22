"""Keys made for a test, and files encrypted with them."""

import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

_ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_GENERATOR = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)


@dataclass(frozen=True)
class Key:
    """A key of age."""

    secret: str
    recipient: str


def make_key() -> Key:
    """A new key."""
    private = X25519PrivateKey.generate()
    public = private.public_key().public_bytes_raw()
    return Key(_bech32("age-secret-key-", private.private_bytes_raw()).upper(), _bech32("age", public))


def encrypt(sops: Path, file: Path, recipient: str, *options: str) -> None:
    """Encrypt a file in its place, only the values of data and stringData unless `options` say otherwise."""
    chosen = options or ("--encrypted-regex", "^(data|stringData)$")
    command = [sops, "encrypt", "--disable-version-check", "--age", recipient, *chosen, "--in-place", file]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={"PATH": "/usr/bin:/bin"})
    assert done.returncode == 0, done.stderr


def _bech32(prefix: str, data: bytes) -> str:
    words = list(_regrouped(data))
    expanded = [ord(letter) >> 5 for letter in prefix] + [0] + [ord(letter) & 31 for letter in prefix]
    check = _checksum([*expanded, *words, 0, 0, 0, 0, 0, 0]) ^ 1
    words += [check >> 5 * (5 - index) & 31 for index in range(6)]
    return prefix + "1" + "".join(_ALPHABET[word] for word in words)


def _regrouped(data: bytes) -> Iterable[int]:
    """Bytes as groups of five bits."""
    bits = "".join(f"{byte:08b}" for byte in data)
    bits += "0" * (-len(bits) % 5)
    return (int(bits[at : at + 5], 2) for at in range(0, len(bits), 5))


def _checksum(words: Iterable[int]) -> int:
    value = 1
    for word in words:
        top = value >> 25
        value = (value & 0x1FFFFFF) << 5 ^ word
        for index, part in enumerate(_GENERATOR):
            value ^= part if top >> index & 1 else 0
    return value
