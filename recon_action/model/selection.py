"""Which objects of a target a run is about, as people write it: a label selector, and patterns of names.

The selector is kubectl's: `app=web,tier!=cache,env in (prod, test),!canary`. A pattern is `KIND`, `KIND/NAME` or
`NAMESPACE/KIND/NAME`, each part a glob; `KIND.GROUP` tells kinds of one name apart.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from recon_action.model.ref import ObjectRef
from recon_action.model.rules import Match

_DNS = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_NAME = r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_KEY = re.compile(rf"({_DNS}(\.{_DNS})*/)?{_NAME}")
_VALUE = re.compile(rf"({_NAME})?")
_SPLIT = re.compile(r",(?![^(]*\))")  # not within brackets
_SET = re.compile(r"(?P<key>\S+)\s+(?P<operator>in|notin)\s*\((?P<values>[^()]*)\)")
_EQUAL = re.compile(r"(?P<key>[^=!<>]*)(?P<operator>==|!=|=|>|<)(?P<value>.*)")
_FORMS = "write KEY=VALUE, KEY!=VALUE, KEY in (A,B), KEY notin (A,B), KEY, !KEY, KEY>N or KEY<N, joined by commas"


class Operator(StrEnum):
    """What a requirement asks of a label."""

    IN = "in"
    NOT_IN = "notin"
    EXISTS = "exists"
    ABSENT = "!"
    GREATER = ">"
    LESS = "<"


_OPERATORS = {"=": Operator.IN, "==": Operator.IN, "!=": Operator.NOT_IN, ">": Operator.GREATER, "<": Operator.LESS}


@dataclass(frozen=True, slots=True)
class Requirement:
    """One part of a label selector."""

    key: str
    operator: Operator
    values: frozenset[str] = frozenset()

    def has(self, labels: Mapping[str, Any]) -> bool:
        """Whether `labels` are as it asks; without the key they are what `notin` and `!=` ask for, as for kubectl."""
        value = labels.get(self.key)
        is_one = isinstance(value, str) and value in self.values
        match self.operator:
            case Operator.EXISTS:
                return value is not None
            case Operator.ABSENT:
                return value is None
            case Operator.IN:
                return is_one
            case Operator.NOT_IN:
                return not is_one
            case _:
                return _is_beyond(value, self.operator, int(next(iter(self.values))))


@dataclass(frozen=True, slots=True)
class Selection:
    """Which objects a run is about; without any part, all.

    Args:
        labels: what an object's labels in Git must all be like.
        include: of which one at least must match, if there are any.
        exclude: of which none may.
        text: how people asked for it.
    """

    labels: tuple[Requirement, ...] = ()
    include: tuple[Match, ...] = ()
    exclude: tuple[Match, ...] = ()
    text: str = ""

    @property
    def is_all(self) -> bool:
        """Whether nothing is left out."""
        return not (self.labels or self.include or self.exclude)

    def has(self, ref: ObjectRef, labels: object) -> bool:
        """Whether an object is one of them, by its identity and its labels in Git."""
        known = labels if isinstance(labels, dict) else {}
        return (
            all(one.has(known) for one in self.labels)
            and (not self.include or any(one.has(ref) for one in self.include))
            and not any(one.has(ref) for one in self.exclude)
        )


def parse_selector(text: str) -> tuple[Requirement, ...]:
    """The requirements of a label selector; ValueError says what is wrong with it."""
    return tuple(_requirement(part.strip()) for part in _SPLIT.split(text)) if text.strip() else ()


def parse_match(text: str) -> Match:
    """The objects that a pattern names; ValueError says what is wrong with it."""
    *namespaces, kind, name = text.split("/") if "/" in text else (text, "*")
    if len(namespaces) > 1 or not kind or not name:
        raise ValueError(f"{text!r} names no objects; write KIND, KIND/NAME or NAMESPACE/KIND/NAME, such as Deployment")
    kind, dot, group = kind.partition(".")
    return Match(group if dot else "*", kind, namespaces[0] if namespaces else "*", name)


def _requirement(text: str) -> Requirement:
    if found := _SET.fullmatch(text):
        values = frozenset(value.strip() for value in found["values"].split(","))
        return _checked(text, Requirement(found["key"], Operator(found["operator"]), values))
    if found := _EQUAL.fullmatch(text):
        operator = _OPERATORS[found["operator"]]
        return _checked(text, Requirement(found["key"].strip(), operator, frozenset({found["value"].strip()})))
    if text.startswith("!"):
        return _checked(text, Requirement(text[1:].strip(), Operator.ABSENT))
    return _checked(text, Requirement(text, Operator.EXISTS))


def _checked(text: str, found: Requirement) -> Requirement:
    if not _KEY.fullmatch(found.key):
        raise ValueError(f"{text!r} is no part of a label selector; {_FORMS}")
    for value in sorted(found.values):
        if not _VALUE.fullmatch(value):
            raise ValueError(f"{value!r} can't be a label's value; {_FORMS}")
        if found.operator in {Operator.GREATER, Operator.LESS} and not _is_number(value):
            raise ValueError(f"{text!r} compares with {value!r}, which is no whole number")
    return found


def _is_beyond(value: object, operator: Operator, limit: int) -> bool:
    if not isinstance(value, str) or not _is_number(value):
        return False
    return int(value) > limit if operator is Operator.GREATER else int(value) < limit


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?[0-9]{1,18}", text) is not None
