"""The only door to the API server: connect, discover, send, watch, translate errors.

Nothing here knows what the requests are for. A failure leaves as `RequestError`, which carries a
`Problem`; foreign exceptions stay inside.
"""

from recon_action.cluster.access import connect
from recon_action.cluster.client import Cluster, path_of
from recon_action.cluster.discovery import discover
from recon_action.cluster.failure import NotSent, RequestError

__all__ = ["Cluster", "NotSent", "RequestError", "connect", "discover", "path_of"]
