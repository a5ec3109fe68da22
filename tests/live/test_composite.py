"""The composite action: its steps run with bash, as a runner would run them, on the lab."""

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml
from fake_runner import FakeRunner, Step
from repository import git

from recon_action.lab import Lab

ROOT = Path(__file__).resolve().parent.parent.parent
ACTION = ROOT / "composite" / "action.yml"
EVENT = {"repository": {"full_name": "acme/shop", "default_branch": "main"}}
MANIFEST = """\
apiVersion: v1
kind: ConfigMap
metadata: {{name: settings, namespace: {namespace}}}
data: {{color: blue}}
"""
BASH = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail"]  # what `shell: bash` is to a runner
# Whatever the workspace holds under these names, pip and we import our own.
STRANGERS = ("pip.py", "venv.py", "sysconfig.py", "recon_action.py", "yaml.py", "sitecustomize.py")


@dataclass
class Job:
    """A job on a runner without Docker.

    Args:
        root: where its files go; one folder for each step.
        repository: what it has checked out.
        inputs: what each use of the action is given.
    """

    root: Path
    repository: Path
    inputs: Mapping[str, str]
    uses: list[str] = field(default_factory=list)

    def step(self, event: str, *, inputs: Mapping[str, str] | None = None, **variables: str) -> tuple[int, Step]:
        """Use the action once: its exit code, and what the runner reads back."""
        action = yaml.safe_load(ACTION.read_text())
        fake = FakeRunner(self.root / f"step-{len(list(self.root.glob('step-*')))}")
        shutil.copytree(self.repository, fake.workspace, dirs_exist_ok=True)
        temp = self.root / "temp"  # the job's, and not the step's
        temp.mkdir(exist_ok=True)
        paths = {"RUNNER_TEMP": str(temp), "GITHUB_ACTION_PATH": str(ACTION.parent)}
        environ = fake.environ(event, EVENT, **(paths | variables))  # without INPUT_*: a composite action gets none
        given = {name: one.get("default", "") for name, one in action["inputs"].items()} | dict(self.inputs)
        context = {f"inputs.{name}": value for name, value in {**given, **(inputs or {})}.items()}
        context |= {"runner.temp": str(temp), "github.token": ""}
        log = ""
        for number, step in enumerate(action["runs"]["steps"]):
            if "uses" in step:
                self.uses.append(step["uses"])
                context[f"steps.{step['id']}.outputs.python-path"] = sys.executable
                continue
            assert step["shell"] == "bash"
            assert "${{" not in step["run"]  # what is put into a script is code
            script = self.root / f"script-{number}.sh"
            script.write_text(step["run"])
            own = {name: evaluated(value, context) for name, value in step.get("env", {}).items()}
            done = subprocess.run(
                [*BASH, script],
                check=False,
                cwd=fake.workspace,
                env={"PATH": f"{self.root}:/usr/bin:/bin", **environ, **own},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,  # the runner reads both for commands
                text=True,
            )
            log += done.stdout
            if done.returncode:
                break
        return done.returncode, fake.read(log)


def evaluated(text: str, context: Mapping[str, str]) -> str:
    """The value of what the composite action uses of GitHub's expressions: names, the default of one being another."""
    while found := re.search(r"\$\{\{ ([\w.-]+) }}", text):
        text = text.replace(found[0], context[found[1]])
    return text


@pytest.fixture
def job(lab: Lab, namespace: str, tmp_path: Path) -> Job:
    """A job whose repository has a manifest."""
    repository = tmp_path / "repository"
    (repository / "k8s").mkdir(parents=True)
    (repository / "k8s/settings.yaml").write_text(MANIFEST.format(namespace=namespace))
    git(repository, "init", "-q", "-b", "main")
    git(repository, "add", "k8s")
    git(repository, "commit", "-qm", "manifests")
    given = {"paths": "k8s", "target": namespace, "kubeconfig": lab.kubeconfig.read_text()}
    return Job(tmp_path / "job", repository, given)


def test_apply_then_drift(job: Job, lab: Lab, namespace: str) -> None:
    """What is locked is installed once a job, what is run is the checkout beside it, and exit codes are the program's.

    Nothing of the workspace is imported, not even by pip.
    """
    for name in STRANGERS:
        (job.repository / name).write_text("raise SystemExit('imported ' + __name__)\n")

    code, pushed = job.step("push")
    assert code == 0, pushed.text
    assert pushed.errors == ()
    assert pushed.outputs["result"] == "applied"

    kubectl = [lab.kubectl, "--kubeconfig", lab.kubeconfig, "-n", namespace]
    patch = '{"data":{"color":"red"}}'
    subprocess.run([*kubectl, "patch", "configmap", "settings", "-p", patch], check=True, capture_output=True)
    offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""}
    code, seen = job.step("workflow_dispatch", inputs={"fail-on": "drift"}, **offline)
    assert code == 1, seen.text
    assert (seen.outputs["exit-code"], seen.outputs["drifted"]) == ("1", "1")
    assert [issue.properties["file"] for issue in seen.issues] == ["k8s/settings.yaml"]

    made = {path.name for path in (job.root / "temp").iterdir()}
    assert made == {"recon-action"}
    assert [use.partition("@")[0] for use in job.uses] == ["actions/setup-python"] * 2


def test_changed_package(job: Job, tmp_path: Path) -> None:
    """A package whose hash is not the locked one ends the step before anything of it has run; none goes without."""
    assert "--require-hashes" in ACTION.read_text()
    copy = tmp_path / "action"
    shutil.copytree(ACTION.parent, copy / "composite")
    (copy / "requirements").mkdir()
    locked = (ROOT / "requirements/runtime.txt").read_text()
    head = re.search(r"^click==.*\n(    --hash=.*\n)+", locked, re.MULTILINE)
    assert head is not None
    changed = re.sub(r"sha256:[0-9a-f]{8}", "sha256:00000000", head[0])
    (copy / "requirements/runtime.txt").write_text(changed)
    code, step = job.step("push", GITHUB_ACTION_PATH=str(copy / "composite"))
    assert code == 1
    assert "DO NOT MATCH THE HASHES" in step.text
    assert step.outputs == {}
    assert not (job.root / "temp/recon-action/made-for").exists()
