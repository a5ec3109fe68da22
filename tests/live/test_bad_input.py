"""What a person sees when something is wrong: a clear message, what to do, and the exit code of its kind."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from target import cluster_role

from recon_action.cli.app import run
from recon_action.lab import Lab

_CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: NAMESPACE}
data: {a: "1"}
"""
_INVALID = """\
apiVersion: v1
kind: Service
metadata: {name: web, namespace: NAMESPACE}
spec:
  ports:
  - {port: 99999}
"""
_LOCK_RULES = (
    '{apiGroups: [""], resources: [namespaces], verbs: [create]}',
    "{apiGroups: [coordination.k8s.io], resources: [leases], verbs: [create, delete]}",
)
_INVENTORY_RULES = (
    *_LOCK_RULES,
    '{apiGroups: [""], resources: [configmaps], verbs: [create, patch], resourceNames: [recon-action-shop]}',
    '{apiGroups: [""], resources: [configmaps], verbs: [create]}',
)


def _kubectl(lab: Lab, *arguments: str, stdin: str = "") -> None:
    subprocess.run([lab.kubectl, *arguments], env=lab.env(), input=stdin, text=True, check=True, capture_output=True)


@pytest.fixture
def call(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str]]:
    """`call("diff", …)`: the command line in an empty folder; gives exit code and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))

    def invoke(*arguments: str) -> tuple[int, str]:
        code = run(arguments)
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err + printed.out
        return code, printed.err + printed.out

    return invoke


@pytest.fixture
def shop(tmp_path: Path, namespace: str) -> Path:
    """A folder with one good manifest."""
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "settings.yaml").write_text(_CONFIG_MAP.replace("NAMESPACE", namespace))
    return folder


@pytest.mark.parametrize(
    ("arguments", "code", "message", "hint"),
    [
        pytest.param(("diff", "nowhere"), 2, "nowhere", "", id="no-such-path"),
        pytest.param(("diff",), 2, "no manifests were named", "PATH", id="no-path"),
        pytest.param(("diff", "--no-such-option", "."), 2, "--no-such-option", "", id="bad-option"),
        pytest.param(("diff", "--max-prune", "many", "."), 2, "--max-prune", "all", id="bad-value"),
        pytest.param(("diff", "--output", "xml", "."), 2, "xml", "", id="bad-choice"),
        pytest.param(("apply", "--target", "Not/A/Name", "."), 2, "Not/A/Name", "lower-case", id="bad-target"),
        pytest.param(("dif", "."), 2, "dif", "", id="no-such-command"),
        pytest.param(("diff", "good.yaml"), 2, "no kubeconfig", "--kubeconfig", id="no-kubeconfig"),
        pytest.param(
            ("diff", "--kubeconfig", "good.yaml", "good.yaml"), 2, "kubeconfig", "kubectl", id="no-kubeconfig-at-all"
        ),
        pytest.param(("diff", "empty"), 3, "no manifests", "PATH", id="empty-folder"),
        pytest.param(("diff", "broken.yaml"), 3, "broken.yaml:4", "", id="invalid-yaml"),
        pytest.param(("watch", "-"), 2, "stdin", "files", id="watch-stdin"),
        pytest.param(("watch", "--git-pull", "good.yaml"), 2, "Git repository", "clone", id="watch-no-repository"),
    ],
)
def test_before_the_cluster(
    arguments: tuple[str, ...],
    code: int,
    message: str,
    hint: str,
    call: Callable[..., tuple[int, str]],
    tmp_path: Path,
) -> None:
    """What is wrong with the command line or the files is said without asking a cluster."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "good.yaml").write_text(_CONFIG_MAP)
    (tmp_path / "broken.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a\ndata: {}\n")
    end, printed = call(*arguments)
    assert end == code
    assert message in printed
    assert hint in printed


