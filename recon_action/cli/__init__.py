"""The command line: commands, options, wiring, progress, exit codes. Only this package exits.

Importing it costs little: a command's own imports happen when it runs, so that `--help` stays quick.
"""

import gc


def main() -> int:
    """Run the command line; the process' exit code."""
    # One command is over before its garbage matters, and looking for it costs a fifth of a large diff. What
    # runs for ever turns it on again.
    gc.disable()
    from recon_action.cli.app import run  # noqa: PLC0415 - click is only needed here

    return run()
