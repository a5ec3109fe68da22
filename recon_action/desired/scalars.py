"""What a scalar means: go-yaml's rules (YAML 1.1 with Go's numbers), then JSON's, as kubectl applies them.

Pure text in, JSON value out. Where a scalar stands and which fault it makes is the reader's business.
"""

import base64
import binascii
import math
import re
import struct
from datetime import date
from decimal import Decimal
from typing import Any, Final

_INT64: Final = 1 << 63
_UINT64: Final = 1 << 64
_WHOLE: Final = 1 << 53  # up to here a whole float and its integer have the same digits

_WORDS: Final[dict[str, Any]] = {
    **dict.fromkeys(["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"], True),
    **dict.fromkeys(["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"], False),
    **dict.fromkeys(["", "~", "null", "Null", "NULL"], None),
    **dict.fromkeys([".nan", ".NaN", ".NAN"], math.nan),
    **dict.fromkeys([".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"], math.inf),
    **dict.fromkeys(["-.inf", "-.Inf", "-.INF"], -math.inf),
}
_NUMERIC: Final = frozenset("+-.0123456789")
_INTEGER: Final = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[oO]([0-7]+)|0[bB]([01]+)|0([0-7]+)|(0|[1-9][0-9]*))")
_BASES: Final = (16, 8, 2, 8, 10)
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
# After a leading point Go's own ParseFloat decides: underscores may stand between digits.
_POINTED: Final = re.compile(r"\.[0-9]+(_[0-9]+)*([eE][-+]?[0-9]+(_[0-9]+)*)?")
_TIMESTAMP: Final = re.compile(
    r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})([Tt ][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(\.[0-9]+)?(Z|[-+][0-9]{2}:[0-9]{2})?)?"
)

_PREFIX: Final = "tag:yaml.org,2002:"


def resolve(text: str) -> Any:
    """The JSON value of a plain scalar; infinities and NaN come back as floats, for the caller to refuse."""
    value = _native(text)
    return as_json(value) if value.__class__ is float or value.__class__ is int else value


def resolve_tagged(tag: str, text: str) -> Any:
    """The JSON value of a scalar that carries a tag; tags that go-yaml doesn't know leave a string.

    Raises:
        ValueError: the text doesn't suit the tag; the message quotes the tag alone.
    """
    name = tag.removeprefix(_PREFIX)
    if name == "binary" and tag != name:
        return _binary(text)
    kinds: dict[str, type | tuple[type, ...]] = {
        "bool": bool, "int": int, "float": (float, int), "null": type(None), "timestamp": str,
    }  # fmt: skip
    if tag == name or name not in kinds:
        return text
    value = _native(text)
    fits = isinstance(value, kinds[name]) and (name == "bool" or not isinstance(value, bool))
    if name == "timestamp":
        fits = _is_timestamp(text)
    if not fits or (name == "float" and isinstance(value, int) and value >= _INT64):
        raise ValueError(f"the value doesn't suit its tag !!{name}")
    return as_json(float(value)) if name == "float" else as_json(value)


def resolve_key(text: str) -> str:
    """The JSON key that a plain scalar makes: `on` is "true", `1.0` is "1".

    Raises:
        ValueError: null and integers beyond 64 bits make no key.
    """
    return key_of(_native(text))


def key_of(value: Any) -> str:
    """The JSON key that a resolved scalar makes.

    Raises:
        ValueError: it makes none.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value < _INT64:
        return str(value)
    if isinstance(value, float):
        return _short(value)
    raise ValueError("null is no key" if value is None else "the key is too large a number")


def as_json(value: Any) -> Any:
    """A number as it comes back from Go's JSON: beyond int64 it is a float, and whole floats lose their point.

    Python's JSON codecs read 64 bits at most, so a whole float beyond them stays a float.
    """
    if value.__class__ is int and not -_INT64 <= value < _INT64:
        value = float(value)
    if value.__class__ is float and value.is_integer():
        whole = int(value) if abs(value) <= _WHOLE else int(Decimal(repr(value)))
        return whole if -_INT64 <= whole < _UINT64 else value
    return value


def _native(text: str) -> Any:
    """The value as go-yaml has it: str, bool, None, int up to 64 bits, or float."""
    if text in _WORDS:
        return _WORDS[text]
    first = text[0]
    if first not in _NUMERIC:
        return text
    if first == ".":
        return _float(text.replace("_", "")) if _POINTED.fullmatch(text) else text
    plain = text.replace("_", "")
    if match := _INTEGER.fullmatch(plain):
        digits = match[match.lastindex or 0]
        # More digits than any 64-bit number: Python would be slow, and refuses some, to convert them.
        value = int(digits, _BASES[(match.lastindex or 0) - 2]) if len(digits.lstrip("0")) <= 64 else _UINT64
        value = -value if match[1] == "-" else value
        if -_INT64 <= value < _INT64 or (value < _UINT64 and value > 0 and not match[1]):
            return value
    number = _float(plain) if _FLOAT.fullmatch(plain) else None
    return text if isinstance(number, str) or number is None else number


def _float(text: str) -> float | str:
    """The float; the text itself if it is too large for one, as in Go."""
    value = float(text)
    return text if math.isinf(value) else value


def _is_timestamp(text: str) -> bool:
    match = _TIMESTAMP.fullmatch(text)
    try:
        return match is not None and bool(date(int(match[1]), int(match[2]), int(match[3])))
    except ValueError:
        return False


def _binary(text: str) -> str:
    try:
        data = base64.b64decode(text.replace("\r", "").replace("\n", ""), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError("the value of a !!binary is no base64") from error
    return data.decode(errors="replace")


def _short(value: float) -> str:
    """A float key as sigs.k8s.io/yaml writes it: the shortest text of its 32-bit value, like Go's %g."""
    if math.isnan(value):
        return ".nan"
    try:
        single = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        single = math.copysign(math.inf, value)
    if math.isinf(single):
        return ".inf" if single > 0 else "-.inf"
    digits = next(d for p in range(17) if _single(d := f"{single:.{p}e}") == single)
    mantissa, _, exponent = digits.partition("e")
    power = int(exponent)
    if power < -4 or power >= 6:
        return f"{mantissa}e{'-' if power < 0 else '+'}{abs(power):02d}"
    places = len(mantissa.lstrip("-").replace(".", "")) - 1 - power
    return f"{float(digits):.{max(places, 0)}f}"


def _single(text: str) -> float:
    return float(struct.unpack("f", struct.pack("f", float(text)))[0])
