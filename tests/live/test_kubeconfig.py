"""Kubeconfigs as kubectl reads and writes them."""

import itertools
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from recon_action.cluster import RequestError, connect
from recon_action.errors import UsageError
from recon_action.lab import Lab
from recon_action.model import Access


def _kubectl(kubectl: Path, location: str, *arguments: str) -> str:
    environ = {"KUBECONFIG": location, "HOME": "/nonexistent"}
    done = subprocess.run([kubectl, *arguments], env=environ, capture_output=True, text=True, check=True)
    return done.stdout


def _config(number: int, current: str | None) -> dict[str, Any]:
    """A cluster of its own, one that others have as well, and a context for each."""
    names = ("shared", f"own-{number}")
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": {"server": f"https://{name}-of-{number}.example"}} for name in names],
        "contexts": [
            {"name": name, "context": {"cluster": name, "user": "me", "namespace": f"ns-{number}"}} for name in names
        ],
        "users": [{"name": "me", "user": {"token": f"token-{number}"}}],
    }
    return config if current is None else config | {"current-context": current}


@pytest.mark.parametrize("currents", [*itertools.permutations([None, "", "shared", "own-1"], 2)], ids=str)
def test_several_files_count_as_for_kubectl(kubectl: Path, tmp_path: Path, currents: tuple[str | None, ...]) -> None:
    """Whichever of them names a current context: server, namespace and token are those that kubectl takes."""
    files = []
    for number, current in enumerate(currents):
        files.append(tmp_path / f"config-{number}")
        files[-1].write_text(yaml.safe_dump(_config(number, current)))
    location = ":".join([*map(str, files), str(tmp_path / "missing")])
    if not any(currents):
        with pytest.raises(UsageError, match="no context is the current one"):
            connect(Access(location), concurrency=1)
        return
    view = json.loads(_kubectl(kubectl, location, "config", "view", "--minify", "--raw", "-o", "json"))
    found = connect(Access(location), concurrency=1)
    assert found.server == view["clusters"][0]["cluster"]["server"]
    assert found.namespace == view["contexts"][0]["context"]["namespace"]
    assert found._credentials.header() == f"Bearer {view['users'][0]['user']['token']}"


@pytest.mark.parametrize(
    "user",
    [
        {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "aws", "interactiveMode": "Never"}},
        {"auth-provider": {"name": "gcp"}},
    ],
    ids=["plugin", "auth provider"],
)
def test_the_remedy_works(kubectl: Path, lab: Lab, tmp_path: Path, user: dict[str, Any]) -> None:
    """What a hint says to do about a plugin that is not here lets the same kubeconfig work."""
    config = json.loads(lab.kubeconfig.read_text())
    config["users"][0]["user"] = user
    file = tmp_path / "config"
    file.write_text(json.dumps(config))
    name = config["users"][0]["name"]
    with pytest.raises(UsageError) as caught:
        connect(Access(str(file)), concurrency=1)
    assert f'kubectl config set-credentials "{name}" --token=' in caught.value.hint
    command = [lab.kubectl, "create", "token", "default", "--duration=10m"]
    subprocess.run(
        [lab.kubectl, "create", "serviceaccount", "default"], env=lab.env(), capture_output=True, check=False
    )
    token = subprocess.run(command, env=lab.env(), capture_output=True, text=True, check=True).stdout
    _kubectl(kubectl, str(file), "config", "set-credentials", name, f"--token={token}")
    assert connect(Access(str(file)), concurrency=1).read("/version")["major"] == "1"


def test_an_expired_certificate(lab: Lab) -> None:
    """A real server's 401 is told with the certificate's end."""
    with pytest.raises(RequestError) as caught:
        connect(Access(str(lab.kubeconfig_for("jane", expired=True))), concurrency=1).read("/version")
    assert caught.value.problem.status == 401
    assert "the client certificate expired at" in caught.value.hint
