"""The lab as its users see it: a real control plane, exact in what it logs, gone without a trace."""

import json
import subprocess
from pathlib import Path

from recon_action.lab import Lab


def _kubectl(lab: Lab, *args: str, stdin: str = "", env: dict[str, str] | None = None) -> str:
    command = [str(lab.kubectl), *args]
    done = subprocess.run(
        command, env=env or lab.env(), input=stdin, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_object_is_stored_and_read_back(lab: Lab, namespace: str) -> None:
    """What is applied to the lab is there, in the version that was asked for."""
    _kubectl(lab, "-n", namespace, "create", "configmap", "settings", "--from-literal=colour=blue")
    assert _kubectl(lab, "-n", namespace, "get", "cm", "settings", "-o", "jsonpath={.data.colour}") == "blue"
    assert json.loads(_kubectl(lab, "version", "-o", "json"))["serverVersion"]["gitVersion"].startswith("v1.37.")


def test_the_audit_log_holds_each_request_once(lab: Lab, namespace: str) -> None:
    """Two requests of a user are two events; the server's own are none."""
    before = len(lab.audit())
    _kubectl(lab, "get", "--raw", f"/api/v1/namespaces/{namespace}/configmaps")
    _kubectl(lab, "get", "--raw", f"/api/v1/namespaces/{namespace}/secrets")
    seen = [(event.verb, event.resource, event.namespace, event.code) for event in lab.audit()[before:]]
    assert seen == [("list", "configmaps", namespace, 200), ("list", "secrets", namespace, 200)]


def test_kubectl_leaves_nothing_at_home(lab: Lab, tmp_path: Path) -> None:
    """Its cache lies in the lab's folder: a later lab on the same port must not see this one's kinds."""
    _kubectl(lab, "get", "namespaces", env=lab.env() | {"HOME": str(tmp_path)})
    assert list(tmp_path.iterdir()) == []
