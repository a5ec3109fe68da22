"""Lists that hold one key twice: a plain write may store them, a server-side apply can't."""

import pytest
from target import Target, config_map

from recon_action.errors import ExitCode
from recon_action.model import Trouble

_WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: registry.example/web:1
        LIST
"""
_LISTS = {
    "one-port": "ports: [{containerPort: 93}, {containerPort: 93}]",
    "one-port-under-two-names": "ports: [{name: a, containerPort: 93}, {name: b, containerPort: 93}]",
    "one-port-on-two-host-ports": "ports: [{containerPort: 93, hostPort: 1093}, {containerPort: 93, hostPort: 2093}]",
    "one-variable": "env: [{name: FOO, value: a}, {name: FOO, value: b}]",
}


@pytest.mark.parametrize("held", [False, True], ids=["new", "stored-by-kubectl-create"])
@pytest.mark.parametrize("sort", _LISTS)
def test_a_key_that_occurs_twice(target: Target, sort: str, *, held: bool) -> None:
    """Failed with the server's words, never "in sync", and the other objects go on."""
    target.write("web.yaml", _WEB.replace("LIST", _LISTS[sort]))
    target.write("other.yaml", config_map("other"))
    if held:
        target.kubectl("create", "-f", str(target.folder / "web.yaml"))
    for report, code in ((target.diff(), ExitCode.DESIRED), (target.apply(), ExitCode.INCOMPLETE)):
        (entry,) = [entry for entry in report.entries if entry.ref.kind == "Deployment"]
        assert report.exit_code is code
        assert entry.problem
        assert entry.problem.trouble is Trouble.INVALID
        assert "duplicate entries for key" in entry.problem.message
    assert target.get("configmap", "other")["data"] == {"a": "1"}
    unique = _LISTS[sort].split(", {")[0].rstrip("}") + "}]"
    target.write("web.yaml", _WEB.replace("LIST", unique))
    mended = target.apply()
    assert mended.exit_code is ExitCode.OK, [entry.problem for entry in mended.entries]
    assert target.diff().entries == ()
