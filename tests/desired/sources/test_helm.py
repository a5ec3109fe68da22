"""Charts: what is rendered, for which cluster, and what is refused, by the real program."""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from sourcing import CHARTS, bodies, faults_of, keyed, objects, origins, put, render_target

from recon_action.analyze.resolve import resolve
from recon_action.desired import load
from recon_action.desired.sources.helm import cluster_options
from recon_action.model import ChartSettings, Resource, SourceSettings


@pytest.fixture
def charts(folder: Path, tools: Mapping[str, Path]) -> Path:
    """The charts of the tests, as a repository has them."""
    shutil.copytree(CHARTS, folder / "charts")
    return folder


@pytest.mark.parametrize(
    ("name", "options"),
    [
        pytest.param("shop", {}, id="helpers-conditionals-ranges"),
        pytest.param("shop", {"sets": ("autoscaling.enabled=true", "ingress.enabled=false")}, id="other-conditions"),
        pytest.param("operator", {"sets": ("owner=me",)}, id="definitions-hooks-look-ups"),
        pytest.param("umbrella", {"sets": ("cache.enabled=false",)}, id="charts-in-a-chart"),
    ],
)
def test_objects_are_those_of_helm_template(
    charts: Path, tools: Mapping[str, Path], name: str, options: dict[str, Any]
) -> None:
    """Object by object, hooks and tests among them."""
    target = render_target()
    ours = keyed(load([f"charts/{name}"], settings=SourceSettings(release="one", **options), target=lambda: target))
    subprocess.run([tools["helm"], "dependency", "build", f"charts/{name}"], check=True, capture_output=True)
    command = [tools["helm"], "template", "one", f"charts/{name}", "--include-crds", *cluster_options(target)]
    command += [part for text in options.get("sets", ()) for part in ("--set", text)]
    assert ours == objects(subprocess.run(command, check=True, capture_output=True).stdout)


def test_every_object_knows_its_template(charts: Path) -> None:
    """The file, and the line of its document where only one of its kind fits."""
    desired = load(["charts/operator"], settings=SourceSettings(sets=("owner=me",)))
    assert origins(desired) == {
        "CustomResourceDefinition widgets.example.com": "charts/operator/crds/widgets.yaml:1",
        "CustomResourceDefinition gadgets.example.com": "charts/operator/crds/widgets.yaml:15",
        "ServiceAccount operator": "charts/operator/templates/hooks.yaml:15",
        "Secret token": "charts/operator/templates/token.yaml:2",
        "Widget one": "charts/operator/templates/widgets.yaml:3",
        "Widget two": "charts/operator/templates/widgets.yaml:3",
        "Job migrate": "charts/operator/templates/hooks.yaml:1",
    }
    assert {(one.origin.source, one.origin.via) for one in desired.manifests} == {("helm", "charts/operator")}


def test_a_chart_is_rendered_for_its_cluster(charts: Path) -> None:
    """Its version, its kinds, and its namespace."""
    shops = Resource("shop.example.com", "v1", "Shop", "shops", namespaced=True)
    target = render_target("v1.35 (emulated by v1.37.2)", shops, namespace="market")
    found = bodies(load(["charts/shop"], target=lambda: target))
    assert "Shop shop-shop" in found
    data = found["ConfigMap shop-shop-settings"]["data"]
    assert (data["version"], data["namespace"]) == ("v1.35.0", "market")
    assert "Shop shop-shop" not in bodies(load(["charts/shop"], target=render_target))


