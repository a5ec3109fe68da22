"""When two JSON values are the same: to the letter, or as Kubernetes' own kinds spell them.

The looser rules hold for built-in kinds alone: a custom resource keeps what it was given.
"""

import re
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any

_QUANTITY = re.compile(r"([+-]?\d+\.?\d*|[+-]?\.\d+)(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d+)?")
_SUFFIXES = {
    "n": Decimal("1e-9"),
    "u": Decimal("1e-6"),
    "m": Decimal("1e-3"),
    "k": Decimal("1e3"),
    "M": Decimal("1e6"),
    "G": Decimal("1e9"),
    "T": Decimal("1e12"),
    "P": Decimal("1e15"),
    "E": Decimal("1e18"),
    "Ki": Decimal(2**10),
    "Mi": Decimal(2**20),
    "Gi": Decimal(2**30),
    "Ti": Decimal(2**40),
    "Pi": Decimal(2**50),
    "Ei": Decimal(2**60),
}
# Maps whose values are quantities, and single fields that are one.
_QUANTITY_MAPS = frozenset({"capacity", "hard", "limits", "overhead", "podFixed", "requests"})
_QUANTITY_FIELDS = frozenset({"sizeLimit"})
# Defaults that the server puts inside values which it owns whole.
_INNER_DEFAULTS: dict[str, tuple[str, Any]] = {"fieldRef": ("apiVersion", "v1"), "resourceFieldRef": ("divisor", "0")}


def same(left: object, right: object) -> bool:
    """Equality of JSON values; unlike Python's, true is not 1 and 1 is not 1.0."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(value, right[key]) for key, value in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return left == right


def is_dropped(value: object) -> bool:
    """Whether the server stores nothing for `value`, where the field may be omitted: "", [], {}, false, 0, null."""
    return value is None or (not value and isinstance(value, str | list | dict | bool | int))


def same_atomic(desired: object, live: object, key: str) -> bool:
    """Equality of a value that is owned whole, but for the defaults that the server puts inside.

    Args:
        desired: Git's.
        live: the server's.
        key: the field that holds it.
    """
    if isinstance(desired, dict) and isinstance(live, dict):
        name, default = _INNER_DEFAULTS.get(key, ("", None))
        filled = {name: default} | desired if name else desired
        return filled.keys() == live.keys() and all(same_atomic(filled[field], live[field], field) for field in filled)
    if isinstance(desired, list) and isinstance(live, list):
        return len(desired) == len(live) and all(same_atomic(*pair, key) for pair in zip(desired, live, strict=True))
    return same(desired, live)


def same_quantity(desired: object, live: object, key: str, parent: str) -> bool:
    """Whether both are the same quantity, at a place where a built-in kind has one: `1000m` is `1`.

    Args:
        desired: Git's; a number will do for a string.
        live: the server's, in canonical form.
        key: the field.
        parent: the field that holds it.
    """
    if parent not in _QUANTITY_MAPS and key not in _QUANTITY_FIELDS:
        return False
    left, right = quantity(desired), quantity(live)
    return left is not None and left == right


def quantity(value: object) -> Decimal | None:
    """The exact number that a Kubernetes quantity stands for; None if `value` is none."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return _parsed(str(value))


@lru_cache(maxsize=4096)
def _parsed(text: str) -> Decimal | None:
    found = _QUANTITY.fullmatch(text)
    if found is None:
        return None
    number, suffix = found.groups()
    try:
        if suffix is None or suffix in _SUFFIXES:
            return Decimal(number) * _SUFFIXES.get(suffix or "", Decimal(1))
        return Decimal(number + suffix)
    except InvalidOperation:
        return None
