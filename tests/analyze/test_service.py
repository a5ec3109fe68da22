"""What the server does to a Service by itself."""

from typing import Any

import pytest

from recon_action.analyze.service import settled_service

_PORT = {"name": "http", "port": 80}
_EXPOSED = {"type": "NodePort", "externalTrafficPolicy": "Cluster", "ports": [_PORT | {"nodePort": 30001}]}


@pytest.mark.parametrize(
    ("spec", "live", "stored"),
    [
        pytest.param(_EXPOSED, _EXPOSED, _EXPOSED, id="unchanged"),
        pytest.param({"type": "ClusterIP"}, {"type": "ClusterIP"}, {"type": "ClusterIP"}, id="no-ports"),
        pytest.param(_EXPOSED | {"ports": [_PORT]}, _EXPOSED, _EXPOSED, id="kept-by-the-port's-name"),
        pytest.param(
            _EXPOSED | {"ports": [_PORT, {"name": "a", "port": 1}]},
            _EXPOSED,
            _EXPOSED | {"ports": [_PORT | {"nodePort": 30001}, {"name": "a", "port": 1}]},
            id="another-port-gets-its-own",
        ),
        pytest.param(
            _EXPOSED | {"type": "ClusterIP"}, _EXPOSED, {"type": "ClusterIP", "ports": [_PORT]}, id="no-longer-exposed"
        ),
        pytest.param(
            _EXPOSED | {"type": "ClusterIP", "externalTrafficPolicy": "Local", "ports": [_PORT]},
            _EXPOSED,
            {"type": "ClusterIP", "externalTrafficPolicy": "Local", "ports": [_PORT]},
            id="what-git-says-itself-stays",
        ),
        pytest.param(
            {"type": "NodePort", "allocateLoadBalancerNodePorts": True},
            {"type": "LoadBalancer", "allocateLoadBalancerNodePorts": True},
            {"type": "NodePort"},
            id="no-longer-balanced",
        ),
    ],
)
def test_service(spec: dict[str, Any], live: dict[str, Any], stored: dict[str, Any]) -> None:
    """Node ports stay while the type needs them, and go with it."""
    assert settled_service(spec, live) == stored
