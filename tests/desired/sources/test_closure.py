"""What a kustomization is built from: followed file by file, before it is built."""

from pathlib import Path

import pytest
from sourcing import put

from recon_action.desired.sources.charts import chart_of
from recon_action.desired.sources.closure import Closure, closure_of
from recon_action.desired.sources.copies import copied
from recon_action.desired.sources.outward import outward

A = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """An overlay, a base beside it, and what each of them names."""
    put(
        tmp_path,
        app__kustomization_yaml=(
            "resources: [../base, own.yaml, gone.yaml]\ncomponents: [../part]\n"
            "configMapGenerator: [{name: m, files: [key=data.txt]}]\ntransformers: [more.yaml]\n"
        ),
        app__own_yaml=A,
        app__data_txt="x",
        app__more_yaml="kind: PatchTransformer\npath: patch.yaml\ntarget: {kind: ConfigMap}\n",
        app__patch_yaml=A,
        app__unused_yaml=A,
        base__kustomization_yaml="resources: [a.yaml, ../app/own.yaml]\n",
        base__a_yaml=A,
        part__kustomization_yml="kind: Component\npatches: [{path: p.yaml}]\n",
        part__p_yaml=A,
    )
    return tmp_path


def _names(closure: Closure, root: Path) -> list[str]:
    return [str(file.relative_to(root)) for file in closure.files]


def test_everything_that_is_named_is_followed(repository: Path) -> None:
    """Through bases, components and the configurations of plugins; what lies there unnamed is left out."""
    found = closure_of(repository / "app", str(repository))
    assert _names(found, repository) == [
        "app/kustomization.yaml",
        "base/kustomization.yaml",
        "base/a.yaml",
        "app/own.yaml",
        "part/kustomization.yml",
        "part/p.yaml",
        "app/more.yaml",
        "app/patch.yaml",
        "app/data.txt",
    ]
    assert [folder.name for folder in found.levels] == ["app", "base", "part"]
    assert {file.name for file in found.values} == {"data.txt", "patch.yaml"}
    assert (found.remotes, found.faults, found.has_charts, found.is_spread) == ((), (), False, True)


@pytest.mark.parametrize(
    ("files", "left"),
    [
        pytest.param({"app__kustomization_yaml": "resources: [../../out]\n"}, "../../out", id="a-base"),
        pytest.param({"app__kustomization_yaml": "resources: [link/a.yaml]\n"}, "link/a.yaml", id="through-a-link"),
        pytest.param(
            {"app__kustomization_yaml": "resources: [link/../out/a.yaml]\n"},
            "link/../out/a.yaml",
            id="up-behind-a-link",
        ),
        pytest.param(
            {"app__kustomization_yaml": "resources: [inner]\n"}, "kustomization.yaml", id="a-linked-kustomization"
        ),
        pytest.param(
            {"app__kustomization_yaml": "transformers:\n- |-\n  kind: PatchTransformer\n  path: ../../out/a.yaml\n"},
            "../../out/a.yaml",
            id="a-plugin-in-place",
        ),
        pytest.param(
            {
                "app__kustomization_yaml": "transformers: [t]\n",
                "app__t__kustomization_yaml": "resources: [p.yaml]\n",
                "app__t__p_yaml": "kind: PatchTransformer\npath: ../../../out/a.yaml\n",
            },
            "../../../out/a.yaml",
            id="a-plugin-in-a-kustomization",
        ),
        pytest.param(
            {"app__kustomization_yaml": "helmCharts: [{name: c, valuesFile: ../../out/a.yaml}]\n"},
            "../../out/a.yaml",
            id="values",
        ),
        pytest.param(
            {"app__kustomization_yaml": "helmCharts: [{name: c}]\n", "app__charts__c__Chart_yaml": "name: c\n"},
            "key",
            id="a-link-in-a-chart",
        ),
    ],
)
def test_what_leaves_the_repository_is_a_fault(tmp_path: Path, files: dict[str, str], left: str) -> None:
    """However it is named; links are where they lead, and one up from a linked folder is up there."""
    put(tmp_path, out__a_yaml=A, out__kustomization_yaml="resources: [a.yaml]\n")
    root = tmp_path / "repository"
    put(root, **files)
    (root / "app/link").symlink_to(tmp_path / "out")
    (root / "app/inner").mkdir()
    (root / "app/inner/kustomization.yaml").symlink_to(tmp_path / "out/kustomization.yaml")
    if (root / "app/charts/c").is_dir():
        (root / "app/charts/c/key").symlink_to(tmp_path / "out/a.yaml")
    found = closure_of(root / "app", str(root))
    assert [fault.message for fault in found.faults] == [
        f"{left} leads out of the repository, so nothing is made of it"
    ]
    assert not any(file.is_relative_to(tmp_path / "out") for file in found.files)


