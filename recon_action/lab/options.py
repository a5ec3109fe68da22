"""What a lab can be told."""

from dataclasses import dataclass
from pathlib import Path

from recon_action.errors import UsageError

VERSIONS = ("1.34", "1.35", "1.36", "1.37")
NEWEST = VERSIONS[-1]


@dataclass(frozen=True, slots=True)
class LabOptions:
    """A control plane to be started.

    Args:
        controllers: adds controller-manager, scheduler and nodes, so that Deployments get pods, owner
            references are collected and namespaces end. Without them a lab starts in half the time and
            objects stay as they were written; Pods are accepted without a ServiceAccount, as in envtest.
        kubernetes: the version whose behaviour is served, by emulation.
        nodes: how many nodes kwok plays, with controllers.
        apiserver_flags: more flags for kube-apiserver; the last one of a name wins.
        port: of the API server; 0 takes a free one.
        folder: where everything lies; it must not exist. None takes a temporary one.
    """

    controllers: bool = False
    kubernetes: str = NEWEST
    nodes: int = 1
    apiserver_flags: tuple[str, ...] = ()
    port: int = 0
    folder: Path | None = None

    def __post_init__(self) -> None:
        if self.kubernetes not in VERSIONS:
            raise UsageError(
                f"the lab can't serve Kubernetes {self.kubernetes}", hint=f"choose one of {', '.join(VERSIONS)}"
            )
        if self.nodes < 1:
            raise UsageError("a lab with controllers needs a node", hint="nodes must be at least 1")
