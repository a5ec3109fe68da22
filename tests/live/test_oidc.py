"""Without any secret: a job's OIDC token, and an API server that is configured as docs/access.md has it."""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pytest
import yaml
from fake_issuer import SECRET, FakeIssuer, fake_issuer
from fake_runner import FakeRunner, Step
from local_server import Answer

from recon_action.action import run
from recon_action.cluster import connect
from recon_action.github.oidc import job_token
from recon_action.lab import Lab, LabOptions, start
from recon_action.lab.binaries import Binaries
from recon_action.model import Access

_PAGE = Path(__file__).parents[2] / "docs/access.md"
_AUDIENCE = "recon-prod"
_USER = "github:acme/shop"
_MANIFEST = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: NAMESPACE}
data: {color: blue}
"""
# Never ready, as nobody plays its pods: an apply that waits for it takes until its time is up.
_DEPLOYMENT = """\
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: NAMESPACE}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: registry.example/web:1}]}
"""


def _documented(kind: str) -> str:
    """The block of the page that holds an object of this kind."""
    blocks = re.findall(r"```yaml\n(.*?)```", _PAGE.read_text(), re.DOTALL)
    (block,) = (one for one in blocks if f"kind: {kind}\n" in one)
    return str(block)


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FakeIssuer]:
    """GitHub's issuer."""
    with fake_issuer(tmp_path_factory.mktemp("issuer")) as running:
        yield running


