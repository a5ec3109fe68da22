"""The options that say how sources are rendered, and what recon.yaml says of them."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from recon_action.config.option import Option, option_name
from recon_action.errors import UsageError
from recon_action.model import ChartSettings, SourceSettings

_AUTO = "auto"
_CHOICES = {_AUTO: None, "true": True, "false": False}
_FLAGS = {"": None, "true": True, "false": False}

SOURCES: tuple[Option, ...] = (
    Option(
        "render",
        "Build folders that hold a kustomization, and render charts; else each file is read as it is.",
        default="true",
        flag=True,
    ),
    Option("values", "File of values for charts; repeatable, a later one outweighs.", metavar="FILE", many=True),
    Option("set", "Single value for charts, as helm takes it; repeatable.", metavar="KEY=VALUE", many=True),
    Option("release-name", "Name of the chart's release. Default: the chart's.", metavar="NAME"),
    Option(
        "decrypt",
        "Whether files that SOPS has encrypted are decrypted; auto: yes, but not in a preview.",
        default=_AUTO,
        choices=tuple(_CHOICES),
    ),
    Option(
        "allow-network",
        "Let kustomize, helm and sops use the network: remote bases, chart repositories, key services.",
        default="false",
        flag=True,
    ),
)


def sources_of(values: Mapping[str, object], names: Callable[[str], str] = option_name) -> SourceSettings:
    """`SourceSettings` from `values`, keyed by `Option.name`; what is missing or "" takes its default.

    Raises:
        UsageError: a value is wrong; the message names it as `names` does.
    """
    decrypt = str(values.get("decrypt") or _AUTO).strip().lower()
    if decrypt not in _CHOICES:
        known = ", ".join(_CHOICES)
        raise UsageError(f"{names('decrypt')}: {decrypt!r} is none of {known}", hint=f"write one of {known}")
    sets = _lines(values.get("set"))
    if wrong := [text for text in sets if "=" not in text]:
        raise UsageError(f"{names('set')}: {wrong[0]!r} is not KEY=VALUE", hint="write one such as image.tag=v2")
    render, network = (_flag(name, values, names) for name in ("render", "allow-network"))
    return SourceSettings(
        render=render is not False,
        network=network is True,
        decrypt=_CHOICES[decrypt],
        release=str(values.get("release-name") or "").strip(),
        values=tuple(part for text in _lines(values.get("values")) for part in re.split(r"\s*,\s*", text) if part),
        sets=sets,
    )


def with_sources(settings: SourceSettings, said: Mapping[str, Any]) -> SourceSettings:
    """`settings`, and the part `sources` of recon.yaml; an option outweighs it."""
    decrypt = settings.decrypt if settings.decrypt is not None else said.get("decrypt")
    network = settings.network or bool(said.get("allowNetwork"))
    return replace(settings, decrypt=decrypt, network=network, charts=tuple(map(_chart, said.get("charts", ()))))


def _chart(said: Mapping[str, Any]) -> ChartSettings:
    return ChartSettings(
        path=said["path"].rstrip("/"),
        release=said.get("release", ""),
        namespace=said.get("namespace", ""),
        values=tuple(said.get("values", ())),
        sets=tuple(f"{key}={_value(value)}" for key, value in said.get("set", {}).items()),
        crds=said.get("crds", True),
    )


def _value(value: object) -> str:
    """As helm's `--set` takes it: a comma would end it."""
    text = value if isinstance(value, str) else json.dumps(value)
    return text.replace(",", r"\,")


def _flag(name: str, values: Mapping[str, object], names: Callable[[str], str]) -> bool | None:
    given = values.get(name)
    text = "" if given is None else str(given).strip().lower()
    if text not in _FLAGS:
        raise UsageError(f"{names(name)}: {text!r} is neither true nor false", hint="write true or false")
    return _FLAGS[text]


def _lines(given: object) -> tuple[str, ...]:
    """The values of an option that may be given several times, or once with one on each line, in their order."""
    texts = (
        [str(one) for one in given]
        if isinstance(given, Sequence) and not isinstance(given, str)
        else [str(given or "")]
    )
    return tuple(line.strip() for text in texts for line in text.splitlines() if line.strip())
