"""From a kubeconfig, or the pod's own service account, to a connection.

The `kubernetes` package reads the configuration (contexts, tokens, exec plugins, certificates);
requests go through its pool, so that proxies and TLS behave as its users expect.
"""

import logging
import os
from pathlib import Path

from recon_action.cluster.client import Cluster
from recon_action.cluster.kube import (
    ConfigException,
    Configuration,
    RESTClientObject,
    kube_config,
    load_incluster_config,
)
from recon_action.errors import UsageError
from recon_action.model import Access
from recon_action.stop import Stop

_SERVICE_ACCOUNT_NAMESPACE = Path("/var/run/secrets/kubernetes.io/serviceaccount/namespace")


class _Complaints(logging.Handler):
    """What the loader only logs, to go on without credentials: that their plugin failed."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the message, on one line."""
        self.messages.append(" ".join(record.getMessage().split()))


def connect(access: Access, *, concurrency: int, stop: Stop | None = None) -> Cluster:
    """A connection as `access` says, until `stop` ends it; sends nothing yet.

    Raises:
        UsageError: no kubeconfig, an unreadable one, an unknown context, a failing exec plugin.
    """
    logging.getLogger("urllib3.connectionpool").setLevel(logging.ERROR)  # our own log tells of what fails
    configuration = Configuration()
    configuration.connection_pool_maxsize = concurrency
    namespace = _load(access, configuration)
    return Cluster(configuration, RESTClientObject(configuration).pool_manager, namespace, concurrency, stop)


def _load(access: Access, configuration: Configuration) -> str:
    """Fill `configuration`; gives the namespace that the context names."""
    location = access.kubeconfig or kube_config.KUBE_CONFIG_DEFAULT_LOCATION
    files = [Path(file).expanduser() for file in location.split(os.pathsep) if file]
    missing = [str(file) for file in files if not file.is_file()]
    if len(missing) == len(files):
        if not access.kubeconfig and not access.context and "KUBERNETES_SERVICE_HOST" in os.environ:
            return _load_service_account(configuration)
        raise UsageError(
            f"no kubeconfig: {' and '.join(missing) or 'no file was named'} can't be found",
            hint="give --kubeconfig FILE, or set KUBECONFIG",
        )
    complaints = _Complaints()
    logging.getLogger().addHandler(complaints)
    try:
        kube_config.load_kube_config(
            config_file=location, context=access.context or None, client_configuration=configuration
        )
        contexts, active = kube_config.list_kube_config_contexts(config_file=location)
    except ConfigException as error:
        raise UsageError(f"kubeconfig: {error}", hint="check it with: kubectl config view") from error
    except Exception as error:  # the loader lets everything out that it trips over, its YAML reader's errors too
        # Their words may quote the file, so they stay inside.
        raise UsageError(
            f"{location} can't be read as a kubeconfig", hint="check it with: kubectl config view"
        ) from error
    finally:
        logging.getLogger().removeHandler(complaints)
    if complaints.messages:
        raise UsageError(
            f"kubeconfig: the credential plugin failed: {'; '.join(complaints.messages)}",
            hint="install the program or log in with it, or give a kubeconfig that needs none",
        )
    chosen = next((context for context in contexts if context["name"] == access.context), active)
    return str(chosen["context"].get("namespace") or "default")


def _load_service_account(configuration: Configuration) -> str:
    try:
        load_incluster_config(client_configuration=configuration)
        return _SERVICE_ACCOUNT_NAMESPACE.read_text(encoding="utf-8").strip()
    except (ConfigException, OSError) as error:
        raise UsageError(
            f"in-cluster configuration: {error}",
            hint="mount a service account token, or give --kubeconfig FILE",
        ) from error
