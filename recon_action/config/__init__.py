"""Options and recon.yaml, made one frozen `Settings`.

`options` is the table of options and their texts, `access` has those that say how the cluster is reached, `file` reads
recon.yaml. The environment and the command line
are read by who calls; what a setting does is decided elsewhere.
"""

from recon_action.config.access import ACCESS, access_of
from recon_action.config.option import Option, option_name
from recon_action.config.options import OPTIONS, default_target, settings
from recon_action.model.duration import duration

__all__ = ["ACCESS", "OPTIONS", "Option", "access_of", "default_target", "duration", "option_name", "settings"]
