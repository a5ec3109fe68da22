"""An ephemeral, real control plane: for the demo, for tests, for checks without credentials.

`start` gives one that is gone with the `with` block, whatever ends it. What runs is Kubernetes' own
etcd, API server, controllers and scheduler; only the kubelets are played (by kwok). Nothing here knows
what is done with it: no manifest is read, no object compared.
"""

from recon_action.lab.audit import AuditEvent
from recon_action.lab.control_plane import Lab, start
from recon_action.lab.options import LabOptions

__all__ = ["AuditEvent", "Lab", "LabOptions", "start"]
