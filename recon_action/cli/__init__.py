"""The command line: commands, options, wiring, progress, exit codes. Only this package exits.

Importing it costs little: a command's own imports happen when it runs, so that `--help` stays quick.
"""


def main() -> int:
    """Run the command line; the process' exit code."""
    from recon_action.cli.app import run  # noqa: PLC0415 - click is only needed here

    return run()
