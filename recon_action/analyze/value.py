"""What an object holds at a path."""

from typing import Any

from recon_action.analyze.equality import same
from recon_action.model import ABSENT, Body, FieldPath, ItemKey, ItemValue


def value_at(body: Body, path: FieldPath) -> Any:
    """The value, ABSENT if there is none."""
    value: Any = body
    for item in path.items:
        match item:
            case str():
                value = value.get(item, ABSENT) if isinstance(value, dict) else ABSENT
            case int():
                value = value[item] if isinstance(value, list) and item < len(value) else ABSENT
            case ItemKey() | ItemValue():
                items = value if isinstance(value, list) else ()
                value = next((one for one in items if _is(item, one)), ABSENT)
        if value is ABSENT:
            break
    return value


def _is(item: ItemKey | ItemValue, value: Any) -> bool:
    return item.matches(value) if isinstance(item, ItemKey) else same(item.value, value)
