"""Formats of values in schemas that the API server checks, as far as they are checked here, too."""

import base64
import binascii
import ipaddress
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any

_UUID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)", re.IGNORECASE | re.ASCII)


def has_format(name: str, value: Any) -> bool:
    """Whether `value` has the format `name`; true where that isn't known here, or means another type."""
    if isinstance(value, int) and not isinstance(value, bool):
        bits = {"int32": 31, "int64": 63}.get(name)
        return bits is None or -(1 << bits) <= value < 1 << bits
    check = _OF_TEXT.get(name)
    if check is None or not isinstance(value, str):
        return True
    try:
        return check(value)
    except ValueError:
        return False


def _is_base64(text: str) -> bool:
    try:
        return base64.b64decode(text, validate=True) is not None
    except binascii.Error as error:
        raise ValueError from error


def _is_date(text: str) -> bool:
    return bool(_DATE.fullmatch(text) and date.fromisoformat(text))


def _is_time(text: str) -> bool:
    return bool(_TIME.fullmatch(text) and datetime.fromisoformat(text.upper()))


_OF_TEXT: Mapping[str, Callable[[str], bool]] = {
    "byte": _is_base64,
    "cidr": lambda text: "/" in text and bool(ipaddress.ip_interface(text)),
    "date": _is_date,
    "date-time": _is_time,
    "ipv4": lambda text: bool(ipaddress.IPv4Address(text)),
    "ipv6": lambda text: bool(ipaddress.IPv6Address(text)),
    "uuid": lambda text: bool(_UUID.fullmatch(text)),
}
