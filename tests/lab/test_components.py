"""The command lines of the components."""

import datetime as dt
from pathlib import Path

import pytest

from recon_action.lab.binaries import PROGRAMS, Binaries
from recon_action.lab.components import STAGES, Layout, apiserver, controllers, etcd, nodes, write_secrets
from recon_action.lab.options import LabOptions
from recon_action.lab.pki import Authority

BINARIES = Binaries({program.name: Path("/bin", program.name) for program in PROGRAMS})
LAYOUT = Layout(Path("/lab"))


def flags(options: LabOptions) -> list[str]:
    return [str(word) for word in apiserver(BINARIES, LAYOUT, options, 6443)]


def test_the_server_listens_for_this_machine_alone() -> None:
    """On its port, with its own certificate, and nobody skips a check."""
    command = flags(LabOptions())
    assert {"--bind-address=127.0.0.1", "--secure-port=6443", "--authorization-mode=RBAC"} <= set(command)
    assert "--client-ca-file=/lab/pki/ca.crt" in command
    assert not [flag for flag in command if "insecure" in flag]


def test_etcd_opens_no_port() -> None:
    """Its data has no access control: only sockets in the lab's own folder lead to it."""
    command = [str(word) for word in etcd(BINARIES, LAYOUT)]
    urls = [flag.split("=", 1)[1] for flag in command if "-urls=" in flag]
    assert len(urls) == 4
    assert all(url.startswith("unix://") for url in urls)


def test_pods_are_accepted_without_controllers_only() -> None:
    """With controllers, each namespace has its ServiceAccount, as in a real cluster."""
    off = "--disable-admission-plugins=ServiceAccount"
    assert off in flags(LabOptions())
    assert off not in flags(LabOptions(controllers=True))


@pytest.mark.parametrize(
    ("version", "emulation"),
    [
        pytest.param("1.35", ["--emulated-version=kube=1.35"], id="older"),
        pytest.param("1.37", [], id="newest"),
    ],
)
def test_an_older_version_is_emulated_by_everything_of_kubernetes(version: str, emulation: list[str]) -> None:
    """Server and controllers must agree on what there is."""
    options = LabOptions(kubernetes=version, controllers=True)
    commands = [apiserver(BINARIES, LAYOUT, options, 1)]
    commands += [command for name, command in controllers(BINARIES, LAYOUT, options).items() if name != "kwok"]
    assert len(commands) == 3
    for command in commands:
        assert [flag for flag in command if str(flag).startswith("--emulated")] == emulation


def test_more_flags_come_last() -> None:
    """The last of a name wins, so anything can be changed."""
    assert flags(LabOptions(apiserver_flags=("--profiling=true",)))[-1] == "--profiling=true"


def test_nodes_are_kwoks_and_have_room() -> None:
    """Named, annotated for kwok, with capacity in their status."""
    made = nodes(2)
    assert [node["metadata"]["name"] for node in made] == ["lab-1", "lab-2"]
    assert all(node["metadata"]["annotations"] == {"kwok.x-k8s.io/node": "fake"} for node in made)
    assert all(int(node["status"]["capacity"]["pods"]) > 0 for node in made)


def test_the_stages_ship_with_the_package() -> None:
    """Without any, kwok ends at once."""
    assert STAGES.read_text().count("\nkind: Stage\n") == 5


def test_secrets_are_written_for_their_owner_alone(tmp_path: Path) -> None:
    """Whatever is a key, and the rest as well."""
    tmp_path.joinpath("lab").mkdir()
    write_secrets(Layout(tmp_path / "lab"), Authority(dt.datetime(2026, 1, 1, tzinfo=dt.UTC)))
    files = [file for file in (tmp_path / "lab").rglob("*") if file.is_file()]
    assert {file.name for file in files} == {
        "ca.crt",
        "server.crt",
        "server.key",
        "accounts.key",
        "accounts.pub",
        "audit-policy.json",
    }
    assert all(file.stat().st_mode & 0o777 == 0o600 for file in files)
