"""The cluster as a command's options name it, where the job's own token is who asks."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_issuer import SECRET, FakeIssuer, fake_issuer

from recon_action.cli.access import read_access
from recon_action.cli.app import run
from recon_action.config import ACCESS

_OIDC = {"auth": "github-oidc", "audience": "lab", "server": "https://127.0.0.1:1"}


@pytest.fixture
def issuer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeIssuer]:
    """This is a job that may have a token."""
    with fake_issuer(tmp_path) as running:
        for name, value in (running.variables | {"GITHUB_ACTIONS": "true"}).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("SSL_CERT_FILE", str(running.authority))
        yield running


def test_tokens_are_masked_on_stderr(issuer: FakeIssuer, capsys: pytest.CaptureFixture[str]) -> None:
    """The runner reads both streams, and stdout carries the report alone."""
    access = read_access({option.key: _OIDC.get(option.name, "") for option in ACCESS})
    assert access.bearer is not None
    token = access.bearer(lambda _: False).token()
    assert capsys.readouterr() == ("", f"::add-mask::{SECRET}\n::add-mask::{token}\n")


def test_elsewhere_there_is_no_token(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """On a laptop, say; every command tells so, before it reads anything."""
    for name in ("GITHUB_ACTIONS", "ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    options = [part for name, value in _OIDC.items() for part in (f"--{name}", value)]
    for command in (["diff", "nowhere"], ["hold", "a/b"], ["release", "shop"]):
        assert run([*command, *options]) == 2
        assert "only a job of GitHub Actions has an OIDC token" in capsys.readouterr().err
