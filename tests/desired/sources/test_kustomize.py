"""Kustomizations: what is built, where it comes from, and what is refused, by the real program."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from sourcing import bodies, faults_of, keyed, objects, origins, put

from recon_action.desired import load, locate
from recon_action.errors import ExitCode, ProgramError
from recon_action.model import FieldPath, Position, SourceSettings

WEB = """\
# the shop's front
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  template:
    spec:
      containers:
      - name: web
        image: nginx:1
"""
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\ndata: {a: b}\n"


@pytest.fixture
def shop(folder: Path, tools: Mapping[str, Path]) -> Path:
    """A base and an overlay that changes it."""
    put(
        folder,
        base__web_yaml=MAP % "other" + "---\n" + WEB,
        base__kustomization_yaml="resources: [web.yaml]\n",
        prod__kustomization_yaml=(
            "namePrefix: prod-\nresources: [../base]\npatches: [{path: more.yaml}]\n"
            "configMapGenerator:\n- name: settings\n  literals: [color=blue]\n"
        ),
        prod__more_yaml="apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 5\n",
    )
    return folder


def test_a_folder_with_a_kustomization_is_built(shop: Path) -> None:
    """What comes out is what kustomize makes of it, each object with the file that it was made from."""
    desired = load(["prod"])
    (settings,) = [name for name in bodies(desired) if "settings" in name]
    assert {name: body.get("metadata") for name, body in bodies(desired).items()} == {
        "ConfigMap prod-other": {"name": "prod-other"},
        "Deployment prod-web": {"name": "prod-web"},
        settings: {"name": settings.partition(" ")[2]},
    }
    assert origins(desired) == {
        "ConfigMap prod-other": "base/web.yaml:1",
        "Deployment prod-web": "base/web.yaml:7",
        settings: "prod/kustomization.yaml:5",
    }
    assert {(one.origin.source, one.origin.via) for one in desired.manifests} == {("kustomize", "prod")}


def test_a_changed_field_is_located_where_its_value_is_stated(shop: Path) -> None:
    """In the patch, or in the base; what none states is located at the object."""
    desired = load(["prod"])
    (web,) = [one.ref for one in desired.manifests if one.ref.name == "prod-web"]
    replicas, image, name = (
        FieldPath(("spec", "replicas")),
        FieldPath(("spec", "template", "spec", "containers", 0, "image")),
        FieldPath(("metadata", "name")),
    )
    found = locate(desired, {web: [replicas, image, name]})
    assert found[web, replicas] == Position("prod/more.yaml", 5, 3)
    assert found[web, image] == Position("base/web.yaml", 16, 9)
    assert found[web, name].file == "base/web.yaml"


@pytest.mark.parametrize(
    ("path", "built"),
    [
        pytest.param(".", {"prod", "lone"}, id="bases-are-built-where-they-are-used"),
        pytest.param("base", {"base"}, id="unless-they-are-named"),
        pytest.param("*", {"prod", "lone"}, id="a-glob-finds-and-does-not-name"),
        pytest.param("base/kustomization.yaml", {"base"}, id="by-its-file"),
        pytest.param("base/web.yaml", {""}, id="a-file-is-a-file"),
    ],
)
def test_what_is_built_by_itself(shop: Path, path: str, built: set[str]) -> None:
    """Kustomizations that no other one uses; components never, but where they are named."""
    put(
        shop,
        lone__kustomization_yaml="resources: [a.yaml]\n",
        lone__a_yaml=MAP % "lone",
        part__kustomization_yaml="kind: Component\nresources: [b.yaml]\n",
        part__b_yaml=MAP % "part",
    )
    desired = load([path])
    assert {one.origin.via for one in desired.manifests} == built


def test_what_is_not_built_by_itself_is_told(shop: Path) -> None:
    """A base, and a component that nobody uses, are counted with their reason."""
    put(shop, part__kustomization_yaml="kind: Component\nnamePrefix: x-\n")
    assert {one.file: one.reason for one in load(["."]).skipped} == {
        "base/kustomization.yaml": "built as a part of prod",
        "part/kustomization.yaml": "a component: it is built by the kustomization that uses it",
    }


def test_kustomizations_that_use_each_other_are_not_lost(shop: Path) -> None:
    """Kustomize tells of the circle; nothing of it is passed over."""
    put(shop, a__kustomization_yaml="resources: [../b]\n", b__kustomization_yaml="resources: [../a]\n")
    assert any("cycle" in fault for fault in faults_of(["."]))


def test_without_rendering_files_are_read_as_they_are(shop: Path) -> None:
    """As before: a kustomization is none of the objects."""
    desired = load(["base"], settings=SourceSettings(render=False))
    assert origins(desired) == {"ConfigMap other": "base/web.yaml:1", "Deployment web": "base/web.yaml:7"}
    assert [one.origin.source for one in desired.manifests] == ["plain", "plain"]


@pytest.mark.parametrize(
    "top",
    [
        pytest.param("", id="as-it-is"),
        pytest.param("buildMetadata: [managedByLabel]\n", id="a-label"),
        pytest.param("buildMetadata: [originAnnotations]\n", id="origins-of-its-own"),
        pytest.param("buildMetadata: [transformerAnnotations]\n", id="traces-of-its-own"),
        pytest.param("openapi: {path: schema.json}\n", id="a-schema"),
        pytest.param("sortOptions: {order: fifo}\n", id="an-order"),
        pytest.param("commonAnnotations: {a: b}\n", id="annotations"),
    ],
)
def test_objects_are_those_of_kustomize_alone(shop: Path, tools: Mapping[str, Path], top: str) -> None:
    """That we ask where they come from changes none of them, whatever holds only at the top of a build."""
    schema = (
        '{"definitions": {"v1.Web": {"type": "object", "properties": {"items": {"type": "array", "items": {"type": '
        '"object"}, "x-kubernetes-patch-merge-key": "id", "x-kubernetes-patch-strategy": "merge"}},'
        '"x-kubernetes-group-version-kind": [{"group": "example.com", "kind": "Web", "version": "v1"}]}}}'
    )
    kustomization = (shop / "prod/kustomization.yaml").read_text()
    put(
        shop,
        prod__schema_json=schema,
        prod__kustomization_yaml=top
        + kustomization.replace("more.yaml}", "more.yaml}, {path: own.yaml}").replace(
            "[../base]", "[../base, new.yaml]"
        ),
        prod__new_yaml="apiVersion: example.com/v1\nkind: Web\nmetadata: {name: w}\nitems: [{id: 1, a: b}, {id: 2}]\n",
        prod__own_yaml="apiVersion: example.com/v1\nkind: Web\nmetadata: {name: w}\nitems: [{id: 1, c: d}]\n",
    )
    alone = subprocess.run([tools["kustomize"], "build", "prod"], capture_output=True, check=True).stdout
    assert keyed(load(["prod"])) == objects(alone)


@pytest.mark.parametrize(
    ("kustomization", "told"),
    [
        pytest.param(
            "resources:\n- web.yaml\n- github.com/acme/shop//deploy?ref=v1\n",
            "app/kustomization.yaml:3:3: github.com/acme/shop//deploy?ref=v1 is not in the repository",
            id="a-remote-base",
        ),
        pytest.param(
            "resources: [https://example.com/a.yaml]\n",
            "app/kustomization.yaml:1:13: https://example.com/a.yaml is not in the repository",
            id="a-remote-file",
        ),
        pytest.param(
            "helmCharts:\n- name: redis\n  version: 1.0.0\n  repo: https://charts.example.com\n",
            "app/kustomization.yaml:2:3: the chart redis is not in charts/redis-1.0.0",
            id="a-remote-chart",
        ),
    ],
)
def test_the_network_is_not_used_unasked(folder: Path, kustomization: str, told: str) -> None:
    """What would need it is told with its line before any program runs."""
    put(folder, app__kustomization_yaml=kustomization, app__web_yaml=WEB)
    hint = "put it into the repository, or allow the network with --allow-network"
    assert faults_of(["app"]) == [f"{told} — {hint}"]


def test_nothing_leaves_the_repository(folder: Path, tools: Mapping[str, Path]) -> None:
    """Neither a base nor a link to a file is followed out of it."""
    put(
        folder,
        out__kustomization_yaml="resources: [a.yaml]\n",
        out__a_yaml=MAP % "out",
        repo__app__kustomization_yaml="resources: [../../out, b.yaml]\n",
    )
    (folder / "repo/.git").mkdir()
    (folder / "repo/app/b.yaml").symlink_to(folder / "out/a.yaml")
    leaves = "leads out of the repository, so nothing is made of it — put it into the repository"
    assert [fault.partition(": ")[2] for fault in faults_of(["repo/app"])] == [
        f"../../out {leaves}",
        f"b.yaml {leaves}",
    ]


@pytest.mark.parametrize(
    ("files", "place", "says"),
    [
        pytest.param(
            {"app__kustomization_yaml": "namePrefix: x-\nresources:\n- gone.yaml\n"},
            "app/kustomization.yaml:3:3",
            "gone.yaml",
            id="a-missing-file",
        ),
        pytest.param(
            {"app__kustomization_yaml": "resources: [a.yaml]\n", "app__a_yaml": "a: [\n"},
            "app/",
            "a.yaml",
            id="broken-yaml",
        ),
        pytest.param(
            {"app__kustomization_yaml": "resource: [a.yaml]\n"},
            "app/kustomization.yaml:1:1",
            "resource",
            id="a-wrong-field",
        ),
    ],
)
def test_errors_are_told_at_the_file_that_caused_them(
    folder: Path, tools: Mapping[str, Path], files: dict[str, str], place: str, says: str
) -> None:
    """In kustomize's own words, without our own folders in them."""
    put(folder, **files)
    (fault,) = faults_of(["app"])
    assert fault.startswith(place)
    assert "kustomize: " in fault
    assert says in fault
    assert "recon-action-" not in fault


