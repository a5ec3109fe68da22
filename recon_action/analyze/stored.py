"""In which form the API server's own types store what they are given: numbers, texts, and what is empty.

A custom resource is stored as it was given.
"""

import base64
import binascii
import re
from decimal import Decimal
from typing import Any

from recon_action.analyze.equality import is_dropped, quantity, same
from recon_action.analyze.schema import Schema

# Fields of built-in kinds in which zero, false or "" is kept, as it isn't the same as nothing.
_KEPT_ZEROS = frozenset(
    {
        "activeDeadlineSeconds",
        "allowPrivilegeEscalation",
        "allowVolumeExpansion",
        "attachRequired",
        "automountServiceAccountToken",
        "backoffLimit",
        "completions",
        "defaultMode",
        "enableServiceLinks",
        "failedJobsHistoryLimit",
        "fsGroup",
        "hostProcess",
        "hostUsers",
        "immutable",
        "ingressClassName",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minItems",
        "minLength",
        "minProperties",
        "minReplicas",
        "minimum",
        "mode",
        "optional",
        "parallelism",
        "partition",
        "podInfoOnMount",
        "preemptionPolicy",
        "privileged",
        "progressDeadlineSeconds",
        "readOnlyRootFilesystem",
        "replicas",
        "requiresRepublish",
        "revisionHistoryLimit",
        "runAsGroup",
        "runAsNonRoot",
        "runAsUser",
        "setHostnameAsFQDN",
        "shareProcessNamespace",
        "stabilizationWindowSeconds",
        "storageCapacity",
        "storageClassName",
        "successfulJobsHistoryLimit",
        "suspend",
        "terminationGracePeriodSeconds",
        "tolerationSeconds",
        "ttlSecondsAfterFinished",
    }
)


_DURATION = re.compile(r"(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)")
_SECONDS = {
    "ns": Decimal("1e-9"),
    "us": Decimal("1e-6"),
    "µs": Decimal("1e-6"),
    "ms": Decimal("1e-3"),
    "s": Decimal(1),
    "m": Decimal(60),
    "h": Decimal(3600),
}


def is_stored_as(schema: Schema, desired: object, live: object) -> bool:
    """Whether the scalar `live` is what the server makes of `desired`."""
    if schema.is_quantity:
        return (number := quantity(desired)) is not None and number == quantity(live)
    if schema.is_duration:
        return (seconds := duration(desired)) is not None and seconds == duration(live)
    if schema.is_bytes:
        return (data := _bytes(desired)) is not None and data == _bytes(live)
    is_number = schema.type == "integer" or (schema.is_built_in and not schema.type)
    if isinstance(desired, float) and is_number and desired.is_integer():
        return same(int(desired), live)
    return same(desired, live)


def duration(value: object) -> Decimal | None:
    """Seconds of Go's `1h30m`; None if `value` is no duration."""
    if not isinstance(value, str) or not value:
        return None
    sign, text = (-1, value[1:]) if value[0] == "-" else (1, value.removeprefix("+"))
    parts = _DURATION.findall(text)
    if text == "0":
        return Decimal(0)
    if "".join(number + unit for number, unit in parts) != text or not parts:
        return None
    return sign * sum((Decimal(number) * _SECONDS[unit] for number, unit in parts), Decimal(0))


def _bytes(value: object) -> bytes | None:
    if not isinstance(value, str):
        return None
    try:
        return base64.b64decode(value.replace("\n", "").replace("\r", ""), validate=True)
    except (binascii.Error, ValueError):
        return None


def is_omitted(schema: Schema, key: str, value: Any, *, is_owned: bool) -> bool:
    """Whether a built-in kind stores nothing for an empty `value` that isn't in live.

    If our entry owns it, it is empty since our last apply, and the server has left it out before.
    """
    if not schema.is_built_in or not is_dropped(value) or key not in schema.declared:
        return False
    below = schema.field(key)
    if is_owned:
        return True
    if key in schema.required or value is None:
        return value is None
    if isinstance(value, dict):
        return "additionalProperties" in below.raw
    return bool(below.type) and key not in _KEPT_ZEROS


def is_text_entry(schema: Schema, key: str) -> bool:
    """Whether `key` is a map's own, in a map of texts, where a built-in kind makes "" of null."""
    return schema.is_built_in and key not in schema.declared and schema.field(key).type == "string"
