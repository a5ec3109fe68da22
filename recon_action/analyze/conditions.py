"""Conditions, as Kubernetes' own objects and most custom resources state them. Pure."""

from collections.abc import Mapping
from typing import Any

Parts = dict[str, Any]


def part_of(body: Parts, name: str) -> Parts:
    """`spec` or `status`; a custom resource may hold anything there."""
    part = body.get(name)
    return part if isinstance(part, dict) else {}


def conditions_of(status: Parts) -> dict[str, Parts]:
    """The conditions by their type; what is none is left out."""
    conditions = status.get("conditions")
    return {
        str(condition["type"]): condition
        for condition in (conditions if isinstance(conditions, list) else ())
        if isinstance(condition, dict) and "type" in condition and "status" in condition
    }


def is_true(conditions: Mapping[str, Parts], kind: str) -> bool:
    """Whether there is such a condition, and it holds."""
    return kind in conditions and conditions[kind]["status"] == "True"


def is_false(conditions: Mapping[str, Parts], kind: str) -> bool:
    """Whether there is such a condition, and it does not hold."""
    return kind in conditions and conditions[kind]["status"] == "False"


def why(condition: Parts) -> str:
    """`reason: message`, or what the condition is where it gives neither."""
    said = [str(part).strip() for part in (condition.get("reason", ""), condition.get("message", "")) if part]
    return ": ".join(said) or f"{condition['type']} is {condition['status']}"