def test_a_chart_of_a_kustomization_is_rendered(folder: Path, tools: Mapping[str, Path]) -> None:
    """With kustomize's own helmCharts, from a chart that lies in the repository."""
    put(
        folder,
        app__kustomization_yaml="helmCharts:\n- {name: tiny, releaseName: one}\n",
        app__charts__tiny__Chart_yaml="apiVersion: v2\nname: tiny\nversion: 0.1.0\n",
        app__charts__tiny__values_yaml="{}",
        app__charts__tiny__templates__a_yaml=MAP % "{{ .Release.Name }}",
    )
    assert origins(load(["."])) == {"ConfigMap one": "app/kustomization.yaml:1"}


@pytest.mark.parametrize("is_repository", [True, False], ids=["repository", "none"])
def test_files_may_lie_anywhere_in_the_repository(folder: Path, tools: Mapping[str, Path], is_repository: bool) -> None:
    """As under Flux; outside of any repository kustomize's own rule holds."""
    put(
        folder,
        app__kustomization_yaml=(
            "resources: [../shared/a.yaml]\nhelmGlobals: {chartHome: ../charts}\nhelmCharts: [{name: tiny}]\n"
        ),
        shared__a_yaml=MAP % "shared",
        charts__tiny__Chart_yaml="apiVersion: v2\nname: tiny\nversion: 0.1.0\n",
        charts__tiny__values_yaml="{}",
        charts__tiny__templates__a_yaml=MAP % "tiny",
    )
    if is_repository:
        (folder / ".git").mkdir()
        assert origins(load(["app"])) == {
            "ConfigMap shared": "shared/a.yaml:1",
            "ConfigMap tiny": "app/kustomization.yaml:1",
        }
    else:
        (fault,) = faults_of(["app"])
        assert "is not in or below" in fault


