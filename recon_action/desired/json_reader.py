"""Reads one JSON document into JSON values, with Go's numbers; repeated keys are a fault, as in YAML."""

import json
from typing import Any

from recon_action.desired.documents import Document
from recon_action.desired.faults import Fault
from recon_action.desired.limits import Meter, TooMuchError
from recon_action.desired.open_document import MAX_DEPTH, TOO_MUCH
from recon_action.desired.scalars import as_json
from recon_action.desired.yaml_reader import Read, YamlReader, garbage_kept
from recon_action.model import Position

_CERTAIN = 19  # digits and more, from which a number may not be one of 64 bits


def read_json(document: Document, file: str, yaml: YamlReader) -> Read:
    """The document's value, or its faults; YAML, of which JSON is a part, tells where they are."""
    try:
        with garbage_kept():
            value = json.loads(
                document.data,
                object_pairs_hook=_unrepeated,
                parse_int=_integer,
                parse_float=_number,
            )
            _measure(value, yaml.meter)
            if b"\\u" in document.data:
                value = _valid(value)
    except TooMuchError as error:
        fault = Fault(Position(file, document.line), f"the file holds {error}", TOO_MUCH)
        return Read(None, (fault,))
    except (ValueError, RecursionError) as error:
        told = yaml.read(document, file)
        if told.faults:
            return told
        return Read(None, (Fault(Position(file, document.line), _reason(error), "write it as kubectl does"),))
    start = len(document.data) - len(document.data.lstrip())
    line = document.line + document.data.count(b"\n", 0, start)
    return Read(value, lines={id(value): line})


def _measure(value: Any, meter: Meter) -> None:
    """Level by level, as deep nesting must not exhaust the interpreter's stack.

    Raises:
        ValueError: it is nested too deep.
        TooMuchError: it holds too much.
    """
    level = [value]
    for _ in range(MAX_DEPTH + 2):
        below: list[Any] = []
        for container in level:
            if container.__class__ is dict:
                below += container.values()
            elif container.__class__ is list:
                below += container
        if meter.is_counting:
            meter.count(len(below))
        level = [item for item in below if item.__class__ is dict or item.__class__ is list]
        if not level:
            return
    raise ValueError(f"nested more than {MAX_DEPTH} levels deep")


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return f"nested more than {MAX_DEPTH} levels deep"
    return "this JSON can't be read" if isinstance(error, json.JSONDecodeError) else str(error)


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key is repeated")
    return result


def _integer(text: str) -> Any:
    return int(text) if len(text) < _CERTAIN else _number(text)


def _number(text: str) -> Any:
    if not any(character in text for character in ".eE") and len(text) < 20:
        return as_json(int(text))
    value = float(text)
    if value - value != 0:
        raise ValueError("a number is too large")
    return as_json(value)


def _valid(value: Any) -> Any:
    """The value with U+FFFD for halves of surrogate pairs, as Go reads them."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_valid(key): _valid(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_valid(item) for item in value]
    return value
