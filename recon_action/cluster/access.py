"""From a kubeconfig, a pod's own service account, or an address and a token, to a connection.

The `kubernetes` package makes the configuration; requests go through its pool, so that proxies behave as its users
expect. `kubeconfig` chooses, `credentials` proves who we are, `tls` checks who the server is.
"""

import logging
import os
import warnings
from pathlib import Path

from urllib3 import PoolManager, disable_warnings
from urllib3.exceptions import DependencyWarning, HTTPError, InsecureRequestWarning

from recon_action.cluster.client import Cluster
from recon_action.cluster.credentials import Credentials, TokenFile
from recon_action.cluster.kube import ConfigException, Configuration, RESTClientObject, incluster_config, kube_config
from recon_action.cluster.kubeconfig import load_kubeconfig
from recon_action.cluster.tls import authority_pem, tls_context
from recon_action.errors import UsageError
from recon_action.model import Access, Bearer
from recon_action.stop import Stop

_log = logging.getLogger(__name__)

_SERVICE_ACCOUNT_NAMESPACE = Path("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
_USUAL = "default"  # the namespace where nothing names one


def connect(access: Access, *, concurrency: int, stop: Stop | None = None) -> Cluster:
    """A connection as `access` says, until `stop` ends it; sends nothing yet.

    Raises:
        UsageError: no kubeconfig, an unreadable one, an unknown context, a failing exec plugin, a wrong certificate.
    """
    logging.getLogger("urllib3.connectionpool").setLevel(logging.ERROR)  # our own log tells of what fails
    stop, configuration = stop or Stop(), Configuration()
    configuration.connection_pool_maxsize = concurrency
    namespace, bearer = _load(access, configuration)
    if access.bearer and not configuration.host.startswith("https://"):
        raise UsageError(
            f"a token is sent only over https, and the server is {configuration.host}",
            hint="write its address as https://HOST:PORT",
        )
    credentials = Credentials(configuration, access.bearer(stop.wait) if access.bearer else bearer)
    return Cluster(configuration.host, _pool(configuration), credentials, namespace, concurrency, stop)


def _load(access: Access, configuration: Configuration) -> tuple[str, Bearer | None]:
    """Fill `configuration`; gives the namespace of what is named nowhere, and a token that is renewed, if any."""
    if access.server:
        configuration.host = access.server.rstrip("/")
        configuration.ca_cert_data = authority_pem(access.authority) if access.authority else None
        return _USUAL, None
    location = access.kubeconfig or kube_config.KUBE_CONFIG_DEFAULT_LOCATION
    files = [Path(file).expanduser() for file in location.split(os.pathsep) if file]
    missing = [str(file) for file in files if not file.is_file()]
    if len(missing) == len(files):
        if not access.kubeconfig and not access.context and "KUBERNETES_SERVICE_HOST" in os.environ:
            return _load_service_account(configuration)
        raise UsageError(
            f"no kubeconfig: {' and '.join(missing) or 'no file was named'} can't be found",
            hint="give --kubeconfig FILE, or set KUBECONFIG; in the action, whose container has a home of its own, "
            "write the file below RUNNER_TEMP or the workspace",
        )
    loaded = load_kubeconfig(location, access.context, configuration, with_user=access.bearer is None)
    return loaded.namespace or _USUAL, TokenFile(loaded.token_file) if loaded.token_file else None


def _load_service_account(configuration: Configuration) -> tuple[str, Bearer]:
    try:
        incluster_config.load_incluster_config(client_configuration=configuration, try_refresh_token=False)
        namespace = _SERVICE_ACCOUNT_NAMESPACE.read_text(encoding="utf-8").strip()
    except (ConfigException, OSError) as error:
        raise UsageError(
            f"in-cluster configuration: {error}",
            hint="mount a service account token, or give --kubeconfig FILE",
        ) from error
    return namespace, TokenFile(Path(incluster_config.SERVICE_TOKEN_FILENAME))


def _pool(configuration: Configuration) -> PoolManager:
    """The connections, whose TLS is checked beforehand."""
    if not configuration.verify_ssl:
        disable_warnings(InsecureRequestWarning)  # it says so once a request
        _log.warning("insecure-skip-tls-verify: whoever stands between here and the server can read and change all")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DependencyWarning)  # of a proxy's kind that the error tells of
            pool = RESTClientObject(configuration).pool_manager
    except (HTTPError, ImportError) as error:
        raise UsageError(
            "the proxy's address can't be used: it must be http://HOST:PORT or https://HOST:PORT",
            hint="see proxy-url in the kubeconfig, and HTTPS_PROXY; NO_PROXY lists what is reached without",
        ) from error
    made = {"ca_certs": None, "ca_cert_data": None, "cert_file": None, "key_file": None}  # of what the context holds
    pool.connection_pool_kw |= {**made, "ssl_context": tls_context(configuration)}
    return pool
