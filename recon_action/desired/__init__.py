"""Git to manifests: revisions, the YAML reader, plain folders, the places of fields.

Reads files and asks git; never talks to a cluster, and doesn't decide what the manifests mean there. Importing the
package alone costs nothing: the YAML library comes with the first name that is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recon_action.desired.commits import Tree, commit_of, laid_out, merge_base, parents_of
    from recon_action.desired.config_file import ConfigDocument, config_document
    from recon_action.desired.faults import Fault, ManifestError
    from recon_action.desired.loader import load
    from recon_action.desired.positions import locate
    from recon_action.desired.revisions import is_ancestor, pull, revision_of

__all__ = [
    "ConfigDocument",
    "Fault",
    "ManifestError",
    "Tree",
    "commit_of",
    "config_document",
    "is_ancestor",
    "laid_out",
    "load",
    "locate",
    "merge_base",
    "parents_of",
    "pull",
    "revision_of",
]

_HOMES = {
    "ConfigDocument": "config_file",
    "Tree": "commits",
    "commit_of": "commits",
    "laid_out": "commits",
    "merge_base": "commits",
    "parents_of": "commits",
    "config_document": "config_file",
    "Fault": "faults",
    "ManifestError": "faults",
    "is_ancestor": "revisions",
    "load": "loader",
    "locate": "positions",
    "pull": "revisions",
    "revision_of": "revisions",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
