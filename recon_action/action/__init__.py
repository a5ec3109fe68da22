"""The action: from the event to a mode, a run, and what the runner shows of it.

Decides which event does what (docs/reference) and what is published where. How the runner is spoken to is
`github`'s, what a run does `reconcile`'s. Everything from outside comes in as arguments; nothing here exits.
"""

from recon_action.action.mode import base_of, mode_of
from recon_action.action.step import run

__all__ = ["base_of", "mode_of", "run"]
