"""Kubeconfigs. They are written as JSON, which is YAML, and complete: certificates are inside."""

import base64
import json
import os
from pathlib import Path
from typing import Any

from recon_action.lab.pki import Pair

CONTEXT = "recon-lab"


def certificate_user(pair: Pair) -> dict[str, str]:
    """Someone who shows a client certificate."""
    return {"client-certificate-data": _base64(pair.certificate), "client-key-data": _base64(pair.key)}


def token_user(token: str) -> dict[str, str]:
    """Someone who shows a bearer token."""
    return {"token": token}


def kubeconfig(server: str, authority: bytes, user: dict[str, str], namespace: str = "") -> dict[str, Any]:
    """A kubeconfig with one context; `authority` is the CA's certificate, `user` from above."""
    context = {"cluster": CONTEXT, "user": CONTEXT} | ({"namespace": namespace} if namespace else {})
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": CONTEXT,
                "cluster": {"server": server, "certificate-authority-data": _base64(authority)},
            }
        ],
        "users": [{"name": CONTEXT, "user": user}],
        "contexts": [{"name": CONTEXT, "context": context}],
        "current-context": CONTEXT,
    }


def write_private(file: Path, content: bytes) -> Path:
    """Write a file that only its owner reads, from the first byte on."""
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as out:
        out.write(content)
    return file


def write_json(file: Path, body: Any) -> Path:
    """Write `body` as JSON, for its owner alone."""
    return write_private(file, json.dumps(body, indent=2).encode())


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
