"""A Secret's value appears nowhere: in no report, no log, no error, not even in the server's own words."""

import base64
import json
import logging
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from target import DEPLOYMENT, Target

from recon_action.cli.app import run
from recon_action.lab import Lab
from recon_action.model import Body, Mode, Output
from recon_action.reconcile import reconcile
from recon_action.redact import Secrets
from recon_action.report import render

_PASSWORD = 'pl4nted"pa\\ss<word>'
_LINES = "-----BEGIN KEY-----\nfirst-pl4nted-line\nsecond-pl4nted-line\n-----END KEY-----\n"
_OTHER = "0ther-pl4nted-value"
_MANIFEST = """\
apiVersion: v1
kind: Secret
metadata: {name: credentials}
stringData:
  password: PASSWORD
  key: LINES
data:
  other: OTHER
"""


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _spellings() -> set[str]:
    """The values as any output might spell them."""
    found = set()
    for value in (_PASSWORD, _OTHER, _LINES, *_LINES.splitlines()[1:3]):
        found |= {value, _encoded(value), json.dumps(value)[1:-1], json.dumps(json.dumps(value))[3:-3]}
    return found


def _manifest(password: str = _PASSWORD, other: str = _OTHER) -> str:
    text = _MANIFEST.replace("PASSWORD", json.dumps(password)).replace("LINES", json.dumps(_LINES))
    return text.replace("OTHER", _encoded(other))


_CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: copy, MORE}\n"
_KAPP = "kapp.k14s.io/original"
_ENV = DEPLOYMENT.replace(
    "        image: registry.example/web:1\n",
    f"        image: registry.example/web:1\n        env: [{{name: PASSWORD, value: {json.dumps(_PASSWORD)}}}]\n",
)


def _remembered() -> str:
    """The Secret as kapp leaves it behind: with a copy of what it applied, and another value now."""
    copy = json.dumps({"apiVersion": "v1", "kind": "Secret", "stringData": {"password": "s0me-old-pl4nted-one"}})
    head = f"metadata: {{name: credentials, annotations: {{{_KAPP}: {json.dumps(copy)}}}}}"
    return _manifest().replace("metadata: {name: credentials}", head)


# Each is what the folder holds, and what happened to the cluster before.
_STORIES = {
    "new": ({"s.yaml": _manifest()}, ""),
    "changed-in-git": ({"s.yaml": _manifest(password="s0me-new-pl4nted-one")}, _manifest()),
    "changed-by-hand": ({"s.yaml": _manifest()}, _manifest(password="s0me-old-pl4nted-one", other="an0ther-old-one")),
    "refused-by-the-server": (
        {"s.yaml": _manifest().replace("password:", '"pass/word":')},
        "",
    ),
    "not-base64": ({"s.yaml": _manifest().replace(_encoded(_OTHER), f"'{_OTHER}'")}, ""),
    "wrong-type": ({"s.yaml": _manifest().replace("metadata:", f"type: {_OTHER}\nmetadata:")}, _manifest()),
    "immutable": (
        {"s.yaml": _manifest() + "immutable: true\n"},
        _manifest(other="an0ther-old-one") + "immutable: true\n",
    ),
    "unknown-field": ({"s.yaml": _manifest() + f"passwords: {{a: {_OTHER}}}\n"}, ""),
    "broken-yaml": ({"s.yaml": _manifest() + f"  oops: [{_OTHER}\n"}, ""),
    "duplicate-key": ({"s.yaml": _manifest().replace("data:\n", f"data:\n  a: {_OTHER}\n  a: {_OTHER}\n")}, ""),
    "a-number": ({"s.yaml": _manifest().replace(json.dumps(_PASSWORD), "48151623421")}, ""),
    "copied-by-kapp": (
        {"s.yaml": _manifest(), "c.yaml": _CONFIG.replace("MORE", "annotations: {old: s0me-old-pl4nted-one}")},
        f"{_remembered()}---\n{_CONFIG.replace('MORE', 'annotations: {old: another}')}",
    ),
    "in-an-environment": (
        {"s.yaml": _manifest(), "web.yaml": _ENV},
        _ENV.replace(json.dumps(_PASSWORD), f"by-hand-{_OTHER}"),
    ),
    "quoted-by-a-refusal": (
        {
            "s.yaml": _manifest(),
            "svc.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec:\n"
            f"  ports: [{{port: 80, name: {json.dumps(_PASSWORD)}}}]\n  clusterIP: {_OTHER}\n",
        },
        "",
    ),
    "in-the-path-of-a-field": (
        {"s.yaml": _manifest(), "c.yaml": _CONFIG.replace("MORE", "labels: {a: b}")},
        _CONFIG.replace("MORE", f"finalizers: [example.com/{_OTHER}]"),
    ),
    "in-a-new-namespace": (
        {
            "ns.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: NAMESPACE-new}\n",
            "s.yaml": _manifest().replace("{name: credentials}", "{name: credentials, namespace: NAMESPACE-new}")
            + f"immutable: {_OTHER}\n",
        },
        "",
    ),
    "in-another-object": (
        {
            "s.yaml": _manifest(),
            "c.yaml": f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: copy}}\ndata: {{a: '{_OTHER}'}}\n",
        },
        "",
    ),
}


