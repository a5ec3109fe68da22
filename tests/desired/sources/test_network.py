"""What is fetched once the network is allowed: into a copy, never into the repository."""

import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from sourcing import CHARTS, bodies, faults_of, put

from recon_action.desired import load
from recon_action.desired.sources.toolbox import Toolbox
from recon_action.model import SourceSettings

ONLINE = SourceSettings(network=True)
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: far}\n"


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def site(folder: Path, tools: Mapping[str, Path]) -> Iterator[str]:
    """The address of a server that has charts, in a repository of charts, and a manifest."""
    pages = folder / "pages"
    put(pages, far_yaml=MAP)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(pages)))
    url = f"http://127.0.0.1:{server.server_address[1]}"
    packed = (("package", str(CHARTS / name), "-d", str(pages)) for name in ("library", "shop"))
    for command in (*packed, ("repo", "index", str(pages), "--url", url)):
        subprocess.run([tools["helm"], *command], check=True, capture_output=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield url
    server.shutdown()
    server.server_close()


def _files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def test_a_chart_s_needs_are_fetched(folder: Path, site: str) -> None:
    """From the repository that it names."""
    shutil.copytree(CHARTS / "umbrella", folder / "repository/umbrella")
    chart = folder / "repository/umbrella/Chart.yaml"
    chart.write_text(chart.read_text().replace("file://../library", site))
    before = _files(folder / "repository")
    (fault,) = faults_of(["repository/umbrella"])
    assert "the chart library is not in umbrella/charts" in fault
    assert "ConfigMap umbrella-region" in bodies(load(["repository/umbrella"], settings=ONLINE))
    assert _files(folder / "repository") == before


def test_a_kustomization_s_chart_is_fetched(folder: Path, site: str) -> None:
    """As kustomize does it, which would put it beside the kustomization."""
    put(
        folder,
        repository__kustomization_yaml=(
            f"helmCharts: [{{name: shop, version: 1.2.0, releaseName: one, repo: '{site}'}}]\nresources: [a.yaml]\n"
        ),
        repository__a_yaml=MAP,
    )
    before = _files(folder / "repository")
    assert {"ConfigMap far", "Service one-shop"} <= bodies(load(["repository"], settings=ONLINE)).keys()
    assert _files(folder / "repository") == before


def test_a_remote_resource_is_fetched(folder: Path, site: str) -> None:
    """It comes from nowhere in the repository, so its place is the kustomization that names it."""
    put(folder, app__kustomization_yaml=f"resources: ['{site}/far.yaml']\n")
    (manifest,) = load(["app"], settings=ONLINE).manifests
    assert (str(manifest.ref), str(manifest.origin.position)) == ("ConfigMap far", "app/kustomization.yaml:1")


def test_what_is_not_there_is_told(folder: Path, site: str) -> None:
    """In the program's words."""
    put(folder, app__kustomization_yaml=f"resources: ['{site}/gone.yaml']\n")
    (fault,) = faults_of(["app"], network=True)
    assert "kustomize: " in fault
    assert "404" in fault


def test_only_who_may_use_the_network_gets_its_credentials() -> None:
    """Of key services to sops, of registries to helm; a token of the job to nobody."""
    credentials = {"AWS_ACCESS_KEY_ID": "x", "SOPS_AGE_KEY": "k", "GITHUB_TOKEN": "t", "INPUT_KUBECONFIG": "c"}
    environ = {"PATH": "/bin", "HOME": "/home/me", "HTTPS_PROXY": "http://proxy", "DOCKER_CONFIG": "/d", **credentials}
    offline, online = Toolbox(environ), Toolbox(environ, network=True)
    assert offline.environment("kustomize").keys() >= {"PATH", "GIT_ALLOW_PROTOCOL"}
    assert offline.environment("helm")["HOME"] == str(offline.home)
    assert offline.environment("helm")["HTTPS_PROXY"] == "http://127.0.0.1:9"
    assert offline.environment("sops")["HOME"] == "/home/me"
    assert "AWS_ACCESS_KEY_ID" not in offline.environment("sops")
    assert (online.environment("helm")["HOME"], online.environment("helm")["DOCKER_CONFIG"]) == ("/home/me", "/d")
    assert online.environment("sops")["AWS_ACCESS_KEY_ID"] == "x"
    for toolbox in (offline, online):
        for name in ("kustomize", "helm", "sops"):
            seen = toolbox.environment(name)
            assert not seen.keys() & {"GITHUB_TOKEN", "INPUT_KUBECONFIG"}
            assert ("SOPS_AGE_KEY" in seen) == (name == "sops")
        toolbox.close()
        assert not toolbox.home.exists()
