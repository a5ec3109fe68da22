"""What an object holds at a path."""

from typing import Any

from recon_action.analyze.fields import index_of
from recon_action.model import ABSENT, Body, FieldPath


def value_at(body: Body, path: FieldPath) -> Any:
    """The value, ABSENT if there is none."""
    value: Any = body
    for item in path.items:
        if isinstance(item, str):
            value = value.get(item, ABSENT) if isinstance(value, dict) else ABSENT
        else:
            at = index_of(value, item)
            value = ABSENT if at is None else value[at]
        if value is ABSENT:
            break
    return value
