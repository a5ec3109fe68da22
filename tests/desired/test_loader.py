"""Loading PATHs: what comes out of good folders, and how bad ones are told of."""

import hashlib
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest

from recon_action.desired import ManifestError, load
from recon_action.errors import DesiredError, ExitCode, UsageError
from recon_action.model import ObjectRef, Quiet, SourceSettings

MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_manifests_come_in_order_with_their_origins(folder: Path) -> None:
    """Files sorted, documents and items in order; each manifest knows where it begins."""
    put(folder / "k8s/b.yaml", MAP.format(name="b1") + "---\n# a comment\n" + MAP.format(name="b2"))
    put(
        folder / "k8s/a.yaml",
        "apiVersion: v1\nkind: List\nitems:\n"
        "- {apiVersion: apps/v1, kind: Deployment, metadata: {name: a1, namespace: ns}}\n"
        "- apiVersion: v1\n  kind: ConfigMapList\n  items:\n  - metadata: {name: a2}\n",
    )
    desired = load(["k8s"])
    told = [
        (str(m.ref), m.origin.file, m.origin.document, m.origin.line, m.origin.item, m.version)
        for m in desired.manifests
    ]
    assert told == [
        ("Deployment ns/a1", "k8s/a.yaml", 0, 4, (0,), "v1"),
        ("ConfigMap a2", "k8s/a.yaml", 0, 8, (1, 0), "v1"),
        ("ConfigMap b1", "k8s/b.yaml", 0, 1, (), "v1"),
        ("ConfigMap b2", "k8s/b.yaml", 1, 7, (), "v1"),
    ]
    assert desired.manifests[0].ref == ObjectRef("apps", "Deployment", "ns", "a1")
    assert desired.manifests[1].body == {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a2"}}
    assert (desired.files, desired.skipped, desired.revision) == (2, (), None)


def test_files_that_hold_no_object_are_counted_with_a_reason(folder: Path) -> None:
    """What lies beside manifests in real folders fails nothing and doesn't vanish."""
    put(folder / "a.yaml", MAP.format(name="a"))
    put(folder / "chart/Chart.yaml", "apiVersion: v2\nname: x\nversion: 1.0.0\n")
    put(folder / "chart/values.yaml", "image: nginx\nkind: Deployment\n".replace("kind", "type"))
    put(folder / "dashboard.json", '{"title": "x", "panels": []}')
    put(folder / "kustomization.yaml", "resources: [a.yaml]\n")
    put(folder / "overlay/kustomization.yaml", "kind: Kustomization\nresources: [..]\n")
    put(folder / "overlay/parts.yaml", "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n")
    put(folder / "patch.yaml", "- op: add\n  path: /a\n  value: b\n")
    put(folder / "prometheus.yml", "global: {scrape_interval: 15s}\n---\nrules: []\n")
    put(folder / "zero.yaml", "# nothing\n---\n")
    desired = load(["."], settings=SourceSettings(render=False))
    assert len(desired.manifests) == 1
    assert desired.files == 10
    kustomization = "a kustomization: it says how to build objects and is none"
    assert {skipped.file: skipped.reason for skipped in desired.skipped} == {
        "chart/Chart.yaml": "the description of a Helm chart",
        "chart/values.yaml": "no apiVersion and no kind",
        "dashboard.json": "no apiVersion and no kind",
        "kustomization.yaml": kustomization,
        "overlay/kustomization.yaml": kustomization,
        "overlay/parts.yaml": kustomization,
        "patch.yaml": "no apiVersion and no kind",
        "prometheus.yml": "no apiVersion and no kind",
        "zero.yaml": "it is empty",
    }


def test_flux_kustomizations_are_objects(folder: Path) -> None:
    """The kind alone doesn't tell: Flux has one of the same name."""
    put(folder / "a.yaml", "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a}\n")
    assert [str(manifest.ref) for manifest in load(["a.yaml"]).manifests] == ["Kustomization a"]


def test_every_fault_of_every_file_is_told_at_once(folder: Path) -> None:
    """One line a fault, with file, line, column, what is wrong and what to write instead."""
    put(folder / "k8s/a.yaml", MAP.format(name=1) + "---\n" + MAP.format(name="x") + "  labels: {a: 1}\n  name: y\n")
    put(folder / "k8s/b.yaml", MAP.format(name="good"))
    put(folder / "k8s/c.yaml", "a: {{ .Values.x }}\nb: [\n")
    put(folder / "k8s/d.json", '{"apiVersion": "v1",\n "kind": "ConfigMap",\n "metadata": {"name": 1}}')
    with pytest.raises(ManifestError) as caught:
        load(["k8s"])
    assert caught.value.message.splitlines() == [
        "the manifests have 4 faults:",
        "k8s/a.yaml:4:3: metadata.name is no text — put it in quotes",
        "k8s/a.yaml:11:3: the key 'name' is repeated, first in line 9 — keep one of the two",
        (
            "k8s/c.yaml:1:5: a list or mapping is used as a key — this looks like a Helm template: render it first "
            "(helm template), or leave its folder out"
        ),
        "k8s/d.json:3:15: metadata.name is no text — put it in quotes",
    ]
    assert caught.value.exit_code == ExitCode.DESIRED
    assert isinstance(caught.value, DesiredError)
    assert caught.value.hint


def test_a_single_fault_is_a_single_line(folder: Path) -> None:
    """No heading for one fault."""
    put(folder / "a.yaml", "a: b: c")
    with pytest.raises(ManifestError) as caught:
        load(["a.yaml"])
    assert caught.value.message == (
        "a.yaml:1:5: mapping values are not allowed in this context — "
        "quote a value that holds ': ', or correct the indentation"
    )


def test_stdin_holds_documents_too() -> None:
    """`-` is read from the given stream; its file is called "-"."""
    stream = BytesIO((MAP.format(name="a") + "---\n" + MAP.format(name="b")).encode())
    desired = load(["-"], stdin=stream)
    assert [(m.ref.name, m.origin.file, m.origin.line) for m in desired.manifests] == [("a", "-", 1), ("b", "-", 6)]
    assert (desired.identity, desired.revision) == (("-",), None)


def test_secrets_carry_a_hash_of_their_document(folder: Path) -> None:
    """It changes with the document and with nothing else; other kinds have none."""
    secret = MAP.replace("ConfigMap", "Secret").format(name="s") + "data: {a: aHVudGVyMg==}\n"
    put(folder / "a.yaml", secret + "---\n" + MAP.format(name="c"))
    put(folder / "b.yaml", "---\n" + secret.replace("name: s", "name: t"))
    put(folder / "c.yaml", secret.replace("v1", "example.io/v1"))
    hashes = [manifest.source_hash for manifest in load(["."]).manifests]
    assert hashes == [
        hashlib.sha256(secret.encode()).hexdigest(),
        "",
        hashlib.sha256(secret.replace("name: s", "name: t").encode()).hexdigest(),
        "",
    ]


def test_nothing_of_a_file_is_in_the_repr(folder: Path) -> None:
    """A traceback shows where a manifest comes from, never what it says."""
    put(folder / "a.yaml", MAP.replace("ConfigMap", "Secret").format(name="s") + "stringData: {a: hunter2}\n")
    assert "hunter2" not in repr(load(["a.yaml"]))


def test_identity_outside_of_a_repository_is_absolute_and_sorted(folder: Path) -> None:
    """The inventory must know the same paths again, from wherever they are typed."""
    put(folder / "b/a.yaml", MAP.format(name="a"))
    put(folder / "a.yaml", MAP.format(name="b"))
    identity = load(["b/../b", "a.yaml", "*.yaml"]).identity
    assert identity == (f"{folder}/*.yaml", f"{folder}/a.yaml", f"{folder}/b")


def test_no_such_path_is_wrong_usage(folder: Path) -> None:
    """A path that doesn't exist is not a fault of a file."""
    with pytest.raises(UsageError):
        load(["nowhere"])


def test_names_that_cannot_be_shown_are_shown_harmlessly(folder: Path) -> None:
    """A line break in a file's name can't forge a second line of the message."""
    (folder / "a\n::error::.yaml").write_text("a: b: c")
    with pytest.raises(ManifestError) as caught:
        load(["."])
    assert caught.value.message.startswith("a\ufffd::error::.yaml:1:5: ")


def test_progress_is_told(folder: Path) -> None:
    """One step, one advance a file."""

    class Told(Quiet):
        def __init__(self) -> None:
            self.lines: list[object] = []

        def step(self, title: str, total: int | None = None) -> None:
            self.lines.append((title, total))

        def advance(self, count: int = 1) -> None:
            self.lines.append(count)

    put(folder / "a.yaml", MAP.format(name="a"))
    put(folder / "b.yaml", MAP.format(name="b"))
    told = Told()
    load(["."], progress=told)
    assert told.lines == [("reading manifests", 2), 1, 1]


def test_importing_the_package_costs_little() -> None:
    """No YAML library is imported before a name of the package is used."""
    code = "import sys, recon_action.desired; print([name for name in ('yaml', 'subprocess') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_every_app_of_the_corpus_loads_or_tells_why(corpus: Path) -> None:
    """Real folders work, read file by file; those that don't hold what no apply could take."""
    refused = {}
    objects = 0
    for app in sorted(path for path in corpus.iterdir() if path.is_dir()):
        try:
            objects += len(load([str(app)], settings=SourceSettings(render=False, decrypt=False)).manifests)
        except ManifestError as error:
            refused[app.name] = {fault.message for fault in error.faults}
    generated = "the object has no name, only generateName"
    assert refused == {
        "jaeger-operator": {"the object has no metadata"},
        "knative-serving": {generated},
        "kueue": {generated, "the object has no metadata"},
        "tekton-pipelines": {generated},
    }
    assert objects > 2000


def test_json_that_nests_too_deep_for_python_is_a_fault(folder: Path) -> None:
    """Not a crash, whichever limit is met first."""
    for depth in (500, 100_000):
        put(folder / "a.json", '{"apiVersion":"v1","kind":"C","a":' + "[" * depth + "]" * depth + "}")
        with pytest.raises(ManifestError, match="nest"):
            load(["a.json"])


def test_a_long_json_list_knows_its_lines(folder: Path) -> None:
    """The lines of JSON items are looked up once for all of them."""
    items = ",\n".join(f'{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"a{n}"}}}}' for n in range(3))
    put(folder / "a.json", '{"apiVersion":"v1","kind":"List","items":[\n' + items + "]}")
    assert [manifest.origin.line for manifest in load(["a.json"]).manifests] == [2, 3, 4]


def test_a_thousand_faults_are_enough(folder: Path) -> None:
    """The message stays readable; the error itself holds them all."""
    put(folder / "a.yaml", "apiVersion: v1\nkind: List\nitems:\n" + "- {a: b}\n" * 1200)
    with pytest.raises(ManifestError) as caught:
        load(["a.yaml"])
    lines = caught.value.message.splitlines()
    assert (lines[0], lines[-1], len(lines)) == ("the manifests have 1200 faults:", "… and 200 more", 1002)
    assert len(caught.value.faults) == 1200


def test_fields_of_merged_and_aliased_objects(folder: Path) -> None:
    """Faults find their place through anchors too, and an alias makes an object like any other."""
    put(
        folder / "a.yaml",
        "apiVersion: v1\nkind: List\nitems:\n- &a {apiVersion: v1, kind: ConfigMap, metadata: &m {name: 1}}\n"
        "- *a\n- {apiVersion: v1, kind: Secret, metadata: {<<: *m, !!str 1: x, ! y: y}}\n",
    )
    with pytest.raises(ManifestError) as caught:
        load(["a.yaml"])
    assert [(fault.position.line, fault.message) for fault in caught.value.faults] == [
        (4, "metadata.name is no text"),
        (4, "metadata.name is no text"),
        (4, "metadata.name is no text"),
    ]
