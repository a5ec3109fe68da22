"""The command line as processes of their own, on a target of a lab."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from target import Target

from recon_action.cluster import Cluster, RequestError, connect
from recon_action.model import Access, ObjectRef, Trouble
from recon_action.model.capabilities import LEASE, NAMESPACE

PATIENCE = 60.0


@contextmanager
def started(
    target: Target, command: str, *options: str, kubeconfig: Path | None = None
) -> Iterator["subprocess.Popen[str]"]:
    """`recon-action COMMAND` on the target's folder; killed at the end, if it still runs."""
    named = ["--target", target.namespace, "-n", target.namespace]
    with subprocess.Popen(
        [sys.executable, "-m", "recon_action", command, *named, *options, str(target.folder)],
        env=dict(os.environ) | {"KUBECONFIG": str(kubeconfig or target.lab.kubeconfig)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def ended(process: "subprocess.Popen[str]") -> tuple[int, str, str]:
    """Its exit code, stdout and stderr."""
    out, errors = process.communicate(timeout=PATIENCE)
    return process.returncode, out, errors


def until(condition: Callable[[], bool], what: str, run: "subprocess.Popen[str] | None" = None) -> None:
    """Wait for `condition`, looking often, while `run` runs."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"never {what}"
        assert run is None or run.poll() is None or condition(), f"ended, and never {what}: {ended(run)}"
        time.sleep(0.005)


class Locks:
    """The lock of a target, named after its namespace unless told otherwise, as somebody else sees it."""

    def __init__(self, target: Target, name: str = "") -> None:
        self._cluster: Cluster = connect(Access(str(target.lab.kubeconfig)), concurrency=1)
        self._ref = ObjectRef(LEASE.group, LEASE.kind, "recon-system", f"recon-action-{name or target.namespace}")

    def holder(self) -> str:
        """Who holds it; "" if nobody does."""
        try:
            return str(self._cluster.get(LEASE, self._ref)["spec"].get("holderIdentity") or "")
        except RequestError as error:
            if error.problem.trouble is Trouble.MISSING:
                return ""
            raise

    def exists(self) -> bool:
        """Whether there is one."""
        return bool(self.holder())

    def put(self, **spec: Any) -> None:
        """Somebody else's lock, in a namespace that may have to be made."""
        with suppress(RequestError):
            self._cluster.create(NAMESPACE, {"metadata": {"name": self._ref.namespace}})
        metadata = {"namespace": self._ref.namespace, "name": self._ref.name}
        self._cluster.create(LEASE, {"metadata": metadata, "spec": spec})

    def change(self, **spec: Any) -> None:
        """Change fields of the lock, whatever it says by now."""
        operations = [{"op": "add", "path": f"/spec/{name}", "value": value} for name, value in spec.items()]
        self._cluster.patch(LEASE, self._ref, operations)
