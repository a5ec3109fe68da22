"""Field managers that the field knows, and whether a person's hand or a controller is behind each.

The name is the first part of the client's user agent, unless the client sets one. One table, so that a
new tool is one line.
"""

from functools import lru_cache

from recon_action.model import Cause, ManagedEntry

# Patterns: a trailing * matches any rest. The first that matches counts.
MANAGERS: tuple[tuple[str, Cause], ...] = (
    ("kubectl-*", Cause.MANUAL),  # kubectl-edit, -patch, -set, -label, -annotate, -client-side-apply, ...
    ("kubectl", Cause.MANUAL),  # server-side apply; kubectl scale, on the scale subresource
    ("kubectl.exe", Cause.MANUAL),
    ("k9s", Cause.MANUAL),
    ("Lens", Cause.MANUAL),
    ("OpenLens", Cause.MANUAL),
    ("node-fetch", Cause.MANUAL),  # Lens before it named itself
    ("headlamp", Cause.MANUAL),
    ("dashboard", Cause.MANUAL),
    ("dashboard-*", Cause.MANUAL),
    ("Mozilla", Cause.MANUAL),  # dashboards that pass the browser's user agent on
    ("rancher", Cause.MANUAL),
    ("octant", Cause.MANUAL),
    ("curl", Cause.MANUAL),
    ("kube-controller-manager", Cause.CONTROLLER),
    ("kube-scheduler", Cause.CONTROLLER),
    ("kube-apiserver", Cause.CONTROLLER),
    ("kubelet", Cause.CONTROLLER),
    ("cloud-controller-manager", Cause.CONTROLLER),
    ("cluster-autoscaler", Cause.CONTROLLER),
    ("recommender", Cause.CONTROLLER),  # the Vertical Pod Autoscaler's
    ("vpa-*", Cause.CONTROLLER),
    ("k3s", Cause.CONTROLLER),  # one program for scheduler, controllers and kubelet
    ("kubelite", Cause.CONTROLLER),  # MicroK8s' one
    # What programs are called that have no name of their own: operator frameworks, Knative, Tekton, MetalLB.
    ("controller", Cause.CONTROLLER),
    ("manager", Cause.CONTROLLER),
    ("operator", Cause.CONTROLLER),
    ("speaker", Cause.CONTROLLER),
    ("argocd-*", Cause.CONTROLLER),
    ("cainjector", Cause.CONTROLLER),
    ("calico*", Cause.CONTROLLER),
    ("cert-manager*", Cause.CONTROLLER),
    ("cilium-*", Cause.CONTROLLER),
    ("crossplane*", Cause.CONTROLLER),
    ("apiextensions.crossplane.io/*", Cause.CONTROLLER),
    ("external-dns", Cause.CONTROLLER),
    ("external-secrets*", Cause.CONTROLLER),
    ("externalsecrets.external-secrets.io/*", Cause.CONTROLLER),
    ("keda*", Cause.CONTROLLER),
    ("karpenter", Cause.CONTROLLER),
    ("kyverno*", Cause.CONTROLLER),
    ("pilot-discovery", Cause.CONTROLLER),  # istiod
    ("PrometheusOperator", Cause.CONTROLLER),
    ("rook*", Cause.CONTROLLER),
    ("traefik", Cause.CONTROLLER),
    ("velero-server", Cause.CONTROLLER),
)
_CONTROLLER_SUFFIXES = ("-controller", "-controller-manager", "-operator", "-manager", "-webhook")


def cause_of(entry: ManagedEntry) -> Cause:
    """Whose hand a manager is: `MANUAL`, `CONTROLLER`, or `UNKNOWN`."""
    return _cause(entry.manager)


@lru_cache(maxsize=1024)
def _cause(manager: str) -> Cause:
    for pattern, cause in MANAGERS:
        if manager == pattern or (pattern.endswith("*") and manager.startswith(pattern[:-1])):
            return cause
    return Cause.CONTROLLER if manager.endswith(_CONTROLLER_SUFFIXES) else Cause.UNKNOWN


def tool_of(entry: ManagedEntry) -> str:
    """What a person calls it: `kubectl scale` for (kubectl, scale), else the manager's name."""
    return f"{entry.manager} {entry.subresource}" if entry.subresource else entry.manager
