"""Payloads as GitHub sends them: its own examples, changed where a test needs it, held to its own description.

Both files are written by scripts/github_payloads.py from packages under the MIT licence.
"""

import copy
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

_FOLDER = Path(__file__).parent
SCHEMAS = json.loads((_FOLDER / "schemas.json").read_text(encoding="utf-8"))
EXAMPLES = json.loads((_FOLDER / "examples.json").read_text(encoding="utf-8"))
# Of what the description has come to ask for since somebody contributed the example.
_LATER = {"disabled": False, "has_discussions": False}
# A fork, and an account, can be deleted; of some events the description does not know.
_GONE = ("$.pull_request.head.repo", "$.workflow_run.head_repository", "$.comment.user")
_REGISTRY: Any = Registry().with_resource("urn:payloads", Resource(contents=SCHEMAS, specification=DRAFT202012))


def payload(event: str, changes: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The example of `event`, named as the description names it, with `changes` by dotted path.

    Raises:
        ValueError: GitHub would not send it.
    """
    made: dict[str, Any] = _completed(copy.deepcopy(EXAMPLES["examples"][event]))
    for path, value in (changes or {}).items():
        *above, last = path.split(".")
        inner = made
        for key in above:
            inner = inner[key]
        inner[last] = value
    if faults := list(faults_of(event, made)):
        raise ValueError("\n".join(faults))
    return made


def _completed(given: Any) -> Any:
    """`given`, each repository in it with what it lacks."""
    if isinstance(given, list):
        return [_completed(item) for item in given]
    if not isinstance(given, dict):
        return given
    whole = {key: _completed(value) for key, value in given.items()}
    return {**_LATER, **whole} if "default_branch" in whole else whole


def faults_of(event: str, given: Any) -> Iterator[str]:
    """How `given` differs from what GitHub sends."""
    validator = Draft202012Validator({"$ref": f"urn:payloads#/events/{event}"}, registry=_REGISTRY)
    for error in validator.iter_errors(given):
        if error.instance is not None or error.json_path not in _GONE:
            yield f"{event}: {error.json_path}: {error.message[-200:]}"
