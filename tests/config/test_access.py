"""The options that say how a cluster is reached, together."""

import pytest

from recon_action.config import ACCESS, OPTIONS, access_of, settings
from recon_action.errors import UsageError
from recon_action.github.inputs import input_name
from recon_action.model import Access

_OIDC = {"auth": "github-oidc", "audience": "lab"}


@pytest.mark.parametrize(
    ("values", "access"),
    [
        ({}, Access()),
        ({"auth": "kubeconfig", "kubeconfig": "a:b", "context": "c"}, Access("a:b", "c")),
        ({**_OIDC, "kubeconfig": "a"}, Access("a", audience="lab")),
        (
            {**_OIDC, "server": "https://k:6443", "certificate-authority": "ca.pem"},
            Access(audience="lab", server="https://k:6443", authority="ca.pem"),
        ),
    ],
    ids=["nothing", "kubeconfig", "user replaced", "server"],
)
def test_access(values: dict[str, str], access: Access) -> None:
    """What is left out takes its default; every command's settings have it."""
    assert access_of(values) == access
    assert settings(values, paths=["a"]).access == access


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"auth": "eks"}, "input auth: 'eks' is none of kubeconfig, github-oidc"),
        ({"auth": "github-oidc"}, "input audience is missing"),
        ({"audience": "lab"}, "input audience goes with input auth github-oidc alone"),
        ({"server": "https://k"}, "input server goes with input auth github-oidc alone"),
        ({**_OIDC, "server": "https://k", "kubeconfig": "a"}, "input server and input kubeconfig name a cluster each"),
        ({**_OIDC, "server": "https://k", "context": "a"}, "input server and input context name a cluster each"),
        ({**_OIDC, "server": "http://k"}, "input server: 'http://k' does not begin with https://"),
        ({**_OIDC, "server": "k:6443"}, "input server: 'k:6443' does not begin with https://"),
        ({**_OIDC, "certificate-authority": "a"}, "input certificate-authority goes with input server alone"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_does_not_go_together(values: dict[str, str], message: str) -> None:
    """Is refused in the words of where it was written."""
    with pytest.raises(UsageError) as caught:
        access_of(values, input_name)
    assert caught.value.message.startswith(message)
    assert caught.value.hint


def test_they_are_options_like_all_others() -> None:
    """The one table holds them."""
    assert set(ACCESS) <= set(OPTIONS)
