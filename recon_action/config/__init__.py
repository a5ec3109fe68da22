"""Options and recon.yaml, made one frozen `Settings`.

`options` is the table of options and their texts, `file` reads recon.yaml. The environment and the command line
are read by who calls; what a setting does is decided elsewhere.
"""

from recon_action.config.options import OPTIONS, Option, default_target, option_name, settings
from recon_action.model.duration import duration

__all__ = ["OPTIONS", "Option", "default_target", "duration", "option_name", "settings"]
