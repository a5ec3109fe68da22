"""One option, whatever it is called where: on the command line, as an input, as a variable."""

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Option:
    """One option, whatever it is called where.

    Args:
        name: kebab-case, as on the command line without its dashes.
        help: one line for people.
        default: as text.
        metavar: what the value stands for in `--help`.
        choices: the values allowed, if they are few.
        flag: whether it is on or off.
        many: whether it may be given several times.
        action: whether the action has it as an input.
        short: a one-letter form on the command line.
    """

    name: str
    help: str
    default: str = ""
    metavar: str = ""
    choices: tuple[str, ...] = ()
    flag: bool = False
    many: bool = False
    action: bool = True
    short: str = ""

    @property
    def key(self) -> str:
        """The name as Python's: `max_prune`."""
        return self.name.replace("-", "_")

    @property
    def variable(self) -> str:
        """The environment variable: `RECON_MAX_PRUNE`."""
        return f"RECON_{self.key.upper()}"


def option_name(name: str) -> str:
    """What an option is called on the command line: `--max-prune`."""
    return f"--{name}"


def parted(given: object) -> tuple[str, ...]:
    """The values of an option that may be given several times, or once with commas or lines; each once, in order."""
    texts = [str(one) for one in given] if isinstance(given, Sequence) and not isinstance(given, str) else [str(given)]
    found = (part.strip() for text in texts for part in re.split(r"[\n,]", text))
    return tuple(dict.fromkeys(part for part in found if part))
