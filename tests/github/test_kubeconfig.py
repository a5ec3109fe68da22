"""A kubeconfig in each form that people put into a secret."""

import base64
from collections.abc import Iterable
from pathlib import Path

import pytest

from recon_action.errors import UsageError
from recon_action.github.kubeconfig import kubeconfig_file, secrets_of

YAML = """\
apiVersion: v1
kind: Config
clusters:
- name: c
  cluster: {server: https://127.0.0.1:6443, certificate-authority-data: Q0EK}
users:
- name: admin
  user:
    client-key-data: S0VZLURBVEE=
    token: abc.def-ghi
"""


class Masks:
    """Collects what would be hidden."""

    def __init__(self) -> None:
        self.values: list[str] = []

    def __call__(self, values: Iterable[str]) -> None:
        """Hide `values`."""
        self.values += values


@pytest.mark.parametrize(
    "value",
    [YAML.strip(), base64.b64encode(YAML.encode()).decode(), base64.encodebytes(YAML.encode()).decode().strip()],
    ids=["YAML", "base64", "base64 in lines"],
)
def test_text_becomes_a_private_file(tmp_path: Path, value: str) -> None:
    """The text is in a file that only we may read, below RUNNER_TEMP, and gone afterwards; its secrets are masked."""
    masks = Masks()
    with kubeconfig_file(value, {"RUNNER_TEMP": str(tmp_path)}, masks) as name:
        file = Path(name)
        assert file.parent == tmp_path
        assert file.stat().st_mode & 0o777 == 0o600
        assert file.read_text().strip() == YAML.strip()
    assert list(tmp_path.iterdir()) == []
    assert masks.values == ["S0VZLURBVEE=", "abc.def-ghi"]


def test_text_is_gone_after_a_failure(tmp_path: Path) -> None:
    """Also when the run does not end well."""
    with (
        pytest.raises(RuntimeError),
        kubeconfig_file(YAML, {"RUNNER_TEMP": str(tmp_path)}, Masks()),
    ):
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("given", ["input", "KUBECONFIG"])
def test_path(tmp_path: Path, given: str) -> None:
    """A file of the job's is used where it is, and its secrets are masked before anybody reads it."""
    file, masks = tmp_path / "config", Masks()
    file.write_text(YAML)
    path = f"/nowhere:{file}"
    value, environ = (path, {}) if given == "input" else ("", {"KUBECONFIG": path})
    with kubeconfig_file(value, environ, masks) as name:
        assert name == path
        assert masks.values == ["S0VZLURBVEE=", "abc.def-ghi"]
    assert file.exists()


def test_missing_path() -> None:
    """The hint says what a container sees."""
    with pytest.raises(UsageError, match=r"no such file: '/home/runner/\.kube/config'") as raised:
        kubeconfig_file("/home/runner/.kube/config", {}, Masks()).__enter__()
    assert "workspace" in raised.value.hint


def test_mangled_text_is_not_told() -> None:
    """What looks like a path and may be a broken secret is shown in part only."""
    secret = base64.b64encode(YAML.encode()).decode()[:-3]
    with pytest.raises(UsageError) as raised:
        kubeconfig_file(secret, {}, Masks()).__enter__()
    assert secret[30:60] not in raised.value.message


@pytest.mark.parametrize(
    ("environ", "path"),
    [
        pytest.param({"KUBECONFIG": "/work/config"}, "/work/config", id="KUBECONFIG"),
        pytest.param({"KUBERNETES_SERVICE_HOST": "10.96.0.1"}, "", id="in-cluster"),
    ],
)
def test_without_the_input(environ: dict[str, str], path: str) -> None:
    """The job's KUBECONFIG, or the pod's service account."""
    with kubeconfig_file("", environ, Masks()) as name:
        assert name == path


def test_nothing_at_all() -> None:
    """An empty secret, as after a merge by Dependabot, never ends at localhost."""
    with pytest.raises(UsageError, match="no kubeconfig") as raised:
        kubeconfig_file("", {}, Masks()).__enter__()
    assert "secrets.KUBECONFIG" in raised.value.hint


@pytest.mark.parametrize(
    ("text", "secrets"),
    [
        pytest.param('{"users":[{"user":{"token":"a,b}c"}}]}', ["a,b}c"], id="JSON"),
        pytest.param("token: 'it is'\npassword: \"p w\"", ["it is"], id="quoted; too short to hide"),
        pytest.param("{user: {token: abcd, name: x}}", ["abcd, name: x}}", "abcd"], id="flow"),
        pytest.param("  token: abcd # mine\n", ["abcd # mine", "abcd"], id="comment"),
        pytest.param("  token: |-\n    line-1\n    line-2\nname: x\n", ["line-1", "line-2"], id="block"),
        pytest.param("tokenFile: /var/run/token\nclient-key: /k.pem\n", [], id="files are no secrets"),
        pytest.param("{\n}\n", [], id="nothing; never a brace"),
        pytest.param("token: null\n", [], id="a word of YAML"),
        pytest.param("proxy-url: http://me:pa55word@proxy:3128", ["pa55word"], id="within an address"),
        pytest.param(
            "env:\n- name: AWS_SECRET_ACCESS_KEY\n  value: wJalr\n- name: AWS_PROFILE\n  value: prod\n",
            ["wJalr"],
            id="a plugin's variable",
        ),
        pytest.param('{"env":[{"name":"X_TOKEN","value":"abcde"}]}', ["abcde"], id="a plugin's variable in JSON"),
        pytest.param(f"name: {'K' * 200_000}\n", [], id="long words in no time"),
    ],
)
def test_secrets(text: str, secrets: list[str]) -> None:
    """Values of credentials, one a line; nothing so short that hiding it would ruin the log."""
    assert secrets_of(text) == secrets
