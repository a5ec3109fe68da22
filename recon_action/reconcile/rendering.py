"""What charts are rendered for: the cluster that a run is about, asked before its manifests are known."""

from recon_action.cluster import connect, discover
from recon_action.model import RenderTarget, Settings
from recon_action.stop import Stop


def render_target(settings: Settings, stop: Stop) -> RenderTarget:
    """What the cluster serves, and the namespace of what names none.

    Raises:
        ClusterError: it can't be asked.
    """
    cluster = connect(settings.access, concurrency=settings.concurrency, stop=stop)
    return RenderTarget(discover(cluster), settings.namespace or cluster.namespace)