def test_the_cluster_is_asked_only_for_charts(charts: Path) -> None:
    """And once for all of them."""
    asked = []

    def target() -> Any:
        asked.append(1)
        return render_target()

    put(charts, plain__a_yaml="apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    load(["plain"], target=target)
    assert not asked
    load(["charts/shop", "charts/umbrella"], target=target)
    assert len(asked) == 1


def test_values_outweigh_each_other(charts: Path) -> None:
    """The chart's own, those of recon.yaml, those of the command line, single values; last comes first."""
    put(
        charts,
        values__prod_yaml="settings: {color: red, size: big, shape: round}\nreplicas: 3\n",
        more_yaml="settings: {size: small}\n",
    )
    chart = ChartSettings("charts/*", "front", "market", ("values/prod.yaml",), ("settings.shape=square", "replicas=7"))
    settings = SourceSettings(values=("more.yaml",), sets=("replicas=9",), charts=(chart,))
    found = bodies(load(["charts/shop"], settings=settings))
    data = found["ConfigMap front-shop-settings"]["data"]
    assert {key: data[key] for key in ("color", "size", "shape", "currency", "namespace")} == {
        "color": "red", "size": "small", "shape": "square", "currency": "EUR", "namespace": "market",
    }  # fmt: skip
    assert found["Deployment front-shop"]["spec"]["replicas"] == 9


def test_objects_live_in_the_releases_namespace(charts: Path) -> None:
    """Where they name none: helm would put them there."""
    settings = SourceSettings(charts=(ChartSettings(namespace="market"),))
    desired = load(["charts/shop"], settings=settings)
    config_map = Resource("", "v1", "ConfigMap", "configmaps", namespaced=True)
    capabilities = render_target("v1.36.1", config_map).capabilities
    resolved = resolve(desired.manifests, capabilities, "elsewhere")
    assert {ref.namespace for ref in resolved.resources} == {"market"}


def test_what_lies_beside_a_chart_is_fetched_into_a_copy(charts: Path) -> None:
    """No network is needed, and nothing is written into the repository."""
    desired = load(["charts/umbrella"])
    assert {name: body["data"] for name, body in bodies(desired).items()} == {
        "ConfigMap umbrella-cache": {"size": "64Mi", "region": "eu"},
        "ConfigMap umbrella-sessions": {"size": "16Mi", "region": "eu"},
        "ConfigMap umbrella-region": {"region": "eu"},
    }
    assert not (charts / "charts/umbrella/charts/library-0.1.0.tgz").exists()
    assert not (charts / "charts/umbrella/Chart.lock").exists()
    assert origins(desired)["ConfigMap umbrella-region"] == "charts/umbrella/templates/region.yaml:1"


def test_a_library_is_rendered_by_who_uses_it(charts: Path) -> None:
    """In a folder of charts it is told and passed over."""
    shutil.rmtree(charts / "charts/umbrella")
    desired = load(["charts"], settings=SourceSettings(sets=("owner=me",)))
    assert [(one.file, one.reason) for one in desired.skipped] == [
        ("charts/library/Chart.yaml", "a library chart: it is rendered by the chart that uses it")
    ]


@pytest.mark.parametrize(
    ("files", "settings", "told"),
    [
        pytest.param(
            {"c__templates__a_yaml": 'a: 1\nb: {{ fail "no luck" }}\n'},
            {},
            "c/templates/a.yaml:2:6: helm: execution error at (c/templates/a.yaml:2:6): no luck",
            id="fail",
        ),
        pytest.param(
            {"c__templates__a_yaml": "a: {{ .Values.x | nope }}\n"},
            {},
            "c/templates/a.yaml:1:1: helm: parse error",
            id="parse",
        ),
        pytest.param({"c__templates__a_yaml": "a: {{ .Values.x.y.z }}\n"}, {}, "c/templates/a.yaml:1:", id="nil"),
        pytest.param(
            {"c__templates__a_yaml": "a: [\n"}, {}, "c/templates/a.yaml:1:1: helm: YAML parse error", id="broken-yaml"
        ),
        pytest.param(
            {"v_yaml": "a: [\n"}, {"values": ("v.yaml",)}, "v.yaml:1:1: helm: failed to parse", id="broken-values"
        ),
        pytest.param({}, {"values": ("gone.yaml",)}, "c/Chart.yaml:1:1: there is no ", id="no-values"),
        pytest.param(
            {
                "c__Chart_yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\ndependencies:\n"
                "- {name: x, version: 1, repository: https://r.example}\n"
            },
            {},
            "c/Chart.yaml:5:3: the chart x is not in c/charts — put it into the repository, or allow",
            id="not-fetched",
        ),
        pytest.param(
            {"c__Chart_yaml": "apiVersion: v2\nname: -c\nversion: 1.0.0\n"},
            {},
            "c/Chart.yaml:1:1: -c is no name for a release — give it one",
            id="no-name",
        ),
        pytest.param(
            {"c__templates__a_yaml": "kind: X\n"},
            {},
            "c/templates/a.yaml:1:1: of what is made of it, line",
            id="no-object",
        ),
    ],
)
def test_errors_are_told_at_the_file_that_caused_them(
    folder: Path, tools: Mapping[str, Path], files: dict[str, str], settings: dict[str, Any], told: str
) -> None:
    """In helm's own words, with the line that it names."""
    put(folder, c__Chart_yaml="apiVersion: v2\nname: c\nversion: 1.0.0\n", c__templates__ok_yaml="")
    put(folder, **files)
    (fault,) = faults_of(["c"], **settings)
    assert fault.startswith(told)
    assert "recon-action-" not in fault


def test_a_chart_reads_no_file_elsewhere(folder: Path, tools: Mapping[str, Path]) -> None:
    """Helm follows links; what a chart shows could be a key of the machine."""
    put(
        folder,
        c__Chart_yaml="apiVersion: v2\nname: c\nversion: 1.0.0\n",
        c__templates__a_yaml='kind: ConfigMap\nmetadata: {name: a}\ndata: {k: {{ .Files.Get "x" | quote }}}\n',
        key="secret",
    )
    (folder / "c/x").symlink_to(folder / "key")
    (fault,) = faults_of(["c"])
    assert "x leads out of the repository" in fault