def test_every_fault_of_a_folder_is_shown_at_once(call: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    """Two broken files give two messages, each with file and line."""
    for name in ("one.yaml", "two.yaml"):
        (tmp_path / name).write_text("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  name: b\n")
    code, printed = call("diff", ".")
    assert code == 3
    assert {"one.yaml", "two.yaml"} <= set(re.findall(r"(\w+\.yaml):5", printed))


@pytest.mark.parametrize(
    ("manifest", "code", "message"),
    [
        pytest.param(_INVALID, 3, "spec.ports", id="invalid-object"),
        pytest.param(
            _CONFIG_MAP.replace("v1\n", "example.com/v1\n").replace("ConfigMap", "Widget"),
            3,
            "no kind Widget",
            id="unknown-kind",
        ),
        pytest.param(_CONFIG_MAP + "---\n" + _CONFIG_MAP, 3, "declared a second time", id="duplicate"),
        pytest.param(_CONFIG_MAP.replace("\ndata", "\ndate"), 3, "date", id="unknown-field"),
    ],
)
def test_manifests_that_the_server_refuses(
    manifest: str,
    code: int,
    message: str,
    call: Callable[..., tuple[int, str]],
    lab: Lab,
    namespace: str,
    tmp_path: Path,
) -> None:
    """A diff says what the server has against a manifest, and exits 3."""
    (tmp_path / "m.yaml").write_text(manifest.replace("NAMESPACE", namespace))
    end, printed = call("diff", "--kubeconfig", str(lab.kubeconfig), "m.yaml")
    assert end == code
    assert message in printed


def test_a_refused_object_leaves_an_apply_incomplete(
    call: Callable[..., tuple[int, str]], lab: Lab, namespace: str, shop: Path
) -> None:
    """The server's 422 is exit 5 in an apply, and the other objects are applied all the same."""
    (shop / "web.yaml").write_text(_INVALID.replace("NAMESPACE", namespace))
    arguments = ("--kubeconfig", str(lab.kubeconfig), "--target", namespace, "--no-wait", str(shop))
    code, printed = call("apply", *arguments)
    assert code == 5
    assert "spec.ports" in printed
    code, printed = call("diff", *arguments, "-o", "json")
    assert code == 3
    assert '"inSync": 1' in printed


def test_unreachable_server(call: Callable[..., tuple[int, str]], lab: Lab, shop: Path, tmp_path: Path) -> None:
    """A server that does not answer is exit 4, and the message names it."""
    kubeconfig = tmp_path / "gone"
    kubeconfig.write_text(re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:9", lab.kubeconfig.read_text()))
    code, printed = call("diff", "--kubeconfig", str(kubeconfig), str(shop))
    assert code == 4
    assert "127.0.0.1:9" in printed
    assert "hint:" in printed


@pytest.mark.parametrize("kind", ["expired-certificate", "wrong-token"])
def test_expired_credentials(kind: str, call: Callable[..., tuple[int, str]], lab: Lab, shop: Path) -> None:
    """Credentials that the server no longer takes are exit 4, with what to renew."""
    kubeconfig = (
        lab.kubeconfig_with_token("expired") if kind == "wrong-token" else lab.kubeconfig_for("old", [], expired=True)
    )
    code, printed = call("diff", "--kubeconfig", str(kubeconfig), str(shop))
    assert code == 4
    assert "renew" in printed


def test_forbidden_list(call: Callable[..., tuple[int, str]], lab: Lab, shop: Path) -> None:
    """What may not be read is failed, never in sync: exit 4, and the missing rule is named."""
    kubeconfig = lab.kubeconfig_for("nobody", [])
    code, printed = call("diff", "--kubeconfig", str(kubeconfig), str(shop))
    assert code == 4
    assert "configmaps" in printed
    assert 'verbs: ["' in printed
    assert "1 failed" in printed


@pytest.fixture
def reader(lab: Lab, namespace: str) -> Callable[..., Path]:
    """`reader(*rules)`: a kubeconfig of a user that may read everything, and do what `rules` say."""

    def make(*rules: str) -> Path:
        name = f"reader-{namespace}"
        manifest = cluster_role(name, '{apiGroups: ["*"], resources: ["*"], verbs: [get, list, watch]}', *rules)
        _kubectl(lab, "apply", "-f", "-", stdin=manifest)
        return lab.kubeconfig_for(name, [])

    return make


def test_forbidden_patch_in_diff(call: Callable[..., tuple[int, str]], reader: Callable[..., Path], shop: Path) -> None:
    """A diff that may not ask for a prediction compares by itself, and says so."""
    code, printed = call("diff", "--kubeconfig", str(reader()), str(shop))
    assert code == 1
    assert "local verdict" in printed


@pytest.mark.parametrize(
    ("rules", "expected"),
    [((), 4), (_LOCK_RULES, 5), (_INVENTORY_RULES, 5)],
    ids=["no-lock", "no-inventory", "inventory-only"],
)
def test_forbidden_patch_in_apply(
    rules: tuple[str, ...], expected: int, call: Callable[..., tuple[int, str]], reader: Callable[..., Path], shop: Path
) -> None:
    """An apply that may not write is incomplete, one that may not lock begins nothing; the missing rule is named."""
    code, printed = call("apply", "--kubeconfig", str(reader(*rules)), "--target", "shop", "--no-wait", str(shop))
    assert code == expected
    assert 'verbs: ["' in printed
