"""libyaml's events, through PyYAML: the one place that names its parser."""

from collections.abc import Iterator
from typing import Any

from yaml._yaml import CParser


def events_of(data: bytes) -> Iterator[Any]:
    """The events of the YAML in `data`, of the classes in `yaml.events`.

    Raises:
        YAMLError: from the iterator, where libyaml can't go on.
    """
    return iter(CParser(data).get_event, None)
