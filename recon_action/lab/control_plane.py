"""A running control plane: starts its components in order, knows when each is ready, hands out access.

How a component is called is `components`'; who ends it, whatever happens, is `supervisor`'s.
"""

import datetime as dt
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from recon_action.errors import ProgramError
from recon_action.lab import components
from recon_action.lab.api import Api
from recon_action.lab.audit import KWOK_USER, LAB_USER, AuditEvent, read_audit, settle
from recon_action.lab.binaries import Binaries, get_binaries
from recon_action.lab.components import Layout
from recon_action.lab.kubeconfig import certificate_user, kubeconfig, token_user, write_json, write_private
from recon_action.lab.options import LabOptions
from recon_action.lab.pki import Authority
from recon_action.lab.supervised import Supervised
from recon_action.model.progress import Progress, Quiet

_READY_LIMIT = 60.0
_POLL = 0.05
_TAIL = 12  # lines of a component's log that an error shows
_PORT_ATTEMPTS = 5
_STOP_GRACE = 20.0  # an API server takes its time to end its watches
_ADMINS = "system:masters"
_OWN = {  # component: user
    "kube-controller-manager": "system:kube-controller-manager",
    "kube-scheduler": "system:kube-scheduler",
    "kwok": KWOK_USER,
}


class _PortTakenError(ProgramError):
    """Somebody took the port between our look and the server's."""


