"""Git to manifests: revisions, the YAML reader, plain folders, the places of fields.

Reads files and asks git; never talks to a cluster, and doesn't decide what the manifests mean there. Importing the
package alone costs nothing: the YAML library comes with the first name that is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recon_action.desired.config_file import ConfigDocument, config_document
    from recon_action.desired.faults import Fault, ManifestError
    from recon_action.desired.loader import load
    from recon_action.desired.positions import locate
    from recon_action.desired.revisions import pull, revision_of

__all__ = [
    "ConfigDocument",
    "Fault",
    "ManifestError",
    "config_document",
    "load",
    "locate",
    "pull",
    "revision_of",
]

_HOMES = {
    "ConfigDocument": "config_file",
    "config_document": "config_file",
    "Fault": "faults",
    "ManifestError": "faults",
    "load": "loader",
    "locate": "positions",
    "pull": "revisions",
    "revision_of": "revisions",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
