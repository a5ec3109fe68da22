"""The first step: what a repository holds is looked at, and what it needs to be reconciled from GitHub is written.

`sight` looks, `draft` decides what is written, `pin` finds the commit that workflows name, `write` writes. The
workflows are the examples of the documentation: the files in `workflows/` are links to them.
"""

from recon_action.init.draft import Draft, File, draft
from recon_action.init.pin import UNKNOWN, Pin, find_pin, given_pin
from recon_action.init.sight import Sight, look
from recon_action.init.write import Written, write

__all__ = ["UNKNOWN", "Draft", "File", "Pin", "Sight", "Written", "draft", "find_pin", "given_pin", "look", "write"]
