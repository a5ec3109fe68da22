"""The action's inputs as the runner hands them over.

Decides how an input's variable is found and how lists and booleans are written. Which inputs there are, and what
they mean, is `action`'s.
"""

import re
from collections.abc import Mapping

from recon_action.errors import UsageError

_BOOLEANS = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


def input_name(name: str) -> str:
    """What an error message calls an input."""
    return f"input {name}"


def read_input(environ: Mapping[str, str], name: str) -> str:
    """The value of input `name` (kebab-case), without white space around it; "" if it isn't set.

    The runner keeps dashes (`INPUT_FAIL-ON`). Other engines, and shells on the way, turn or lose them, so that
    `INPUT_FAIL_ON` is read as well.
    """
    variable = f"INPUT_{name.upper()}"
    return (environ.get(variable) or environ.get(variable.replace("-", "_")) or "").strip()


def read_flag(environ: Mapping[str, str], name: str, *, default: bool) -> bool:
    """A boolean input, written as GitHub's toolkit and YAML 1.2 have it.

    Raises:
        UsageError: it is anything else.
    """
    text = read_input(environ, name)
    if not text:
        return default
    if text not in _BOOLEANS:
        raise UsageError(f"{input_name(name)}: {text!r} is no boolean", hint="write true or false")
    return _BOOLEANS[text]


def read_list(environ: Mapping[str, str], name: str) -> tuple[str, ...]:
    """An input that lists things, one a line or parted by commas."""
    return tuple(item.strip() for item in re.split(r"[\n,]", read_input(environ, name)) if item.strip())
