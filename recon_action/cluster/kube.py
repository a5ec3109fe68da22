"""The parts of the `kubernetes` package that we use, without the parts that we don't.

Importing any of it imports all of it: the dynamic client, websockets, and for the renewal of OIDC tokens requests,
oauthlib and pydantic, which is more than half of the time. So stand-ins take the places of those modules while ours
are imported; what kube_config keeps of them imports the real one when it is called. Nothing else may live here.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

_NEVER_USED = tuple(f"kubernetes.{name}" for name in ("dynamic", "informer", "leaderelection", "stream", "watch"))
_FOR_OIDC = ("kubernetes.client.api_client", "oauthlib.oauth2", "requests_oauthlib")


class _StandIn(ModuleType):
    """A module that holds every name: a function that calls what the real one holds under it."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):  # the import system asks for these
            raise AttributeError(name)

        def call(*arguments: Any, **named: Any) -> Any:
            return getattr(import_module(self.__name__), name)(*arguments, **named)

        return call


@contextmanager
def _stand_ins(*names: str) -> Iterator[None]:
    """Stand-ins for those of the modules `names` that nobody has imported yet; nobody finds them afterwards."""
    added = {name: _StandIn(name) for name in names if name not in sys.modules}
    sys.modules |= added
    try:
        yield
    finally:
        for name, stand_in in added.items():
            del sys.modules[name]
            parent, _, child = name.rpartition(".")
            held = vars(sys.modules[parent]) if parent in sys.modules else {}
            if held.get(child) is stand_in:
                del held[child]


with _stand_ins(*_NEVER_USED, *_FOR_OIDC):
    from kubernetes import client as _client
    from kubernetes.client.configuration import Configuration
    from kubernetes.client.rest import RESTClientObject
    from kubernetes.config import incluster_config, kube_config
    from kubernetes.config.config_exception import ConfigException

# The package remembers what it has exported; only kube_config may keep the stand-in's.
if not isinstance(vars(_client).get("ApiClient"), type):
    vars(_client).pop("ApiClient", None)

__all__ = ["ConfigException", "Configuration", "RESTClientObject", "incluster_config", "kube_config"]
