"""A connection to a small local server, made the way users make it: from a kubeconfig."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from local_server import LocalServer, local_server

from recon_action.cluster import Cluster, connect
from recon_action.cluster.retry import Patience
from recon_action.model import Access

WriteKubeconfig = Callable[..., str]


@pytest.fixture
def server() -> Iterator[LocalServer]:
    """A server without answers yet."""
    with local_server() as running:
        yield running


@pytest.fixture
def kubeconfig(tmp_path: Path) -> WriteKubeconfig:
    """Write a kubeconfig with one user and two contexts, `lab` (current) and `other`; gives its path."""

    def write(url: str, user: dict[str, Any] | None = None, **more: Any) -> str:
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "lab", "cluster": {"server": url}}],
            "users": [{"name": "me", "user": {"token": "t0ken"} if user is None else user}],
            "contexts": [
                {"name": "lab", "context": {"cluster": "lab", "user": "me", "namespace": "shop"}},
                {"name": "other", "context": {"cluster": "lab", "user": "me"}},
            ],
            "current-context": "lab",
        } | more
        file = tmp_path / "kubeconfig"
        file.write_text(yaml.safe_dump(config), encoding="utf-8")
        return str(file)

    return write


@pytest.fixture
def cluster(server: LocalServer, kubeconfig: WriteKubeconfig) -> Cluster:
    """A connection to `server`."""
    return connect(Access(kubeconfig(server.url)), concurrency=4)


@pytest.fixture
def sleeps(cluster: Cluster) -> list[float]:
    """How long `cluster` would have waited between attempts, instead of waiting."""
    slept: list[float] = []

    def wait(seconds: float) -> bool:
        slept.append(seconds)
        return False

    cluster.patience = Patience(wait, clock=lambda: sum(slept))
    return slept
