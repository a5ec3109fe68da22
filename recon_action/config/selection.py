"""The options that say which objects of a target a run is about."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from recon_action.config.option import Option, option_name, parted
from recon_action.errors import UsageError
from recon_action.model.selection import Selection, parse_match, parse_selector

_PATTERN = "PATTERN"

SELECTION: tuple[Option, ...] = (
    Option(
        "selector",
        "Only objects whose labels in Git are so, as for kubectl: app=web,env in (prod,test). A part of a target is "
        "never pruned.",
        metavar="SELECTOR",
        short="l",
    ),
    Option(
        "include",
        "Only these objects: KIND, KIND/NAME or NAMESPACE/KIND/NAME, as globs; repeatable, or parted by commas.",
        metavar=_PATTERN,
        many=True,
    ),
    Option("exclude", "Not these objects, written in the same way.", metavar=_PATTERN, many=True),
)

_HELP = {option.name: option.help for option in SELECTION}
_Parsed = TypeVar("_Parsed")


def selection_of(values: Mapping[str, object], names: Callable[[str], str] = option_name) -> Selection:
    """`Selection` from `values`, keyed by `Option.name`; what is missing or "" selects all.

    Raises:
        UsageError: a value is wrong; the message names it as `names` does.
    """

    def read(name: str, parse: Callable[[str], _Parsed], text: str) -> _Parsed:
        try:
            return parse(text)
        except ValueError as error:
            raise UsageError(f"{names(name)}: {error}", hint=f"{names(name)}: {_HELP[name]}") from None

    selector = str(values.get("selector") or "").strip()
    patterns = {name: parted(values.get(name) or ()) for name in ("include", "exclude")}
    labels = read("selector", parse_selector, selector)
    include, exclude = (tuple(read(name, parse_match, text) for text in texts) for name, texts in patterns.items())
    said = [f"selector {selector}"] if labels else []
    said += [f"{name} {', '.join(texts)}" for name, texts in patterns.items() if texts]
    return Selection(labels, include, exclude, "; ".join(said))
