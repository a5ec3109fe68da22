"""What an object holds at a path, and parts of it that may be anything: nobody has checked a manifest's types."""

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


def as_map(value: Any) -> dict[str, Any]:
    """`value`, or an empty map if it is none."""
    return value if isinstance(value, dict) else {}


def as_maps(value: Any) -> list[dict[str, Any]]:
    """The maps in the list `value`; none if it is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
