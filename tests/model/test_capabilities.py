"""How people call a kind."""

import pytest
from objects import resource_of

from recon_action.model import Capabilities

_CAPABILITIES = Capabilities(
    "v1.37.2",
    {
        ("", "Event"): (resource_of("Event"),),
        ("apps", "Deployment"): (resource_of("Deployment", "apps/v1"), resource_of("Deployment", "apps/v1beta1")),
        ("events.k8s.io", "Event"): (resource_of("Event", "events.k8s.io/v1"),),
    },
)


@pytest.mark.parametrize(
    ("text", "api_version"),
    [
        ("deployments", "apps/v1"),
        ("Deployment", "apps/v1"),
        ("deployment.apps", "apps/v1"),
        ("deployments.v1beta1.apps", "apps/v1beta1"),
        ("event", "v1"),
        ("event.v1.", "v1"),
        ("Event.events.k8s.io", "events.k8s.io/v1"),
        ("deployment.extensions", None),
        ("deployments.v2.apps", None),
        ("deployer", None),
        ("", None),
        (".apps", None),
    ],
)
def test_kinds_are_named_as_for_kubectl(text: str, api_version: str | None) -> None:
    """Kind or plural in any case, with version and group if need be; without, the server's first one."""
    found = _CAPABILITIES.named(text)
    assert (found.api_version if found else None) == api_version
