"""Kubeconfigs, as others read them."""

import base64
import json
from pathlib import Path
from typing import Any

import yaml

from recon_action.lab.kubeconfig import certificate_user, kubeconfig, token_user, write_json, write_private
from recon_action.lab.pki import Pair


def only(body: Any) -> Any:
    (each,) = body
    return each


def test_a_certificate_user_is_complete(tmp_path: Path) -> None:
    """Everything is inside the file, and it is YAML as well."""
    body = kubeconfig("https://127.0.0.1:1", b"CA", certificate_user(Pair(b"CERT", b"KEY")), "shop")
    read = yaml.safe_load(write_json(tmp_path / "kubeconfig", body).read_text())
    assert read == body
    cluster = only(read["clusters"])["cluster"]
    assert cluster == {
        "server": "https://127.0.0.1:1",
        "certificate-authority-data": base64.b64encode(b"CA").decode(),
    }
    user = only(read["users"])["user"]
    assert {name: base64.b64decode(value) for name, value in user.items()} == {
        "client-certificate-data": b"CERT",
        "client-key-data": b"KEY",
    }
    assert only(read["contexts"])["context"]["namespace"] == "shop"
    assert only(read["contexts"])["name"] == read["current-context"]


def test_a_token_user_shows_the_token() -> None:
    """And no namespace, if none was asked for."""
    body = kubeconfig("https://127.0.0.1:1", b"CA", token_user("t"))
    assert only(body["users"])["user"] == {"token": "t"}
    assert "namespace" not in only(body["contexts"])["context"]


def test_private_files_are_private(tmp_path: Path) -> None:
    """For their owner alone, also when they are written again."""
    for content in (b"first, longer", b"second"):
        file = write_private(tmp_path / "key", content)
        assert file.read_bytes() == content
        assert file.stat().st_mode & 0o777 == 0o600
    assert json.loads(write_json(tmp_path / "json", {"a": 1}).read_text()) == {"a": 1}
