"""Kustomizations, charts and encrypted files on a real server: applied, in sync, changed by hand, found, corrected."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from encryption import Key, encrypt, make_key
from repository import git
from sourcing import CHARTS, tools
from target import DEPLOYMENT, Target, told

from recon_action.errors import ExitCode
from recon_action.lab import Lab
from recon_action.model import Bucket, Output, Settings, SourceSettings
from recon_action.preview import preview
from recon_action.report import render
from recon_action.report.document import Report

__all__ = ["tools"]

_PASSWORD = "encrypted-password-1"
_TOKEN = "encrypted-token-22"
_SECRET = f"apiVersion: v1\nkind: Secret\nmetadata: {{name: login}}\nstringData: {{password: {_PASSWORD}}}\n"
_MAP = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: settings}}\ndata: {{color: blue, token: {_TOKEN}}}\n"


@pytest.fixture
def target(
    lab: Lab, namespace: str, tmp_path: Path, tools: Mapping[str, Path], monkeypatch: pytest.MonkeyPatch
) -> Target:
    """An empty target."""
    for name in ("SOPS_AGE_KEY", "SOPS_AGE_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)
    return Target(lab, namespace, tmp_path / "repository")


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> Key:
    """A key that is at hand."""
    made = make_key()
    monkeypatch.setenv("SOPS_AGE_KEY", made.secret)
    return made


def _overlay(target: Target) -> None:
    target.write("base/web.yaml", DEPLOYMENT)
    target.write("base/kustomization.yaml", "resources: [web.yaml]\n")
    target.write(
        "prod/kustomization.yaml",
        "namePrefix: prod-\nresources: [../base]\npatches: [{path: more.yaml}]\n"
        "configMapGenerator: [{name: settings, literals: [color=blue]}]\n",
    )
    target.write(
        "prod/more.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 5\n"
    )


def test_an_overlay(target: Target) -> None:
    """What a person changes is found where Git states it: in the overlay's patch."""
    _overlay(target)
    assert target.apply().exit_code is ExitCode.OK
    assert target.diff().counts.in_sync == 2
    target.kubectl("scale", "deployment", "prod-web", "--replicas=1")
    report = target.diff()
    (entry,) = report.entries
    (change,) = entry.changes
    assert entry.place is not None
    assert change.place is not None
    prefix = f"{target.folder}/" if report.revision is None else ""
    assert (entry.place.file.removeprefix(prefix), entry.place.source) == ("base/web.yaml", "kustomize")
    assert (change.place.file.removeprefix(prefix), change.place.line) == ("prod/more.yaml", 5)
    assert ", from overlay " in " ".join(render(report, Output.TEXT).split())
    assert target.apply().exit_code is ExitCode.OK
    assert target.get("deployment", "prod-web")["spec"]["replicas"] == 5


def test_a_chart(target: Target) -> None:
    """Rendered for the lab's own version; its test is told as left alone; drift links to the template."""
    shutil.copytree(CHARTS / "shop", target.folder)
    report = target.apply()
    assert report.exit_code is ExitCode.OK
    assert target.get("configmap", "shop-shop-settings")["data"]["version"] == report.server_version
    assert told(report)[f"Pod {target.namespace}/shop-shop-reachable"] == "skipped"
    report = target.diff()
    assert (report.counts.in_sync, report.counts.skipped) == (4, 1)
    target.kubectl("patch", "configmap", "shop-shop-settings", "-p", '{"data": {"color": "red"}}')
    (entry,) = [one for one in target.diff().entries if one.bucket is Bucket.DRIFTED]
    assert entry.place
    assert entry.place.file.endswith("templates/settings.yaml")
    assert ", from chart " in " ".join(render(target.diff(), Output.MARKDOWN).split())
    assert target.apply().exit_code is ExitCode.OK
    assert target.diff().counts.in_sync == 4


