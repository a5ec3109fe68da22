"""recon.yaml: read, checked against its JSON Schema, and made frozen rules.

Everything that is wrong is told at once, each with its place. jsonschema is imported only if there is a file.
"""

import difflib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recon_action.config.options import settings as settings_of_options
from recon_action.config.sources import with_sources
from recon_action.config.targets import TargetEntry, duplicates, entry
from recon_action.desired import ConfigDocument, Fault, config_document
from recon_action.errors import UsageError
from recon_action.model import FieldPattern, IgnoreRule, Match, RedactRule, Settings
from recon_action.model.pattern import parse_field, parse_pointer

if TYPE_CHECKING:
    from jsonschema import ValidationError

NAME = "recon.yaml"
_OF_TARGET = 2  # the length of the path to one
_PARSERS: Mapping[str, Callable[[str], FieldPattern]] = {"fields": parse_field, "pointers": parse_pointer}
_TYPES = {
    "object": "a mapping",
    "array": "a list",
    "string": "a text; quote it if it looks like something else",
    "boolean": "true or false",
}


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """What recon.yaml says."""

    ignore: tuple[IgnoreRule, ...] = ()
    redact: tuple[RedactRule, ...] = ()
    cluster_uid: str = ""
    sources: Mapping[str, Any] = field(default_factory=dict)
    targets: tuple[TargetEntry, ...] = (TargetEntry(),)


def with_file(settings: Settings, path: str) -> Settings:
    """`settings` and what the file says; as `read_config`. An option outweighs the file."""
    return with_config(settings, read_config(path))


def with_config(settings: Settings, config: ConfigFile) -> Settings:
    """`settings` and what the file says of its target, but for what stands in an option's place: that is `targets`'."""
    cluster_uid = settings.cluster_uid or config.cluster_uid
    sources = with_sources(settings.sources, config.sources)
    own = next((one.ignore for one in config.targets if one.name == settings.target), ())
    ignore = (*own, *config.ignore)
    return replace(settings, ignore=ignore, redact=config.redact, cluster_uid=cluster_uid, sources=sources)


def read_config(path: str = "") -> ConfigFile:
    """The settings in the file at `path`; of recon.yaml in the current folder, if there is one, where `path` is "".

    Raises:
        UsageError: the file is missing, or something in it is wrong.
    """
    if not path and not Path(NAME).exists():
        return ConfigFile()
    document = config_document(path or NAME)
    faults = document.faults or tuple(sorted(_faults(document), key=_place))
    if faults:
        raise UsageError("\n".join(map(str, faults)), hint="correct the lines named above; docs/reference.md says more")
    value = document.value or {}
    return ConfigFile(
        ignore=tuple(_ignore_rule(rule) for rule in value.get("ignore", ())),
        redact=tuple(RedactRule(_match(rule), _patterns(rule)) for rule in value.get("redact", ())),
        cluster_uid=value.get("clusterUID", ""),
        sources=value.get("sources", {}),
        targets=_targets(value),
    )


def schema() -> dict[str, Any]:
    """The JSON Schema of recon.yaml."""
    from importlib.resources import files  # noqa: PLC0415 - most targets have no recon.yaml

    loaded: dict[str, Any] = json.loads((files("recon_action.config") / "recon.schema.json").read_text("utf-8"))
    return loaded


def _targets(value: Mapping[str, Any]) -> tuple[TargetEntry, ...]:
    defaults = value.get("defaults", {})
    named = (entry(one, defaults, tuple(map(_ignore_rule, one.get("ignore", ())))) for one in value.get("targets", ()))
    return tuple(named) or (entry({}, defaults),)


def _ignore_rule(rule: Mapping[str, Any]) -> IgnoreRule:
    return IgnoreRule(_match(rule), _patterns(rule), tuple(rule.get("managers", ())), rule.get("reason", ""))


def _match(rule: Mapping[str, Any]) -> Match:
    return Match(**rule["match"])


def _patterns(rule: Mapping[str, Any]) -> tuple[FieldPattern, ...]:
    return tuple(parse(text) for key, parse in _PARSERS.items() for text in rule.get(key, ()))


def _place(fault: Fault) -> tuple[int, int]:
    return fault.position.line, fault.position.column


