"""`python -m recon_action`."""

import sys

from recon_action.cli import main

sys.exit(main())