@pytest.fixture(params=_STORIES, ids=list(_STORIES))
def target(request: pytest.FixtureRequest, lab: Lab, namespace: str, tmp_path: Path) -> Target:
    """A target in the middle of one of the stories; what was there before came from kubectl."""
    files, before = _STORIES[request.param]
    target = Target(lab, namespace, tmp_path / "manifests")
    for name, manifest in files.items():
        target.write(name, manifest)
    if before:
        how = ("create", "--field-manager=kapp") if _KAPP in before else ("apply",)
        target.kubectl(*how, "-f", "-", stdin=before)
        if request.param == "changed-by-hand":
            patch = {"stringData": {"password": "by-hand-pl4nted"}}
            target.kubectl("patch", "secret", "credentials", "-p", json.dumps(patch))
    return target


def _planted() -> set[str]:
    numbers = {"48151623421", "by-hand-pl4nted", "an0ther-old-one", "s0me-new-pl4nted-one", "s0me-old-pl4nted-one"}
    return _spellings() | numbers | {_encoded(number) for number in numbers}


def test_nothing_leaks(target: Target, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Every command, every output, every report file, with every log line: no value in any spelling."""
    options = ["--kubeconfig", str(target.lab.kubeconfig), "-n", target.namespace, "--target", target.namespace]
    options += ["-vv", "--no-wait", str(target.folder)]
    files = {form: tmp_path / f"report.{form}" for form in ("text", "json", "markdown")}
    reports = [argument for form, file in files.items() for argument in ("--report", f"{form}={file}")]
    printed = ""
    try:
        for command in ("diff", "apply", "diff"):
            for output in ("text", "json", "markdown"):
                run([command, *options, *reports, "-o", output])
        printed = "".join(capfd.readouterr()) + "".join(file.read_text() for file in files.values() if file.exists())
    finally:
        logging.getLogger("recon_action").setLevel(logging.NOTSET)
    assert "credentials" in printed or "s.yaml" in printed
    assert {value for value in _planted() if value in printed} == set()


def test_an_event_does_not_leak(lab: Lab, namespace: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A controller's warning quotes a value: it is told of, masked, in the report and while it is waited for."""
    target = Target(lab, namespace, tmp_path)
    target.write("s.yaml", _manifest())
    target.write("web.yaml", DEPLOYMENT)
    target.apply()
    web = target.get("deployment", "web")["metadata"]
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "told", "namespace": namespace},
        "involvedObject": {"kind": "Deployment", "name": "web", "namespace": namespace, "uid": web["uid"]},
        "reason": "Refused",
        "type": "Warning",
        "message": f"the registry refuses {_PASSWORD} and {_encoded(_OTHER)}",
    }
    target.kubectl("create", "-f", "-", stdin=json.dumps(event))
    options = ["--kubeconfig", str(lab.kubeconfig), "-n", namespace, "--target", namespace, str(tmp_path)]
    target.write("web.yaml", DEPLOYMENT.replace("replicas: 3", "replicas: 4"))
    run(["apply", "--timeout", "3s", *options])
    printed = "".join(capfd.readouterr())
    assert "the registry refuses ***" in printed
    assert {value for value in _planted() if value in printed} == set()


def _disclosed(bodies: Iterable[Body]) -> Secrets:
    return replace(Secrets.of(bodies), disclose=True)


def test_the_same_check_sees_a_leak(lab: Lab, namespace: str, tmp_path: Path) -> None:
    """With redaction off, the values are found: the check above can fail."""
    files, before = _STORIES["changed-in-git"]
    target = Target(lab, namespace, tmp_path)
    target.write("s.yaml", files["s.yaml"])
    target.kubectl("apply", "-f", "-", stdin=before)
    for output in Output:
        leaking = render(reconcile(target.settings(), Mode.DIFF, secrets_of=_disclosed), output)
        # SARIF names paths and shows no value at all, so there is nothing to see there.
        assert any(value in leaking for value in _planted()) is (output is not Output.SARIF), output
        hidden = render(reconcile(target.settings(), Mode.DIFF), output)
        assert not any(value in hidden for value in _planted()), output