def _faults(document: ConfigDocument) -> Iterator[Fault]:
    """What the schema refuses; if nothing, the patterns that can't be read."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - a quarter of a second that few runs need

    if document.value is None:  # an empty file says nothing, and that is allowed
        return
    wrong = [
        fault
        for error in Draft202012Validator(schema()).iter_errors(document.value)
        for fault in _said(document, error)
    ]
    yield from wrong
    if not wrong:
        yield from _unread(document)
        yield from _misfits(document)


def _said(document: ConfigDocument, error: "ValidationError") -> Iterator[Fault]:
    """A complaint of the schema in a person's words."""
    path: Sequence[str | int] = list(error.absolute_path)
    given: Any = error.instance
    rule: Any = error.validator_value
    known: Any = error.schema
    name = path[-1] if path and isinstance(path[-1], str) else "this"
    match error.validator:
        case "additionalProperties":
            names = list(known["properties"])
            for key in sorted(set(given) - set(names)):
                yield Fault(document.place([*path, key]), f"unknown key {key!r}", _nearest(key, names))
        case "type":
            words = _TYPES[rule] if isinstance(rule, str) else "a plain value"
            yield Fault(document.place(path), f"{name} must be {words}")
        case "required":
            missing = [key for key in rule if key not in given]
            # The schema complains once for each.
            if error.message.startswith(repr(missing[0])):
                what = "target" if path and path[0] == "targets" and len(path) <= _OF_TARGET else "rule"
                yield Fault(document.place(path), f"the {what} lacks {' and '.join(missing)}")
        case "enum":
            yield Fault(document.place(path), f"{name}: {given!r} is none of {', '.join(rule)}")
        case "pattern":
            yield Fault(document.place(path), f"{name}: {given!r} can't be it", known.get("description", ""))
        case "anyOf":
            yield Fault(document.place(path), "the rule names nothing to ignore", "add pointers, fields or managers")
        case _:
            yield Fault(document.place(path), f"{name} is empty", "name something, or take it out")


def _nearest(key: str, known: Sequence[str]) -> str:
    by_lower = {name.lower(): name for name in known}
    close = difflib.get_close_matches(key.lower(), by_lower, n=1)
    return f"did you mean {by_lower[close[0]]!r}?" if close else f"known here: {', '.join(known)}"


def _unread(document: ConfigDocument) -> Iterator[Fault]:
    for path, rule in _rules(document.value):
        for key, parse in _PARSERS.items():
            for index, text in enumerate(rule.get(key, ())):
                try:
                    parse(text)
                except ValueError as error:
                    yield Fault(document.place([*path, key, index]), str(error))


def _rules(value: Mapping[str, Any]) -> Iterator[tuple[list[str | int], Mapping[str, Any]]]:
    """Every rule of the file, and where it stands."""
    lists: list[tuple[list[str | int], Any]] = [([section], value.get(section, ())) for section in ("ignore", "redact")]
    targets = enumerate(value.get("targets", ()))
    lists += [(["targets", number, "ignore"], target.get("ignore", ())) for number, target in targets]
    for path, rules in lists:
        yield from (([*path, number], rule) for number, rule in enumerate(rules))


def _misfits(document: ConfigDocument) -> Iterator[Fault]:
    """Targets that can't be told apart, and what an option would not take."""
    value = document.value
    targets = value.get("targets", ())
    for number in duplicates([target["name"] for target in targets]):
        name = targets[number]["name"]
        yield Fault(document.place(["targets", number, "name"]), f"there is a target {name} already", "rename it")
    defaults = value.get("defaults", {})
    alone = {key: one for key, one in defaults.items() if key != "access" or not targets}  # targets may complete it
    told = set[str]()
    places: list[tuple[list[str | int], TargetEntry]] = [(["defaults"], entry({}, alone))]
    places += [(["targets", number], entry(target, defaults)) for number, target in enumerate(targets)]
    for path, one in places:
        try:
            settings_of_options(one.values, paths=None, names=lambda name: name)
        except UsageError as error:
            if error.message not in told:  # the defaults' fault is every target's
                yield Fault(document.place(path), error.message, error.hint)
            told.add(error.message)