def test_encrypted_files(target: Target, key: Key, tools: Mapping[str, Path]) -> None:
    """Applied decrypted; no report shows a value of either side; encrypting anew moves nothing."""
    target.write("secret.yaml", _SECRET)
    target.write("settings.yaml", _MAP)
    encrypt(tools["sops"], target.folder / "secret.yaml", key.recipient)
    encrypt(tools["sops"], target.folder / "settings.yaml", key.recipient, "--encrypted-regex", "^token$")
    first = target.apply()
    assert first.exit_code is ExitCode.OK
    assert "sops" not in target.get("configmap", "settings")
    assert target.get("configmap", "settings")["data"]["token"] == _TOKEN
    assert target.diff().counts.in_sync == 2
    target.kubectl("patch", "configmap", "settings", "-p", '{"data": {"token": "live-token-333", "color": "red"}}')
    target.kubectl("patch", "secret", "login", "-p", '{"stringData": {"password": "live-password-4"}}')
    report = target.diff()
    assert told(report)[f"ConfigMap {target.namespace}/settings"] == "drifted modified data.color data.token"
    shown = "".join(render(one, form) for one in (first, report) for form in Output if form is not Output.SARIF)
    for value in (_TOKEN, _PASSWORD, "live-token-333", "live-password-4"):
        assert value not in shown
    assert "red" in shown
    assert target.apply().exit_code is ExitCode.OK
    target.write("secret.yaml", _SECRET)
    encrypt(tools["sops"], target.folder / "secret.yaml", key.recipient)
    assert target.diff().counts.in_sync == 2


@pytest.fixture
def repository(target: Target, key: Key, tools: Mapping[str, Path], monkeypatch: pytest.MonkeyPatch) -> Target:
    """A repository with an overlay, a chart with values beside it, and an encrypted Secret, all applied."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    _overlay(target)
    shutil.copytree(CHARTS / "umbrella", target.folder / "charts/umbrella")
    shutil.copytree(CHARTS / "library", target.folder / "charts/library")
    target.write("values/prod.yaml", "global: {region: us}\n")
    target.write("prod/secret.yaml", _SECRET)
    target.write(
        "prod/kustomization.yaml",
        (target.folder / "prod/kustomization.yaml").read_text().replace("[../base]", "[../base, secret.yaml]"),
    )
    encrypt(tools["sops"], target.folder / "prod/secret.yaml", key.recipient)
    target.write("recon.yaml", "sources:\n  charts: [{path: charts/umbrella, values: [values/prod.yaml]}]\n")
    git(target.folder, "init", "--quiet", "--initial-branch=main")
    _commit(target)
    git(target.folder, "checkout", "--quiet", "-b", "change")
    return target


def _commit(target: Target) -> None:
    git(target.folder, "add", "--all", ".")
    git(target.folder, "commit", "--quiet", "--message=change")


def _settings(target: Target, **options: Any) -> Settings:
    paths = tuple(str(target.folder / name) for name in ("prod", "charts/umbrella"))
    return replace(target.settings(**options), paths=paths)


def _preview(target: Target, **options: Any) -> Report:
    return preview(_settings(target, **options), "main", "change", config=str(target.folder / "recon.yaml"))


def test_a_preview_of_sources(repository: Target) -> None:
    """Through the overlay from its base, and in the chart through its values; encrypted objects are left alone."""
    repository.write("base/web.yaml", DEPLOYMENT.replace("web:1", "web:2"))
    repository.write("values/prod.yaml", "global: {region: asia}\n")
    _commit(repository)
    report = _preview(repository)
    changed = {entry.ref.name: entry for entry in report.entries if entry.bucket is Bucket.PENDING}
    assert {"prod-web", "umbrella-region", "umbrella-cache", "umbrella-sessions"} <= changed.keys()
    place = changed["prod-web"].place
    assert place is not None
    assert (place.file, place.via) == ("base/web.yaml", "prod")
    (login,) = [entry for entry in report.entries if entry.ref.name == "prod-login"]
    assert login.bucket is Bucket.SKIPPED
    assert "a preview decrypts only with `decrypt: true`" in login.reason
    assert "ENC[" not in render(report, Output.JSON)


def test_a_preview_with_a_key(repository: Target, key: Key, tools: Mapping[str, Path]) -> None:
    """Asked to, a preview decrypts, and shows no value."""
    repository.write("prod/secret.yaml", _SECRET.replace(_PASSWORD, "another-password-5"))
    encrypt(tools["sops"], repository.folder / "prod/secret.yaml", key.recipient)
    _commit(repository)
    report = _preview(repository, sources=SourceSettings(decrypt=True))
    (login,) = [entry for entry in report.entries if entry.ref.name == "prod-login"]
    assert login.bucket is Bucket.PENDING
    assert "password-" not in render(report, Output.JSON)
