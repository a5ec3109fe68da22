"""The programs that render sources, for every suite that needs them."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from recon_action.desired import ManifestError, load
from recon_action.desired.sources.tools import FOLDER, PROGRAMS, tool_places
from recon_action.model import Capabilities, Desired, Quiet, RenderTarget, Resource, SourceSettings
from recon_action.programs.build import find_go
from recon_action.programs.checksums import read_checksums
from recon_action.programs.obtain import obtain
from recon_action.programs.places import find

CHARTS = Path(__file__).parent.parent / "charts"


@pytest.fixture(scope="session")
def tools(
    require: Callable[[object, str], None], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Mapping[str, Path]]:
    """Where kustomize, helm and sops are, in the versions that are pinned; built the first time, which takes minutes.

    For the time of the tests they outweigh what PATH has.
    """
    places = tool_places(os.environ)
    go = find_go(places.path)
    pinned = replace(places, path=str(go.parent) if go else "")
    missing = [program.name for program in PROGRAMS if not find(program, pinned)]
    require(not missing or go, f"{', '.join(missing)} can't be had without Go")
    found = obtain(PROGRAMS, pinned, read_checksums(), Quiet())
    folder = tmp_path_factory.mktemp("tools")
    for name, path in found.items():
        (folder / name).symlink_to(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDER, str(folder))
        yield found


def put(folder: Path, **files: str) -> None:
    """Write files: `a__b_yaml` is a/b.yaml."""
    for name, text in files.items():
        file = folder / name.replace("__", "/").replace("_", ".")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def bodies(desired: Desired) -> dict[str, Any]:
    """What was read, by kind and name."""
    return {str(manifest.ref): manifest.body for manifest in desired.manifests}


def origins(desired: Desired) -> dict[str, str]:
    """Where it comes from, by kind and name."""
    return {str(manifest.ref): str(manifest.origin.position) for manifest in desired.manifests}


def faults_of(paths: Sequence[str], **settings: Any) -> list[str]:
    """What keeps the paths from being read."""
    with pytest.raises(ManifestError) as caught:
        load(paths, settings=SourceSettings(**settings))
    return [str(fault) for fault in caught.value.faults]


def objects(text: bytes | str) -> dict[tuple[str, str, str, str], Any]:
    """What a program has printed, by API version, kind, namespace and name."""
    found = {}
    for body in yaml.load_all(text, Loader=_Loader):
        if body:
            metadata = body["metadata"]
            key = (body["apiVersion"], body["kind"], metadata.get("namespace", ""), metadata.get("name", ""))
            assert key not in found
            found[key] = body
    return found


def keyed(desired: Desired) -> dict[tuple[str, str, str, str], Any]:
    """What was read, in the same way."""
    return {
        (one.body["apiVersion"], one.ref.kind, one.body["metadata"].get("namespace", ""), one.ref.name): one.body
        for one in desired.manifests
    }


def render_target(version: str = "v1.36.1", *extra: Resource, namespace: str = "") -> RenderTarget:
    """A cluster as charts see it."""
    resources = (Resource("networking.k8s.io", "v1", "Ingress", "ingresses", namespaced=True), *extra)
    served = {(resource.group, resource.kind): (resource,) for resource in resources}
    return RenderTarget(Capabilities(version, served), namespace)


class _Loader(yaml.CSafeLoader):
    """YAML as Kubernetes' programs write it: dates are texts."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}