def test_a_missing_program_says_how_to_get_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not fetched unasked."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    put(folder, app__kustomization_yaml="resources: [a.yaml]\n", app__a_yaml=MAP % "a")
    with pytest.raises(ProgramError) as caught:
        load(["app"], environ={"PATH": str(folder)})
    assert "kustomize is needed" in caught.value.message
    assert "recon-action tools install kustomize" in caught.value.hint


def test_programs_get_no_credentials(folder: Path) -> None:
    """Kustomize and helm see PATH and folders of their own, and nothing that a workflow knows."""
    (folder / "bin").mkdir()
    program = folder / "bin/kustomize"
    program.write_text(
        '#!/bin/sh\nenv | cut -d= -f1 | sort | tr "\\n" " " | sed "s/^/apiVersion: v1\\nkind: ConfigMap\\n'
        'metadata: {name: a}\\ndata: {seen: /; s/\\$/}/"\n'
    )
    program.chmod(0o755)
    put(folder, app__kustomization_yaml="resources: [a.yaml]\n", app__a_yaml=MAP % "a")
    secret = {
        "SOPS_AGE_KEY": "x",
        "GITHUB_TOKEN": "x",
        "KUBECONFIG": "x",
        "AWS_SECRET_ACCESS_KEY": "x",
        "HOME": "/root",
    }
    desired = load(["app"], environ={"PATH": f"{folder / 'bin'}:/usr/bin:/bin", **secret})
    seen = set(desired.manifests[0].body["data"]["seen"].split())
    assert not seen & (secret.keys() - {"HOME"})
    assert {"PATH", "HOME", "TMPDIR"} <= seen


@pytest.mark.parametrize("paths", [["a"], ["a", "b"]], ids=["one", "side-by-side"])
def test_an_interrupt_ends_what_runs(folder: Path, processes: Any, paths: list[str]) -> None:
    """Nobody waits for a program that takes its time, nor does one stay behind."""
    program = folder / "bin/kustomize"
    put(folder, a__kustomization_yaml="resources: [a.yaml]\n", b__kustomization_yaml="resources: [a.yaml]\n")
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho $$ > {folder}/begun.$$\nexec sleep 60\n")
    program.chmod(0o755)
    command = [sys.executable, "-m", "recon_action", "diff", *paths]
    environ = {**os.environ, "RECON_TOOLS": str(program.parent)}
    with subprocess.Popen(command, env=environ, stderr=subprocess.DEVNULL) as running:
        while len(begun := list(folder.glob("begun.*"))) < len(paths):
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        assert running.wait(20) == ExitCode.INTERRUPTED
    assert not processes.living([int(file.suffix[1:]) for file in begun])
