"""Manifests checked without a cluster: read, compared with another commit, and tried on a throw-away control plane.

`reading` is the whole run; `trial` is what a control plane of our own says of the objects, one version or several.
"""

from recon_action.validate.reading import validate

__all__ = ["validate"]