class Lab:
    """A control plane, ready.

    Attributes:
        options: as it was asked for.
        folder: holds everything of it.
        kubeconfig: the administrator's.
        audit_log: one line for each request, the lab's own left out.
        kubectl: of the server's version; it keeps its cache in the lab's folder.
    """

    def __init__(self, options: LabOptions, binaries: Binaries, progress: Progress) -> None:
        folder = _make_folder(options.folder)
        self.options = options
        self.folder = folder
        self.port = options.port
        self._binaries = binaries
        self._layout = Layout(folder)
        self.kubeconfig = self._layout.kubeconfig
        self.audit_log = self._layout.audit_log
        self.kubectl = folder / "bin" / "kubectl"
        self._supervised = Supervised(folder)
        self._authority = Authority(dt.datetime.now(dt.UTC))
        self._count = 0
        try:
            self._start(progress)
        except BaseException:
            self.end()
            raise

    @property
    def server(self) -> str:
        """The API server's URL; the same after a restart."""
        return f"https://127.0.0.1:{self.port}"

    @property
    def kubernetes(self) -> str:
        """The version that is served, as the server says: KUBEBUILDER_ASSETS may hold another one than ours."""
        said = self._api().get("/version")
        return f"{said.get('emulationMajor', said['major'])}.{said.get('emulationMinor', said['minor'])}"

    @property
    def pids(self) -> Mapping[str, int]:
        """The process of each component, and of the supervisor."""
        return dict(self._supervised.pids)

    def env(self, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
        """`environ` for a program that uses the lab."""
        return dict(environ) | {
            "KUBECONFIG": str(self.kubeconfig),
            "KUBECACHEDIR": str(self.folder / "kubectl-cache"),  # ports come again, with other CRDs behind
            "PATH": os.pathsep.join([str(self.kubectl.parent), environ.get("PATH", os.defpath)]),
            "RECON_LAB_AUDIT_LOG": str(self.audit_log),
        }

    def audit(self) -> list[AuditEvent]:
        """The requests so far, in order, each once; those of the lab itself are left out."""
        settle(self.audit_log)
        return read_audit(self.audit_log)

    def kubeconfig_for(
        self, user: str, groups: Iterable[str] = (), *, namespace: str = "", expired: bool = False
    ) -> Path:
        """A kubeconfig for `user`, who may do what RBAC grants; with `expired` the server answers 401."""
        pair = self._authority.client(user, groups, expired=expired)
        return self._write_kubeconfig(certificate_user(pair), namespace)

    def kubeconfig_with_token(self, token: str, *, namespace: str = "") -> Path:
        """A kubeconfig with a bearer token: one of a ServiceAccount, or one that the server refuses."""
        return self._write_kubeconfig(token_user(token), namespace)

    def stop_server(self, *, grace: float = _STOP_GRACE) -> None:
        """Stop the API server alone; etcd keeps the data. `grace=0` kills it, as a crash does."""
        self._supervised.stop("kube-apiserver", grace)

    def start_server(self, *flags: str) -> None:
        """Start it again, on the same port, with more `flags` if any."""
        self.options = replace(self.options, apiserver_flags=(*self.options.apiserver_flags, *flags))
        self._run_server()

    def guard(self, pid: int, *, group: bool) -> None:
        """Let the process `pid`, or the group that it leads, end with the lab, should we be killed."""
        self._supervised.guard(pid, group=group)

    def check(self) -> None:
        """Raise what the last log lines say, if a component has ended by itself."""
        for name, code in self._supervised.exited().items():
            raise self._failure(name, f"ended with exit code {code}")

    def detach(self) -> None:
        """Let it stay when this process ends; `standing` ends it then."""
        self._supervised.detach()

    def end(self) -> None:
        """End all of it and remove its folder."""
        self._supervised.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _start(self, progress: Progress) -> None:
        layout = self._layout
        progress.step("starting the control plane")
        self.kubectl.parent.mkdir()
        self.kubectl.symlink_to(self._binaries["kubectl"])
        components.write_secrets(layout, self._authority)
        own = self._authority.client(LAB_USER, [_ADMINS])
        write_private(layout.secret("lab.crt"), own.certificate)
        write_private(layout.secret("lab.key"), own.key)
        self._supervised.run("etcd", components.etcd(self._binaries, layout), layout.log("etcd"))
        for _ in range(1 if self.options.port else _PORT_ATTEMPTS):
            self.port = self.options.port or _free_port()
            try:
                self._run_server()
                break
            except _PortTakenError as error:
                taken = error
        else:
            raise taken
        self._write(self.kubeconfig, "recon-lab-admin", _ADMINS)
        if self.options.controllers:
            self._start_controllers(progress)

    def _run_server(self) -> None:
        name, layout = "kube-apiserver", self._layout
        command = components.apiserver(self._binaries, layout, self.options, self.port)
        self._supervised.run(name, command, layout.log(name))
        api = self._api()
        self._until(api.is_ready, name)
        # The server makes them after it has called itself ready.
        namespaces = ["/api/v1/namespaces/default", "/api/v1/namespaces/kube-system"]
        self._until(lambda: all(map(api.exists, namespaces)), name)

    def _start_controllers(self, progress: Progress) -> None:
        progress.step("starting the controllers")
        api = self._api()
        for name, user in _OWN.items():
            self._write(self._layout.own_kubeconfig(name), user, _ADMINS)
        for name, command in components.controllers(self._binaries, self._layout, self.options).items():
            self._supervised.run(name, command, self._layout.log(name))
        for node in components.nodes(self.options.nodes):
            api.create("/api/v1/nodes", node)
        self._until(lambda: _are_schedulable(api, self.options.nodes), "kwok")
        account = "/api/v1/namespaces/default/serviceaccounts/default"
        self._until(lambda: api.exists(account), "kube-controller-manager")

    def _api(self) -> Api:
        secret = self._layout.secret
        return Api(self.port, secret("ca.crt"), secret("lab.crt"), secret("lab.key"))

    def _until(self, condition: Callable[[], bool], component: str) -> None:
        """Wait for `condition`, which `component` has to bring about."""
        end = time.monotonic() + _READY_LIMIT
        while not condition():
            self.check()
            if time.monotonic() > end:
                raise self._failure(component, f"was not ready within {_READY_LIMIT:g} s")
            time.sleep(_POLL)

    def _failure(self, component: str, what: str) -> ProgramError:
        log = self._layout.log(component).read_text(errors="replace").splitlines()
        lines = [f"  {line}" for line in log[-_TAIL:]]
        taken = component == "kube-apiserver" and "address already in use" in "\n".join(lines)
        if taken:
            self._supervised.stop(component, 0)
        kind = _PortTakenError if taken else ProgramError
        return kind(
            "\n".join([f"the lab could not start: {component} {what}; the last it wrote:", *lines]),
            hint="another process has the port; choose another one" if taken else "",
        )

    def _write_kubeconfig(self, user: dict[str, str], namespace: str) -> Path:
        self._count += 1
        body = kubeconfig(self.server, self._authority.certificate, user, namespace)
        return write_json(self.folder / f"kubeconfig-{self._count}", body)

    def _write(self, file: Path, user: str, group: str) -> None:
        who = certificate_user(self._authority.client(user, [group]))
        write_json(file, kubeconfig(self.server, self._authority.certificate, who))


def _make_folder(folder: Path | None) -> Path:
    if folder is None:
        return Path(tempfile.mkdtemp(prefix="recon-lab-"))
    folder.mkdir(parents=True, mode=0o700)
    return folder.resolve()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _are_schedulable(api: Api, count: int) -> bool:
    """Whether that many nodes are ready and accept pods."""
    nodes = api.get("/api/v1/nodes").get("items", [])
    return sum(not node["spec"].get("taints") and _is_ready(node) for node in nodes) >= count


def _is_ready(node: dict[str, dict[str, list[dict[str, str]]]]) -> bool:
    conditions = node["status"].get("conditions", [])
    return any(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions)


@contextmanager
def start(
    options: LabOptions | None = None,
    *,
    environ: Mapping[str, str] = os.environ,
    progress: Progress | None = None,
) -> Iterator[Lab]:
    """A control plane for the time of a `with` block; nothing of it is left after, whatever happens.

    Raises:
        ProgramError: a program can't be had, or a component doesn't start.
    """
    options = options or LabOptions()
    progress = progress or Quiet()
    binaries = get_binaries(environ, progress, controllers=options.controllers)
    lab = Lab(options, binaries, progress)
    try:
        yield lab
    finally:
        lab.end()