def test_without_a_repository_nothing_is_left(tmp_path: Path) -> None:
    """Somebody else's folder beside the named one is what was meant."""
    put(tmp_path, app__kustomization_yaml="resources: [../base]\n", base__kustomization_yaml="resources: []\n")
    found = closure_of(tmp_path / "app", "")
    assert (len(found.levels), found.faults, found.is_spread) == (2, (), False)


def test_a_circle_ends(tmp_path: Path) -> None:
    """Each kustomization is followed once."""
    put(tmp_path, a__kustomization_yaml="resources: [../b]\n", b__kustomization_yaml="resources: [../a]\n")
    assert [folder.name for folder in closure_of(tmp_path / "a", "").levels] == ["a", "b"]


def test_a_chart_that_helm_would_take_for_an_option_is_refused(tmp_path: Path) -> None:
    """Older kustomizes hand it over as it is."""
    put(tmp_path, a__kustomization_yaml="helmCharts: [{name: --post-renderer=x}]\n")
    (fault,) = closure_of(tmp_path / "a", "").faults
    assert fault.message == "a chart can't be called --post-renderer=x"


@pytest.mark.parametrize("text", ["a: [", "- a\n- b\n", "resources: {a: b}\npatches: x\nhelmGlobals: 1\n", ""])
def test_a_kustomization_that_says_nothing_is_kustomize_s_to_tell_of(tmp_path: Path, text: str) -> None:
    """It is built from itself alone."""
    put(tmp_path, a__kustomization_yaml=text)
    assert _names(closure_of(tmp_path / "a", ""), tmp_path) == ["a/kustomization.yaml"]


def test_a_copy_is_laid_out_as_the_folder_is(tmp_path: Path) -> None:
    """Links included; what was put in a file's place is in the copy alone."""
    put(tmp_path, app__kustomization_yaml="resources: [link/a.yaml]\n", base__a_yaml=A)
    (tmp_path / "app/link").symlink_to(tmp_path / "base")
    found = closure_of(tmp_path / "app", str(tmp_path))
    contents = {file: file.read_bytes() for file in found.files} | {tmp_path / "base/a.yaml": b"other"}
    (tmp_path / "home").mkdir()
    with copied(contents, found.links, tmp_path / "home") as copy:
        app = copy.place(tmp_path / "app")
        assert (app / "link/a.yaml").read_bytes() == b"other"
        assert (app / "link").is_symlink()
    assert not list((tmp_path / "home").iterdir())
    assert (tmp_path / "base/a.yaml").read_text() == A


def test_what_lies_outside_of_a_commits_paths_is_asked_for(repository: Path) -> None:
    """Bases, components, charts beside a chart; addresses and what leaves the repository are not."""
    put(
        repository,
        app__kustomization_yaml="resources: [../base, https://x.example/a, ../../out, a.yaml]\n",
        chart__Chart_yaml="name: c\ndependencies: [{name: l, repository: 'file://../library'}, {name: r}]\n",
    )
    assert set(outward(repository, ["app/kustomization.yaml", "chart/Chart.yaml", "app/own.yaml"])) == {
        "base",
        "app/a.yaml",
        "library",
    }


@pytest.mark.parametrize(
    ("files", "missing"),
    [
        pytest.param({}, ["x"], id="nothing-there"),
        pytest.param({"c__charts__x-1.2.3.tgz": ""}, [], id="an-archive"),
        pytest.param({"c__charts__other__Chart_yaml": "name: x\n"}, [], id="a-folder-of-another-name"),
        pytest.param({"c__charts__y-1.2.3.tgz": ""}, ["x"], id="another-archive"),
    ],
)
def test_what_a_chart_lacks(tmp_path: Path, files: dict[str, str], missing: list[str]) -> None:
    """A chart that it needs is in its folder `charts`, as a folder or an archive."""
    put(tmp_path, c__Chart_yaml="name: c\nversion: 1.0.0\ndependencies: [{name: x, repository: 'https://r.example'}]\n")
    for name, text in files.items():
        file = tmp_path / name.replace("__", "/").replace("_yaml", ".yaml")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    chart = chart_of(tmp_path / "c", "", [])
    assert [one.name for one in chart.missing] == missing
    assert len(chart.closure.remotes) == len(missing)


def test_charts_of_the_first_api_have_their_needs_in_a_file_of_their_own(tmp_path: Path) -> None:
    """`requirements.yaml`, as Helm 2 had it."""
    put(tmp_path, c__Chart_yaml="apiVersion: v1\nname: c\n", c__requirements_yaml="dependencies: [{name: x}]\n")
    assert [one.name for one in chart_of(tmp_path / "c", "", []).missing] == ["x"]
