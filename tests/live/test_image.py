"""The image, built from the Dockerfile, its own entry point run as a runner runs it."""

import json
import os
import shutil
import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fake_runner import FakeRunner, Step

from recon_action.lab import Lab

ROOT = Path(__file__).resolve().parent.parent.parent
SCRIPT = ROOT / "scripts" / "image.sh"
TAG = "localhost/recon-action:test"
RUNNER_USER = 1001  # of GitHub's own machines; the container is root, the workspace is this user's
EVENT = {"repository": {"full_name": "acme/shop", "default_branch": "main"}}
MANIFEST = """\
apiVersion: v1
kind: ConfigMap
metadata: {{name: settings, namespace: {namespace}}}
data: {{color: blue}}
"""

pytestmark = pytest.mark.timeout(1200)  # the first build makes its own base

Act = Callable[..., Step]


def buildah(*arguments: str) -> str:
    done = subprocess.run([SCRIPT, "buildah", *arguments], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="session")
def image(require: Callable[[object, str], None]) -> str:
    """The image, built on a Debian of its own: a registry is not always in reach."""
    for program in ("buildah", "debootstrap"):
        require(shutil.which(program), f"the image can't be built: {program} is missing")
    require(os.geteuid() == 0, "the image can't be built: buildah in a chroot needs root")
    done = subprocess.run([SCRIPT, "build", TAG, "local"], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return TAG


@pytest.fixture(scope="session")
def entry_point(image: str) -> list[str]:
    """What the image runs, as its configuration says."""
    configuration = json.loads(buildah("inspect", "--type", "image", image))["OCIv1"]["config"]
    return list(configuration["Entrypoint"])


@pytest.fixture(scope="session")
def container(image: str) -> Iterator[str]:
    """A container of the image; making one copies it, so that all tests share it."""
    name = buildah("from", "--pull-never", "--name", f"recon-{uuid.uuid4().hex[:12]}", image)
    yield name
    buildah("rm", name)


@pytest.fixture
def act(container: str, entry_point: list[str], lab: Lab, namespace: str, tmp_path: Path) -> Act:
    """`act(event, **inputs)`: a fresh step of one job."""
    workspace = tmp_path / "repository"
    (workspace / "k8s").mkdir(parents=True)
    (workspace / "k8s/settings.yaml").write_text(MANIFEST.format(namespace=namespace))
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.com")
    for arguments in (("init", "-q", "-b", "main"), ("add", "k8s"), (*identity, "commit", "-qm", "manifests")):
        subprocess.run(["git", "-C", workspace, *arguments], check=True)
    steps = iter(range(100))

    def step(event: str, **inputs: str) -> Step:
        fake = FakeRunner(tmp_path / f"runner-{next(steps)}")
        shutil.copytree(workspace, fake.workspace, dirs_exist_ok=True)
        for path in (fake.workspace, *fake.workspace.rglob("*")):
            os.chown(path, RUNNER_USER, RUNNER_USER)
        given = {"paths": "k8s", "target": namespace, "kubeconfig": lab.kubeconfig.read_text()} | {
            name.replace("_", "-"): value for name, value in inputs.items()
        }
        environ = fake.environ(event, EVENT, inputs=given)
        options = [
            part
            for name, value in environ.items()
            for part in ("--env", f"{name}={value.replace(str(fake.root), '/github')}")
        ]
        for folder in fake.root.iterdir():
            options += ["--volume", f"{folder}:/github/{folder.name}"]
        done = subprocess.run(
            [SCRIPT, "buildah", "run", *options, "--workingdir", "/github/workspace", container, "--", *entry_point],
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,  # the runner reads both for commands
            text=True,
        )
        found = fake.read(done.stdout, done.returncode)
        assert found.errors == ()
        return found

    return step


def test_entry_point(entry_point: list[str]) -> None:
    """No shell between the runner and us, and nothing imported from where we are started."""
    assert entry_point == ["/opt/recon-action/bin/python", "-I", "-u", "-m", "recon_action", "action"]


def test_apply_drift_correct(act: Act, lab: Lab, namespace: str) -> None:
    """The loop in a container: applied on a push, drift found with exit 1, corrected by the schedule."""
    pushed = act("push")
    assert pushed.result == 0, pushed.text
    assert pushed.outputs["result"] == "applied"

    kubectl = [lab.kubectl, "--kubeconfig", lab.kubeconfig, "-n", namespace]
    patch = '{"data":{"color":"red"}}'
    subprocess.run([*kubectl, "patch", "configmap", "settings", "-p", patch], check=True, capture_output=True)
    seen = act("workflow_dispatch", fail_on="drift")
    assert seen.result == 1, seen.text
    assert (seen.outputs["exit-code"], seen.outputs["drifted"], seen.outputs["failed"]) == ("1", "1", "0")
    assert "settings" in seen.summary
    assert [issue.properties["file"] for issue in seen.issues] == ["k8s/settings.yaml"]

    healed = act("schedule", fail_on="drift")
    assert healed.result == 0, healed.text
    command = [*kubectl, "get", "configmap", "settings", "-o", "jsonpath={.data.color}"]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == "blue"


def test_report_belongs_to_the_runner(act: Act, tmp_path: Path) -> None:
    """The report lies where its output says, knows its revision, and is the runner's to delete."""
    step = act("push", mode="diff")
    file = tmp_path / "runner-0/workspace" / step.outputs["report-path"]
    head = subprocess.run(
        ["git", "-C", tmp_path / "repository", "rev-parse", "HEAD"], check=True, capture_output=True, text=True
    ).stdout.strip()
    assert json.loads(file.read_text())["revision"]["commit"] == head
    assert {path.stat().st_uid for path in (file, file.parent)} == {RUNNER_USER}


def test_workspace_is_not_imported(act: Act, tmp_path: Path) -> None:
    """Python files of the repository under inspection are text, whatever they are called."""
    for name in ("click.py", "yaml.py", "recon_action.py", "sitecustomize.py"):
        (tmp_path / "repository" / name).write_text("raise SystemExit('imported ' + __name__)\n")
    step = act("push", mode="diff")
    assert step.result == 0, step.text
    assert step.outputs["pending"] == "1"


def test_sources_are_rendered(act: Act, tmp_path: Path) -> None:
    """The image has the programs that kustomizations and charts need."""
    files = {
        "overlay/kustomization.yaml": "namePrefix: my-\nresources: [../k8s/settings.yaml]\n",
        "chart/Chart.yaml": "apiVersion: v2\nname: tiny\nversion: 1.0.0\n",
        "chart/templates/map.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\n",
    }
    for name, text in files.items():
        file = tmp_path / "repository" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    step = act("push", mode="diff", paths="overlay,chart")
    assert step.result == 0, step.text
    assert step.outputs["pending"] == "2"
    assert "from overlay overlay" in step.summary
    assert "from chart chart" in step.summary


def test_bad_input(act: Act) -> None:
    """An input the container can't use is exit 2 with its name."""
    step = act("push", wait="perhaps")
    assert step.result == 2
    assert step.issues[0].data.startswith("input wait: 'perhaps' is no boolean")