@pytest.fixture(scope="module")
def trusting(binaries: Binaries, issuer: FakeIssuer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A control plane as the page has it; only where the issuer's keys are found is the test's own."""
    config = yaml.safe_load(_documented("AuthenticationConfiguration"))
    config["jwt"][0]["issuer"] |= {
        "discoveryURL": f"{issuer.url}/disc",
        "certificateAuthority": issuer.authority.read_text(),
    }
    file = tmp_path_factory.mktemp("lab") / "authentication.json"
    file.write_text(json.dumps(config))
    with start(LabOptions(apiserver_flags=(f"--authentication-config={file}",))) as lab:
        _kubectl(lab, "apply", "-f", "-", stdin=_documented("ClusterRole"))
        deadline = time.monotonic() + 30
        while _status(lab, issuer.mint(aud=_AUDIENCE)) == 401 and time.monotonic() < deadline:
            time.sleep(0.2)  # the server gets the issuer's keys after it has called itself ready
        yield lab


def _kubectl(lab: Lab, *arguments: str, stdin: str = "") -> str:
    command = [lab.kubectl, *arguments]
    done = subprocess.run(command, env=lab.env(), input=stdin, text=True, capture_output=True, check=True)
    return done.stdout


def _status(lab: Lab, token: str) -> int:
    """What the server answers to this token."""
    command = [lab.kubectl, "--kubeconfig", lab.kubeconfig_with_token(token), "get", "namespaces"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return 200 if done.returncode == 0 else 403 if "Forbidden" in done.stderr else 401


def _authority(lab: Lab) -> str:
    config = json.loads(lab.kubeconfig.read_text())
    return str(config["clusters"][0]["cluster"]["certificate-authority-data"])


class Job:
    """A job of the repository, whose runner asks the issuer."""

    def __init__(self, lab: Lab, issuer: FakeIssuer, folder: Path, namespace: str) -> None:
        self.lab = lab
        self.issuer = issuer
        self.namespace = namespace
        self.manifests = folder / "k8s"
        self.manifests.mkdir()
        self._folder = folder
        self._count = 0
        self.write(_MANIFEST)

    def write(self, text: str) -> None:
        """What Git says."""
        (self.manifests / "all.yaml").write_text(text.replace("NAMESPACE", self.namespace))

    def step(self, event: str = "push", *, variables: dict[str, str] | None = None, **inputs: str) -> Step:
        """A run of the action."""
        self._count += 1
        fake = FakeRunner(self._folder / f"runner-{self._count}")
        shutil.copytree(self.manifests, fake.workspace / "k8s")
        given = {
            "paths": "k8s",
            "target": self.namespace,
            "auth": "github-oidc",
            "audience": _AUDIENCE,
            "server": self.lab.server,
            "certificate-authority": _authority(self.lab),
            "ssl-verify": str(self.issuer.authority),
        } | {name.replace("_", "-"): value for name, value in inputs.items()}
        payload = {"repository": {"full_name": "acme/shop", "default_branch": "main"}}
        known = self.issuer.variables if variables is None else variables
        environ = fake.environ(event, payload, inputs=given, **known)

        def work(stdout: TextIO) -> int:
            before = Path.cwd()
            os.chdir(fake.workspace)
            try:
                return run(environ, stdout)
            finally:
                os.chdir(before)

        step = fake.step(work)
        assert step.errors == ()
        written = "".join(file.read_text() for file in fake.workspace.rglob("*.json"))
        for secret in (SECRET, *self.issuer.minted):
            assert secret not in step.text + step.summary + written
        return step


@pytest.fixture
def job(trusting: Lab, issuer: FakeIssuer, tmp_path: Path) -> Iterator[Job]:
    """A job on the main branch."""
    before, issuer.life = dict(issuer.claims), 300
    issuer.minted.clear()
    namespace = f"keyless-{time.monotonic_ns()}"
    _kubectl(trusting, "create", "namespace", namespace)
    yield Job(trusting, issuer, tmp_path, namespace)
    issuer.claims, issuer.life = before, 300


def _color(job: Job) -> str:
    return _kubectl(job.lab, "-n", job.namespace, "get", "configmap", "settings", "-o", "jsonpath={.data.color}")


def test_apply_then_diff(job: Job) -> None:
    """The whole action without a kubeconfig: a push applies, a diff finds all in sync, as the repository's user."""
    before = len(job.lab.audit())
    pushed = job.step("push", wait="false")
    assert (pushed.result, pushed.outputs["result"]) == (0, "applied")
    assert _color(job) == "blue"
    clean = job.step("workflow_dispatch", fail_on="drift")
    assert (clean.result, clean.outputs["result"]) == (0, "in-sync")
    assert len(job.issuer.minted) == 2
    masks = [one.data for one in pushed.named("add-mask")]
    assert masks == [SECRET, job.issuer.minted[0]]
    events = [event for event in job.lab.audit()[before:] if event.user == _USER]
    assert {event.code for event in events} <= {200, 201, 404}
    assert events[0].raw["user"]["groups"][0] == "github:apply"
    assert events[0].raw["user"]["extra"]["actions.github.com/run"] == ["123/1"]


def test_a_pull_request_only_looks(job: Job) -> None:
    """The server decides, by claims that no workflow chooses: the same job of another branch is refused an apply."""
    job.step("push", wait="false")
    job.issuer.claims |= {"ref": "refs/pull/7/merge", "event_name": "pull_request"}
    job.write(_MANIFEST.replace("blue", "red"))
    seen = job.step("workflow_dispatch", mode="diff", fail_on="drift")
    assert (seen.result, seen.outputs["result"], seen.outputs["pending"]) == (1, "different", "1")
    refused = job.step("workflow_dispatch", mode="apply", wait="false")
    assert refused.result == 4
    assert f'User "{_USER}" cannot create resource "leases"' in refused.summary
    assert _color(job) == "blue"


def test_a_kubeconfig_whose_user_is_replaced(job: Job) -> None:
    """Address and authority are its own, and its token, of yesterday, is not sent."""
    kubeconfig = job.lab.kubeconfig_with_token("of yesterday").read_text()
    pushed = job.step("push", kubeconfig=kubeconfig, server="", certificate_authority="", wait="false")
    assert (pushed.result, pushed.outputs["result"]) == (0, "applied")


def test_renewed_while_a_run_goes_on(job: Job) -> None:
    """Tokens that live for four seconds do for a run of ten: nothing is refused, and each is masked."""
    job.issuer.life = 4
    job.write(_MANIFEST + _DEPLOYMENT)
    before = len(job.lab.audit())
    step = job.step("push", timeout="9s")
    assert (step.result, step.outputs["result"]) == (6, "unhealthy")
    assert len(job.issuer.minted) >= 3
    assert [one.data for one in step.named("add-mask")] == [SECRET, *job.issuer.minted]
    assert 401 not in {event.code for event in job.lab.audit()[before:]}


def test_a_token_that_was_refused_is_replaced(job: Job) -> None:
    """The server's clock counts: one that it finds at its end is replaced, once, for many threads."""
    expired = job.issuer.mint(aud=_AUDIENCE, exp=int(time.time()) - 5)
    tokens = job_token(job.issuer.variables, _AUDIENCE, lambda values: list(values).clear(), str(job.issuer.authority))
    job.issuer.answers = [Answer({"value": expired})]
    access = Access(audience=_AUDIENCE, server=job.lab.server, authority=_authority(job.lab), bearer=tokens)
    cluster = connect(access, concurrency=8)
    read = cluster.each(lambda _: cluster.read("/api/v1/namespaces/default")["kind"], range(32))
    assert read == ["Namespace"] * 32
    assert len(job.issuer.minted) == 1


@pytest.mark.parametrize(
    ("inputs", "claims", "said"),
    [
        pytest.param({"audience": "another"}, {}, "audience another, subject repo:acme/shop", id="audience"),
        pytest.param({}, {"repository_id": "3"}, "audience recon-prod, subject repo:acme/shop", id="repository"),
        pytest.param({}, {"iss": "https://ghe.example/_services/token"}, "issuer https://ghe.example/", id="issuer"),
    ],
)
def test_what_the_server_does_not_take(job: Job, inputs: dict[str, str], claims: dict[str, str], said: str) -> None:
    """Exit 4, with what the token claims and what the server has to be told; asked for twice, no more."""
    job.issuer.claims |= claims
    step = job.step("push", **inputs)
    assert (step.result, step.outputs["result"]) == (4, "error")
    for text in (step.issues[0].data, step.summary):
        assert "Unauthorized" in text
    assert said in step.issues[0].data
    assert "AuthenticationConfiguration" in step.issues[0].data
    assert len(job.issuer.minted) == 2


def test_the_permission_is_missing(job: Job) -> None:
    """Nothing is asked; the line to add is named."""
    step = job.step("push", variables={})
    assert step.result == 2
    assert "add `id-token: write` to the job's `permissions:`" in step.issues[0].data
    assert "id-token: write" in step.summary


def test_the_issuer_is_away(job: Job) -> None:
    """GitHub's refusal of a token is an end before the cluster, and told."""
    job.issuer.answers = [Answer({"message": "no"}, 403)]
    step = job.step("push")
    assert step.result == 4
    assert "GitHub did not give the job's OIDC token (403): no" in step.issues[0].data
