"""Controllers that write to the objects of Git: each keeps what is its own."""

import json
from dataclasses import dataclass

import pytest
from target import DEPLOYMENT, Target, told

from recon_action.errors import ExitCode
from recon_action.model import Cause, IgnoreRule, Match, Mode, Quiet
from recon_action.model.pattern import parse_pointer
from recon_action.reconcile import reconcile

_HOOK = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: NAMESPACE}
webhooks:
- name: a.example.com
  failurePolicy: Ignore
  sideEffects: None
  admissionReviewVersions: [v1]
  clientConfig: {service: {name: hook, namespace: default}BUNDLE}
  rules: [{apiGroups: [none.example.com], apiVersions: [v1], operations: [CREATE], resources: [things]}]
"""


def _inject(target: Target, bundle: str) -> None:
    operations = [{"op": "add", "path": "/webhooks/0/clientConfig/caBundle", "value": bundle}]
    command = ("patch", "validatingwebhookconfiguration", target.namespace, "--type=json")
    target.kubectl(*command, "--field-manager=pilot-discovery", "-p", json.dumps(operations))


def _bundle(target: Target) -> str:
    body = target.get("validatingwebhookconfiguration", target.namespace)
    return str(body["webhooks"][0]["clientConfig"]["caBundle"])


@pytest.mark.parametrize("placeholder", [False, True], ids=["git-is-silent", "git-has-a-placeholder"])
def test_a_bundle_that_a_controller_injects(target: Target, *, placeholder: bool) -> None:
    """Where Git is silent it is nobody's difference and stays; a placeholder in Git is one, of that controller."""
    manifest = _HOOK.replace("BUNDLE", ", caBundle: Cg==" if placeholder else "")
    target.write("hook.yaml", manifest)
    target.apply()
    _inject(target, "bmV3")
    report = target.diff()
    if placeholder:
        (change,) = report.entries[0].changes
        assert (change.path, change.cause, change.tool) == (
            "webhooks[name=a.example.com].clientConfig.caBundle",
            Cause.CONTROLLER,
            "pilot-discovery",
        )
    else:
        assert (report.exit_code, report.entries) == (ExitCode.OK, ())
        target.write("hook.yaml", manifest.replace("Ignore", "Fail"))
        assert target.apply().exit_code is ExitCode.OK
        assert _bundle(target) == "bmV3"
    target.kubectl("delete", "validatingwebhookconfiguration", target.namespace)


def test_replicas_that_a_rule_ignores_are_not_reset_by_an_apply(target: Target) -> None:
    """Neither compared nor sent: also when Git moves elsewhere in the object."""
    rule = IgnoreRule(Match("apps", "Deployment"), (parse_pointer("/spec/replicas"),))
    target.options["ignore"] = (rule,)
    target.write("web.yaml", DEPLOYMENT)
    target.apply()
    target.kubectl("scale", "deployment/web", "--replicas=7")
    assert target.diff().counts.ignored == 1
    target.write("web.yaml", DEPLOYMENT.replace("web:1", "web:2"))
    assert told(target.diff()) == {
        f"Deployment {target.namespace}/web": "pending modified spec.template.spec.containers[name=web].image"
    }
    assert target.apply().exit_code is ExitCode.OK
    assert target.get("deployment", "web")["spec"]["replicas"] == 7


@dataclass
class _Meddler(Quiet):
    """A controller that writes between the reading and the writing."""

    target: Target

    def step(self, title: str, total: int | None = None) -> None:  # noqa: ARG002 - the protocol's
        if title.startswith("applying"):
            change = ("deployment.kubernetes.io/revision=2", "--field-manager=kube-controller-manager")
            self.target.kubectl("annotate", "deployment/web", *change)


def test_a_controller_that_writes_while_we_apply_is_no_conflict(target: Target) -> None:
    """The apply states Git's fields only, so nothing has to be the same as when it was read; both writes stay."""
    target.write("web.yaml", DEPLOYMENT)
    target.apply()
    target.write("web.yaml", DEPLOYMENT.replace("web:1", "web:2"))
    assert reconcile(target.settings(), Mode.APPLY, progress=_Meddler(target)).exit_code is ExitCode.OK
    body = target.get("deployment", "web")
    assert body["metadata"]["annotations"] == {"deployment.kubernetes.io/revision": "2"}
    assert body["spec"]["template"]["spec"]["containers"][0]["image"] == "registry.example/web:2"
    assert target.diff().entries == ()
