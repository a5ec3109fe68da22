"""The command lines of a lab's components, tuned for something that is thrown away. Starts nothing."""

from dataclasses import dataclass
from pathlib import Path

from recon_action.lab.audit import POLICY
from recon_action.lab.binaries import Binaries
from recon_action.lab.kubeconfig import write_json, write_private
from recon_action.lab.options import NEWEST, LabOptions
from recon_action.lab.pki import Authority, new_key, private_pem, public_pem

STAGES = Path(__file__).with_name("stages.yaml")
_ISSUER = "https://kubernetes.default.svc"
_SERVICES = "10.96.0.0/16"
# A socket in the folder that all components run in; a whole path could be longer than a socket's may be.
_ETCD = "unix://etcd.sock:0"
# Nobody reaches the API through the `kubernetes` Service, but the server insists on an address that is no
# loopback, and looks for one on the network interfaces otherwise: a laptop without network has none.
_ADVERTISED = "192.0.2.1"

Command = list[str | Path]


@dataclass(frozen=True, slots=True)
class Layout:
    """Where what lies in a lab's folder."""

    folder: Path

    @property
    def kubeconfig(self) -> Path:
        """The administrator's."""
        return self.folder / "kubeconfig"

    @property
    def audit_log(self) -> Path:
        """One line for each request."""
        return self.folder / "audit.log"

    def log(self, component: str) -> Path:
        """What `component` writes."""
        return self.folder / f"{component}.log"

    def own_kubeconfig(self, component: str) -> Path:
        """How `component` reaches the server."""
        return self.folder / f"{component}.kubeconfig"

    def secret(self, name: str) -> Path:
        """A certificate or a key."""
        return self.folder / "pki" / name


def write_secrets(layout: Layout, authority: Authority) -> None:
    """Write what the components read: certificates, keys, the audit policy."""
    layout.secret("").mkdir()
    server, account_key = authority.server(), new_key()
    write_private(layout.secret("ca.crt"), authority.certificate)
    write_private(layout.secret("server.crt"), server.certificate)
    write_private(layout.secret("server.key"), server.key)
    write_private(layout.secret("accounts.key"), private_pem(account_key))
    write_private(layout.secret("accounts.pub"), public_pem(account_key))
    write_json(layout.folder / "audit-policy.json", POLICY)


def etcd(binaries: Binaries, layout: Layout) -> Command:
    """One member that listens on sockets in the lab's own folder: no port, and no other user gets in."""
    peer = "unix://peer.sock:0"
    return [
        binaries["etcd"],
        "--name=lab",
        f"--data-dir={layout.folder / 'etcd'}",
        f"--listen-client-urls={_ETCD}",
        f"--advertise-client-urls={_ETCD}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=lab={peer}",
        "--unsafe-no-fsync",
        # A member without peers is elected after one timeout: the default of a second would be half the start.
        "--heartbeat-interval=10",
        "--election-timeout=100",
        "--log-level=warn",
    ]


def apiserver(binaries: Binaries, layout: Layout, options: LabOptions, port: int) -> Command:
    """The API server: TLS and client certificates of the lab's own CA, RBAC, an exact audit log."""
    command: Command = [
        binaries["kube-apiserver"],
        f"--etcd-servers={_ETCD}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        f"--advertise-address={_ADVERTISED}",
        "--endpoint-reconciler-type=none",
        f"--tls-cert-file={layout.secret('server.crt')}",
        f"--tls-private-key-file={layout.secret('server.key')}",
        f"--client-ca-file={layout.secret('ca.crt')}",
        f"--service-account-issuer={_ISSUER}",
        f"--service-account-key-file={layout.secret('accounts.pub')}",
        f"--service-account-signing-key-file={layout.secret('accounts.key')}",
        f"--service-cluster-ip-range={_SERVICES}",
        "--authorization-mode=RBAC",
        "--allow-privileged",
        "--profiling=false",
        f"--audit-log-path={layout.audit_log}",
        f"--audit-policy-file={layout.folder / 'audit-policy.json'}",
        "--audit-log-maxsize=0",  # no rotation: it is counted
    ]
    if options.kubernetes != NEWEST:
        command.append(f"--emulated-version=kube={options.kubernetes}")
    if not options.controllers:
        # Nobody makes the `default` ServiceAccount that each Pod needs; envtest does the same.
        command.append("--disable-admission-plugins=ServiceAccount")
    return [*command, *options.apiserver_flags]


def controllers(binaries: Binaries, layout: Layout, options: LabOptions) -> dict[str, Command]:
    """What makes objects live: controller-manager, scheduler, and kwok, which plays the kubelets."""
    manager, scheduler = "kube-controller-manager", "kube-scheduler"
    emulation = [] if options.kubernetes == NEWEST else [f"--emulated-version=kube={options.kubernetes}"]
    return {
        manager: [
            binaries[manager],
            f"--kubeconfig={layout.own_kubeconfig(manager)}",
            f"--service-account-private-key-file={layout.secret('accounts.key')}",
            f"--root-ca-file={layout.secret('ca.crt')}",
            "--leader-elect=false",
            "--secure-port=0",
            "--kube-api-qps=200",
            "--kube-api-burst=400",
            *emulation,
        ],
        scheduler: [
            binaries[scheduler],
            f"--kubeconfig={layout.own_kubeconfig(scheduler)}",
            "--leader-elect=false",
            "--secure-port=0",
            "--kube-api-qps=200",
            "--kube-api-burst=400",
            *emulation,
        ],
        "kwok": [
            binaries["kwok"],
            f"--kubeconfig={layout.own_kubeconfig('kwok')}",
            f"--config={STAGES}",
            "--manage-all-nodes=true",
            "--node-lease-duration-seconds=40",
        ],
    }


def nodes(count: int) -> list[dict[str, object]]:
    """Node objects for kwok to play."""
    return [_node(f"lab-{number}") for number in range(1, count + 1)]


def _node(name: str) -> dict[str, object]:
    room = {"cpu": "64", "memory": "256Gi", "pods": "500", "ephemeral-storage": "1Ti"}
    labels = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels, "annotations": {"kwok.x-k8s.io/node": "fake"}},
        "status": {"allocatable": room, "capacity": room},
    }
